// Sends a decision about the card that is shown. The request contains the token of that card, so the server refuses a
// decision about content that has changed in the meantime.

import { Problem, post, sessionPath } from "./api.js";

/**
 * Returns a new id for one click. If the click is sent again after a failure, the server recognizes it by this id and
 * does not decide twice.
 */
export function clickId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Sends a decision. The result is one of `{ kind: "done", answer }`, `{ kind: "stale", shown, card, detail }` (the
 * content changed; `card` is the new card, or `null` if the plan no longer waits), `{ kind: "denied", detail }`, or
 * `{ kind: "failed", detail, again }`, where `again` says whether it makes sense to send the same decision again.
 */
export async function decide(sessionId, card, decision, reason, once) {
  const body = { decision, machine: card.machine, plan: card.plan, token: card.token, once };
  if (reason) body.reason = reason;
  try {
    const answer = await post(sessionPath(sessionId, "/decision"), body);
    if (answer.sessionId !== sessionId) throw new Problem(0, { detail: "The server answered for another session." });
    return { kind: "done", answer };
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem(0, { detail: String(error.message ?? error) });
    if (problem.kind === "stale") return { kind: "stale", shown: problem.body.shown, card: problem.body.card, current: problem.body.current, detail: problem.message };
    if (problem.kind === "denied") return { kind: "denied", detail: denialText(problem) };
    return { kind: "failed", detail: problem.message, again: problem.status === 0 || problem.status === 429 || problem.status >= 500 };
  }
}

function denialText(problem) {
  const messages = problem.body.denial?.messages;
  return Array.isArray(messages) && messages.length ? messages.join(" ") : problem.message;
}
