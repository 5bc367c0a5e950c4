// All plans of a session: plans in a slot, plans of machines with many plans (such as runs), and plans that have ended.

import { h } from "./dom.js";
import { source } from "./content.js";
import { pretty, visible } from "./text.js";
import { since } from "./time.js";

function row(plan) {
  return h("li", { class: "plan" }, h("details", {},
    h("summary", { "data-focus": `plan-${plan.plan}` }, h("span", { class: "plan-name" }, visible(plan.plan, { line: true })), h("code", { class: plan.final ? "state ended" : "state" }, plan.state), plan.expires ? h("span", { class: "expiry" }, since(plan.expires, "until")) : null, h("span", { class: "quiet" }, visible(`${plan.machine}, revision ${plan.revision}`, { line: true }))),
    plan.previous ? h("p", { class: "quiet" }, "continues ", h("code", {}, visible(plan.previous, { line: true }))) : null,
    source(pretty(plan.data ?? {}))));
}

/** Returns the list, or `null` if it would show no more than the card. */
export function plansPart(session) {
  const only = session.plans.length === 1 && session.plans[0].content?.length;
  if (!session.plans.length || only) return null;
  return h("ul", { class: "plans" }, session.plans.map(row));
}
