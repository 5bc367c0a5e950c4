// Builds DOM nodes. All text is inserted as text nodes: no function in this file parses HTML.

const SVG = "http://www.w3.org/2000/svg";

/** Sets attributes, `class`, listeners (`onclick`) and properties that are not attributes. */
function assign(node, props) {
  for (const [key, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked" || key === "open") node[key] = value;
    else node.setAttribute(key, value === true ? "" : String(value));
  }
}

/** Appends children to a node: strings as text nodes, nodes unchanged, and the items of lists one by one. */
export function append(node, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

/** Creates an HTML element: `h("p", { class: "x" }, "text", node)`. */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  assign(node, props);
  return append(node, ...children);
}

/** Creates an SVG element. */
export function s(tag, props = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  assign(node, props);
  return append(node, ...children);
}

/** Replaces the children of a node. */
export function fill(node, ...children) {
  const next = document.createDocumentFragment();
  append(next, ...children);
  node.replaceChildren(next);
  return node;
}

/**
 * Replaces the children of a node. If the focused element is replaced, the new element with the same `data-focus` gets
 * the focus.
 */
export function refill(node, ...children) {
  holdingFocus(node, () => fill(node, ...children));
  return node;
}

/**
 * Makes `nodes` the children of `parent`, in order. Nodes that are already in the right place are not moved, so they
 * keep the focus.
 */
export function reconcile(parent, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...parent.childNodes]) if (!wanted.has(child)) child.remove();
  nodes.forEach((node, at) => {
    if (parent.childNodes[at] !== node) parent.insertBefore(node, parent.childNodes[at] ?? null);
  });
}

/**
 * Keeps nodes as long as their content is the same, so that an element that a person selects, opens or clicks is not
 * replaced.
 */
export class Kept {
  #nodes = new Map();

  /** Returns the node with a name. `make` is called only if `content` differs from the content of the last call. */
  get(name, content, make) {
    const key = JSON.stringify(content);
    const known = this.#nodes.get(name);
    if (known?.key === key) return known.node;
    const node = make();
    this.#nodes.set(name, { key, node });
    return node;
  }

  /** Forgets a node that is no longer shown, so that a page that is open all day does not use more and more memory. */
  drop(name) {
    this.#nodes.delete(name);
  }
}

/** Calls `change`. If this replaces the focused element, the new element with the same `data-focus` gets the focus. */
export function holdingFocus(node, change) {
  const held = node.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  change();
  if (!held || node.contains(document.activeElement)) return;
  for (const candidate of node.querySelectorAll("[data-focus]")) {
    if (candidate.dataset.focus === held) candidate.focus({ preventScroll: true });
  }
}

const CLOCK = ["M8 1.9a6.1 6.1 0 1 0 0 12.2A6.1 6.1 0 0 0 8 1.9Z", "M8 4.8V8l2.3 1.5"];

const PATHS = {
  person: ["M8 8.2a2.9 2.9 0 1 0 0-5.8 2.9 2.9 0 0 0 0 5.8Z", "M2.8 13.8c.5-2.7 2.6-4.1 5.2-4.1s4.7 1.4 5.2 4.1"],
  model: ["M8 1.8 9.5 6.5 14.2 8 9.5 9.5 8 14.2 6.5 9.5 1.8 8 6.5 6.5Z"],
  host: ["M2.5 3.5h11v6.5h-11z", "M5.5 13h5", "M8 10v3"],
  timer: CLOCK,
  check: ["M3 8.6 6.4 12 13 4.6"],
  cross: ["M4 4l8 8", "M12 4l-8 8"],
  record: ["M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6Z", "M8 1.9a6.1 6.1 0 1 0 0 12.2A6.1 6.1 0 0 0 8 1.9Z"],
  maybe: ["M5.9 6a2.1 2.1 0 1 1 3.2 1.8c-.7.4-1.1.8-1.1 1.7", "M8 11.9v.2"],
  arrow: ["M2.5 8h10.5", "M9.2 4.2 13 8l-3.8 3.8"],
  back: ["M10 3.5 5.5 8l4.5 4.5"],
  turn: ["M2.5 3.5h11v7.5h-6L4.6 13.5V11H2.5Z"],
  warn: ["M8 2.2 14.4 13.4H1.6Z", "M8 6.4v3.2", "M8 11.4v.2"],
  clock: CLOCK,
  bolt: ["M9 1.8 3.6 9h3.6L6.6 14.2 12.4 6.8H8.6Z"],
};

/** Returns a line icon of 16 px. Icons are only decoration: the text next to an icon has the same meaning. */
export function icon(name) {
  const paths = (PATHS[name] ?? PATHS.maybe).map((d) => s("path", { d }));
  return s("svg", { class: `icon icon-${name}`, viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" }, paths);
}

/** Returns whether the window is wide enough to show the list beside the plan; otherwise, only one of them is shown. */
export const wide = () => matchMedia("(min-width: 900px)").matches;

/** Returns an element that shows a key of the keyboard. */
export const key = (label) => h("kbd", { "aria-hidden": "true" }, label);
