// Shows the view that belongs to the address: `/inbox`, `/inbox/SESSION/PLAN`, `/session/SESSION` or `/proofs`. When
// the address changes, the previous view ends: its signal and its requests are aborted.

const part = (text) => {
  try {
    return decodeURIComponent(text ?? "");
  } catch {
    return "";
  }
};

/** Parses an address. */
export function parse(path) {
  const [, view, session, plan] = path.split("/");
  if (view === "session" && session) return { view: "session", sessionId: part(session) };
  if (view === "proofs") return { view: "proofs" };
  return { view: "inbox", sessionId: part(session) || null, plan: part(plan) || null };
}

/** Returns the address of a view. */
export const to = {
  inbox: (item) => (item ? `/inbox/${encodeURIComponent(item.sessionId)}/${encodeURIComponent(item.plan)}` : "/inbox"),
  session: (sessionId) => `/session/${encodeURIComponent(sessionId)}`,
  proofs: () => "/proofs",
};

export class Router {
  #shown = new AbortController();

  /** `show(route, signal, { focus })` builds the view of a route. */
  constructor(show) {
    this.show = show;
    addEventListener("popstate", () => this.#run(true));
    document.addEventListener("click", (event) => this.#click(event));
  }

  start() {
    this.#run(false);
  }

  go(path, { replace = false, focus = true } = {}) {
    if (path === location.pathname) return;
    history[replace ? "replaceState" : "pushState"](null, "", path);
    this.#run(focus);
  }

  #run(focus) {
    this.#shown.abort();
    this.#shown = new AbortController();
    this.route = parse(location.pathname);
    this.show(this.route, this.#shown.signal, { focus });
  }

  #click(event) {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest("a[data-route]");
    if (!link) return;
    event.preventDefault();
    this.go(link.getAttribute("href"));
  }
}
