// Reads data again whenever it may have changed: only one request is sent at a time, and another one afterwards if the
// data may have changed in the meantime.

import { Problem, isAbort } from "./api.js";

/**
 * Returns a function that calls `read`, and passes errors of `read` to `failed`. After `signal` has been aborted, it
 * does nothing.
 */
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
        if (!(error instanceof Problem)) reportError(error); // an error in the code of this page
        failed(error);
      }
      if (due) await new Promise((done) => setTimeout(done, pause));
    }
    busy = false;
  };
}
