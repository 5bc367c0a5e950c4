// Shows which calls of the model run, are recorded or are denied in the current state of the session.

import { h, icon } from "./dom.js";
import { visible } from "./text.js";
import { CALLS } from "./words.js";

const GROUPS = [
  { title: "Run", decisions: ["run", "may_run"], kind: "run" },
  { title: "Recorded, not run", decisions: ["record", "may_record"], kind: "record" },
  { title: "Denied", decisions: ["deny"], kind: "deny" },
];

const KINDS = { class: "a class of calls", own: "a tool of the plan", tool: "a host tool" };

function chip(call) {
  const unsure = call.decision.startsWith("may_");
  return h("li", { class: `call call-${call.kind}`, title: KINDS[call.kind] ?? call.kind }, h("code", {}, visible(call.name, { code: true, line: true })),
    call.kind === "class" ? h("span", { class: "quiet" }, " class") : null,
    unsure ? h("span", { class: "quiet" }, " depends on the arguments") : null, h("span", { class: "hidden" }, `: ${CALLS[call.decision]?.word ?? call.decision}`));
}

/** Returns the part of the page that shows the decisions on calls. */
export function callsPart(session) {
  if (!session.calls.length) return h("p", { class: "quiet" }, "No tools or classes of calls are known.");
  return GROUPS.map(({ title, decisions, kind }) => {
    const calls = session.calls.filter((call) => decisions.includes(call.decision));
    if (!calls.length) return null;
    return h("div", { class: `calls calls-${kind}` }, h("h3", {}, icon(CALLS[decisions[0]].icon), title), h("ul", {}, calls.map(chip)));
  });
}
