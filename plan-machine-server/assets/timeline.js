// What happened in a session, newest first: events, calls that ran, denied calls, turns and effects.

import { getOf } from "./api.js";
import { argumentsOf } from "./content.js";
import { Kept, fill, h, icon, reconcile } from "./dom.js";
import { reader } from "./reader.js";
import { clock, day } from "./time.js";
import { hostText, visible } from "./text.js";
import { CALLS } from "./words.js";

// The maximum number of events that an open page keeps. `Show older` reads the others again.
const MOST = 500;

// The time in ms that the page waits before it checks again for calls that ran: at first, and at most. These calls do
// not store an entry, so no event reports them.
const PATIENCE = [2000, 15_000];

const FILTERS = { all: "Everything", event: "Events", run: "Calls that ran", denied: "Denied", effects: "Effects" };

const hasNumber = (event) => event.seq !== null && event.seq !== undefined;

const keyOf = (event) => (hasNumber(event) ? `${event.kind} ${event.seq}` : `${event.kind} ${event.at} ${event.tool} ${event.callId ?? event.args}`);

/**
 * Splits events, newest first, into the first `most` events and the rest. `next` is the number of the entry before
 * which the rest begins.
 */
export function split(events, most) {
  const [kept, rest] = [events.slice(0, most), events.slice(most)];
  const last = rest.length ? kept.findLast(hasNumber) : null;
  // Without an entry among the first events, the rest could not be read again later, so nothing is split off.
  return last ? { kept, rest, next: last.seq } : { kept: events, rest: [], next: null };
}

const stateChange = (plan) => h("span", { class: "change" }, plan.before && plan.before !== plan.state ? [h("code", { class: "state" }, plan.before), icon("arrow"), h("span", { class: "hidden" }, " to ")] : null, h("code", { class: "state" }, plan.state));

const detail = (label, body) => h("details", {}, h("summary", {}, label), body);

/**
 * Returns whether an effect is pending or done, in words; `null` if `pending` is `null`, because no host carries out
 * effects.
 */
function outcome(effect) {
  if (effect.pending === null) return null;
  return effect.pending ? h("span", { class: "pending" }, " pending") : h("span", { class: "quiet" }, " done");
}

function effects(event) {
  return (event.effects ?? []).map((effect) => h("div", { class: "effect" }, icon("bolt"), h("span", {}, "effect ", h("code", {}, visible(effect.name, { line: true })), outcome(effect)),
    Object.keys(effect.fields ?? {}).length ? detail("fields", argumentsOf(effect.fields)) : null));
}

/** Returns the parts of the row for one event: `{ icon, by, title, body }`. */
function words(event) {
  if (event.kind === "denied") {
    let args = event.args;
    try {
      args = JSON.parse(event.args);
    } catch {
      // Arguments that were cut are not valid JSON, so they are shown as text.
    }
    return { icon: "cross", by: "denied", title: [h("strong", {}, "Denied "), h("code", {}, visible(event.tool, { code: true, line: true }))], body: [h("div", { class: "denied-call" }, argumentsOf(args)), h("p", { class: "reason" }, hostText(event.reason))] };
  }
  if (event.kind === "run") return { icon: CALLS.run.icon, by: "model", title: [h("strong", {}, "Ran "), h("code", {}, visible(event.tool, { code: true, line: true }))], body: h("div", {}, argumentsOf(event.args)) };
  if (event.kind === "turn") return { icon: "turn", by: "person", title: "A new message from the user", body: null };
  if (event.kind === "abandoned") return { icon: "cross", by: "person", title: ["Damaged plan ended ", h("code", {}, visible(event.plan, { line: true }))], body: h("p", {}, visible(event.why)) };
  if (event.kind === "restarted") return { icon: "warn", by: "person", title: "Session restarted", body: h("p", {}, visible(event.why)) };
  const args = event.args && Object.keys(event.args).length ? detail("arguments", argumentsOf(event.args)) : null;
  const moved = (event.plans ?? []).map(stateChange);
  const ended = (event.ended ?? []).map((one) => h("span", { class: "change quiet" }, "ended ", h("code", { class: "state ended" }, one.state ?? one.plan ?? String(one))));
  return { icon: event.by ?? "host", by: event.by ?? "host", title: [h("code", {}, visible(event.event ?? event.kind, { line: true })), moved, ended], body: [event.runs ? h("p", { class: "reply" }, "ran ", h("code", {}, visible(event.runs, { code: true, line: true }))) : null, event.reply ? h("p", { class: "reply" }, hostText(event.reply)) : null, effects(event), args] };
}

function row(event) {
  const said = words(event);
  return h("li", { class: `happened by-${said.by}`, "data-kind": event.kind, "data-effects": event.effects?.length ? "yes" : null },
    h("span", { class: "when" }, h("time", { datetime: event.at, title: event.at }, clock(event.at, true).slice(-8))),
    h("span", { class: "happened-icon" }, icon(said.icon)),
    h("div", { class: "what" }, h("div", { class: "what-title" }, said.title, h("span", { class: "actor" }, visible(event.actor ?? "", { line: true }))), said.body));
}

export class Timeline {
  events = [];
  rows = new Kept();
  next = null;
  most = MOST;
  filter = "all";
  pause = PATIENCE[0];
  again = 0;
  omitsCalls = false; // whether there are calls that the server left out

  constructor(sessionId, node, signal) {
    this.sessionId = sessionId;
    this.signal = signal;
    this.list = h("ol", { class: "timeline" });
    this.more = h("div", { class: "more" });
    this.chips = h("div", { class: "tabs", role: "group", "aria-label": "What the timeline shows" });
    fill(node, this.chips, this.list, this.more);
    this.read = reader(signal, () => this.#newest(), (error) => {
      if (error.status !== 404) this.#lookAgain(false); // if the session is created later, an event reports it
      this.#failed(error);
    }, 400);
    signal.addEventListener("abort", () => clearTimeout(this.again), { once: true });
    this.#draw();
  }

  async #newest() {
    const body = await getOf(this.sessionId, "/timeline?limit=50", this.signal);
    const known = new Set(this.events.map(keyOf));
    const overlaps = body.events.some((event) => known.has(keyOf(event)));
    this.#lookAgain(body.events.some((event) => !known.has(keyOf(event))));
    const fresh = new Set(body.events.map(keyOf));
    // Calls have no numbers. The response contains all calls of the time that it covers, perhaps in different rows than
    // before.
    const oldest = body.events.at(-1)?.at ?? "";
    const isKept = (event) => !fresh.has(keyOf(event)) && (hasNumber(event) || event.at < oldest);
    // If the response does not reach back to the events that are shown, there would be a gap, so the timeline starts
    // over with the response.
    this.events = overlaps ? [...body.events, ...this.events.filter(isKept)] : body.events;
    if (!overlaps || this.next === undefined) this.next = body.next;
    this.omitsCalls ||= body.hasMoreCalls;
    this.#forget();
    this.#draw();
  }

  /** Drops the oldest events if there are too many. */
  #forget() {
    const { kept, rest, next } = split(this.events, this.most);
    if (!rest.length) return;
    this.events = kept;
    this.next = next;
    for (const event of rest) this.rows.drop(keyOf(event));
  }

  /** Schedules the next read: soon if something new has happened, and later and later while nothing happens. */
  #lookAgain(isNew) {
    clearTimeout(this.again);
    if (this.signal.aborted) return;
    this.pause = isNew ? PATIENCE[0] : Math.min(2 * this.pause, PATIENCE[1]);
    this.again = setTimeout(() => (document.visibilityState === "visible" ? this.read() : this.#lookAgain(false)), this.pause);
  }

  async #older() {
    try {
      const body = await getOf(this.sessionId, `/timeline?limit=50&before=${this.next}`, this.signal);
      const known = new Set(this.events.map(keyOf));
      const older = body.events.filter((event) => !known.has(keyOf(event)));
      this.events.push(...older);
      this.most = Math.max(this.most, this.events.length + MOST);
      this.next = body.next;
      this.omitsCalls ||= body.hasMoreCalls;
      this.#draw();
    } catch (error) {
      if (!this.signal.aborted) this.#failed(error);
    }
  }

  #failed(error) {
    if (!this.events.length) fill(this.more, h("p", { class: "quiet" }, `The timeline cannot be read: ${error.message}`));
  }

  #shown(event) {
    if (this.filter === "effects") return Boolean(event.effects?.length);
    const kind = event.kind === "denied" || event.kind === "run" ? event.kind : "event";
    return this.filter === "all" || kind === this.filter || (this.filter === "run" && Boolean(event.runs));
  }

  #draw() {
    const chips = Object.entries(FILTERS).map(([name, label]) => h("button", { type: "button", class: "tab", "aria-pressed": String(this.filter === name), "data-focus": `filter-${name}`, onclick: () => this.#choose(name) }, label));
    if (!this.chips.childElementCount) fill(this.chips, chips);
    for (const [at, chip] of [...this.chips.children].entries()) chip.setAttribute("aria-pressed", chips[at].getAttribute("aria-pressed"));
    const nodes = [];
    let date = null;
    for (const event of this.events.filter((one) => this.#shown(one))) {
      if (day(event.at) !== date) {
        date = day(event.at);
        nodes.push(this.rows.get(`day ${date}`, date, () => h("li", { class: "day" }, h("span", {}, date))));
      }
      nodes.push(this.rows.get(keyOf(event), event, () => row(event)));
    }
    reconcile(this.list, nodes);
    fill(this.more, this.next ? h("button", { type: "button", class: "button", onclick: () => this.#older() }, "Show older") : null,
      this.omitsCalls ? h("p", { class: "quiet" }, "Some earlier calls are not shown; ", h("code", {}, "plan-machine log show"), " prints them.") : null,
      nodes.length ? null : h("p", { class: "quiet" }, this.events.length ? "There are no events of this kind." : "Nothing has happened yet."));
  }

  #choose(name) {
    this.filter = name;
    this.#draw();
  }
}
