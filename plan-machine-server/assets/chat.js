// The chat of a session, on servers that have one. Messages come on the session's own stream.

import { getOf, post, sessionPath } from "./api.js";
import { frame } from "./content.js";
import { fill, h } from "./dom.js";
import { markdown } from "./markdown.js";
import { reader } from "./reader.js";
import { say } from "./status.js";
import { Stream } from "./stream.js";
import { clock } from "./time.js";
import { visible } from "./text.js";
import { writerName } from "./words.js";

/** Shows what was said. Only what a model or a tool says is framed, so that it cannot pass for the host. */
function said(item, agent) {
  if (item.kind === "text") return frame(agent, markdown(item.text));
  const style = item.kind === "error" ? "banner banner-bad" : "";
  return h("div", { class: style }, item.text.split("\n").map((line) => h("p", {}, visible(line))));
}

function message(item, agent) {
  const body = said(item, agent);
  return h("li", { class: `message message-${item.kind}` }, h("span", { class: "quiet" }, item.kind === "you" ? "You " : "", clock(item.at)), body);
}

/** Shows the chat and a field to write in. */
export function chatPart(sessionId, part, signal) {
  const agent = writerName(sessionId.split(":")[0]);
  const rows = h("ol", {});
  // The region can be scrolled with the keyboard.
  const log = h("div", { class: "messages", role: "log", "aria-label": "Messages", tabindex: "0" }, rows);
  const text = h("textarea", { id: "chat-text", rows: 2, maxlength: 20000 });
  const problem = h("p", { class: "quiet", role: "status" });
  const send = async (event) => {
    event?.preventDefault();
    if (!text.value.trim()) return;
    try {
      await post(sessionPath(sessionId, "/messages"), { text: text.value }, signal);
      text.value = "";
      problem.textContent = "";
    } catch (error) {
      if (!signal.aborted) problem.textContent = error.message;
    }
  };
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) send(event);
  });
  fill(part.body, log, h("form", { class: "chat-form", onsubmit: send }, h("label", { class: "hidden", for: "chat-text" }, "Message"), text, h("button", { class: "button" }, "Send")), problem);
  part.node.hidden = false;

  let came = 0;
  const read = reader(signal, async () => {
    const before = came;
    const body = await getOf(sessionId, "/messages?limit=100", signal);
    if (signal.aborted) return;
    fill(rows, body.messages.map((item) => message(item, agent)));
    // A message that came while the answer was on its way may not be in it.
    if (came !== before) read();
  }, (error) => {
    problem.textContent = error.message;
  });
  const stream = new Stream(sessionPath(sessionId, "/events"), {
    state: (kind) => kind === "open" && read(),
    event: (name, data) => {
      if (name !== "message" || data.sessionId !== sessionId || signal.aborted) return;
      came += 1;
      rows.append(message(data, agent));
      if (data.kind !== "you") say("A new message.");
    },
  });
  stream.start();
  signal.addEventListener("abort", () => stream.stop(), { once: true });
}
