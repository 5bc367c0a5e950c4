// The list at the side of every view: the waiting plans, oldest first, and the other sessions, the most recently active
// first.

import { Kept, fill, h, holdingFocus, icon, reconcile } from "./dom.js";
import { MOST, live } from "./live.js";
import { preview } from "./preview.js";
import { to } from "./router.js";
import { plain, visible } from "./text.js";
import { since } from "./time.js";
import { asker, count, short } from "./words.js";

function who(row) {
  const [name, beside] = asker(row);
  return [h("span", { class: "row-agent" }, visible(name, { line: true })), beside ? h("span", { class: "row-project" }, visible(beside, { line: true })) : null];
}

function waitingRow(item) {
  const { first, rest } = preview(item.summary);
  return h("li", {}, h("a", { class: "row row-waiting", href: to.inbox(item), "data-route": "", "data-focus": `w/${item.sessionId}/${item.plan}`, "data-session": item.sessionId },
    h("span", { class: "row-line" }, who(item), h("span", { class: "row-since" }, since(item.since))),
    h("span", { class: "row-model" }, h("q", {}, visible(first || "no text", { line: true })), rest ? h("span", { class: "row-rest" }, " ", visible(rest, { line: true })) : null),
    h("span", { class: "row-line row-facts" }, h("span", {}, item.actions.includes("approve") ? "asks for approval" : "asks for a decision"), item.edition > 1 ? h("span", {}, `edition ${item.edition}`) : null,
      h("span", { class: "row-name" }, visible(short(item.conversation), { line: true })), item.expires ? h("span", { class: "expiry" }, since(item.expires, "until")) : null)));
}

function sessionRow(session) {
  const states = session.states.map((state) => state.state).filter((state) => state !== "none");
  return h("li", {}, h("a", { class: "row row-session", href: to.session(session.sessionId), "data-route": "", "data-focus": `s/${session.sessionId}`, "data-session": session.sessionId, title: plain(session.sessionId) },
    h("span", { class: "row-line" }, who(session), h("span", { class: "row-since" }, since(session.at))),
    h("span", { class: "row-line row-facts" }, h("span", { class: "row-state" }, visible(states.join(", ") || "no plan", { line: true })), h("span", { class: "row-name" }, visible(short(session.conversation), { line: true })))));
}

/** A titled group of rows. Rows that have not changed keep their nodes. */
class Group {
  constructor(title, empty) {
    this.count = h("span", { class: "group-count" });
    this.rows = h("ol", { class: "rows" });
    this.empty = h("p", { class: "quiet group-empty" }, empty);
    this.node = h("section", { class: "group" }, h("h2", { class: "group-title" }, title, this.count), this.rows, this.empty);
  }

  show(count, rows) {
    this.count.textContent = count;
    this.rows.hidden = !rows.length;
    this.empty.hidden = rows.length > 0;
    reconcile(this.rows, rows);
  }
}

export class List {
  waiting = new Group("Waiting", "Nothing waits for you.");
  others = new Group("Other sessions", "There are no other sessions.");
  note = h("p", { class: "quiet group-empty" }, "Reading the list…");
  more = h("p", { class: "group-empty" }, h("button", { type: "button", class: "link", onclick: () => this.#more() }, "Show more sessions"));
  kept = new Kept();
  names = new Set(); // the names of the rows whose nodes are kept
  pressed = false;

  constructor(node) {
    this.node = node;
    this.route = { view: "inbox" };
    this.shown = null; // the plan whose card is shown: { sessionId, plan }
    fill(node, this.waiting.node, this.note, this.others.node, this.more);
    live.on("lists", () => this.render());
    // Rows do not move while a mouse button is down, so that a click hits the row that the person aimed at.
    node.addEventListener("pointerdown", () => {
      this.pressed = true;
    });
    for (const end of ["pointerup", "pointercancel"]) {
      addEventListener(end, () => setTimeout(() => {
        if (this.pressed) this.#release();
      }));
    }
  }

  #release() {
    this.pressed = false;
    this.render();
  }

  show(route, shown = null) {
    this.route = route;
    this.shown = shown;
    this.pressed = false;
    this.render();
    if (!this.node.contains(document.activeElement)) this.node.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  render() {
    const known = Boolean(live.waiting);
    this.waiting.node.hidden = this.others.node.hidden = !known;
    this.more.hidden = !live.more || live.limit >= MOST;
    if (this.pressed) return;
    if (!known) {
      this.note.hidden = false;
      this.note.textContent = live.problem ? "The list cannot be read." : "Reading the list…";
      return;
    }
    const inbox = this.route.view === "inbox";
    const waits = new Set(live.waiting.map((item) => item.sessionId));
    const others = live.sessions.filter((session) => !waits.has(session.sessionId));
    const isShown = (item) => (inbox ? this.shown?.sessionId === item.sessionId && this.shown?.plan === item.plan : this.route.sessionId === item.sessionId);
    const hidden = live.total - live.waiting.length;
    this.note.hidden = hidden <= 0;
    this.note.textContent = `${count(hidden, "more plan")} will appear when these are decided.`;
    const before = this.names;
    this.names = new Set();
    holdingFocus(this.node, () => {
      this.waiting.show(live.total, live.waiting.map((item) => this.#row(`w/${item.sessionId}/${item.machine}/${item.plan}`, item, isShown(item), waitingRow)));
      this.others.show(live.more ? `${others.length}+` : others.length, others.map((item) => this.#row(`s/${item.sessionId}`, item, !inbox && this.route.sessionId === item.sessionId, sessionRow)));
    });
    for (const name of before) if (!this.names.has(name)) this.kept.drop(name);
  }

  #row(name, item, current, make) {
    this.names.add(name);
    const node = this.kept.get(name, item, () => make(item));
    const link = node.firstElementChild;
    if (current) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
    return node;
  }

  #more() {
    live.limit = Math.min(MOST, live.limit + 120);
    live.refresh();
  }

  rows() {
    return [...this.node.querySelectorAll("a.row")];
  }

  /** Moves the focus by one row, and returns that row. */
  move(by) {
    const rows = this.rows();
    if (!rows.length) return null;
    const focused = rows.indexOf(document.activeElement);
    const from = focused >= 0 ? focused : rows.findIndex((row) => row.hasAttribute("aria-current"));
    const next = from < 0 ? (by > 0 ? Math.min(this.last ?? 0, rows.length - 1) : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, from + by));
    this.last = next;
    rows[next].focus();
    rows[next].scrollIntoView({ block: "nearest" });
    return rows[next];
  }
}

/** The header of a session: agent, project and conversation. */
export function sessionHead(session, level, extra = null) {
  const [name, beside] = asker(session);
  return h("header", { class: "who" },
    h(`h${level}`, { class: "who-name", tabindex: "-1" }, visible(name, { line: true }), beside ? h("span", { class: "who-project" }, visible(beside, { line: true })) : null),
    h("span", { class: "who-id" }, icon("turn"), h("code", {}, visible(session.conversation ?? session.sessionId, { code: true, line: true }))), extra);
}
