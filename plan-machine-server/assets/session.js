// The view of one session: its plan, its state and the possible transitions, which calls run now, and what has
// happened. All data in the view belongs to one session id: a response about another session is an error, and the view
// ends when its signal is aborted.

import { getOf } from "./api.js";
import { callsPart } from "./calls.js";
import { Card } from "./card.js";
import { chatPart } from "./chat.js";
import { fields, frame } from "./content.js";
import { Kept, fill, h, icon, reconcile, refill, wide } from "./dom.js";
import { sessionHead } from "./list.js";
import { live } from "./live.js";
import { memoryPart } from "./memory.js";
import { plansPart } from "./plans.js";
import { reader } from "./reader.js";
import { to } from "./router.js";
import { statePart } from "./states.js";
import { since } from "./time.js";
import { Timeline } from "./timeline.js";
import { hostText, visible } from "./text.js";
import { stateWords, writerName } from "./words.js";

// The time in ms that the page waits before it asks again whether effects were carried out: at first, and at most.
const PATIENCE = [2000, 60_000];

const part = (name, title) => {
  const body = h("div", { class: "part-body" });
  const node = h("section", { class: `part part-${name}`, "aria-labelledby": `part-${name}` }, h("h2", { class: "part-title", id: `part-${name}` }, title), body);
  return { node, body };
};

/** Returns the plans that are shown without a decision bar: plans in a slot that have not ended and have content. */
function currentPlans(session) {
  const many = new Set(session.machines.filter((machine) => machine.many).map((machine) => machine.name));
  return session.plans.filter((plan) => !plan.final && !many.has(plan.machine) && plan.content?.length);
}

function planFrame(session, plan) {
  return h("article", { class: "card" },
    h("header", { class: "card-head" }, h("h3", { class: "card-title" }, visible(stateWords(plan), { line: true })),
      h("ul", { class: "facts" }, plan.expires ? h("li", { class: "expiry" }, since(plan.expires, "until")) : null, h("li", {}, `edition ${plan.edition}`), h("li", { class: "fact-plan" }, visible(`${plan.machine} · ${plan.plan}`, { line: true })))),
    frame(writerName(session.agent), fields(plan.content)));
}

/** Builds the view of a session, and returns its key handlers. */
export function sessionView(root, route, signal, { list, router }) {
  const { sessionId } = route;
  const [agent, ...rest] = sessionId.split(":");
  const kept = new Kept();
  let cards = [];
  let drawn = null;
  let stateShown = null;
  const head = h("div", { class: "session-head" });
  const problem = h("div", { class: "problem" });
  const plan = part("plan", "Plan");
  const state = part("state", "State");
  const calls = part("calls", "Calls now");
  const plans = part("plans", "Plans and runs");
  const memory = part("memory", "Memory");
  const chat = part("chat", "Chat");
  const history = part("timeline", "Timeline");
  const timeline = new Timeline(sessionId, history.body, signal);
  const grid = h("div", { class: "session-grid" }, plan.node, chat.node,
    h("aside", { class: "session-side", "aria-label": "State of the session" }, state.node, calls.node, plans.node, memory.node), history.node);
  for (const hidden of [memory, chat, plans]) hidden.node.hidden = true;
  fill(plan.body, h("p", { class: "empty" }, "Reading the session…"));

  const back = h("a", { class: "back", href: to.inbox(), "data-route": "" }, icon("back"), "Inbox");
  const drawHead = (session) => refill(head, back, sessionHead(session, 1, h("ul", { class: "facts who-states" },
    (session.machines ?? []).flatMap((machine) => machine.chart.nodes.filter((node) => node.current).map((node) => h("li", {}, session.machines.length > 1 ? `${machine.member ?? machine.name} ` : "", h("code", { class: "state lit" }, node.name)))),
    session.seq !== undefined ? h("li", {}, `entry ${session.seq}`) : null, session.effects ? h("li", {}, `${session.effects} pending effect${session.effects === 1 ? "" : "s"}`) : null)));
  drawHead({ agent, conversation: rest.join(":"), project: null, sessionId });
  fill(root, head, problem, grid);
  list.show(route);

  const drawPlan = (session, asked) => {
    const isOf = (card, one) => card.card.machine === one.machine && card.is(sessionId, one.plan);
    const fresh = session.cards.filter((one) => !cards.some((card) => isOf(card, one)));
    // A card that was decided stays on the page as long as its plan is in the state that the decision led to, so that
    // the response can be read. New cards come last: a card that moves would lose the focus.
    const stay = cards.filter((card) => session.cards.some((one) => isOf(card, one)) || !card.isOver(session, asked));
    cards = [...stay, ...fresh.map((one) => new Card(session, one, signal, { level: 3, linked: false }))];
    for (const card of cards) card.update(session, asked);
    const open = new Set(cards.map((card) => card.card.plan));
    const others = currentPlans(session).filter((one) => !open.has(one.plan)).map((one) => kept.get(`plan ${one.machine} ${one.plan}`, one, () => planFrame(session, one)));
    const empty = session.plans.some((one) => !one.final) ? "The plan has no content yet." : "There is no plan in this session now.";
    const nothing = cards.length || others.length ? [] : [kept.get("nothing", empty, () => h("p", { class: "quiet" }, empty))];
    reconcile(plan.body, [...cards.map((card) => card.node), ...others, ...nothing]);
  };

  const drawState = (focus) => {
    if (signal.aborted) return;
    stateShown = JSON.stringify([drawn.machines, live.me?.role]);
    refill(state.body, statePart(drawn, signal, drawState));
    if (focus) state.body.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus();
  };

  const drawNewState = () => {
    if (drawn && JSON.stringify([drawn.machines, live.me?.role]) !== stateShown) drawState();
  };
  live.on("lists", drawNewState, signal);

  // Only some servers have a memory or chats; the first response of `/api/me` says whether this server does.
  let extras = false;
  const drawExtras = () => {
    if (extras || !drawn || !live.me) return;
    extras = true;
    if (live.me.memory) memoryPart(sessionId, memory, signal, () => drawn);
    if (live.me.chat) chatPart(sessionId, chat, signal);
  };
  live.on("lists", drawExtras, signal);

  // Carrying out an effect stores no entry, so no event reports it: while effects are pending, the page asks again.
  let pause = PATIENCE[0];
  let asking = 0;
  const awaitEffects = (session) => {
    clearTimeout(asking);
    if (!session.effects) return;
    if (session.seq !== drawn?.seq || session.effects !== drawn.effects) pause = PATIENCE[0];
    asking = setTimeout(() => again(), pause);
    pause = Math.min(2 * pause, PATIENCE[1]);
  };
  signal.addEventListener("abort", () => clearTimeout(asking), { once: true });

  const draw = (session, asked) => {
    awaitEffects(session);
    if (!head.isConnected) fill(root, head, problem, grid);
    drawn = session;
    drawHead(session);
    const damaged = (session.damaged ?? []).map((one) => h("p", { class: "banner banner-bad" }, icon("warn"), h("span", {}, h("strong", {}, "Damaged plan "), visible(`${one.plan} of ${one.machine}: ${one.problem}`))));
    refill(problem, session.problem ? h("p", { class: "banner banner-bad" }, icon("warn"), h("span", {}, h("strong", {}, "This session cannot be read. "), visible(session.problem))) : null, damaged);
    drawPlan(session, asked);
    drawNewState();
    reconcile(calls.body, [kept.get("calls", session.calls, () => h("div", {}, callsPart(session)))]);
    const all = kept.get("plans", [session.plans, session.machines.map((machine) => machine.many)], () => h("div", {}, plansPart(session)));
    plans.node.hidden = !all.childElementCount;
    reconcile(plans.body, [all]);
    drawExtras();
  };

  const read = reader(signal, async () => {
    const asked = performance.now();
    const session = await getOf(sessionId, "", signal);
    if (signal.aborted) return;
    draw(session, asked);
  }, (error) => {
    if (drawn) return;
    // If the session could not be read even once, only the error is shown.
    fill(root, h("div", { class: "blank" }, error.status === 404
      ? [h("h1", {}, "There is no session ", h("code", {}, visible(sessionId, { code: true, line: true })), "."), h("a", { class: "button", href: to.inbox(), "data-route": "" }, "Back to the inbox")]
      : [h("h1", {}, "The session cannot be shown"), h("p", {}, hostText(error.message)), h("button", { type: "button", class: "button", onclick: () => again() }, "Try again")]));
  });
  const again = () => {
    read();
    timeline.read();
  };
  live.on("entry", (entry) => entry.sessionId === sessionId && again(), signal);
  live.on("denied", (denied) => denied.sessionId === sessionId && timeline.read(), signal);
  live.on("resync", again, signal);
  again();

  const first = () => cards.find((card) => card.node.contains(document.activeElement)) ?? cards.find((card) => card.actions.open) ?? cards[0];
  const move = (by) => list.move(by);
  return {
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: (event) => list.node.contains(event.target) && move(1),
    ArrowUp: (event) => list.node.contains(event.target) && move(-1),
    Enter: (event) => {
      const row = event.target.closest?.("a.row");
      if (row) router.go(to.session(row.dataset.session));
      return Boolean(row);
    },
    a: () => first()?.actions.approve(),
    r: () => first()?.actions.reject(),
    d: () => first()?.toggleChanges(),
    Escape: () => router.go(to.inbox(wide() ? live.waiting?.find((item) => item.sessionId === sessionId) : null)),
  };
}
