// Renders inline Markdown as DOM nodes: code, emphasis and links. HTML is shown as text, and images are never loaded.

import { h } from "./dom.js";
import { plain, visible } from "./text.js";

const LINK = /^(!?)\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]\(\s*(<[^<>\n]*>|(?:[^\s()\\]|\\.|\([^\s()]*\))*)(?:\s+("[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/;
const ADDRESS = /^https?:\/\/[^\s<>"'`]+[^\s<>"'`.,:;!?)\]}]/i;
const ESCAPE = /^\\([!-/:-@[-`{-~])/;
const MARKS = [
  { open: /^\*\*(?=\S)/, close: "**", tag: "strong" },
  { open: /^__(?=\S)/, close: "__", tag: "strong", word: true },
  { open: /^~~(?=\S)/, close: "~~", tag: "del" },
  { open: /^\*(?=[^\s*])/, close: "*", tag: "em" },
  { open: /^_(?=[^\s_])/, close: "_", tag: "em", word: true },
];

/** Returns the address as a URL if a browser may open it, or else `null`. */
function openable(address) {
  try {
    const url = new URL(address);
    return (url.protocol === "http:" || url.protocol === "https:") && !url.username && !url.password ? url : null;
  } catch {
    return null;
  }
}

/**
 * Returns a link that shows where it leads. Addresses that begin with neither `http` nor `https` are shown as text and
 * cannot be opened.
 */
export function link(label, address, title = "") {
  const url = openable(address);
  const same = url && (label === address || label === url.href);
  const name = title ? ` “${title}”` : "";
  if (!url) return h("span", {}, h("span", { class: "inert" }, inline(label, false)), h("span", { class: "where" }, " (not a web link: ", visible(plain(address) + name, { code: true }), ")"));
  const anchor = h("a", { href: url.href, rel: "noopener noreferrer nofollow", target: "_blank" }, same ? visible(address) : inline(label, false));
  return h("span", { class: "outside" }, anchor, same && !name ? null : h("span", { class: "where" }, ` (${same ? "" : url.host}`, visible(name, { line: true }), ")"));
}

/** Returns a note in place of an image: the description of the image, and its address. */
function picture(alt, address, title) {
  return h("span", { class: "inert picture" }, "image, not loaded: ", visible(alt || "no description"), " ",
    h("span", { class: "where" }, "(", visible(plain(address) + (title ? ` “${title}”` : ""), { code: true }), ")"));
}

/** Finds the closing mark of a construct; marks in code and escaped marks do not count. */
function closing(text, from, mark) {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") {
      at += 1;
    } else if (text[at] === "`") {
      const run = /^`+/.exec(text.slice(at))[0];
      const end = text.indexOf(run, at + run.length);
      at = end < 0 ? at + run.length - 1 : end + run.length - 1;
    } else if (text.startsWith(mark.close, at) && /\S/.test(text[at - 1])) {
      const after = text[at + mark.close.length] ?? "";
      if (mark.close.length === 1 && after === mark.close) at += 1;
      else if (!(mark.word && /\w/.test(after))) return at;
    }
  }
  return -1;
}

/**
 * Parses one construct at the start of `text`. Returns `{ node, length }`, or `null` if `text` starts with plain text.
 * `dead` contains the marks that are not closed in the rest of the text: they are not searched for again, so the time
 * stays linear.
 */
function construct(text, before, links, depth, dead) {
  const escape = ESCAPE.exec(text);
  if (escape) return { node: visible(escape[1]), length: 2 };
  if (text[0] === "`") {
    const run = /^`+/.exec(text)[0];
    const end = dead.has(run) ? -1 : text.slice(run.length).search(new RegExp(`(?<!\`)${run}(?!\`)`));
    if (end < 0) dead.add(run);
    if (end < 0) return { node: visible(run), length: run.length };
    const code = text.slice(run.length, run.length + end);
    return { node: h("code", {}, visible(code.replace(/\n/g, " "), { code: true })), length: end + 2 * run.length };
  }
  if (text[0] === "[" || text[0] === "!") {
    const match = LINK.exec(text);
    if (match && (links || match[1])) {
      const address = match[3].replace(/^<|>$/g, "").replace(/\\([!-/:-@[-`{-~])/g, "$1");
      const title = (match[4] ?? "").slice(1, -1);
      return { node: match[1] ? picture(match[2], address, title) : link(match[2], address, title), length: match[0].length };
    }
  }
  if (text[0] === "<") {
    const match = /^<(https?:\/\/[^\s<>]+)>/i.exec(text);
    if (match && links) return { node: link(match[1], match[1]), length: match[0].length };
  }
  if (text[0] === "h" && links && !/\w/.test(before)) {
    const match = ADDRESS.exec(text);
    if (match) return { node: link(match[0], match[0]), length: match[0].length };
  }
  for (const mark of depth < 8 ? MARKS : []) {
    const match = mark.open.exec(text);
    if (!match || dead.has(mark.close) || (mark.word && /\w/.test(before))) continue;
    const end = closing(text, match[0].length, mark);
    if (end < 0) dead.add(mark.close);
    if (end > match[0].length - 1 && end > 0) {
      const inner = text.slice(match[0].length, end);
      return { node: h(mark.tag, {}, inline(inner, links, depth + 1)), length: end + mark.close.length };
    }
  }
  return null;
}

/** Renders inline Markdown as a list of nodes. */
export function inline(text, links = true, depth = 0) {
  const out = [];
  const dead = new Set();
  let plainText = "";
  const flush = () => {
    if (plainText) out.push(...visible(plainText));
    plainText = "";
  };
  for (let at = 0; at < text.length; ) {
    const special = /[\\`*_~[!<h]/.test(text[at]);
    const found = special ? construct(text.slice(at), text[at - 1] ?? "", links, depth, dead) : null;
    if (found) {
      flush();
      out.push(found.node);
      at += found.length;
    } else if (text[at] === "\n") {
      const hard = /( {2,}|\\)$/.test(plainText);
      plainText = plainText.replace(/( +|\\)$/, "");
      flush();
      out.push(hard ? h("br") : "\n");
      at += 1;
    } else {
      plainText += text[at];
      at += 1;
    }
  }
  flush();
  return out;
}
