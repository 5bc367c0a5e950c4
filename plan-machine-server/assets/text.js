// Shows text from a model so that no character is invisible: characters without a visible shape, characters that change
// the direction of the text, and characters that control a terminal appear as their code points, such as `U+202E`.

import { h } from "./dom.js";

// Control, format, surrogate, private-use and unassigned characters, line separators, and letters without a visible
// shape.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u2800\u3164\uFE00-\uFE0F\uFFA0\u{E0100}-\u{E01EF}]/u;
// Characters that look like an ordinary space, but are different characters. Programs treat them differently, so they
// are made visible in code.
const ODD_SPACE = /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/u;
const PICTURE = /\p{Extended_Pictographic}|[\u{1F3FB}-\u{1F3FF}]/u;

const JOINING = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}]/u;
const VIRAMA = /[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA\u1039\u17D2]/u;
// A code point that the server has already written in place of a hidden character.
const REPLACED = /‹(U\+[0-9A-F]{4,6})›/;

/** Returns whether a character has a visible effect: within an emoji, or in a script whose letters join. */
function joins(chars, at) {
  const before = chars[at - 1] ?? "";
  const joiner = chars[at] === "\u200C" || chars[at] === "\u200D";
  if (joiner && (VIRAMA.test(before) || (JOINING.test(before) && JOINING.test(chars[at + 1] ?? "")))) return true;
  if (chars[at] === "\uFE0F") return PICTURE.test(before) || (/[0-9#*]/.test(before) && chars[at + 1] === "\u20E3");
  if (chars[at] === "\u200D") return PICTURE.test(before === "\uFE0F" ? chars[at - 2] ?? "" : before) && PICTURE.test(chars[at + 1] ?? "");
  return false;
}

/** Returns the name of a code point, such as `U+202E`. */
export function codePoint(char) {
  return `U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/**
 * Splits a text into strings and the code points that must be shown by their names. With `code`, spaces other than the
 * ordinary one are shown by name as well; with `line`, so are line breaks.
 */
export function parts(text, options) {
  return String(text).split(REPLACED).flatMap((piece, at) => (at % 2 ? [{ point: piece }] : hidden(piece, options)));
}

function hidden(text, { code = false, line = false } = {}) {
  const chars = Array.from(String(text).replace(/\r\n/g, "\n"));
  const out = [];
  let plain = "";
  chars.forEach((char, at) => {
    const wanted = !line && (char === "\n" || char === "\t");
    const unseen = HIDDEN.test(char) || (code && ODD_SPACE.test(char));
    if (wanted || !unseen || joins(chars, at)) {
      plain += char;
      return;
    }
    if (plain) out.push(plain);
    plain = "";
    out.push({ point: codePoint(char) });
  });
  if (plain) out.push(plain);
  return out;
}

/** Returns the text as DOM nodes, with hidden characters marked. */
export function visible(text, options) {
  return parts(text, options).map((part) =>
    typeof part === "string" ? document.createTextNode(part) : h("span", { class: "point", title: "This character is invisible, only looks like a space, or changes the direction of the text." }, part.point));
}

/** Returns a text from the host as DOM nodes: text between backticks is shown as code. */
export function hostText(text) {
  return String(text ?? "").split(/(`[^`\n]+`)/).map((part) => (/^`[^`]+`$/.test(part) ? h("code", {}, visible(part.slice(1, -1), { code: true })) : visible(part)));
}

/** Returns the text as one string, for places where nodes are not possible, such as a title. */
export function plain(text, options = { line: true }) {
  return parts(text, options).map((part) => (typeof part === "string" ? part : `[${part.point}]`)).join("");
}

/** Returns a value as indented JSON, with short objects and lists on one line. */
export function pretty(value, indent = "") {
  const flat = JSON.stringify(value);
  if (flat === undefined) return "null";
  if (typeof value !== "object" || value === null || flat.length + indent.length <= 64) return spaced(value);
  const deeper = `${indent}  `;
  if (Array.isArray(value)) return `[\n${value.map((item) => deeper + pretty(item, deeper)).join(",\n")}\n${indent}]`;
  const rows = Object.entries(value).map(([name, item]) => `${deeper}${JSON.stringify(name)}: ${pretty(item, deeper)}`);
  return `{\n${rows.join(",\n")}\n${indent}}`;
}

function spaced(value) {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const rows = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${spaced(item)}`);
  return rows.length ? `{ ${rows.join(", ")} }` : "{}";
}
