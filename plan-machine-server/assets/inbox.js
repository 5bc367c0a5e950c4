// The inbox: the list of waiting plans, and next to it the card of the selected plan.

import { getOf } from "./api.js";
import { Card } from "./card.js";
import { fill, h, icon, key, wide } from "./dom.js";
import { sessionHead } from "./list.js";
import { live } from "./live.js";
import { reader } from "./reader.js";
import { to } from "./router.js";
import { hostText, visible } from "./text.js";
import { asker } from "./words.js";

/** Builds the view of the inbox, and returns its key handlers. */
export function inboxView(root, route, signal, { list, router }) {
  let item = null;
  let card = null;
  const pane = h("div", { class: "pane" });
  fill(root, h("h1", { class: "hidden" }, "Inbox"), pane);

  const empty = () => fill(pane, h("div", { class: "blank" }, live.waiting
    ? [icon("check"), h("h2", {}, "Nothing waits for you"), h("p", {}, "When an agent asks for a decision, its plan appears here immediately. Running agents need nothing from you.")]
    : h("p", { class: "quiet" }, "Reading the inbox…")));

  const openLink = (sessionId) => h("a", { class: "button open", href: to.session(sessionId), "data-route": "" }, "Open the session", key("↵"));
  const backLink = () => h("a", { class: "back", href: to.inbox(), "data-route": "" }, icon("back"), "Inbox");

  const read = reader(signal, async () => {
    const wanted = item;
    const asked = performance.now();
    const session = await getOf(wanted.sessionId, "", signal);
    if (signal.aborted || item !== wanted) return;
    const head = () => sessionHead(session, 2, openLink(session.sessionId));
    if (card) return card.update(session, asked);
    const found = session.cards.find((one) => one.plan === wanted.plan);
    if (!found) {
      fill(pane, backLink(), head(), h("div", { class: "blank" }, h("h2", {}, "This plan no longer waits"), h("p", {}, "Someone has decided, or the plan has ended. The session shows what happened.")));
      return;
    }
    card = new Card(session, found, signal, { level: 3 });
    fill(pane, backLink(), head(), card.node);
    pane.removeAttribute("aria-busy");
    if (!wide()) card.node.focus({ preventScroll: true });
  }, (error) => {
    if (!card) fill(pane, backLink(), h("div", { class: "blank" }, h("h2", {}, "The plan cannot be shown"), h("p", {}, hostText(error.message)), error.status === 404 ? null : h("button", { type: "button", class: "button", onclick: () => read() }, "Try again"), h("a", { class: "button", href: to.inbox(), "data-route": "" }, "Back to the inbox")));
  });

  const select = (next) => {
    item = next;
    card = null;
    document.body.dataset.detail = String(Boolean(route.sessionId));
    list.show(route, next);
    if (!next) return empty();
    // Remove the plan that was shown before from the page.
    pane.setAttribute("aria-busy", "true");
    fill(pane, backLink(), sessionHead(next, 2, openLink(next.sessionId)), h("p", { class: "empty" }, "Reading the plan of ", visible(asker(next)[0], { line: true }), "…"));
    read();
  };

  const lists = () => {
    if (!live.waiting) return empty();
    if (item) return;
    if (route.sessionId) {
      const known = live.waiting.find((one) => one.sessionId === route.sessionId && (!route.plan || one.plan === route.plan));
      const [agent, ...rest] = route.sessionId.split(":");
      select(known ?? { sessionId: route.sessionId, plan: route.plan, agent, conversation: rest.join(":"), project: null });
    } else {
      select(live.waiting[0] ?? null);
    }
  };
  live.on("lists", lists, signal);
  live.on("entry", (entry) => item?.sessionId === entry.sessionId && read(), signal);
  live.on("resync", () => item && read(), signal);
  lists();
  if (!route.sessionId) document.body.dataset.detail = "false";

  const shownCard = () => {
    if (card && (route.sessionId || wide())) return card;
    // On a narrow screen, the list hides the card. Open the card instead of deciding, so that nobody decides about a
    // plan that they have not read.
    const row = document.activeElement?.closest?.("a.row-waiting");
    if (row) router.go(row.getAttribute("href"));
    return null;
  };
  const move = (by) => {
    const row = list.move(by);
    if (row && wide() && row.classList.contains("row-waiting")) router.go(row.getAttribute("href"), { replace: true, focus: false });
  };
  return {
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: (event) => list.node.contains(event.target) && move(1),
    ArrowUp: (event) => list.node.contains(event.target) && move(-1),
    Enter: (event) => {
      const row = event.target.closest?.("a.row");
      const target = row?.dataset.session ?? (event.target === document.body || event.target === root ? item?.sessionId : null);
      if (target) router.go(to.session(target));
      return Boolean(target);
    },
    a: () => shownCard()?.actions.approve(),
    r: () => shownCard()?.actions.reject(),
    d: () => card?.toggleChanges(),
    Escape: () => route.sessionId && !wide() && router.go(to.inbox()),
  };
}
