// Places the states of a machine: rows by rank from top to bottom, final states last, wrapped to the available width.

const LETTER = 6.9;
const HEIGHT = 26;
const GAP = { x: 10, y: 38 };

const widthOf = (node) => Math.max(54, Math.round(node.name.length * LETTER) + 18);

/** Returns the rows of nodes: one row for each rank, or several if the nodes of a rank do not fit into one row. */
function rowsOf(nodes, width) {
  const last = Math.max(0, ...nodes.map((node) => node.rank ?? 0)) + 1;
  const ranks = new Map();
  for (const node of nodes) {
    const rank = node.final ? last : node.rank ?? last - 1;
    ranks.set(rank, [...(ranks.get(rank) ?? []), node]);
  }
  const out = [];
  for (const rank of [...ranks.keys()].sort((a, b) => a - b)) {
    let row = [];
    let used = 0;
    for (const node of ranks.get(rank)) {
      const more = widthOf(node) + (row.length ? GAP.x : 0);
      if (row.length && used + more > width) {
        out.push(row);
        row = [];
        used = 0;
      }
      used += widthOf(node) + (row.length ? GAP.x : 0);
      row.push(node);
    }
    out.push(row);
  }
  return out;
}

/** Orders the nodes of each row by the average position of their neighbors, which avoids most crossings. */
function order(rows, edges) {
  const place = new Map();
  rows.forEach((row) => row.forEach((node, at) => place.set(node.name, row.length > 1 ? at / (row.length - 1) : 0.5)));
  for (let round = 0; round < 3; round += 1) {
    for (const row of rows.slice(1)) {
      const middle = (node) => {
        const near = edges.filter((edge) => edge.to === node.name || edge.from === node.name).map((edge) => place.get(edge.to === node.name ? edge.from : edge.to)).filter((x) => x !== undefined);
        return near.length ? near.reduce((sum, x) => sum + x, 0) / near.length : 0.5;
      };
      const ranked = row.map((node) => ({ node, middle: middle(node) })).sort((a, b) => a.middle - b.middle);
      row.splice(0, row.length, ...ranked.map((one) => one.node));
      row.forEach((node, at) => place.set(node.name, row.length > 1 ? at / (row.length - 1) : 0.5));
    }
  }
}

/** Returns the positions of all nodes (a map from names to `{ x, y, w, h, row }`) and the total height. */
export function place(nodes, edges, width) {
  const rows = rowsOf(nodes, width);
  order(rows, edges);
  const boxes = new Map();
  rows.forEach((row, index) => {
    const used = row.reduce((sum, node) => sum + widthOf(node), 0) + GAP.x * (row.length - 1);
    const spare = Math.max(0, width - used) / (row.length + 1);
    let x = spare;
    for (const node of row) {
      boxes.set(node.name, { x: Math.round(x), y: 4 + index * (HEIGHT + GAP.y), w: widthOf(node), h: HEIGHT, row: index });
      x += widthOf(node) + GAP.x + spare;
    }
  });
  const right = Math.max(width, ...[...boxes.values()].map((box) => box.x + box.w));
  return { boxes, width: right, height: rows.length * (HEIGHT + GAP.y) - GAP.y + 8 };
}

const middle = (box) => box.x + box.w / 2;

/** Returns the SVG path of an edge between two boxes. */
export function route(from, to) {
  const shift = from.row < to.row ? -5 : 5;
  const [a, b] = [middle(from) + shift, middle(to) + shift];
  if (from.row < to.row) {
    const [y1, y2] = [from.y + from.h, to.y - 5];
    const bend = Math.max(16, (y2 - y1) / 2);
    return `M${a} ${y1}C${a} ${y1 + bend} ${b} ${y2 - bend} ${b} ${y2}`;
  }
  if (from.row > to.row) {
    const [y1, y2] = [from.y, to.y + to.h + 5];
    const bend = Math.max(16, (y1 - y2) / 2);
    return `M${a} ${y1}C${a} ${y1 - bend} ${b} ${y2 + bend} ${b} ${y2}`;
  }
  const [y1, y2] = [from.y + from.h, to.y + to.h + 5];
  return `M${a} ${y1}C${a} ${y1 + 22} ${b} ${y2 + 20} ${b} ${y2}`;
}
