// Reports events and problems: to screen readers, and in a strip at the top of the page when the shown data may be out
// of date.

import { fill, h, icon } from "./dom.js";
import { live } from "./live.js";
import { clock } from "./time.js";
import { hostText } from "./text.js";
import { sentence } from "./words.js";

/** Lets a screen reader say a text when it next pauses. */
export function say(text) {
  const node = document.getElementById("say");
  node.textContent = "";
  setTimeout(() => {
    node.textContent = text;
  }, 30);
}

/** Lets a screen reader say a text immediately. */
export function alertNow(text) {
  const node = document.getElementById("alert");
  node.textContent = "";
  setTimeout(() => {
    node.textContent = text;
  }, 30);
}

// The time in ms for which the success of a decision stays on the page.
const SUCCESS = 6000;

const aways = h("aside", { class: "aways", "aria-label": "Results of decisions" });

/**
 * Shows the result of a decision whose view the person has left, with a link to the session. A success disappears by
 * itself, unless the person points at it; anything else stays until the person closes it.
 */
export function reportAway(text, href, isDone) {
  const close = () => {
    node.remove();
    if (!aways.firstChild) aways.remove();
  };
  const node = h("div", { class: "away", "data-kind": isDone ? "done" : "problem" }, icon(isDone ? "check" : "warn"), h("span", {}, hostText(text)),
    h("a", { class: "link", href, "data-route": "", onclick: close }, "Open the session"), h("button", { type: "button", class: "link", onclick: close }, "Close"));
  aways.append(node);
  document.body.append(aways);
  if (isDone) setTimeout(() => node.matches(":hover, :focus-within") || close(), SUCCESS);
  (isDone ? say : alertNow)(text);
}

function message() {
  const { connection, store, problem, seen } = live;
  const old = seen ? ` What you see is from ${clock(seen, true)} and may have changed.` : "";
  if (connection.kind === "refused" || problem?.status === 401) {
    return { kind: "bad", text: "This browser is no longer signed in. Open the link that this server shows on its terminal." };
  }
  if (problem?.kind === "closed") return { kind: "bad", text: `The gate is closed: ${problem.message}`, retry: true };
  if (connection.kind === "down") return { kind: "bad", text: `Not connected to the server.${old}`, retry: true };
  if (!store.reachable) return { kind: "bad", text: `The server answers, but its store cannot be reached${store.problem ? `: ${sentence(store.problem)}` : "."}${old}` };
  if (problem) return { kind: "bad", text: `The lists cannot be read: ${sentence(problem.message)}${old}`, retry: true };
  return null;
}

/**
 * Shows or hides the strip, and calls `changed` afterwards. The strip appears only after a second, so that it does not
 * flicker when the server restarts quickly.
 */
export function watchConnection(changed) {
  const node = document.getElementById("notice");
  let shown = null;
  let timer = 0;
  const draw = () => {
    timer = 0;
    const now = message();
    document.body.dataset.connected = String(!now);
    changed();
    if ((now?.text ?? null) === shown) return;
    const was = shown;
    shown = now?.text ?? null;
    node.hidden = !now;
    if (!now) {
      fill(node);
      if (was) say("Connected again.");
      return;
    }
    const retry = () => {
      live.retry();
      live.refresh();
    };
    fill(node, icon("warn"), h("span", {}, hostText(now.text)), now.retry ? h("button", { type: "button", class: "link", onclick: retry }, "Try now") : null);
  };
  const change = () => {
    if (!message()) {
      clearTimeout(timer);
      draw();
    } else if (!timer) {
      timer = setTimeout(draw, shown ? 0 : 900);
    }
  };
  live.on("connection", change);
}
