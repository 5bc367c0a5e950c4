// Computes the difference between two texts: first the changed lines, with Myers' algorithm, then the changed words
// within these lines.

const MOST_EDITS = 4000;

/**
 * Returns the positions that can be reached with each number of edits, or `null` if the lists differ too much to be
 * compared.
 */
function trace(a, b, limit) {
  const total = a.length + b.length;
  const most = Math.min(total, limit);
  const reach = new Int32Array(2 * most + 3);
  const history = [];
  for (let edits = 0; edits <= most; edits += 1) {
    history.push(reach.slice(most + 1 - edits - 1, most + 1 + edits + 2));
    for (let k = -edits; k <= edits; k += 2) {
      const at = most + 1 + k;
      let x = k === -edits || (k !== edits && reach[at - 1] < reach[at + 1]) ? reach[at + 1] : reach[at - 1] + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reach[at] = x;
      if (x >= a.length && x - k >= b.length) return history;
    }
  }
  return null;
}

/** Returns the edits that turn `a` into `b`: `[{ kind: "same" | "gone" | "new", a, b }]` with positions. */
export function edits(a, b, limit = MOST_EDITS) {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const left = a.slice(head, a.length - tail);
  const right = b.slice(head, b.length - tail);
  const middle = path(left, right, limit).map((edit) => ({ ...edit, a: edit.a + head, b: edit.b + head }));
  const same = (from, length, shift) => Array.from({ length }, (_, at) => ({ kind: "same", a: from + at, b: from + at + shift }));
  return [...same(0, head, 0), ...middle, ...same(a.length - tail, tail, b.length - a.length)];
}

function path(a, b, limit) {
  const all = [...a.map((_, at) => ({ kind: "gone", a: at, b: 0 })), ...b.map((_, at) => ({ kind: "new", a: a.length, b: at }))];
  if (!a.length || !b.length) return all;
  const history = trace(a, b, limit);
  if (!history) return all;
  const out = [];
  let x = a.length;
  let y = b.length;
  for (let count = history.length - 1; count >= 0; count -= 1) {
    const reach = (k) => history[count][k + count + 1];
    const k = x - y;
    const down = k === -count || (k !== count && reach(k - 1) < reach(k + 1));
    const before = down ? k + 1 : k - 1;
    const fromX = count === 0 ? 0 : reach(before);
    const fromY = count === 0 ? 0 : fromX - before;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      out.push({ kind: "same", a: x, b: y });
    }
    if (count === 0) break;
    if (down) {
      y -= 1;
      out.push({ kind: "new", a: x, b: y });
    } else {
      x -= 1;
      out.push({ kind: "gone", a: x, b: y });
    }
  }
  return out.reverse();
}

const wordsOf = (line) => line.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

/**
 * Marks the changed words of two lines. Returns two lists of `{ text, changed }`, or `null` if the lines are too long,
 * or have hardly any text in common.
 */
export function words(before, after) {
  const a = wordsOf(before);
  const b = wordsOf(after);
  if (a.length + b.length > 800) return null;
  const steps = edits(a, b, 400);
  const equal = steps.filter((step) => step.kind === "same" && a[step.a].trim()).length;
  if (equal * 3 < Math.max(a.filter((word) => word.trim()).length, b.filter((word) => word.trim()).length)) return null;
  const side = (kind, list, position) => {
    const out = [];
    for (const step of steps.filter((one) => one.kind === "same" || one.kind === kind)) {
      const changed = step.kind !== "same";
      if (out.at(-1)?.changed === changed) out.at(-1).text += list[step[position]];
      else out.push({ text: list[step[position]], changed });
    }
    return out;
  };
  return { before: side("gone", a, "a"), after: side("new", b, "b") };
}

/**
 * Returns the rows of a diff: `{ kind, before, after, text, parts }`, where `before` and `after` are line numbers that
 * start at 1.
 */
export function rows(before, after) {
  const a = before.split("\n");
  const b = after.split("\n");
  const out = edits(a, b).map((step) => ({
    kind: step.kind,
    before: step.kind === "new" ? null : step.a + 1,
    after: step.kind === "gone" ? null : step.b + 1,
    text: step.kind === "new" ? b[step.b] : a[step.a],
    parts: null,
  }));
  for (let at = 0; at < out.length; ) {
    if (out[at].kind === "same") {
      at += 1;
      continue;
    }
    let end = at;
    while (end < out.length && out[end].kind !== "same") end += 1;
    const gone = out.slice(at, end).filter((row) => row.kind === "gone");
    const added = out.slice(at, end).filter((row) => row.kind === "new");
    gone.forEach((row, index) => {
      const pair = added[index] ? words(row.text, added[index].text) : null;
      if (pair) [row.parts, added[index].parts] = [pair.before, pair.after];
    });
    out.splice(at, end - at, ...gone, ...added);
    at = end;
  }
  return out;
}
