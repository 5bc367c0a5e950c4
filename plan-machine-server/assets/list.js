// The list beside every card: what waits, oldest first, and the other sessions, latest first.

import { h, icon, refill } from "./dom.js";
import { live } from "./live.js";
import { to } from "./router.js";
import { heading, plain, visible } from "./text.js";
import { since } from "./time.js";
import { agentName, count, short } from "./words.js";

const who = (row) => [h("span", { class: "row-agent" }, agentName(row.agent)), row.project ? h("span", { class: "row-project" }, visible(row.project, { line: true })) : null];

function waitingRow(item, current) {
  const { first, rest } = heading(item.summary);
  return h("li", {}, h("a", { class: "row row-waiting", href: to.inbox(item), "data-route": "", "data-focus": `w/${item.sessionId}/${item.plan}`, "data-session": item.sessionId, "aria-current": current ? "true" : null },
    h("span", { class: "row-line" }, who(item), h("span", { class: "row-since" }, since(item.since))),
    h("span", { class: "row-model" }, h("q", {}, visible(first || "no text", { line: true })), rest ? h("span", { class: "row-rest" }, " ", visible(rest.slice(0, 120), { line: true })) : null),
    h("span", { class: "row-line row-facts" }, h("span", {}, item.actions.includes("approve") ? "asks for approval" : "asks for a decision"), item.edition > 1 ? h("span", {}, `edition ${item.edition}`) : null,
      h("span", { class: "row-name" }, visible(short(item.conversation), { line: true })), item.expires ? h("span", { class: "expiry" }, since(item.expires, "until")) : null)));
}

function sessionRow(session, current) {
  const states = session.states.map((state) => state.state).filter((state) => state !== "none");
  return h("li", {}, h("a", { class: "row row-session", href: to.session(session.sessionId), "data-route": "", "data-focus": `s/${session.sessionId}`, "data-session": session.sessionId, "aria-current": current ? "true" : null, title: plain(session.sessionId) },
    h("span", { class: "row-line" }, who(session), h("span", { class: "row-since" }, since(session.at))),
    h("span", { class: "row-line row-facts" }, h("span", { class: "row-state" }, visible(states.join(", ") || "no plan", { line: true })), h("span", { class: "row-name" }, visible(short(session.conversation), { line: true })))));
}

function group(title, number, rows, empty) {
  return h("section", { class: "group" }, h("h2", { class: "group-title" }, title, h("span", { class: "group-count" }, number)), rows.length ? h("ol", { class: "rows" }, rows) : h("p", { class: "quiet group-empty" }, empty));
}

export class List {
  constructor(node) {
    this.node = node;
    this.route = { view: "inbox" };
    this.shown = null; // the plan whose card is shown: { sessionId, plan }
    live.on("lists", () => this.render());
  }

  show(route, shown = null) {
    this.route = route;
    this.shown = shown;
    this.render();
    if (!this.node.contains(document.activeElement)) this.node.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  render() {
    if (!live.waiting) {
      refill(this.node, h("p", { class: "quiet group-empty" }, live.problem ? "The list cannot be read." : "Reading the list…"));
      return;
    }
    const inbox = this.route.view === "inbox";
    const waits = new Set(live.waiting.map((item) => item.sessionId));
    const others = live.sessions.filter((session) => !waits.has(session.sessionId));
    const waiting = live.waiting.map((item) => waitingRow(item, inbox ? this.shown?.sessionId === item.sessionId && this.shown?.plan === item.plan : this.route.sessionId === item.sessionId));
    const more = live.total - live.waiting.length;
    refill(this.node,
      group("Waiting", live.total, waiting, "Nothing waits for you."),
      more > 0 ? h("p", { class: "quiet group-empty" }, `${count(more, "more plan")} will appear when these are decided.`) : null,
      group("Other sessions", live.more ? `${others.length}+` : others.length, others.map((session) => sessionRow(session, !inbox && this.route.sessionId === session.sessionId)), "There are no other sessions."),
      live.more && live.limit < 500 ? h("p", { class: "group-empty" }, h("button", { type: "button", class: "link", "data-focus": "more", onclick: () => this.#more() }, "Show more sessions")) : null);
  }

  #more() {
    live.limit = Math.min(500, live.limit + 120);
    live.refresh();
  }

  rows() {
    return [...this.node.querySelectorAll("a.row")];
  }

  /** Moves the focus by one row and returns the row. */
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
  return h("header", { class: "who" },
    h(`h${level}`, { class: "who-name", tabindex: "-1" }, agentName(session.agent), session.project ? h("span", { class: "who-project" }, visible(session.project, { line: true })) : null),
    h("span", { class: "who-id" }, icon("turn"), h("code", {}, visible(session.conversation ?? session.sessionId, { code: true, line: true }))), extra);
}
