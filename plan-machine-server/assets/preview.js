// The beginning of a Markdown text as plain text, for the rows of the list: without Markdown marks, code fences and
// table delimiters.

import { DELIMITERS, FENCE, RULE, cells } from "./markdown.js";

const CONTAINER = /^(?:>[ \t]*|[-*+](?:[ \t]+|$)|\d{1,9}[.)](?:[ \t]+|$))/;
const UNDERLINE = /^(?:=+|-+)$/;
// A character after a backslash, or code between backticks. These characters are not Markdown marks.
const LITERAL = /\\([!-/:-@[-`{-~])|(?<!`)(`+)(?!`)(.+?)(?<!`)\2(?!`)/g;
const MARKS = [
  [/!?\[([^\]]*)\]\([^)]*\)/g, "$1"],
  [/<(https?:\/\/[^\s<>]+)>/gi, "$1"],
  [/(\*{1,3}|~~)(?=[^\s*~])(.*?[^\s*~])\1/g, "$2"],
  [/(?<!\w)(_{1,3})(?=[^\s_])(.*?[^\s_])\1(?!\w)/g, "$2"],
];

/** Returns a line without the marks of emphasis, code and links. */
function words(line) {
  const literals = [];
  let text = line.replace(LITERAL, (_, escaped, ticks, code) => `\0${literals.push(escaped ?? code.trim()) - 1}\0`);
  // Marked text can contain other marks.
  for (let round = 0; round < 3; round += 1) text = MARKS.reduce((left, [mark, by]) => left.replace(mark, by), text);
  return text.replace(/\0(\d+)\0/g, (_, at) => literals[at] ?? "").replace(/\\$/, "").trim();
}

/** Returns a line without the marks of the lists and quotes that contain it. */
function inside(line) {
  let text = line.trim();
  while (CONTAINER.test(text) && !RULE.test(text)) text = text.replace(CONTAINER, "");
  return text;
}

/** Returns the lines of a text that contain words, without Markdown marks. */
function lines(markdown) {
  const source = markdown.split(/\r?\n/);
  const all = source.map(inside);
  const out = [];
  let fence = null; // the fence that opened the code block that contains the line
  let inTable = false;
  all.forEach((line, at) => {
    const mark = /^(?:`{3,}|~{3,})/.exec(line)?.[0];
    if (fence) {
      if (mark?.startsWith(fence) && mark === line) fence = null;
      else out.push(source[at].trim().replace(/\s+/g, " "));
      return;
    }
    inTable &&= line.includes("|");
    if (FENCE.test(line)) fence = mark;
    else if (RULE.test(line) || (at && all[at - 1] && UNDERLINE.test(line)) || (line.includes("|") && DELIMITERS.test(line))) return;
    else if (inTable || line.startsWith("|") || (line.includes("|") && all[at + 1]?.includes("|") && DELIMITERS.test(all[at + 1]))) {
      inTable = true;
      out.push(cells(line).map(words).filter(Boolean).join(", "));
    } else out.push(words(line.replace(/^#{1,6}(?:[ \t]+|$)/, "").replace(/^\[[ xX]\][ \t]+/, "").replace(/[ \t]+#+$/, "")));
  });
  return out.filter(Boolean);
}

/** Returns the first line of a Markdown text, which is often a heading, and the rest of the text as one line. */
export function preview(markdown) {
  const [first = "", ...rest] = lines(String(markdown ?? ""));
  return { first, rest: rest.join(" ") };
}
