// The chat of a session, on servers that have chats. New messages arrive on the event stream of the session.

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

// The messages that were written, but not sent, by session.
const drafts = new Map();

/**
 * Shows a message. Only text of a model or a tool is framed, so that it cannot be mistaken for a message of the host.
 */
function said(item, agent) {
  if (item.kind === "text") return frame(agent, markdown(item.text));
  const style = item.kind === "error" ? "banner banner-bad" : "";
  return h("div", { class: style }, item.text.split("\n").map((line) => h("p", {}, visible(line))));
}

function message(item, agent) {
  const body = said(item, agent);
  return h("li", { class: `message message-${item.kind}` }, h("span", { class: "quiet" }, item.kind === "you" ? "You " : "", clock(item.at)), body);
}

/** Shows the chat, and an input field for messages. */
export function chatPart(sessionId, part, signal) {
  const agent = writerName(sessionId.split(":")[0]);
  const rows = h("ol", {});
  // With a tab stop, the region can be scrolled with the keyboard.
  const log = h("div", { class: "messages", role: "log", "aria-label": "Messages", tabindex: "0" }, rows);
  const text = h("textarea", { id: "chat-text", rows: 2, maxlength: 20000, value: drafts.get(sessionId), oninput: () => drafts.set(sessionId, text.value) });
  const problem = h("p", { class: "quiet", role: "status" });
  const send = async (event) => {
    event?.preventDefault();
    if (!text.value.trim()) return;
    try {
      await post(sessionPath(sessionId, "/messages"), { text: text.value }, signal);
      text.value = "";
      drafts.delete(sessionId);
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

  // Scrolls to the end after a change if the end was visible before. A person who reads older messages stays there.
  const following = (change) => {
    const follows = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    change();
    if (follows) log.scrollTop = log.scrollHeight;
  };
  let came = 0;
  const read = reader(signal, async () => {
    const before = came;
    const body = await getOf(sessionId, "/messages?limit=100", signal);
    if (signal.aborted) return;
    following(() => fill(rows, body.messages.map((item) => message(item, agent))));
    // The response may lack a message that arrived after the request was sent.
    if (came !== before) read();
  }, (error) => {
    problem.textContent = error.message;
  });
  const stream = new Stream(sessionPath(sessionId, "/events"), {
    state: (kind) => kind === "open" && read(),
    event: (name, data) => {
      if (name !== "message" || data.sessionId !== sessionId || signal.aborted) return;
      came += 1;
      following(() => rows.append(message(data, agent)));
      if (data.kind !== "you") say("A new message.");
    },
  });
  stream.start();
  signal.addEventListener("abort", () => stream.stop(), { once: true });
}
