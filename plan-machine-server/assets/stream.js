// A stream of server-sent events that reconnects automatically, and continues after the last event that it has
// received. It uses `fetch` instead of `EventSource`, so it gets the status of a refused request, receives the comments
// that keep a connection alive, and notices when these comments stop.

import { keyHeader } from "./key.js";

const SILENCE = 45_000;
const PAUSES = [300, 700, 1500, 3000, 5000, 8000];

/** Splits the bytes of a stream into events: `{ id, event, data }`. */
export class Parser {
  constructor(emit) {
    this.emit = emit;
    this.rest = "";
    this.reset();
  }

  reset() {
    this.event = "message";
    this.data = [];
    this.id = null;
  }

  push(text) {
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop();
    for (const line of lines) this.line(line);
  }

  line(line) {
    if (line === "") {
      if (this.data.length) this.emit({ id: this.id, event: this.event, data: this.data.join("\n") });
      this.reset();
      return;
    }
    if (line.startsWith(":")) return;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.event = value;
    if (field === "data") this.data.push(value);
    if (field === "id") this.id = value;
  }
}

/**
 * A stream of events. `on` has `event(name, data)` and `state(kind, info)`, where `kind` is `connecting`, `open`,
 * `down` or `refused` (the server does not accept the credential: reconnecting would not help).
 */
export class Stream {
  constructor(path, on) {
    this.path = path;
    this.on = on;
    this.last = null;
    this.failures = 0;
    this.abort = null;
    this.timer = 0;
    this.stopped = true;
    this.open = false;
  }

  start(after = this.last) {
    this.last = after;
    this.stopped = false;
    this.connect();
  }

  stop() {
    this.stopped = true;
    this.open = false;
    clearTimeout(this.timer);
    this.abort?.abort();
  }

  /** Reconnects immediately, for example when the network is available again. */
  retry() {
    if (this.stopped || this.open) return;
    this.abort?.abort();
    clearTimeout(this.timer);
    this.connect();
  }

  async connect() {
    const abort = new AbortController();
    this.abort = abort;
    let reason = "The connection ended.";
    try {
      this.on.state("connecting", { failures: this.failures });
      const url = this.last === null ? this.path : `${this.path}?after=${encodeURIComponent(this.last)}`;
      const response = await fetch(url, { signal: abort.signal, cache: "no-store", credentials: "same-origin", headers: { Accept: "text/event-stream", ...keyHeader() } });
      if (response.status === 401 || response.status === 403 || response.status === 404) {
        this.on.state("refused", { status: response.status });
        return;
      }
      if (!response.ok || !response.body) throw new Error(`The server answered with status ${response.status}.`);
      this.open = true;
      this.failures = 0;
      this.on.state("open", {});
      await this.read(response.body.getReader(), abort);
    } catch (error) {
      if (error.name !== "AbortError") reason = error.message;
    } finally {
      if (this.abort === abort) this.open = false;
    }
    if (this.stopped || this.abort !== abort) return;
    const pause = PAUSES[Math.min(this.failures, PAUSES.length - 1)];
    this.failures += 1;
    this.on.state("down", { reason, pause });
    this.timer = setTimeout(() => this.connect(), pause);
  }

  async read(reader, abort) {
    const decoder = new TextDecoder();
    const parser = new Parser((event) => this.deliver(event));
    let silence = 0;
    const watch = () => {
      clearTimeout(silence);
      silence = setTimeout(() => abort.abort(), SILENCE);
    };
    try {
      for (watch(); ; watch()) {
        const { done, value } = await reader.read();
        if (done || abort.signal.aborted) return;
        parser.push(decoder.decode(value, { stream: true }));
      }
    } finally {
      clearTimeout(silence);
    }
  }

  deliver({ id, event, data }) {
    if (id !== null && id !== "") this.last = id;
    let body;
    try {
      body = JSON.parse(data);
    } catch {
      return;
    }
    this.on.event(event, body);
  }
}
