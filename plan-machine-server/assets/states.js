// The state chart of each machine, with the current state highlighted, and the moves from the current state: the states
// that the plan can move to, and who can cause each move.

import { answerOf, sendButton, sendable } from "./commands.js";
import { fill, h, icon, s } from "./dom.js";
import { place, route } from "./layout.js";
import { hostText, visible } from "./text.js";
import { SENDERS } from "./words.js";

const ORDER = ["person", "model", "host", "timer"];

/** Returns one line for each pair of states, colored by who can cause the transition. */
function lines(edges) {
  const pairs = new Map();
  const add = (from, to, edge, after) => {
    if (!to || from === to) return;
    const id = `${from} ${to}`;
    const known = pairs.get(id) ?? { from, to, live: false, by: "host", after };
    if (ORDER.indexOf(edge.by) < ORDER.indexOf(known.by) || !pairs.has(id)) known.by = edge.by;
    known.live ||= edge.live;
    known.after &&= after;
    pairs.set(id, known);
  };
  for (const edge of edges) add(edge.from, edge.to, edge, false);
  return [...pairs.values()];
}

function arrow(by) {
  return s("marker", { id: `arrow-${by}`, viewBox: "0 0 8 8", refX: 4, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto-start-reverse" }, s("path", { d: "M1 1 7 4 1 7Z", class: `head-${by}` }));
}

/** Returns the chart as an image. The list of moves below it contains the same information in words. */
export function chart(machine, width) {
  const { nodes, edges } = machine.chart;
  const all = lines(edges);
  const placed = place(nodes, all, width);
  const next = new Set(all.filter((line) => line.live).map((line) => line.to));
  const draw = (line) => {
    const [from, to] = [placed.boxes.get(line.from), placed.boxes.get(line.to)];
    return from && to ? s("path", { d: route(from, to), class: line.live ? `edge live by-${line.by}` : "edge", "marker-end": line.live ? `url(#arrow-${line.by})` : null }) : null;
  };
  const box = (node) => {
    const at = placed.boxes.get(node.name);
    const kind = node.current ? "current" : next.has(node.name) ? "next" : "far";
    return s("g", { class: `node ${kind}${node.final ? " final" : ""}` }, s("title", {}, `${node.name}: ${node.doc || node.title}`),
      s("rect", { x: at.x, y: at.y, width: at.w, height: at.h, rx: node.final ? 13 : 6 }), s("text", { x: at.x + at.w / 2, y: at.y + at.h / 2 + 4, "text-anchor": "middle" }, node.name));
  };
  const current = nodes.filter((node) => node.current).map((node) => node.name);
  return s("svg", { class: "chart", role: "img", "aria-label": `State chart of ${machine.name}. Current state: ${current.join(", ") || "none"}. From here: ${[...next].join(", ") || "nowhere"}.`, viewBox: `0 0 ${placed.width} ${placed.height}`, width: placed.width, height: placed.height },
    s("defs", {}, ORDER.map(arrow)), all.filter((line) => !line.live).map(draw), all.filter((line) => line.live).map(draw), nodes.map(box));
}

// The width of the last chart, with which the next chart is drawn immediately.
let lastWidth = 0;

/** Returns a chart that is redrawn when its container becomes wider or narrower. */
function fitted(machine, signal) {
  const node = h("div", { class: "chart-box" });
  let drawn = lastWidth;
  if (drawn) fill(node, chart(machine, drawn));
  const observer = new ResizeObserver(([entry]) => {
    if (!node.isConnected) return observer.disconnect();
    const width = Math.floor(entry.contentRect.width);
    if (width < 40 || Math.abs(width - drawn) < 2) return;
    drawn = width;
    lastWidth = width;
    fill(node, chart(machine, width));
  });
  observer.observe(node);
  signal.addEventListener("abort", () => observer.disconnect(), { once: true });
  return node;
}

/** Returns the rows of moves. A move that is possible under several conditions gets only one row. */
function moves(edges) {
  const rows = new Map();
  for (const edge of edges) {
    const id = `${edge.by} ${edge.label} ${edge.to} ${edge.next}`;
    if (!rows.has(id)) rows.set(id, { ...edge, conditions: new Set(), always: false });
    const row = rows.get(id);
    // A move is possible only if its condition and all its requirements hold.
    const needs = [edge.when, ...edge.require].filter(Boolean);
    if (needs.length) row.conditions.add(needs.join(", and if "));
    else row.always = true;
  }
  // Decisions about a plan come first, then other moves, then moves that end the plan.
  const weight = (row) => (row.reviewed ? 0 : row.next ? 2 : 1);
  return [...rows.values()].sort((a, b) => weight(a) - weight(b));
}

function moveRow(edge, button) {
  const conditions = edge.always ? [] : [...edge.conditions];
  return h("li", { class: "move" },
    h("code", { class: `move-event by-${edge.by}` }, visible(edge.label, { line: true })),
    h("span", { class: "move-to" }, icon("arrow"), h("span", { class: "hidden" }, " leads to "), h("code", { class: "state" }, edge.to), edge.next ? h("span", { class: "quiet" }, " then ", h("code", { class: "state" }, edge.next)) : null),
    button,
    conditions.length ? h("span", { class: "move-when quiet" }, "if ", visible(conditions.join("; or if "))) : null);
}

function movesFrom(machine, sessionId, redraw) {
  const button = (edge) => {
    const command = sendable(machine, edge);
    return command ? sendButton(sessionId, command, redraw) : null;
  };
  const from = machine.chart.edges.filter((edge) => edge.live);
  const here = new Set(machine.chart.nodes.filter((node) => node.current).map((node) => node.name));
  const away = moves(from.filter((edge) => edge.to));
  const staying = [...new Set(from.filter((edge) => !edge.to).map((edge) => edge.label))];
  const groups = ORDER.map((by) => ({ by, rows: away.filter((edge) => edge.by === by) })).filter((group) => group.rows.length);
  return [
    groups.map(({ by, rows }) => h("div", { class: "moves" }, h("h4", { class: `by by-${by}` }, icon(by), `By ${SENDERS[by]}`), h("ul", {}, rows.map((edge) => moveRow(edge, button(edge)))))),
    staying.length ? h("p", { class: "quiet staying" }, `Stay in ${[...here].join(", ") || "the state"}: `, staying.map((label, at) => [at ? ", " : "", h("code", {}, visible(label, { line: true }))])) : null,
    groups.length ? null : h("p", { class: "quiet" }, "No transition leads to another state."),
  ];
}

/** Returns the part of the page about states. `redraw` draws this part again and moves the focus. */
export function statePart(session, signal, redraw) {
  return [answerOf(session.sessionId), session.machines.map((machine) => {
    const current = machine.chart.nodes.filter((node) => node.current);
    return h("section", { class: "machine" },
      session.machines.length > 1 ? h("h3", { class: "machine-name" }, machine.member ?? machine.name) : null,
      current.map((node) => h("p", { class: "here" }, h("code", { class: "state lit" }, node.name), " ", hostText(node.doc || node.title))),
      fitted(machine, signal), movesFrom(machine, session.sessionId, redraw));
  })];
}
