// Says what happens: to screen readers, and in a strip at the top when what is shown may be out of date.

import { fill, h, icon } from "./dom.js";
import { live } from "./live.js";
import { clock } from "./time.js";
import { hostText } from "./text.js";
import { sentence } from "./words.js";

/** Says something politely, when the reader pauses. */
export function say(text) {
  const node = document.getElementById("say");
  node.textContent = "";
  setTimeout(() => {
    node.textContent = text;
  }, 30);
}

/** Says something at once. */
export function alertNow(text) {
  const node = document.getElementById("alert");
  node.textContent = "";
  setTimeout(() => {
    node.textContent = text;
  }, 30);
}

function message() {
  const { connection, store, problem, seen } = live;
  const old = seen ? ` What you see is from ${clock(seen, true)} and may have changed.` : "";
  if (connection.kind === "refused" || problem?.status === 401) {
    return { kind: "bad", text: "This browser is not signed in any more. Open the link that this server shows on its terminal." };
  }
  if (problem?.kind === "closed") return { kind: "bad", text: `The gate is closed: ${problem.message}`, retry: true };
  if (connection.kind === "down") return { kind: "bad", text: `Not connected to the server.${old}`, retry: true };
  if (!store.reachable) return { kind: "bad", text: `The server answers, but its store cannot be reached${store.problem ? `: ${sentence(store.problem)}` : "."}${old}` };
  if (problem) return { kind: "bad", text: `The lists cannot be read: ${sentence(problem.message)}${old}`, retry: true };
  return null;
}

/**
 * Shows or hides the strip, and calls `changed` afterwards. The strip appears only after a second, so that a quick restart
 * does not flicker.
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
