// The card of a plan that waits: the question from the host, the text from the model, the changes, and the decision.
// The card keeps the content that was shown. If the plan changes in the meantime, the card reports this and offers to
// show the difference; it never replaces the text while a person reads it.

import { getOf, isAbort } from "./api.js";
import { Actions } from "./actions.js";
import { changes, compare, sums } from "./changes.js";
import { fields, frame } from "./content.js";
import { Kept, h, holdingFocus, icon, key, reconcile } from "./dom.js";
import { say } from "./status.js";
import { clock, since } from "./time.js";
import { hostText, plain, visible } from "./text.js";
import { stateWords, writerName } from "./words.js";

const WHY = { approved: "since the last approval", rejected: "since the version that was rejected", previous: "since the previous version" };

/** Names the version that the content is compared with, and the person who decided about that version. */
function labelOf({ why, actor }) {
  const by = actor && why !== "previous" ? ` by ${plain(actor)}` : "";
  return (WHY[why] ?? WHY.previous) + by;
}

export class Card {
  node = h("article", { class: "card", tabindex: "-1" });
  kept = new Kept();
  tab = "plan";
  versions = [];
  against = null; // the version that the content is compared with: { token, label, content }
  newer = null; // the current card, if the plan has changed since its card was shown
  gone = null; // the reason why the plan no longer waits
  // Who has decided about the shown content, such as `ann has approved it`; empty if nobody has decided, or while the
  // versions are being read; `null` if they have not been read yet.
  decider = null;
  shownAt = performance.now();

  /**
   * `signal` is aborted when the view that shows the card ends. `linked` says whether the card contains a link to its
   * session.
   */
  constructor(session, card, signal, { level = 2, linked = true } = {}) {
    this.session = session;
    this.card = card;
    this.signal = signal;
    this.level = level;
    this.linked = linked;
    this.actions = new Actions(this);
    this.render();
    this.loadVersions();
  }

  /** Returns whether this is the card of a plan. */
  is(sessionId, plan) {
    return this.session.sessionId === sessionId && this.card.plan === plan;
  }

  /**
   * Updates the card from the current session. `asked` is the time at which the page requested the session, as
   * `performance.now()`.
   */
  update(session, asked = 0) {
    if (session.sessionId !== this.session.sessionId) return;
    this.session = session;
    const now = session.cards.find((card) => card.machine === this.card.machine && card.plan === this.card.plan);
    if (!now) {
      this.vanish(session);
    } else if (now.token !== this.card.token && this.actions.result?.kind === "done") {
      // The model has written a new edition after the decision, so there is something to decide again.
      say("The plan has changed since your decision, and waits for you again.");
      return this.replace(now, this.card.content, "since your decision");
    } else if (now.token !== this.card.token) {
      const news = this.newer?.token !== now.token;
      this.newer = now;
      this.gone = this.decider = null;
      if (news && !this.actions.result) say("The plan has changed since it was shown.");
    } else {
      this.card = now;
      this.newer = null;
      this.gone = this.decider = null;
      this.actions.stillWaits(asked);
    }
    this.render();
  }

  /** Returns whether the plan has left the state that the decision led to. The response is then out of date. */
  isOver(session, asked) {
    const { result } = this.actions;
    if (result?.kind !== "done" || result.at > asked) return false;
    const after = (result.answer.plans ?? []).map((plan) => plan.state);
    return !session.plans.some((plan) => plan.plan === this.card.plan && after.includes(plan.state));
  }

  vanish(session) {
    if (this.actions.result?.kind === "done") return;
    const plan = session.plans.find((item) => item.plan === this.card.plan);
    const decided = this.decider ? `${this.decider}, and ` : "";
    this.gone = `This plan no longer waits: ${decided}${plan ? `its state is ${stateWords(plan)}` : "it has ended"}.`;
    this.newer = null;
    if (this.decider === null) this.loadDecider();
  }

  /** Reads from the journal who has decided. */
  async loadDecider() {
    this.decider = "";
    const { token, since: asked } = this.card;
    try {
      const versions = await this.readVersions();
      const last = versions.find((version) => version.token === token)?.decisions.at(-1);
      // A decision from before the plan began to wait, such as an approval that has expired, does not explain why the
      // plan no longer waits.
      if (!last?.actor || (asked && new Date(last.at) < new Date(asked))) return;
      if (this.card.token !== token || this.decider === null) return;
      this.decider = `${plain(last.actor)} has ${last.name} it`;
      this.update(this.session);
    } catch {
      // The card shows that the plan no longer waits, and the timeline shows who has decided.
    }
  }

  /** Reads the versions of the plan, newest first. */
  async readVersions() {
    const { machine, plan } = this.card;
    const query = `/versions?machine=${encodeURIComponent(machine)}&plan=${encodeURIComponent(plan)}&limit=20`;
    const body = await getOf(this.session.sessionId, query, this.signal);
    return body.versions;
  }

  /** Shows the newer content to a person who has asked for it or has decided about the old content. */
  showNewer(card = this.newer, before = this.card.content, label = "since the text that you were reading") {
    this.replace(card, before, label);
    this.node.focus({ preventScroll: true });
    this.node.scrollIntoView({ block: "start" });
  }

  /** Replaces the content, and shows its differences from the content that was shown before. */
  replace(card, before, label) {
    const held = this.node.contains(document.activeElement);
    this.card = card;
    this.newer = null;
    this.gone = this.decider = null;
    this.actions.reset();
    this.against = { token: null, label, content: before };
    this.tab = "changes";
    this.shownAt = performance.now();
    this.render();
    // The card takes the focus only from its own elements, never from a field in which the person types.
    if (held && !this.node.contains(document.activeElement)) this.node.focus({ preventScroll: true });
    this.loadVersions();
  }

  async loadVersions() {
    const { token, baseline } = this.card;
    if (!baseline) return;
    try {
      const versions = await this.readVersions();
      if (this.card.token !== token) return;
      this.versions = versions.filter((version) => version.token !== token);
      const base = this.versions.find((version) => version.token === baseline.token);
      if (base && !this.against) this.against = { token: base.token, label: labelOf(baseline), content: base.content };
      this.render();
    } catch (error) {
      if (!isAbort(error)) say("The earlier versions of this plan cannot be read.");
    }
  }

  show(tab) {
    this.tab = tab;
    this.render();
  }

  /** Switches between the plan and its changes (key `d`). */
  toggleChanges() {
    if (this.against) this.show(this.tab === "changes" ? "plan" : "changes");
  }

  render() {
    if (this.signal.aborted) return;
    this.node.dataset.old = String(Boolean(this.newer));
    const { card, against, tab } = this;
    const compared = [card.token, tab, against?.label, against?.token];
    const parts = [
      this.kept.get("head", [card, this.gone, this.actions.result?.kind], () => this.head()),
      this.banner(),
      this.kept.get("tabs", [compared, this.versions.map((version) => [version.token, version.decisions])], () => this.tabs()),
      this.kept.get("body", compared, () => this.body()),
      this.actions.node,
    ];
    holdingFocus(this.node, () => {
      reconcile(this.node, parts.filter(Boolean));
      this.actions.render();
    });
  }

  head() {
    const { card } = this;
    const decided = this.actions.result?.kind === "done" ? { approve: "Approved", reject: "Rejected" }[this.actions.result.decision] : null;
    const over = decided || this.gone;
    return h("header", { class: "card-head" },
      h(`h${this.level}`, { class: "card-title" }, decided ? decided : this.gone ? "No longer waiting" : "Waiting for your decision"),
      over ? null : h("p", { class: "card-asked" }, hostText(card.asked)),
      over || !card.unreported ? null : h("p", { class: "card-asked" }, hostText(card.unreported)),
      h("ul", { class: "facts" },
        over ? null : h("li", {}, icon("clock"), "waiting for ", since(card.since), ` (since ${clock(card.since)})`),
        card.expires && !over ? h("li", { class: "expiry" }, since(card.expires, "until")) : null,
        h("li", {}, `edition ${card.edition}`),
        over ? null : h("li", { class: "fact-state" }, h("span", { class: "hidden" }, "state "), h("code", { class: "state" }, card.state)),
        h("li", { class: "fact-plan" }, visible(`${card.machine} · ${card.plan}`))));
  }

  banner() {
    if (this.actions.result?.kind === "done") return null;
    if (this.gone) return h("div", { class: "banner banner-quiet" }, icon("warn"), h("span", {}, this.gone));
    if (!this.newer) return null;
    return h("div", { class: "banner banner-warn" }, icon("warn"),
      h("span", {}, h("strong", {}, "The plan has changed since it was shown."), " What you read below is the old text; a decision about it would be refused."));
  }

  tabs() {
    const pairs = this.against ? compare(this.against.content, this.card.content) : [];
    const { added, gone } = sums(pairs);
    const tab = (name, label, extra) => h("button", { type: "button", class: "tab", "aria-pressed": String(this.tab === name), "data-focus": `tab-${name}`, onclick: () => this.show(name) }, label, extra);
    const counts = [h("span", { class: "plus" }, ` +${added}`), h("span", { class: "minus" }, ` −${gone}`)];
    return h("div", { class: "tabs", role: "group", "aria-label": "How to show the plan" },
      tab("plan", "Plan"), this.against ? tab("changes", "Changes", counts) : null, tab("source", "Source"),
      this.tab === "changes" ? this.chooser() : null,
      this.against ? h("span", { class: "tabs-hint" }, key("d"), " changes") : null);
  }

  chooser() {
    const choose = (event) => {
      const version = this.versions.find((item) => item.token === event.target.value);
      if (version) this.against = { token: version.token, label: `since edition ${version.edition}`, content: version.content };
      this.render();
    };
    const label = (version) => {
      const last = version.decisions.at(-1);
      return `edition ${version.edition}, ${clock(version.at)}${last ? `, ${last.name}${last.actor ? ` by ${last.actor}` : ""}` : ""}`;
    };
    const known = this.versions.some((version) => version.token === this.against?.token);
    return h("label", { class: "chooser" }, h("span", { class: "hidden" }, "Compare with "),
      h("select", { onchange: choose, "data-focus": "against" },
        known ? null : h("option", { value: "" }, this.against?.label ?? "choose a version"),
        this.versions.map((version) => h("option", { value: version.token, selected: version.token === this.against?.token }, label(version)))));
  }

  body() {
    const writer = writerName(this.session.agent);
    if (this.tab === "changes" && this.against) return frame(writer, changes(compare(this.against.content, this.card.content)), `changes ${this.against.label}`);
    return frame(writer, fields(this.card.content, { raw: this.tab === "source" }), this.tab === "source" ? "as stored" : null);
  }
}
