// The keys of the page, and the help dialog that lists them. People who use voice input can turn single keys off.

import { h, key } from "./dom.js";
import { canNotify, notifies, setNotifies } from "./notify.js";
import { say } from "./status.js";

const STORED = "plan-machine.keys";

const HELP = [
  ["j, k", "go to the next or previous row of the list"],
  ["Enter", "open the session of the row"],
  ["a", "approve the plan that is shown"],
  ["r", "reject the plan with a reason"],
  ["d", "switch between the changes and the plan"],
  ["i", "inbox"],
  ["p", "proofs"],
  ["Space, PgDn", "scroll the plan"],
  ["Ctrl+Enter", "send the reason"],
  ["Esc", "back, or cancel"],
  ["?", "this help"],
];

// Whether single keys are on, if the browser could not store this setting; otherwise `null`.
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
    // Without storage, the setting is kept until the page is loaded again.
    unstored = on;
  }
  say(on ? "Single keys are on." : "Single keys are off.");
}

async function chooseNotices({ target }) {
  const wanted = target.checked;
  target.checked = await setNotifies(wanted);
  if (wanted && !target.checked) say("The browser does not allow notifications from this page.");
}

/** Shows the dialog with all keys. */
export function help() {
  document.querySelector("dialog.help")?.remove();
  const dialog = h("dialog", { class: "help", "aria-labelledby": "help-title" },
    h("h2", { id: "help-title" }, "Keys"),
    h("dl", {}, HELP.map(([keys, words]) => h("div", {}, h("dt", {}, keys.split(", ").map((one) => key(one)), h("span", { class: "hidden" }, keys)), h("dd", {}, words)))),
    h("label", { class: "switch" }, h("input", { type: "checkbox", checked: enabled(), onchange: (event) => setEnabled(event.target.checked) }), "Use single keys on this page"),
    canNotify() ? h("label", { class: "switch" }, h("input", { type: "checkbox", checked: notifies(), onchange: chooseNotices }), "Notify me when a plan waits and this page is in the background") : null,
    h("p", { class: "quiet" }, "A decision carries the token of the text that is shown. If the text has changed in the meantime, the server refuses the decision and the page shows the difference."),
    h("form", { method: "dialog" }, h("button", { class: "button" }, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

const typing = (target) => target.closest?.("input, textarea, select, [contenteditable]");

// The time in ms for which the page ignores keys after a field in which a person was typing has lost the focus without
// their doing. The person may not have noticed, and the rest of their text must not decide about a plan.
const TYPING_ON = 1500;
let typedAt = -Infinity; // the time of the last key press in a field that the person has not left

/** Remembers when a person has last typed in a field, until they leave it themselves. */
function watchTyping() {
  document.addEventListener("keydown", (event) => {
    if (!typing(event.target)) return;
    const leaves = event.key === "Escape" || event.key === "Tab" || (event.key === "Enter" && (event.ctrlKey || event.metaKey));
    typedAt = leaves ? -Infinity : performance.now();
  }, true);
  document.addEventListener("pointerdown", () => {
    typedAt = -Infinity;
  }, true);
}

/** Returns whether a key press outside of fields probably belongs to a text whose field has lost the focus. */
function isTypedOn() {
  if (performance.now() - typedAt > TYPING_ON) return false;
  typedAt = performance.now();
  return true;
}

/** Lets keys scroll the main part of the page while nothing in it has the focus. */
export function scrollWithKeys(main) {
  const pages = { PageDown: 0.9, PageUp: -0.9, " ": 0.9, Home: -Infinity, End: Infinity };
  document.addEventListener("keydown", (event) => {
    const by = pages[event.key];
    if (by === undefined || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const isFree = event.target === document.body || event.target.closest?.("a.row");
    if (!isFree || main.scrollHeight <= main.clientHeight || document.querySelector("dialog[open]") || isTypedOn()) return;
    event.preventDefault();
    if (Number.isFinite(by)) main.scrollBy({ top: by * (event.shiftKey ? -1 : 1) * main.clientHeight });
    else main.scrollTo({ top: by > 0 ? main.scrollHeight : 0 });
  });
}

/**
 * Passes key presses to the handlers in `current()` and `global`, two objects with handlers by key. If a handler
 * returns `false`, the browser handles the key.
 */
export function listen(current, global) {
  watchTyping();
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
    if (document.querySelector("dialog[open]") || typing(event.target)) return;
    if ((event.key.length === 1 || event.key === "Enter") && isTypedOn()) return;
    const handler = current()[event.key] ?? global[event.key];
    if (!handler) return;
    if (event.key.length === 1 && event.key !== "?" && !enabled()) return;
    if (event.key === "Enter" && event.target.closest?.("button, summary, a:not(.row)")) return;
    const result = handler(event);
    if (result !== false && (event.key.length === 1 || result || event.key.startsWith("Arrow"))) event.preventDefault();
  });
  // Holding `j` or `k` down keeps moving through the list; holding any other key down has no further effect.
  document.addEventListener("keydown", (event) => {
    if (event.repeat && "jk".includes(event.key) && !typing(event.target) && enabled() && !isTypedOn() && !event.ctrlKey && !event.metaKey && !event.altKey) current()[event.key]?.(event);
  });
}
