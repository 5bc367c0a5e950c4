// The state of the server that all views share: who is signed in, which plans wait, which sessions there are, and
// whether this data is up to date. One event stream updates it; views listen for the events `lists`, `entry`, `denied`,
// `resync` and `connection`.

import { get, isAbort, signedOut } from "./api.js";
import { Stream } from "./stream.js";

/** The maximum number of sessions that the server returns at once. */
export const MOST = 500;

class Live extends EventTarget {
  me = null;
  waiting = null;
  total = 0;
  sessions = null;
  connection = { kind: "connecting" };
  store = { reachable: true, problem: null };
  problem = null;
  seen = null;
  limit = 60; // the maximum number of sessions in the list, not counting those that wait
  more = false; // whether the server has more sessions than the list
  staysAwake = () => false; // whether the stream stays open in the background

  #stream = new Stream("/api/events", { event: (name, data) => this.#event(name, data), state: (kind, info) => this.#state(kind, info) });
  #isMeOld = true; // whether `me` has to be read again
  #due = false;
  #busy = false;
  #last = 0;
  #sleep = 0;
  #asleep = false;
  #drawing = 0;

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** Calls `listener` for an event until `signal` is aborted. */
  on(name, listener, signal) {
    this.addEventListener(name, (event) => listener(event.detail), { signal });
  }

  async start() {
    this.#stream.start();
    addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => this.#visibility());
    signedOut.addEventListener("refused", () => this.#state("refused", { status: 401 }));
    await this.refresh();
  }

  /**
   * Browsers open at most six connections to a server, for all tabs together. A tab in the background therefore closes
   * its stream after a minute, unless it shows the inbox or sends notifications, and opens the stream again when the
   * tab becomes visible.
   */
  #visibility() {
    clearTimeout(this.#sleep);
    if (document.visibilityState === "visible") {
      if (this.#asleep) this.#stream.start();
      else this.retry();
      this.#asleep = false;
    } else if (document.body.dataset.view !== "inbox" && !this.staysAwake()) {
      this.#sleep = setTimeout(() => {
        this.#asleep = true;
        this.#stream.stop();
      }, 60_000);
    }
  }

  retry() {
    this.#stream.retry();
  }

  #state(kind, info) {
    if (kind === "connecting" && this.connection.kind === "down") this.connection = { ...this.connection, trying: true };
    else if (kind === "open") this.connection = { kind: "live" };
    else if (kind === "refused") this.connection = { kind: "refused", status: info.status };
    else if (kind === "down") this.connection = { kind: "down", since: this.connection.since ?? new Date(), trying: false, ...info };
    this.tell("connection");
  }

  #event(name, data) {
    this.seen = new Date();
    if (name === "hello") {
      // The stream is new, and the server may have been restarted with other options, so all data is read again.
      this.#isMeOld = true;
      this.refresh();
      this.tell("resync");
    } else if (name === "entry") {
      this.#entry(data);
      this.tell("entry", data);
    } else if (name === "denied") {
      this.tell("denied", data);
    } else if (name === "store") {
      this.store = { reachable: data.reachable !== false, problem: data.problem ?? null };
      if (this.store.reachable) {
        this.refresh();
        this.tell("resync");
      }
      this.tell("connection");
    }
  }

  /** Applies an entry to the lists, and reads the inbox again if it may have changed. */
  #entry(entry) {
    const row = this.sessions?.find((session) => session.sessionId === entry.sessionId);
    if (row) {
      row.seq = entry.seq;
      row.at = entry.at;
      for (const state of entry.states ?? []) {
        const known = row.states.findIndex((old) => old.machine === state.machine && old.plan === state.plan);
        if (known >= 0) row.states[known] = state;
        else row.states.push(state);
      }
      row.states = row.states.filter((state) => !(entry.ended ?? []).some((ended) => ended.plan === state.plan));
      row.waiting = (entry.waiting ?? []).length;
      this.sessions.sort((a, b) => String(b.at ?? "").localeCompare(String(a.at ?? "")));
      this.#drawSoon();
    }
    const waited = this.waiting?.some((item) => item.sessionId === entry.sessionId);
    if (!row || waited || (entry.waiting ?? []).length) this.refresh();
  }

  /** Redraws the lists soon, so that many entries in quick succession cause only one redraw. */
  #drawSoon() {
    this.#drawing ||= setTimeout(() => {
      this.#drawing = 0;
      this.tell("lists");
    }, 200);
  }

  /** Reads the lists again, immediately, but at most once every 400 ms. */
  async refresh() {
    this.#due = true;
    if (this.#busy) return;
    this.#busy = true;
    while (this.#due) {
      const pause = this.#last + 400 - Date.now();
      if (pause > 0) await new Promise((done) => setTimeout(done, pause));
      this.#due = false;
      this.#last = Date.now();
      await this.#read();
    }
    this.#busy = false;
  }

  async #read() {
    const { store } = this;
    const asked = this.#isMeOld ? get("/api/me") : this.me;
    this.#isMeOld = false;
    try {
      const [me, inbox] = await Promise.all([asked, get("/api/inbox?limit=200")]);
      // The list of the other sessions leaves out the sessions that wait, so as many more are read.
      const most = Math.min(MOST, this.limit + new Set(inbox.waiting.map((item) => item.sessionId)).size);
      const sessions = await get(`/api/sessions?limit=${most}&order=recent`);
      // If an event about the store arrived in the meantime, it is newer than this response.
      if (me !== this.me && store === this.store) this.store = { reachable: me.store?.reachable !== false, problem: me.store?.problem ?? null };
      this.me = me;
      this.waiting = inbox.waiting;
      this.total = inbox.total;
      this.sessions = sessions.sessions;
      this.more = Boolean(sessions.next);
      this.problem = null;
      this.seen = new Date();
    } catch (error) {
      this.#isMeOld = true;
      if (isAbort(error)) return;
      this.problem = error;
      if (error.status === 401) this.connection = { kind: "refused", status: 401 };
      if (error.status === 503) setTimeout(() => this.refresh(), 1000); // the server or its store is not ready yet
      if (error.kind === "store") this.store = { reachable: false, problem: error.message };
    }
    this.tell("lists");
    this.tell("connection");
  }
}

export const live = new Live();
