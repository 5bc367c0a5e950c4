// Notifies the person outside the page when a plan waits, if they want that and the page is in the background. A
// notification has no words of a model: nobody could see there who wrote them.

import { live } from "./live.js";
import { plain } from "./text.js";
import { asker, count } from "./words.js";

const STORED = "plan-machine.notify";

/** Whether this browser has notifications. */
export const canNotify = () => "Notification" in globalThis;

/** Whether the person wants notifications, and the browser shows them. */
export function notifies() {
  try {
    return canNotify() && Notification.permission === "granted" && localStorage.getItem(STORED) === "on";
  } catch {
    return false; // Without storage, the choice cannot be kept.
  }
}

/** Turns notifications on or off. The browser may ask the person; the result says whether they are on now. */
export async function setNotifies(on) {
  try {
    if (on) await Notification.requestPermission();
    localStorage.setItem(STORED, on ? "on" : "off");
  } catch {
    // Nothing was stored, so nothing has changed.
  }
  return notifies();
}

let known = null; // the plans that waited when the list was read last

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
    // Several pages that are open show one notification.
    const shown = new Notification(title, { body: plain(beside ?? ""), tag: "plan-machine", renotify: true, icon: "/assets/icon.svg" });
    shown.onclick = () => {
      focus();
      shown.close();
    };
  } catch {
    // Some browsers on phones refuse notifications of pages; the number in the title remains.
  }
}

/** Begins to watch what waits. */
export function watchNews() {
  live.staysAwake = notifies;
  live.on("lists", news);
}
