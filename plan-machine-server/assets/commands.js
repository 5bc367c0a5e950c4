// Sends a person's command, such as `.plan on`, from the list of moves. A command that decides about a text is not here:
// the card sends it, with its token. The first click asks, the second one sends.

import { isAbort, post, sessionPath } from "./api.js";
import { clickId } from "./decide.js";
import { h, icon } from "./dom.js";
import { live } from "./live.js";
import { alertNow, say } from "./status.js";
import { hostText } from "./text.js";

// The last answer to a command, by session, so that it can be read after the page was drawn again.
const answers = new Map();
let asking = null; // the command that waits for its second click: `sessionId event`

/** The command of a move, if the page may send it as it is. */
export function sendable(machine, edge) {
  const command = (machine.commands ?? []).find((one) => one.event === edge.event);
  return edge.by === "person" && command?.available && !command.reviewed && !command.typed.includes("{") && live.me?.role === "person" ? command : null;
}

async function send(sessionId, command, redraw) {
  asking = null;
  try {
    const answer = await post(sessionPath(sessionId, "/command"), { line: command.typed, once: clickId() });
    answers.set(sessionId, { good: answer.accepted, text: answer.text });
    say(answer.text);
  } catch (error) {
    if (isAbort(error)) return;
    answers.set(sessionId, { good: false, text: error.message });
    alertNow(error.message);
  }
  redraw();
}

/** The button of a command, or the question whether it is meant. */
export function sendButton(sessionId, command, redraw) {
  const id = `${sessionId} ${command.event}`;
  const ask = (value) => {
    asking = value;
    redraw(value ? `yes-${command.event}` : `send-${command.event}`);
  };
  if (asking !== id) return h("button", { type: "button", class: "send", "data-focus": `send-${command.event}`, title: command.doc, "aria-label": `Send ${command.typed}`, onclick: () => ask(id) }, "Send");
  return h("span", { class: "send-ask" },
    h("button", { type: "button", class: "send sure", "data-focus": `yes-${command.event}`, "aria-label": `Yes, send ${command.typed}`, onclick: () => send(sessionId, command, redraw) }, "Send it"),
    h("button", { type: "button", class: "send", "aria-label": "Do not send it", onclick: () => ask(null) }, "No"));
}

/** The answer to the last command of a session. */
export function answerOf(sessionId) {
  const answer = answers.get(sessionId);
  return answer ? h("p", { class: `banner ${answer.good ? "banner-quiet" : "banner-bad"}` }, icon(answer.good ? "check" : "warn"), h("span", {}, hostText(answer.text))) : null;
}
