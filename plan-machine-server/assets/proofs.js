// The proofs: invariants, which hold for every sequence of events, in the words of their author, each with the verdict
// of the compiler.

import { get } from "./api.js";
import { fill, h, icon } from "./dom.js";
import { live } from "./live.js";
import { reader } from "./reader.js";
import { to } from "./router.js";
import { hostText, visible } from "./text.js";
import { count } from "./words.js";

const VERDICTS = { proved: { word: "Proved", icon: "check" }, broken: { word: "Broken", icon: "cross" }, unknown: { word: "Not known", icon: "maybe" } };

const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);

function invariant(item) {
  const verdict = VERDICTS[item.verdict] ?? VERDICTS.unknown;
  return h("li", { class: `invariant verdict-${item.verdict}` },
    h("span", { class: "verdict" }, icon(verdict.icon), h("span", {}, verdict.word)),
    h("div", {}, h("h3", {}, visible(sentence(item.words), { line: true })), item.note ? h("p", { class: "note" }, hostText(item.note)) : null, h("code", { class: "statement" }, visible(item.statement))));
}

function scenarios(list) {
  if (!list.length) return null;
  const failed = list.filter((item) => !item.passed);
  const row = (item) => h("li", { class: item.passed ? "verdict-proved" : "verdict-broken" }, icon(item.passed ? "check" : "cross"), h("span", { class: "hidden" }, item.passed ? "passed: " : "failed: "), visible(item.name, { line: true }));
  return h("details", { class: "scenarios", open: failed.length > 0 }, h("summary", {}, failed.length ? `${count(failed.length, "scenario")} of ${list.length} failed` : `${count(list.length, "scenario")} passed`), h("ul", {}, list.map(row)));
}

function document_(item) {
  return h("section", { class: "document" },
    h("header", {}, h("h2", {}, visible(item.name, { line: true }), h("span", { class: "document-kind" }, item.kind === "session" ? "session document" : "machine")), h("code", { class: "file" }, visible(item.file ?? "", { line: true })), item.doc ? h("p", { class: "document-doc" }, hostText(item.doc.split("\n\n")[0])) : null),
    item.invariants.length ? h("ul", { class: "invariants" }, item.invariants.map(invariant)) : h("p", { class: "quiet" }, "This document has no invariants."),
    scenarios(item.scenarios ?? []));
}

function summary(documents) {
  const all = documents.flatMap((item) => item.invariants);
  const of = (verdict) => all.filter((item) => item.verdict === verdict).length;
  const parts = [[of("proved"), "proved", "proved"], [of("broken"), "broken", "broken"], [of("unknown"), "unknown", "not known"]].filter(([number, kind]) => number || kind === "proved");
  return h("p", { class: "summary" }, parts.map(([number, kind, word]) => h("span", { class: `verdict-${kind}` }, icon(VERDICTS[kind].icon), `${count(number, "invariant")} ${word}`)));
}

/** Builds the view of the proofs, and returns its key handlers. */
export function proofsView(root, route, signal, { list, router }) {
  list.show(route);
  const body = h("div", { class: "proofs", "aria-busy": "true" }, h("p", { class: "empty" }, "Reading the proofs…"));
  fill(root, h("div", { class: "proofs-page" }, h("h1", { tabindex: "-1" }, "Proofs"),
    h("p", { class: "lead" }, "A proved invariant holds for every sequence of events that a session can take, not only for those that were tested."), body));
  const read = reader(signal, async () => {
    const answer = await get("/api/proofs", signal);
    if (signal.aborted) return;
    body.removeAttribute("aria-busy");
    fill(body, answer.problem ? h("p", { class: "banner banner-bad" }, icon("warn"), h("span", {}, visible(answer.problem))) : null,
      answer.ready ? null : h("p", { class: "banner banner-quiet", role: "status" }, icon("clock"), h("span", {}, "The server is still proving the invariants. This page shows the results as soon as they are available.")),
      answer.documents.length ? summary(answer.documents) : null, answer.documents.map(document_));
    if (!answer.ready) setTimeout(() => signal.aborted || read(), 1500);
  }, (error) => {
    fill(body, h("p", { class: "banner banner-bad" }, icon("warn"), h("span", {}, error.message), h("button", { type: "button", class: "button", onclick: () => read() }, "Try again")));
  });
  live.on("resync", read, signal);
  read();
  return { Escape: () => router.go(to.inbox()) };
}
