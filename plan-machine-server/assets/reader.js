// Reads something again whenever it may have changed: one request at a time, and one more if news came meanwhile.

import { Problem, isAbort } from "./api.js";

/** Returns a function that calls `read`; `failed` gets its errors. Nothing happens after `signal` is aborted. */
export function reader(signal, read, failed, pause = 150) {
  let busy = false;
  let due = false;
  return async function again() {
    due = true;
    if (busy) return;
    busy = true;
    while (due && !signal.aborted) {
      due = false;
      try {
        await read();
      } catch (error) {
        if (isAbort(error) || signal.aborted) continue;
        if (!(error instanceof Problem)) reportError(error); // a mistake of this page
        failed(error);
      }
      if (due) await new Promise((done) => setTimeout(done, pause));
    }
    busy = false;
  };
}
