// The memory that the session and its runs may read, by scope. The scopes of runs come first, because they are the most
// specific.

import { Problem, get } from "./api.js";
import { fill, h } from "./dom.js";
import { live } from "./live.js";
import { reader } from "./reader.js";
import { since } from "./time.js";
import { visible } from "./text.js";

function scope(name, items) {
  return h("section", { class: "scope" }, h("h3", {}, h("code", {}, visible(name, { line: true }))),
    items.length ? h("ul", {}, items.map((item) => h("li", {}, h("span", { class: "memory-text" }, visible(item.text)), h("span", { class: "quiet" }, " ", visible(item.by ?? "", { line: true }), " ", since(item.at, "ago"), item.from ? [" from ", visible(item.from, { line: true })] : "")))) : h("p", { class: "quiet" }, "empty"));
}

// The number of runs whose memory is shown.
const MOST_RUNS = 8;

/** Returns the runs that have not ended, as parameters of the requests for their memory. */
function runsOf(session) {
  const runs = (session?.plans ?? []).filter(({ final, data }) => !final && data?.task && (data.kind === "TASK_RUN" || (data.kind === "GOAL_RUN" && data.goal)));
  return runs.slice(-MOST_RUNS).map(({ data }) => ({ runKind: data.kind, taskId: data.task, ...(data.kind === "GOAL_RUN" ? { goalId: data.goal } : {}) }));
}

/**
 * Groups the items by scope: first the scopes of the runs, then the scopes of the session itself, whose response is the
 * last one in `answers`.
 */
export function byScope(answers) {
  const own = answers.at(-1);
  const scopes = new Map();
  const add = (name, items) => scopes.set(name, items.filter((item) => item.scope === name));
  for (const { items } of answers) for (const { scope: name } of items) if (!own.scopes.includes(name)) add(name, items);
  for (const name of own.scopes) add(name, own.items);
  return scopes;
}

/** Shows the memory and keeps it up to date. `session` returns the session as it was last read. */
export function memoryPart(sessionId, part, signal, session) {
  const ask = async (run) => {
    const body = await get(`/api/memory?${new URLSearchParams({ sessionId, ...run })}`, signal);
    if (body.sessionId !== sessionId) throw new Problem(0, { detail: "The server answered for another session." });
    return body;
  };
  const read = reader(signal, async () => {
    const scopes = byScope(await Promise.all([...runsOf(session()), {}].map(ask)));
    if (signal.aborted) return;
    part.node.hidden = ![...scopes.values()].some((items) => items.length);
    fill(part.body, [...scopes].map(([name, items]) => scope(name, items)));
  }, (error) => {
    part.node.hidden = error.status === 404;
    fill(part.body, h("p", { class: "quiet" }, error.message));
  });
  live.on("entry", (entry) => entry.sessionId === sessionId && read(), signal);
  live.on("resync", read, signal);
  read();
}
