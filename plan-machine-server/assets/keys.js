// Keys of the page and the help that lists them. Single keys can be switched off for people who use voice input.

import { h, key } from "./dom.js";
import { canNotify, notifies, setNotifies } from "./notify.js";
import { say } from "./status.js";

const STORED = "plan-machine.keys";

const HELP = [
  ["j, k", "next, previous row of the list"],
  ["Enter", "open the session of the row"],
  ["a", "approve the plan that is shown"],
  ["r", "reject it and write a reason"],
  ["d", "what changed, or the plan again"],
  ["i", "inbox"],
  ["p", "proofs"],
  ["Esc", "back, or cancel"],
  ["?", "this help"],
];

// The choice, if the browser could not store it.
let unstored = null;

const enabled = () => {
  if (unstored !== null) return unstored;
  try {
    return localStorage.getItem(STORED) !== "off";
  } catch {
    return true;
  }
};

function setEnabled(on) {
  try {
    localStorage.setItem(STORED, on ? "on" : "off");
    unstored = null;
  } catch {
    // Without storage, the choice holds until the page is loaded again.
    unstored = on;
  }
  say(on ? "Single keys are on." : "Single keys are off.");
}

async function chooseNotices({ target }) {
  const wanted = target.checked;
  target.checked = await setNotifies(wanted);
  if (wanted && !target.checked) say("The browser does not allow notifications of this page.");
}

/** The dialog with all keys. */
export function help() {
  document.querySelector("dialog.help")?.remove();
  const dialog = h("dialog", { class: "help", "aria-labelledby": "help-title" },
    h("h2", { id: "help-title" }, "Keys"),
    h("dl", {}, HELP.map(([keys, words]) => h("div", {}, h("dt", {}, keys.split(", ").map((one) => key(one)), h("span", { class: "hidden" }, keys)), h("dd", {}, words)))),
    h("label", { class: "switch" }, h("input", { type: "checkbox", checked: enabled(), onchange: (event) => setEnabled(event.target.checked) }), "Single keys do something on this page"),
    canNotify() ? h("label", { class: "switch" }, h("input", { type: "checkbox", checked: notifies(), onchange: chooseNotices }), "Notify me when a plan waits and this page is in the background") : null,
    h("p", { class: "quiet" }, "A decision carries the token of the text that is shown. If the text has changed meanwhile, the server refuses the decision and the page shows the difference."),
    h("form", { method: "dialog" }, h("button", { class: "button" }, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

const typing = (target) => target.closest?.("input, textarea, select, [contenteditable]");

/** Sends keys to `current()`, an object of handlers by key. A handler that returns `false` leaves the key to the browser. */
export function listen(current, global) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
    if (document.querySelector("dialog[open]") || typing(event.target)) return;
    const handler = current()[event.key] ?? global[event.key];
    if (!handler) return;
    if (event.key.length === 1 && event.key !== "?" && !enabled()) return;
    if (event.key === "Enter" && event.target.closest?.("button, summary, a:not(.row)")) return;
    const result = handler(event);
    if (result !== false && (event.key.length === 1 || result || event.key.startsWith("Arrow"))) event.preventDefault();
  });
  // Holding j or k moves on; holding any other key does nothing twice.
  document.addEventListener("keydown", (event) => {
    if (event.repeat && "jk".includes(event.key) && !typing(event.target) && enabled() && !event.ctrlKey && !event.metaKey && !event.altKey) current()[event.key]?.(event);
  });
}
