// Sends requests to the server. Every response about a session is checked: it must be about the session that was
// requested.

import { keyHeader } from "./key.js";

/** An error that the server has returned (a problem document), or an error of the connection (`status` 0). */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `The server answered with status ${status}.`);
    this.status = status;
    this.kind = String(body.type ?? "").replace("urn:plan-machine:", "");
    this.body = body;
  }
}

/** Dispatches the event `refused` whenever the server does not accept the credential of this browser. */
export const signedOut = new EventTarget();

async function answer(response) {
  let body = {};
  try {
    body = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    if (response.ok) throw new Problem(0, { detail: "The answer of the server cannot be read." });
  }
  if (response.status === 401) signedOut.dispatchEvent(new Event("refused"));
  if (!response.ok) throw new Problem(response.status, body ?? {});
  return body;
}

async function send(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", cache: "no-store", redirect: "error", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { detail: "The server does not answer." });
  }
  return answer(response);
}

/** Sends a `GET` request to a path. If `signal` is aborted, the result is rejected with an `AbortError`. */
export const get = (path, signal) => send(path, { signal, headers: { Accept: "application/json", ...keyHeader() } });

/** Sends a `POST` request with a JSON body to a path. */
export const post = (path, body, signal) =>
  send(path, { method: "POST", signal, headers: { "Content-Type": "application/json", Accept: "application/json", ...keyHeader() }, body: JSON.stringify(body) });

/** The path of a session: `/api/sessions/codex%3A019a…/timeline`. */
export const sessionPath = (sessionId, rest = "") => `/api/sessions/${encodeURIComponent(sessionId)}${rest}`;

/** Reads a path below that of a session. A response about another session is an error. */
export async function getOf(sessionId, rest, signal) {
  const body = await get(sessionPath(sessionId, rest), signal);
  if (body.sessionId !== sessionId) throw new Problem(0, { detail: "The server answered for another session." });
  return body;
}

/** Returns whether an error only means that the request was aborted, because its response is no longer needed. */
export const isAbort = (error) => error?.name === "AbortError";
