// A small Markdown renderer that builds DOM nodes. It never parses HTML and hides nothing: HTML, comments and link
// definitions appear as text, because a person approves what a model wrote and has to see all of it.

import { h } from "./dom.js";
import { inline } from "./inline.js";
import { visible } from "./text.js";

export const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
export const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:([ \t]+)(.*)|)$/;
export const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const DEEPEST = 12;

/** Returns a heading of a plan. Its level is lower than that of the page's own headings. */
const headingOf = (level, text) => h(`h${Math.min(level + 2, 6)}`, { class: `md-h${level}`, dir: "auto" }, inline(text));

/**
 * Returns a block of code with the name of its language. Long lines are wrapped, so that no part of a plan is outside
 * the page.
 */
function code(lines, info = "") {
  return h("figure", { class: "code" }, info.trim() ? h("figcaption", {}, visible(info.trim(), { code: true })) : null,
    h("pre", {}, h("code", {}, visible(lines.join("\n"), { code: true }))));
}

/** Returns the cells of a table row. A vertical bar after a backslash or in code does not separate cells. */
export function cells(line) {
  const out = [""];
  let ticks = false;
  const text = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "\\" && text[at + 1] === "|") {
      out[out.length - 1] += "|";
      at += 1;
    } else if (text[at] === "|" && !ticks) {
      out.push("");
    } else {
      if (text[at] === "`") ticks = !ticks;
      out[out.length - 1] += text[at];
    }
  }
  return out.map((cell) => cell.trim());
}

function table(rows) {
  const head = cells(rows[0]);
  const sides = cells(rows[1]).map((cell) => (/^:-+:$/.test(cell) ? "center" : /-:$/.test(cell) ? "right" : null));
  const row = (texts, tag) => h("tr", {}, Array.from({ length: Math.max(texts.length, head.length) }, (_, at) =>
    h(tag, { "data-side": sides[at], dir: "auto", scope: tag === "th" ? "col" : null }, inline(texts[at] ?? ""))));
  return h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Table" },
    h("table", {}, h("thead", {}, row(head, "th")), h("tbody", {}, rows.slice(2).map((line) => row(cells(line), "td")))));
}

/** Returns the lines of one list item, without its list marker and its indentation. */
function itemLines(lines, start, width) {
  const own = [];
  let at = start + 1;
  for (; at < lines.length; at += 1) {
    const line = lines[at];
    const indent = /^ */.exec(line)[0].length;
    if (line.trim() === "") {
      const next = lines[at + 1] ?? "";
      if (next.trim() === "" || /^ */.exec(next)[0].length < width) break;
    } else if (indent < width) {
      const lazy = own.at(-1)?.trim() !== "" && !ITEM.test(line) && !startsBlock(line);
      if (!lazy) break;
    }
    own.push(indent >= width ? line.slice(width) : line.trimStart());
  }
  return { own, next: at };
}

function list(lines, start, depth) {
  const first = ITEM.exec(lines[start]);
  const ordered = /\d/.test(first[2]);
  const kind = first[2].at(-1);
  const items = [];
  let at = start;
  let loose = false;
  while (at < lines.length) {
    const match = ITEM.exec(lines[at]);
    if (!match || match[2].at(-1) !== kind || /\d/.test(match[2]) !== ordered || (RULE.test(lines[at]) && !ordered)) break;
    const gap = (match[3] ?? " ").length;
    const width = match[1].length + match[2].length + (gap > 4 ? 1 : gap);
    const { own, next } = itemLines(lines, at, width);
    const text = gap > 4 ? " ".repeat(gap - 1) + match[4] : match[4] ?? "";
    const task = /^\[([ xX])\][ \t]+(.*)$/.exec(text);
    const body = blocks([task ? task[2] : text, ...own], depth + 1);
    const box = task ? h("span", { class: "task" }, task[1] === " " ? "☐ " : "☑ ") : null;
    items.push(h("li", { dir: "auto", class: task ? "has-task" : null }, box, body));
    at = next;
    if (lines[at]?.trim() === "" && ITEM.test(lines[at + 1] ?? "")) {
      loose = true;
      at += 1;
    }
  }
  const number = ordered ? Number.parseInt(first[2], 10) : 1;
  return { node: h(ordered ? "ol" : "ul", { class: loose ? "loose" : "tight", start: number === 1 ? null : number }, items), next: at };
}

const startsBlock = (line) => FENCE.test(line) || HEADING.test(line) || RULE.test(line) || /^ {0,3}>/.test(line);

function fence(lines, start) {
  const [, mark, info] = FENCE.exec(lines[start]);
  const closing = new RegExp(`^ {0,3}${mark[0] === "\`" ? "\`" : "~"}{${mark.length},}[ \\t]*$`);
  let end = start + 1;
  while (end < lines.length && !closing.test(lines[end])) end += 1;
  return { node: code(lines.slice(start + 1, end), info), next: end + 1 };
}

function quote(lines, start, depth) {
  let end = start;
  const inner = [];
  while (end < lines.length && (/^ {0,3}>/.test(lines[end]) || (lines[end].trim() && !startsBlock(lines[end]) && !ITEM.test(lines[end])))) {
    inner.push(lines[end].replace(/^ {0,3}> ?/, ""));
    end += 1;
  }
  return { node: h("blockquote", {}, blocks(inner, depth + 1)), next: end };
}

function paragraph(lines, start) {
  let end = start;
  while (end < lines.length && lines[end].trim() !== "") {
    const setext = end > start ? /^ {0,3}(=+|-+)[ \t]*$/.exec(lines[end]) : null;
    if (setext) return { node: headingOf(setext[1][0] === "=" ? 1 : 2, lines.slice(start, end).join(" ").trim()), next: end + 1 };
    const item = ITEM.exec(lines[end]);
    const interrupts = startsBlock(lines[end]) || (item?.[4] && !/^(?!1[.)])\d/.test(item[2]));
    if (end > start && interrupts) break;
    end += 1;
  }
  const text = lines.slice(start, end).map((line) => line.replace(/^ +/, "")).join("\n");
  return { node: h("p", { dir: "auto" }, inline(text)), next: end };
}

function block(lines, at, depth) {
  const line = lines[at];
  if (FENCE.test(line)) return fence(lines, at);
  const title = HEADING.exec(line);
  if (title) return { node: headingOf(title[1].length, title[2] ?? ""), next: at + 1 };
  if (RULE.test(line)) return { node: h("hr"), next: at + 1 };
  if (/^ {4}/.test(line)) {
    let end = at;
    while (end < lines.length && (/^ {4}/.test(lines[end]) || (lines[end].trim() === "" && /^ {4}/.test(lines[end + 1] ?? "")))) end += 1;
    return { node: code(lines.slice(at, end).map((text) => text.slice(4))), next: end };
  }
  if (depth < DEEPEST && /^ {0,3}>/.test(line)) return quote(lines, at, depth);
  if (depth < DEEPEST && ITEM.test(line)) return list(lines, at, depth);
  if (line.includes("|") && DELIMITERS.test(lines[at + 1] ?? "") && cells(line).length === cells(lines[at + 1]).length) {
    let end = at + 2;
    while (end < lines.length && lines[end].trim() !== "" && lines[end].includes("|")) end += 1;
    return { node: table(lines.slice(at, end)), next: end };
  }
  return paragraph(lines, at);
}

function blocks(lines, depth) {
  const out = [];
  for (let at = 0; at < lines.length; ) {
    if (lines[at].trim() === "") {
      at += 1;
      continue;
    }
    const { node, next } = block(lines, at, depth);
    out.push(node);
    at = Math.max(next, at + 1);
  }
  return out;
}

/** Renders Markdown. A text that is too long for a person to read is shown without formatting. */
export function markdown(text) {
  const source = String(text ?? "").replace(/\r\n?/g, "\n");
  if (source.length > 300_000) return h("div", { class: "prose" }, code(source.split("\n")));
  const lines = source.split("\n").map((line) => line.replace(/^[ \t]+/, (space) => space.replace(/\t/g, "    ")));
  return h("div", { class: "prose" }, blocks(lines, 0));
}
