// Times in words, and a timer that keeps them up to date while the page is open.

import { h } from "./dom.js";

const pad = (number) => String(number).padStart(2, "0");

/** Returns a duration in words, such as `12 min`, `3 h` or `2 days`. */
export function distance(ms) {
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 60) return seconds < 10 ? "a few seconds" : `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 && hours < 4 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  const days = Math.floor(hours / 24);
  return days === 1 ? "1 day" : `${days} days`;
}

/** Returns the time of day, with the date if it is not today. */
export function clock(text, withSeconds = false) {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return String(text ?? "");
  const time = `${pad(at.getHours())}:${pad(at.getMinutes())}${withSeconds ? `:${pad(at.getSeconds())}` : ""}`;
  return day(text) === "Today" ? time : `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())} ${time}`;
}

/** Returns the day in words: `Today`, `Yesterday`, or the date. */
export function day(text) {
  const at = new Date(text);
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  if (at >= midnight && at < midnight.getTime() + 86_400_000) return "Today";
  if (at >= midnight.getTime() - 86_400_000 && at < midnight) return "Yesterday";
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
}

function words(node) {
  const left = new Date(node.dateTime).getTime() - Date.now();
  if (node.dataset.style === "until") return left <= 0 ? "expired" : `expires in ${distance(left)}`;
  if (node.dataset.style === "ago") return Math.abs(left) < 5000 ? "now" : `${distance(left)} ago`;
  return distance(left);
}

function show(node) {
  const text = words(node);
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Returns an element that shows how long ago a time was (`ago`), for how long it has lasted (`for`), or how long it
 * takes until then (`until`).
 */
export function since(text, style = "for") {
  if (!text) return null;
  const node = h("time", { datetime: text, "data-style": style, title: clock(text, true) });
  show(node);
  return node;
}

/** Updates all relative times every ten seconds. */
export function startClock() {
  setInterval(() => {
    for (const node of document.querySelectorAll("time[data-style]")) show(node);
  }, 10_000);
}
