// The decision bar of a card: approve, reject with a reason, other reviewed commands, and the result of the decision.

import { clickId, decide } from "./decide.js";
import { h, icon, key, reconcile, refill } from "./dom.js";
import { live } from "./live.js";
import { to } from "./router.js";
import { alertNow, reportAway, say } from "./status.js";
import { hostText, plain, visible } from "./text.js";

// The time in ms after a text has appeared during which decisions about it are refused. Nobody can have read the text
// yet, and a key press was probably meant for the text before it.
const UNREAD = 600;

/**
 * Returns whether the page offers decisions: only people can decide. Until the role is known, the page offers them, and
 * the server checks the role.
 */
const mayDecide = () => !live.me || live.me.role === "person";

// The reasons that were written, but not sent, by session and plan.
const drafts = new Map();

const WORDS = { approve: "Approved", reject: "Rejected" };

const sentWords = (decision) => WORDS[decision] ?? `Sent ${plain(decision)}`;

const NO_REASON = "Write a reason: the model reads it to change the plan.";

export class Actions {
  node = h("div", { class: "actions" });
  result = null; // the last result of `decide`
  busy = null; // the decision that is being sent
  rejecting = false;
  once = null;
  drawn = null; // the state that the bar was drawn for, so that it is redrawn only when its state changes

  constructor(card) {
    this.card = card;
    this.draft = `${card.session.sessionId} ${card.card.plan}`;
    this.reason = h("textarea", {
      id: "reason", "data-focus": "reason", rows: 3, maxlength: 4000, placeholder: "What should change? The model reads this.", value: drafts.get(this.draft),
      oninput: () => drafts.set(this.draft, this.reason.value), onkeydown: (event) => this.#reasonKey(event),
    });
    this.row = h("div", { class: "actions-row" });
    this.form = h("form", { class: "reject", onsubmit: (event) => this.#submit(event), onkeydown: (event) => this.#formKey(event) }, h("label", { for: "reason" }, "Reason"), this.reason, this.row);
  }

  reset() {
    this.result = null;
    this.busy = null;
    this.rejecting = false;
    this.once = null;
  }

  /** The names of the decisions that are neither an approval nor a rejection. */
  get others() {
    return this.card.card.actions.map((action) => action.name).filter((name) => !WORDS[name]);
  }

  offers(name) {
    return this.card.card.actions.some((action) => action.name === name);
  }

  /** Whether a rejection must have a reason: the argument of the command is not optional. */
  get needsReason() {
    return this.card.card.actions.some((action) => action.name === "reject" && action.reason && !action.typed.includes("?"));
  }

  get open() {
    return this.result?.kind !== "done" && !this.card.gone && !this.busy && mayDecide();
  }

  approve() {
    if (!this.open || !this.offers("approve")) return;
    if (this.card.newer) this.card.showNewer();
    else this.#send("approve");
  }

  /** Opens the input field for the reason of a rejection. */
  reject() {
    if (!this.open || !this.offers("reject")) return;
    if (this.card.newer) return this.card.showNewer();
    this.rejecting = true;
    this.render();
    this.reason.focus();
  }

  /**
   * Reports that a decision without a response had no effect, if a later read of the session showed that the plan was
   * still waiting.
   */
  stillWaits(asked) {
    if (!this.result?.again || this.result.at > asked) return;
    this.result = { kind: "undone" };
    say("Your decision had no effect.");
  }

  cancel() {
    this.rejecting = false;
    if (this.result?.detail === NO_REASON) this.result = null;
    this.render();
    (this.node.querySelector("[data-focus='reject']") ?? this.card.node).focus();
  }

  #formKey(event) {
    if (event.key !== "Escape" || event.isComposing) return;
    event.stopPropagation();
    this.cancel();
  }

  #reasonKey(event) {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) this.#submit(event);
  }

  #submit(event) {
    event.preventDefault();
    this.#sendReason();
  }

  #sendReason() {
    if (this.card.newer) return this.card.showNewer();
    if (this.needsReason && !this.reason.value.trim()) {
      this.result = { kind: "denied", detail: NO_REASON };
      alertNow(NO_REASON);
      return this.render();
    }
    return this.#send("reject");
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
    if (result.kind === "done") this.#forgetDraft();
    if (!this.card.signal.aborted) return this.#arrived(result, decision, card);
    const done = result.kind === "done";
    return reportAway(done ? `${sentWords(decision)}. ${result.answer.text}` : `Not decided: ${result.detail}`, to.session(session.sessionId), done);
  }

  #forgetDraft() {
    drafts.delete(this.draft);
    this.reason.value = "";
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

  /**
   * Moves the focus to the link to the session. If there is no such link, the card gets the focus that its buttons have
   * lost.
   */
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
    // The form stays while a person writes, whatever happens to the plan: they would type on, and the page would take
    // the rest of the text for keys.
    if (this.rejecting) return this.#drawForm();
    if (this.card.gone) return refill(this.node, h("p", { class: "outcome" }, this.card.gone));
    if (this.card.newer && mayDecide()) return refill(this.node, this.#outdated());
    const button = (name, label, glyph, hint, act) => this.offers(name)
      ? h("button", { type: "button", class: `button decide ${name}`, "data-focus": name, "aria-disabled": String(!this.open), onclick: act }, icon(glyph), this.busy === name ? "Sending…" : label, key(hint))
      : null;
    refill(this.node, this.#problem(),
      h("div", { class: "actions-row" },
        button("approve", "Approve", "check", "a", () => this.approve()),
        button("reject", "Reject…", "cross", "r", () => this.reject()),
        this.others.map((name) => h("button", { type: "button", class: "button decide", "data-focus": `do-${name}`, "aria-disabled": String(!this.open), onclick: () => (this.card.newer ? this.card.showNewer() : this.#send(name)) }, this.busy === name ? "Sending…" : h("code", {}, visible(name, { line: true })))),
        h("p", { class: "exactly" }, !mayDecide() ? "You can read plans, but not decide about them." : ["exactly this text: ", h("code", {}, card.shortToken)])));
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

  /** Draws the form around its field. The field itself never moves, because moving it would interrupt an input method. */
  #drawForm() {
    const { gone, newer } = this.card;
    refill(this.row, this.#formAction(), h("button", { type: "button", class: "button", "data-focus": "cancel", onclick: () => this.cancel() }, "Cancel"),
      gone ? null : h("p", { class: "exactly keys-hint" }, key("Ctrl"), " ", key("Enter"), newer ? " shows the changes, " : " sends, ", key("Esc"), " cancels"));
    // About a plan that no longer waits, the card says all that there is to say.
    reconcile(this.node, [gone ? null : this.#problem(), this.form].filter(Boolean));
  }

  /** Returns the button that sends the reason, or what there is instead if the plan has changed or no longer waits. */
  #formAction() {
    if (this.card.gone) return h("p", { class: "exactly" }, "The reason cannot be sent: this plan no longer waits.");
    if (this.card.newer) return h("button", { type: "button", class: "button decide primary", "data-focus": "newer", onclick: () => this.card.showNewer() }, icon("arrow"), "Show what changed");
    return h("button", { type: "submit", class: "button decide reject solid", "data-focus": "send-reject", "aria-disabled": String(!this.open) }, icon("cross"), this.busy ? "Sending…" : "Reject the plan");
  }

  #done() {
    const { answer, decision } = this.result;
    const states = (answer.plans ?? []).map((plan) => plan.state).join(", ");
    return h("div", { class: `outcome outcome-${WORDS[decision] ? decision : "other"}` }, icon(decision === "reject" ? "cross" : "check"),
      h("p", {}, h("strong", {}, `${sentWords(decision)}. `), hostText(answer.text), states ? [" ", h("code", { class: "state" }, states)] : ""),
      this.card.linked ? h("a", { class: "button", href: to.session(this.card.session.sessionId), "data-route": "" }, "Watch the session") : null);
  }
}
