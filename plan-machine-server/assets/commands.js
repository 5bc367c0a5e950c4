// Sends a person's command, such as `.plan on`, from the list of moves. Commands that decide about a plan are not sent
// from this list: the card sends them, with the token of the plan. The first click on a button asks for confirmation,
// and the second click sends the command.

import { isAbort, post, sessionPath } from "./api.js";
import { clickId } from "./decide.js";
import { h, icon } from "./dom.js";
import { live } from "./live.js";
import { alertNow, say } from "./status.js";
import { hostText } from "./text.js";

// The name by which the response to a command gets the focus.
const ANSWER = "command-answer";
// The last response to a command, by session. It is kept so that it is still shown after the page has been redrawn.
const answers = new Map();
let asking = null; // the command that waits for its second click: `sessionId event`

/**
 * Returns the command of a move, if the page may send it: the command is available to this person, needs no arguments,
 * and does not decide about a plan.
 */
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
  redraw(ANSWER);
}

/** Returns the button of a command or, after the first click, the buttons that confirm or cancel it. */
export function sendButton(sessionId, command, redraw) {
  const id = `${sessionId} ${command.event}`;
  const ask = (value) => {
    asking = value;
    redraw(`${value ? "yes" : "send"}-${command.event}`);
  };
  if (asking !== id) return h("button", { type: "button", class: "send", "data-focus": `send-${command.event}`, title: command.doc, "aria-label": `Send ${command.typed}`, onclick: () => ask(id) }, "Send");
  const cancel = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    ask(null);
  };
  return h("span", { class: "send-ask", onkeydown: cancel },
    h("button", { type: "button", class: "send sure", "data-focus": `yes-${command.event}`, "aria-label": `Yes, send ${command.typed}`, onclick: () => send(sessionId, command, redraw) }, "Send it"),
    h("button", { type: "button", class: "send", "aria-label": "Do not send it", onclick: () => ask(null) }, "No"),
    command.doc ? h("span", { class: "quiet" }, hostText(command.doc)) : null);
}

/** Returns a banner with the response to the last command of a session. */
export function answerOf(sessionId) {
  const answer = answers.get(sessionId);
  return answer ? h("p", { tabindex: "-1", "data-focus": ANSWER, class: `banner ${answer.good ? "banner-quiet" : "banner-bad"}` }, icon(answer.good ? "check" : "warn"), h("span", {}, hostText(answer.text))) : null;
}
