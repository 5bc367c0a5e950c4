// The decision bar of a card: approve, reject with a reason, other reviewed commands, and the result of the decision.

import { clickId, decide } from "./decide.js";
import { h, icon, key, refill } from "./dom.js";
import { live } from "./live.js";
import { to } from "./router.js";
import { alertNow, say } from "./status.js";
import { hostText, visible } from "./text.js";

// A text that appeared this short a time ago has not been read: a key that was meant for the text before it does nothing.
const UNREAD = 600;

/** Only people decide. Until the role is known, the server has the last word. */
const mayDecide = () => !live.me || live.me.role === "person";

const WORDS = { approve: "Approved", reject: "Rejected" };

const sentWords = (decision) => WORDS[decision] ?? `Sent ${visible(decision, { line: true })}`;

export class Actions {
  node = h("div", { class: "actions" });
  result = null; // the last result of `decide`
  busy = null; // the decision that is being sent
  rejecting = false;
  once = null;
  drawn = null; // what the bar shows, so that nothing is replaced without need

  constructor(card) {
    this.card = card;
    this.reason = h("textarea", { id: "reason", "data-focus": "reason", rows: 3, maxlength: 4000, placeholder: "What should change? The model reads this.", onkeydown: (event) => this.#reasonKey(event) });
  }

  reset() {
    this.result = null;
    this.busy = null;
    this.rejecting = false;
    this.once = null;
  }

  /** The decisions that are neither an approval nor a rejection, by the names of their commands. */
  get others() {
    return this.card.card.actions.map((action) => action.name).filter((name) => !WORDS[name]);
  }

  offers(name) {
    return this.card.card.actions.some((action) => action.name === name);
  }

  get open() {
    return this.result?.kind !== "done" && !this.card.gone && !this.busy && mayDecide();
  }

  approve() {
    if (!this.open || !this.offers("approve")) return;
    if (this.card.newer) this.card.showNewer();
    else this.#send("approve");
  }

  /** Opens the field for the reason. */
  reject() {
    if (!this.open || !this.offers("reject")) return;
    if (this.card.newer) return this.card.showNewer();
    this.rejecting = true;
    this.render();
    this.reason.focus();
  }

  /** Says that a decision without an answer had no effect, if the plan still waited when the page read it after that. */
  stillWaits(asked) {
    if (!this.result?.again || this.result.at > asked) return;
    this.result = { kind: "undone" };
    say("Your decision had no effect.");
  }

  cancel() {
    this.rejecting = false;
    this.render();
    this.node.querySelector("[data-focus='reject']")?.focus();
  }

  #reasonKey(event) {
    if (event.key === "Escape") {
      event.stopPropagation();
      this.cancel();
    } else if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      this.#send("reject");
    }
  }

  async #send(decision) {
    if (!this.open) return;
    if (performance.now() - this.card.shownAt < UNREAD) return say("This text has just appeared. Read it, then decide.");
    const { card, session } = this.card;
    this.busy = decision;
    if (this.result?.kind === "undone") this.result = null;
    this.once = this.once?.decision === decision && this.once.token === card.token ? this.once : { decision, token: card.token, id: clickId() };
    this.render();
    const result = await decide(session.sessionId, card, decision, decision === "reject" ? this.reason.value.trim() : "", this.once.id);
    this.busy = null;
    if (this.card.signal.aborted) return say(result.kind === "done" ? `Done: ${result.answer.text}` : `Not decided: ${result.detail}`);
    this.#arrived(result, decision, card);
  }

  #arrived(result, decision, card) {
    this.result = { ...result, decision, at: performance.now() };
    if (result.kind === "done") {
      this.rejecting = false;
      say(`${sentWords(decision)}. ${result.answer.text}`);
      live.refresh();
    } else if (result.kind === "stale") {
      alertNow(`Refused: ${result.detail}`);
      if (result.card) {
        this.card.showNewer(result.card, result.shown?.content ?? card.content, "since the text that you decided about");
        this.result = { ...result, decision };
      } else {
        this.card.gone = result.detail;
      }
    } else {
      alertNow(result.detail);
    }
    this.card.render();
    if (result.kind === "done") this.#focusOutcome();
  }

  /** Moves the focus to the link to the session, or keeps it near the buttons that are gone. */
  #focusOutcome() {
    const link = this.node.querySelector("a");
    if (link) link.focus({ preventScroll: true });
    else if (document.activeElement === document.body) this.card.node.focus({ preventScroll: true });
  }

  render() {
    const { card } = this.card;
    const now = JSON.stringify([card.token, this.result, this.busy, this.rejecting, this.card.gone, Boolean(this.card.newer), card.actions, mayDecide()]);
    if (now === this.drawn) return;
    this.drawn = now;
    this.node.dataset.kind = this.result?.kind ?? "open";
    if (this.result?.kind === "done") return refill(this.node, this.#done());
    if (this.card.gone) return refill(this.node, h("p", { class: "outcome" }, this.card.gone));
    if (this.card.newer && mayDecide()) return refill(this.node, this.#outdated());
    if (this.rejecting) return refill(this.node, this.#problem(), this.#form());
    const button = (name, label, glyph, hint, act) => this.offers(name)
      ? h("button", { type: "button", class: `button decide ${name}`, "data-focus": name, "aria-disabled": String(!this.open), onclick: act }, icon(glyph), this.busy === name ? "Sending…" : label, key(hint))
      : null;
    refill(this.node, this.#problem(),
      h("div", { class: "actions-row" },
        button("approve", "Approve", "check", "a", () => this.approve()),
        button("reject", "Reject…", "cross", "r", () => this.reject()),
        this.others.map((name) => h("button", { type: "button", class: "button decide", "data-focus": `do-${name}`, "aria-disabled": String(!this.open), onclick: () => (this.card.newer ? this.card.showNewer() : this.#send(name)) }, this.busy === name ? "Sending…" : h("code", {}, visible(name, { line: true })))),
        h("p", { class: "exactly" }, !mayDecide() ? "You may read, but not decide." : ["exactly this text: ", h("code", {}, card.shortToken)])));
  }

  #outdated() {
    return h("div", { class: "actions-row" }, h("button", { type: "button", class: "button decide primary", "data-focus": "approve", onclick: () => this.card.showNewer() }, icon("arrow"), "Show what changed", key("a")),
      h("p", { class: "exactly" }, "This text is out of date."));
  }

  #problem() {
    if (!this.result) return null;
    if (this.result.kind === "stale") {
      return h("p", { class: "banner banner-warn" }, icon("warn"), h("span", {}, h("strong", {}, "Your decision was refused: the plan has changed."), " The difference is shown above. Decide again about the new text."));
    }
    if (this.result.kind === "undone") {
      return h("p", { class: "banner banner-quiet" }, icon("warn"), h("span", {}, "Your decision had no effect: the plan still waits. Decide again."));
    }
    if (this.result.kind === "denied" || this.result.kind === "failed") {
      const retry = this.result.again ? h("button", { type: "button", class: "button", "data-focus": "again", onclick: () => this.#send(this.result.decision) }, "Send it again") : null;
      return h("p", { class: "banner banner-bad" }, icon("warn"), h("span", {}, hostText(this.result.detail), this.result.again ? " It is not known whether the decision arrived; sending it again cannot decide twice." : ""), retry);
    }
    return null;
  }

  #form() {
    const submit = (event) => {
      event.preventDefault();
      this.#send("reject");
    };
    return h("form", { class: "reject", onsubmit: submit },
      h("label", { for: "reason" }, "Reason"), this.reason,
      h("div", { class: "actions-row" },
        h("button", { type: "submit", class: "button decide reject solid", "data-focus": "send-reject", "aria-disabled": String(!this.open) }, icon("cross"), this.busy ? "Sending…" : "Reject the plan"),
        h("button", { type: "button", class: "button", "data-focus": "cancel", onclick: () => this.cancel() }, "Cancel"),
        h("p", { class: "exactly keys-hint" }, key("Ctrl"), " ", key("Enter"), " sends, ", key("Esc"), " cancels")));
  }

  #done() {
    const { answer, decision } = this.result;
    const states = (answer.plans ?? []).map((plan) => plan.state).join(", ");
    return h("div", { class: `outcome outcome-${WORDS[decision] ? decision : "other"}` }, icon(decision === "reject" ? "cross" : "check"),
      h("p", {}, h("strong", {}, `${sentWords(decision)}. `), hostText(answer.text), states ? [" ", h("code", { class: "state" }, states)] : ""),
      this.card.linked ? h("a", { class: "button", href: to.session(this.card.session.sessionId), "data-route": "" }, "Watch the session") : null);
  }
}
