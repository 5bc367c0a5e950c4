// Starts the page: the top bar, the list, the view for the current address, the keys and the live connection.

import { h, icon, key, refill } from "./dom.js";
import { inboxView } from "./inbox.js";
import { takeKey } from "./key.js";
import { help, listen, scrollWithKeys } from "./keys.js";
import { List } from "./list.js";
import { live } from "./live.js";
import { watchNews } from "./notify.js";
import { proofsView } from "./proofs.js";
import { Router, to } from "./router.js";
import { sessionView } from "./session.js";
import { watchConnection } from "./status.js";
import { plain, visible } from "./text.js";
import { startClock } from "./time.js";
import { asker } from "./words.js";

takeKey();

const main = document.getElementById("main");
const list = new List(document.getElementById("list"));
let keys = {};
let topShown = null;

const VIEWS = { inbox: inboxView, session: sessionView, proofs: proofsView };

function show(route, signal, { focus }) {
  document.body.dataset.view = route.view;
  document.body.dataset.detail = String(Boolean(route.sessionId));
  keys = VIEWS[route.view](main, route, signal, { list, router });
  top();
  title();
  if (!focus) return;
  scrollTo(0, 0);
  main.scrollTo(0, 0);
  const row = route.view === "inbox" && !route.sessionId ? list.node.querySelector("[aria-current]") ?? list.rows()[0] : null;
  if (row) row.focus();
  else if (route.view !== "inbox" || !list.node.contains(document.activeElement)) main.focus({ preventScroll: true });
}

const router = new Router(show);

function sessionTitle(sessionId) {
  const [agent, ...rest] = sessionId.split(":");
  return plain(`${asker({ agent, project: live.me?.project?.name })[0]} ${rest.join(":")}`);
}

function title() {
  const waits = live.total ? `(${live.total}) ` : "";
  const route = router.route ?? { view: "inbox" };
  const name = { inbox: "Inbox", proofs: "Proofs" }[route.view] ?? sessionTitle(route.sessionId);
  document.title = `${waits}${name} · plan-machine`;
}

function connection() {
  const down = document.body.dataset.connected === "false" || live.connection.kind !== "live";
  return h("span", { class: "connection", "data-live": String(!down) }, h("span", { class: "dot", "aria-hidden": "true" }), down ? (live.connection.kind === "connecting" ? "Connecting" : "Not connected") : "Live");
}

function top() {
  const view = router.route?.view ?? "inbox";
  const tab = (name, href, label, extra) => h("a", { class: "nav", href, "data-route": "", "data-focus": `nav-${name}`, "aria-current": view === name ? "page" : null }, label, extra);
  const { me } = live;
  const now = JSON.stringify([view, live.total, me, live.connection.kind, document.body.dataset.connected]);
  if (now === topShown) return;
  topShown = now;
  refill(document.getElementById("top"),
    h("a", { class: "brand", href: to.inbox(), "data-route": "", "data-focus": "brand" }, h("span", { class: "brand-mark" }, icon("check")), "plan-machine"),
    h("nav", { class: "navs", "aria-label": "Views" },
      tab("inbox", to.inbox(), "Inbox", live.total ? h("span", { class: "badge" }, live.total, h("span", { class: "hidden" }, " waiting")) : null),
      tab("proofs", to.proofs(), "Proofs")),
    h("div", { class: "top-right" },
      me?.project?.name ? h("span", { class: "top-project", title: me.project.root ? plain(me.project.root) : null }, visible(me.project.name, { line: true }), me.project.document ? h("span", { class: "quiet" }, ` ${me.project.document}`) : null) : null,
      me ? h("span", { class: "top-actor" }, icon("person"), visible(me.actor, { line: true })) : null,
      connection(),
      h("button", { type: "button", class: "help-button", "aria-label": "Help: keys", "data-focus": "help", onclick: help }, key("?"))));
}

live.on("lists", () => {
  top();
  title();
});
live.on("connection", top);
watchConnection(top);
watchNews();
startClock();
listen(() => keys, { i: () => router.go(to.inbox()), p: () => router.go(to.proofs()), "?": help });
scrollWithKeys(main);
router.start();
live.start();
