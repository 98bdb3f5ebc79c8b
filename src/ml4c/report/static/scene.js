// Where things stand and how they are drawn. Places are in layers and rows, as ml4c.drawing gives them.

const SVG = "http://www.w3.org/2000/svg";
const ROW = 40, ROOMY = 70, NODE = 27, BETWEEN = 58, WIDEST = 184, NARROWEST = 46, HEAD = 10, DUMMY = 0.45, SWEEPS = 24;
const MOST_NEAR = 160, MOST_READABLE = 36, READABLE = 0.5;

function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const pen = document.createElement("canvas").getContext("2d");
pen.font = "500 13px system-ui, sans-serif";

function fitted(text) {
  const room = WIDEST - 22;
  if (pen.measureText(text).width <= room) return text;
  let cut = [...text];
  while (cut.length > 1 && pen.measureText(cut.join("") + "…").width > room) cut = cut.slice(0, -1);
  return cut.join("") + "…";
}

function offsetsOf(layer, sizes) {
  const places = [0];
  for (let k = 1; k < layer.length; k++) places.push(places[k - 1] + (sizes[layer[k - 1]] + sizes[layer[k]]) / 2);
  return places;
}

// Heights nearest to the wanted ones that keep the order and the distances (as in ml4c.drawing.rows).
function apart(wanted, offsets) {
  const blocks = [];
  wanted.forEach((want, k) => {
    blocks.push([want - offsets[k], 1]);
    while (blocks.length > 1) {
      const [p, q] = blocks.slice(-2);
      if (p[0] * q[1] <= q[0] * p[1]) break;
      blocks.pop();
      p[0] += q[0];
      p[1] += q[1];
    }
  });
  const pooled = blocks.flatMap(([total, count]) => Array(count).fill(total / count));
  return pooled.map((place, k) => place + offsets[k]);
}

function settleRows(order, joined, sizes) {
  const height = Array(sizes.length).fill(0);
  const offsets = order.map((layer) => offsetsOf(layer, sizes));
  order.forEach((layer, k) => layer.forEach((node, m) => { height[node] = offsets[k][m] - offsets[k].at(-1) / 2; }));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const layers = [...order.keys()];
    for (const k of sweep % 2 ? layers.reverse() : layers) {
      const mean = (i) => joined[i].reduce((sum, j) => sum + height[j], 0) / joined[i].length;
      const wanted = order[k].map((i) => (joined[i].length ? mean(i) : height[i]));
      apart(wanted, offsets[k]).forEach((place, m) => { height[order[k][m]] = place; });
    }
  }
  return height;
}

// Layers of some nodes alone: left of what stood to the right of them, and as near to it as can be.
function layersAmong(nodes, edges, places) {
  const here = new Map(nodes.map((i, k) => [i, k]));
  const before = nodes.map(() => []), after = nodes.map(() => []);
  for (const { i, j } of edges) {
    const [p, q] = places[i][0] <= places[j][0] ? [here.get(i), here.get(j)] : [here.get(j), here.get(i)];
    after[p].push(q);
    before[q].push(p);
  }
  const order = [...nodes.keys()].sort((p, q) => places[nodes[p]][0] - places[nodes[q]][0] || p - q);
  const layer = nodes.map(() => 0);
  for (const k of order) layer[k] = Math.max(-1, ...before[k].map((p) => layer[p])) + 1;
  for (let round = 0; round < 4; round++) {
    for (const k of [...order].reverse()) if (after[k].length > before[k].length) layer[k] = Math.min(...after[k].map((q) => layer[q])) - 1;
    for (const k of order) if (before[k].length > after[k].length) layer[k] = Math.max(...before[k].map((p) => layer[p])) + 1;
  }
  const first = Math.min(...layer);
  return layer.map((place) => place - first);
}

// Nodes of each layer by the mean place of what they are joined with, a few times in both directions.
function untangle(order, joined) {
  const rank = new Map();
  const number = (layer) => layer.forEach((node, k) => rank.set(node, layer.length > 1 ? k / (layer.length - 1) : 0.5));
  order.forEach(number);
  for (let sweep = 0; sweep < 8; sweep++) {
    for (const layer of sweep % 2 ? [...order].reverse() : order) {
      const mean = new Map(layer.map((i) => [i, joined[i].length ? joined[i].reduce((sum, j) => sum + rank.get(j), 0) / joined[i].length : rank.get(i)]));
      layer.sort((p, q) => mean.get(p) - mean.get(q) || p - q);
      number(layer);
    }
  }
}

// The places of some nodes alone, without the room that the others take.
function compact(nodes, edges, places) {
  const here = new Map(nodes.map((i, k) => [i, k]));
  const layer = layersAmong(nodes, edges, places);
  const key = nodes.map((i) => places[i][1]);
  const sizes = nodes.map(() => 1);
  const joined = nodes.map(() => []);
  const join = (p, q) => { joined[p].push(q); joined[q].push(p); };
  const through = new Map();
  for (const { i, j } of edges) {
    let [p, q] = [here.get(i), here.get(j)];
    if (layer[p] > layer[q]) [p, q] = [q, p];
    const dummies = [];
    for (let k = layer[p] + 1; k < layer[q]; k++) {
      const share = (k - layer[p]) / (layer[q] - layer[p]);
      dummies.push(layer.length);
      layer.push(k);
      key.push(key[p] + share * (key[q] - key[p]));
      sizes.push(DUMMY);
      joined.push([]);
    }
    const way = [p, ...dummies, q];
    for (let k = 1; k < way.length; k++) join(way[k - 1], way[k]);
    if (dummies.length) through.set(pairKey(i, j), nodes[p] === Math.min(i, j) ? dummies : dummies.reverse());
  }
  const order = Array.from({ length: Math.max(...layer) + 1 }, () => []);
  for (const node of [...layer.keys()].sort((p, q) => key[p] - key[q] || p - q)) order[layer[node]].push(node);
  untangle(order, joined);
  const height = settleRows(order, joined, sizes);
  const top = Math.min(...height);
  const at = (node) => [layer[node], height[node] - top];
  return {
    places: new Map(nodes.map((i, k) => [i, at(k)])),
    bends: new Map([...through].map(([name, dummies]) => [name, dummies.map(at)])),
  };
}

const pairKey = (i, j) => (i < j ? `${i},${j}` : `${j},${i}`);

function near(centre, steps, adjacent) {
  const found = new Set([centre]);
  let edge = [centre];
  for (let step = 0; step < steps && found.size < MOST_NEAR; step++) {
    const next = [];
    for (const i of edge) {
      for (const j of [...adjacent[i]].sort((p, q) => p - q)) {
        if (!found.has(j) && found.size < MOST_NEAR) {
          found.add(j);
          next.push(j);
        }
      }
    }
    edge = next;
  }
  return [...found].sort((p, q) => p - q);
}

function curveThrough(points) {
  const r = (value) => Math.round(value * 10) / 10;
  let text = `M${r(points[0][0])} ${r(points[0][1])}`;
  for (let k = 1; k < points.length; k++) {
    const [x, y] = points[k - 1], [u, v] = points[k], middle = (x + u) / 2;
    text += `C${r(middle)} ${r(y)} ${r(middle)} ${r(v)} ${r(u)} ${r(v)}`;
  }
  return text;
}

// The line and the head of an edge between two boxes {x, y, w}; level at both ends.
function edgeShape(from, to, bends, directed) {
  const loop = Math.abs(from.x - to.x) < 1;
  const way = from.x <= to.x ? 1 : -1;
  const start = [from.x + way * from.w / 2, from.y];
  const side = loop ? -way : way;
  const tip = [to.x - side * to.w / 2, to.y];
  const stop = directed ? [tip[0] - side * HEAD * 0.8, tip[1]] : tip;
  const line = loop
    ? `M${start[0]} ${start[1]}C${start[0] + 46} ${start[1]} ${stop[0] + 46} ${stop[1]} ${stop[0]} ${stop[1]}`
    : curveThrough([start, ...bends, stop]);
  const back = tip[0] - side * HEAD;
  const head = `M${tip[0]} ${tip[1]}L${back} ${tip[1] - HEAD * 0.46}L${back} ${tip[1] + HEAD * 0.46}Z`;
  return { line, head: directed ? head : null };
}

const lineWidth = (edge, many) => (edge.p === null ? 1.3 : 0.9 + (many ? 1.5 : 2.6) * edge.p);

// Pixels of every layer: as wide as the widest of its nodes.
function columnsOf(scene) {
  const widest = [];
  for (const i of scene.nodes) {
    const layer = scene.places.get(i)[0];
    widest[layer] = Math.max(widest[layer] || 0, scene.widths[i]);
  }
  const counts = new Map();
  for (const i of scene.nodes) counts.set(scene.places.get(i)[0], (counts.get(scene.places.get(i)[0]) || 0) + 1);
  const between = BETWEEN + Math.min(90, 2.5 * Math.max(0, ...counts.values())); // steep lines need room
  const middle = [];
  let edge = 0;
  for (let layer = 0; layer < widest.length; layer++) {
    const width = widest[layer] || 0;
    middle.push(edge + width / 2);
    edge += width + (width ? between : 0);
  }
  return middle;
}

function boxesOf(scene) {
  scene.columns = columnsOf(scene);
  const boxes = new Map();
  for (const i of scene.nodes) {
    const [layer, row] = scene.places.get(i);
    boxes.set(i, scene.moved.get(i) || { x: scene.columns[layer], y: row * scene.row, w: scene.widths[i] });
  }
  return boxes;
}

// Rows further apart where the drawing is wide and low, so that it fills its place.
function rowHeight(scene, room) {
  scene.row = ROW;
  const { width, height } = boundsOf(boxesOf(scene));
  const scale = Math.min(1.25, room.width / width);
  if (scale < READABLE) return ROW;
  return Math.min(ROOMY, Math.max(ROW, (ROW * (room.height - 70)) / (height * scale)));
}

function boundsOf(boxes) {
  const all = [...boxes.values()];
  if (!all.length) return { x: 0, y: 0, width: 100, height: 60 };
  const left = Math.min(...all.map((b) => b.x - b.w / 2)) - 24, right = Math.max(...all.map((b) => b.x + b.w / 2)) + 24;
  const top = Math.min(...all.map((b) => b.y)) - 38, low = Math.max(...all.map((b) => b.y)) + 38;
  return { x: left, y: top, width: right - left, height: low - top };
}

function bendsOf(scene, edge) {
  if (scene.moved.has(edge.i) || scene.moved.has(edge.j)) return [];
  const points = (scene.bends.get(pairKey(edge.i, edge.j)) || []).map(([layer, row]) => [scene.columns[layer], row * scene.row]);
  return edge.i < edge.j ? points : [...points].reverse();
}

function drawEdge(edge, boxes, scene) {
  const shape = edgeShape(boxes.get(edge.i), boxes.get(edge.j), bendsOf(scene, edge), edge.directed);
  const kinds = ["edge", edge.directed ? "directed" : "undirected", edge.stated ? "stated" : "", edge.by.length ? "" : "plain"];
  const group = svg("g", { class: kinds.filter(Boolean).join(" "), "data-edge": pairKey(edge.i, edge.j) });
  group.append(svg("title", {}, edgeText(edge)));
  group.append(svg("path", { class: "hit", d: shape.line }));
  const dash = edge.directed ? null : "6 5";
  group.append(svg("path", { class: "line", d: shape.line, "stroke-width": lineWidth(edge, scene.nodes.length > 100).toFixed(2), "stroke-dasharray": dash }));
  if (shape.head) group.append(svg("path", { class: "head", d: shape.head }));
  return group;
}

function drawNode(i, box, scene) {
  const group = svg("g", {
    class: `node${scene.constant.has(i) ? " constant" : ""}`,
    "data-node": i,
    role: "button",
    tabindex: -1,
    "aria-label": scene.describe(i),
    transform: `translate(${box.x.toFixed(1)} ${box.y.toFixed(1)})`,
  });
  group.append(svg("title", {}, scene.shown[i]));
  group.append(svg("rect", { x: -box.w / 2, y: -NODE / 2, width: box.w, height: NODE, rx: 8 }));
  group.append(svg("text", { "text-anchor": "middle", y: 4.5 }, scene.labels[i]));
  return group;
}
