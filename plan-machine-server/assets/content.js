// The content of a plan: Markdown, recorded steps with their arguments, or other values. A model wrote all of it, so it
// always appears in a frame that names the model as its author.

import { h, icon } from "./dom.js";
import { markdown } from "./markdown.js";
import { pretty, visible } from "./text.js";
import { count } from "./words.js";

/** Returns a text without rendering it, with every character visible. */
export const source = (text) => h("pre", { class: "source" }, h("code", {}, visible(text, { code: true })));

const MARKS = { waiting: "clock", started: "bolt", running: "bolt", ended: "check", done: "check", failed: "cross", skipped: "arrow" };

/**
 * Returns the arguments of a call, one row for each argument: strings without quotation marks, all other values as
 * JSON.
 */
export function argumentsOf(args) {
  if (args === null || typeof args !== "object" || Array.isArray(args)) return source(typeof args === "string" ? args : pretty(args ?? null));
  const rows = Object.entries(args);
  if (!rows.length) return h("p", { class: "quiet" }, "no arguments");
  return h("dl", { class: "args" }, rows.map(([name, value]) => [
    h("dt", {}, visible(name, { code: true, line: true })),
    h("dd", {}, h("code", {}, visible(typeof value === "string" ? value : pretty(value), { code: true }))),
  ]));
}

function step(item, at) {
  return h("li", { class: "step", "data-status": item.status ?? null },
    h("span", { class: "step-number", "aria-hidden": "true" }, at + 1),
    h("div", { class: "step-body" },
      h("div", { class: "step-head" }, h("span", { class: "hidden" }, `Step ${at + 1}: `), h("code", { class: "tool" }, visible(item.tool, { code: true, line: true })),
        item.status && item.status !== "waiting" ? h("span", { class: "mark" }, icon(MARKS[item.status] ?? "maybe"), visible(item.status)) : null),
      argumentsOf(item.args)));
}

function body(field, raw) {
  if (field.kind === "text") return raw ? source(field.text) : markdown(field.text);
  if (field.kind === "steps") {
    if (raw) return source(pretty(field.steps));
    return field.steps.length ? h("ol", { class: "steps" }, field.steps.map(step)) : h("p", { class: "quiet" }, "No steps are recorded.");
  }
  return source(typeof field.value === "string" && !raw ? field.value : pretty(field.value ?? null));
}

/** Returns the fields of a plan's content. A single text gets no label; several fields are labeled. */
export function fields(content, { raw = false } = {}) {
  const labelled = content.length > 1;
  return content.map((field) => h("section", { class: "field", "data-kind": field.kind },
    labelled ? h("h3", { class: "field-name" }, field.name.replaceAll("_", " "), field.kind === "steps" ? h("span", { class: "field-count" }, count(field.steps.length, "call")) : null) : null,
    body(field, raw)));
}

/** Returns a field as text, for the comparison of two versions. */
export function asText(field) {
  if (!field) return "";
  if (field.kind === "text") return field.text;
  if (field.kind === "steps") return field.steps.map((item, at) => `${at + 1}. ${item.tool}\n${pretty(item.args)}`).join("\n");
  return typeof field.value === "string" ? field.value : pretty(field.value ?? null);
}

/** Returns a frame around content that a model wrote. */
export function frame(writer, children, note = null) {
  return h("div", { class: "model" }, h("div", { class: "model-label" }, icon("model"), h("span", {}, `Written by ${writer}`), note ? h("span", { class: "model-note" }, note) : null),
    h("div", { class: "model-text" }, children));
}
