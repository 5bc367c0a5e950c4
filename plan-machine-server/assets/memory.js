// The memory that the session may read, by scope, nearest scope first.

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

/** Shows the memory and keeps it up to date. */
export function memoryPart(sessionId, part, signal) {
  const read = reader(signal, async () => {
    const body = await get(`/api/memory?sessionId=${encodeURIComponent(sessionId)}`, signal);
    if (body.sessionId !== sessionId) throw new Problem(0, { detail: "The server answered for another session." });
    if (signal.aborted) return;
    part.node.hidden = !body.items.length;
    fill(part.body, body.scopes.map((name) => scope(name, body.items.filter((item) => item.scope === name))));
  }, (error) => {
    part.node.hidden = error.status === 404;
    fill(part.body, h("p", { class: "quiet" }, error.message));
  });
  live.on("entry", (entry) => entry.sessionId === sessionId && read(), signal);
  live.on("resync", read, signal);
  read();
}
