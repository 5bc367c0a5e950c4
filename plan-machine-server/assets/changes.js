// Shows what changed between two versions of a plan, line by line, with the changed words marked.

import { h, icon } from "./dom.js";
import { rows } from "./diff.js";
import { asText } from "./content.js";
import { visible } from "./text.js";
import { count } from "./words.js";

const CONTEXT = 3;

/** Pairs the fields of two contents, and computes the rows of the difference of each pair. */
export function compare(before, after) {
  const names = [...new Set([...after, ...before].map((field) => field.name))];
  return names.map((name) => {
    const find = (content) => content.find((field) => field.name === name);
    const all = rows(asText(find(before)), asText(find(after)));
    return { name, rows: all, added: all.filter((row) => row.kind === "new").length, gone: all.filter((row) => row.kind === "gone").length };
  });
}

/** Counts the lines that were added and removed in a comparison. */
export function sums(pairs) {
  return pairs.reduce((sum, pair) => ({ added: sum.added + pair.added, gone: sum.gone + pair.gone }), { added: 0, gone: 0 });
}

const SIGNS = { same: " ", gone: "−", new: "+" };
const NAMES = { same: "", gone: "removed: ", new: "added: " };

function line(row) {
  const show = (part) => (part.changed ? h("mark", {}, visible(part.text, { code: true })) : visible(part.text, { code: true }));
  return h("tr", { class: `row-${row.kind}` },
    h("td", { class: "number", "aria-hidden": "true" }, row.before ?? ""), h("td", { class: "number", "aria-hidden": "true" }, row.after ?? ""),
    h("td", { class: "line" }, h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[row.kind]), h("span", { class: "hidden" }, NAMES[row.kind]),
      row.parts ? row.parts.map(show) : visible(row.text, { code: true })));
}

/** Replaces each group of unchanged lines with one row that a click expands. */
function folded(all) {
  const near = new Array(all.length).fill(false);
  all.forEach((row, at) => {
    if (row.kind === "same") return;
    for (let other = Math.max(0, at - CONTEXT); other <= Math.min(all.length - 1, at + CONTEXT); other += 1) near[other] = true;
  });
  const out = [];
  for (let at = 0; at < all.length; ) {
    if (near[at]) {
      out.push(line(all[at]));
      at += 1;
      continue;
    }
    let end = at;
    while (end < all.length && !near[end]) end += 1;
    out.push(end - at < 3 ? all.slice(at, end).map(line) : fold(all.slice(at, end)));
    at = end;
  }
  return out;
}

function fold(hidden) {
  const row = h("tr", { class: "row-fold" });
  const open = () => {
    const lines = hidden.map(line);
    row.replaceWith(...lines);
    lines[0].closest(".diff")?.focus({ preventScroll: true });
  };
  row.append(h("td", { colspan: 3 }, h("button", { type: "button", class: "link", onclick: open }, `Show ${count(hidden.length, "unchanged line")}`)));
  return row;
}

/** Returns the differences between two contents as tables. */
export function changes(pairs) {
  const changed = pairs.filter((pair) => pair.added || pair.gone);
  if (!changed.length) return h("p", { class: "quiet same" }, icon("check"), "The content is the same.");
  return changed.map((pair) => h("section", { class: "field" },
    pairs.length > 1 ? h("h3", { class: "field-name" }, pair.name.replaceAll("_", " ")) : null,
    h("div", { class: "diff", tabindex: "-1", role: "region", "aria-label": `Changes: ${count(pair.added, "line")} added, ${pair.gone} removed` },
      h("table", {}, h("tbody", {}, folded(pair.rows))))));
}
