// The card of a plan that waits: what the host says, what the model wrote, what changed, and the decision.
// The card keeps the content that was shown. If the plan changes meanwhile, the card says so and shows the difference;
// it never swaps the text under the reader's eyes.

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

/** What the content is compared with, and who decided about that. */
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
  newer = null; // the card that replaced the shown one
  gone = null; // why the plan waits no longer
  decider = null; // who has decided about the shown content, in words; empty if nobody has, or it is not known yet
  shownAt = performance.now();

  /** `signal` ends with the view that shows the card. `linked` tells whether the card links to its session. */
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

  /** Tells whether this is the card of the plan. */
  is(sessionId, plan) {
    return this.session.sessionId === sessionId && this.card.plan === plan;
  }

  /** Updates the card from the current session. `asked` is when the page asked for it, as `performance.now()`. */
  update(session, asked = 0) {
    if (session.sessionId !== this.session.sessionId) return;
    this.session = session;
    const now = session.cards.find((card) => card.machine === this.card.machine && card.plan === this.card.plan);
    if (!now) {
      this.vanish(session);
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

  vanish(session) {
    if (this.actions.result?.kind === "done") return;
    const plan = session.plans.find((item) => item.plan === this.card.plan);
    const decided = this.decider ? `${this.decider}, and ` : "";
    this.gone = `This plan no longer waits: ${decided}${plan ? `its state is ${stateWords(plan)}` : "it has ended"}.`;
    this.newer = null;
    if (this.decider === null) this.loadDecider();
  }

  /** Reads who has decided, which the journal knows. */
  async loadDecider() {
    this.decider = "";
    const { token, since: asked } = this.card;
    try {
      const versions = await this.readVersions();
      const last = versions.find((version) => version.token === token)?.decisions.at(-1);
      // An earlier decision, such as an approval that has expired, is not the answer to what was asked now.
      if (!last?.actor || (asked && new Date(last.at) < new Date(asked))) return;
      if (this.card.token !== token || this.decider === null) return;
      this.decider = `${plain(last.actor)} has ${last.name} it`;
      this.update(this.session);
    } catch {
      // The card says that the plan no longer waits; who has decided is in the timeline.
    }
  }

  /** Reads the versions of the plan, newest first. */
  async readVersions() {
    const { machine, plan } = this.card;
    const query = `/versions?machine=${encodeURIComponent(machine)}&plan=${encodeURIComponent(plan)}&limit=20`;
    const body = await getOf(this.session.sessionId, query, this.signal);
    return body.versions;
  }

  /** Shows the newer content, with its difference from the content that was shown before. */
  showNewer(card = this.newer, before = this.card.content, label = "since the text that you were reading") {
    this.card = card;
    this.newer = null;
    this.gone = this.decider = null;
    this.actions.reset();
    this.against = { token: null, label, content: before };
    this.tab = "changes";
    this.shownAt = performance.now();
    this.render();
    this.node.focus({ preventScroll: true });
    this.node.scrollIntoView({ block: "start" });
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
