// Notifies the person outside the page when a plan waits, if the person has turned notifications on and the page is in
// the background. A notification contains no text from a model, because it could not show who wrote the text.

import { live } from "./live.js";
import { plain } from "./text.js";
import { asker, count } from "./words.js";

const STORED = "plan-machine.notify";

/** Returns whether this browser supports notifications. */
export const canNotify = () => "Notification" in globalThis;

/** Returns whether the person has turned notifications on, and the browser allows them. */
export function notifies() {
  try {
    return canNotify() && Notification.permission === "granted" && localStorage.getItem(STORED) === "on";
  } catch {
    return false; // Without storage, the setting cannot be kept.
  }
}

/**
 * Turns notifications on or off. The browser may ask the person for permission. Returns whether notifications are on
 * now.
 */
export async function setNotifies(on) {
  try {
    if (on) await Notification.requestPermission();
    localStorage.setItem(STORED, on ? "on" : "off");
  } catch {
    // Nothing was stored, so nothing has changed.
  }
  return notifies();
}

let known = null; // the plans that were waiting when the list was last read

function news() {
  if (!live.waiting) return;
  const fresh = live.waiting.filter((item) => known && !known.has(nameOf(item)));
  known = new Set(live.waiting.map(nameOf));
  if (fresh.length && document.hidden && notifies()) notify(fresh);
}

const nameOf = (item) => `${item.sessionId} ${item.machine} ${item.plan} ${item.token}`;

function notify(fresh) {
  const [name, beside] = asker(fresh[0]);
  const title = fresh.length === 1 ? `${plain(name)} waits for your decision` : `${count(fresh.length, "plan")} wait for your decision`;
  try {
    // With the same tag, several open pages show only one notification.
    const shown = new Notification(title, { body: plain(beside ?? ""), tag: "plan-machine", renotify: true, icon: "/assets/icon.svg" });
    shown.onclick = () => {
      focus();
      shown.close();
    };
  } catch {
    // Some browsers on phones refuse notifications from pages; the page still shows the number of waiting plans in its
    // title.
  }
}

/** Starts to watch the waiting plans, and notifies the person of new ones. */
export function watchNews() {
  live.staysAwake = notifies;
  live.on("lists", news);
}
