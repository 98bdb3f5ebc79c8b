// The drawing in its place: which nodes, where, at what scale, and what is lit.

const LEGEND = 34, BEGINNING = 0.75;
let lastFocus = null;

function arrange() {
  const close = $("view").value === "near";
  $("near-controls").hidden = !close;
  const hide = $("hide-isolated").checked;
  const every = [...Array(n).keys()];
  if (close) {
    scene.nodes = near(page.centre, Number($("steps").value), page.adjacent);
    const inside = new Set(scene.nodes);
    const among = page.edges.filter((edge) => inside.has(edge.i) && inside.has(edge.j));
    ({ places: scene.places, bends: scene.bends } = compact(scene.nodes, among, data.places));
  } else {
    scene.nodes = every.filter((i) => !hide || page.adjacent[i].size);
    scene.places = new Map(every.map((i) => [i, data.places[i]]));
    scene.bends = wholeBends;
  }
  scene.row = rowHeight(scene, $("canvas").getBoundingClientRect());
}

function draw() {
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.node : undefined;
  const boxes = boxesOf(scene);
  scene.boxes = boxes;
  const edges = page.edges.filter((edge) => boxes.has(edge.i) && boxes.has(edge.j));
  const lines = svg("g", { class: "edges" }, ...edges.map((edge) => drawEdge(edge, boxes, scene)));
  const nodes = svg("g", { class: "nodes" }, ...scene.nodes.map((i) => drawNode(i, boxes.get(i), scene)));
  $("board").replaceChildren(lines, nodes);
  light();
  const first = focused !== undefined && boxes.has(Number(focused)) ? Number(focused) : scene.nodes[0];
  rove(lastFocus !== null && boxes.has(lastFocus) ? lastFocus : first);
  if (focused !== undefined && nodeAt(Number(focused))) nodeAt(Number(focused)).focus({ preventScroll: true });
  $("empty").hidden = scene.nodes.length > 0;
}

const nodeAt = (i) => $("board").querySelector(`[data-node="${i}"]`);

function rove(i) {
  for (const node of $("board").querySelectorAll('[tabindex="0"]')) node.setAttribute("tabindex", -1);
  const node = nodeAt(i);
  if (node) node.setAttribute("tabindex", 0);
}

function light() {
  const chosen = page.chosen;
  const nodes = new Set(), edges = new Set();
  if (chosen && chosen.kind === "edge") {
    edges.add(chosen.key);
    chosen.key.split(",").forEach((i) => nodes.add(Number(i)));
  } else if (chosen && chosen.kind === "triple") {
    const [x, t, y] = data.triples[chosen.k];
    [x, t, y].forEach((i) => nodes.add(i));
    edges.add(pairKey(x, t)).add(pairKey(y, t));
  } else if (chosen) {
    nodes.add(chosen.i);
    for (const k of page.adjacent[chosen.i]) edges.add(pairKey(chosen.i, k));
  }
  const around = new Set([...edges].flatMap((key) => key.split(",").map(Number)));
  for (const group of $("board").querySelectorAll(".edge")) {
    group.classList.toggle("lit", edges.has(group.dataset.edge));
    group.classList.toggle("dim", Boolean(chosen) && !edges.has(group.dataset.edge));
  }
  for (const group of $("board").querySelectorAll(".node")) {
    const i = Number(group.dataset.node);
    group.classList.toggle("chosen", nodes.has(i));
    group.classList.toggle("dim", Boolean(chosen) && !nodes.has(i) && !around.has(i));
  }
}

function place() {
  showWhere();
  $("board").setAttribute("transform", `translate(${view.x.toFixed(2)} ${view.y.toFixed(2)}) scale(${view.scale.toFixed(4)})`);
}

function fit() {
  const room = $("canvas").getBoundingClientRect();
  const bounds = boundsOf(scene.boxes);
  const height = room.height - LEGEND;
  view.scale = Math.min(1.25, room.width / bounds.width, height / bounds.height);
  view.x = (room.width - bounds.width * view.scale) / 2 - bounds.x * view.scale;
  view.y = (height - bounds.height * view.scale) / 2 - bounds.y * view.scale;
  view.touched = false;
  place();
}

// A graph too large to be read as a whole begins at its most connected column; the map shows where that is.
function begin() {
  fit();
  if (view.scale >= READABLE || !scene.nodes.length) return;
  const middle = scene.nodes.reduce((best, i) => (page.adjacent[i].size > page.adjacent[best].size ? i : best));
  view.scale = BEGINNING;
  centreOn(middle, BEGINNING);
  const room = $("canvas").getBoundingClientRect(), bounds = boundsOf(scene.boxes);
  view.x = clamp(view.x, -bounds.x * BEGINNING, room.width - (bounds.x + bounds.width) * BEGINNING);
  view.y = clamp(view.y, -bounds.y * BEGINNING, room.height - (bounds.y + bounds.height) * BEGINNING);
  view.touched = false;
  place();
}

// Between the two, and in their middle when there is room to spare.
const clamp = (value, high, low) => (low > high ? (low + high) / 2 : Math.max(low, Math.min(high, value)));

function drawMap() {
  const bounds = boundsOf(scene.boxes);
  const dots = [...scene.boxes.values()].map((box) => svg("rect", { x: box.x - box.w / 2, y: box.y - NODE / 2, width: box.w, height: NODE }));
  $("map").setAttribute("viewBox", [bounds.x, bounds.y, bounds.width, bounds.height].map(Math.round).join(" "));
  $("map").replaceChildren(...dots, svg("rect", { id: "here", class: "here" }));
}

function showWhere() {
  const room = $("canvas").getBoundingClientRect(), bounds = boundsOf(scene.boxes);
  const all = bounds.width * view.scale <= room.width + 2 && bounds.height * view.scale <= room.height + 2;
  $("map").style.display = all ? "none" : "";
  const here = { x: -view.x / view.scale, y: -view.y / view.scale, width: room.width / view.scale, height: room.height / view.scale };
  for (const [key, value] of Object.entries(here)) $("here").setAttribute(key, value.toFixed(1));
}

function zoom(factor, at) {
  const room = $("canvas").getBoundingClientRect();
  const [x, y] = at || [room.width / 2, room.height / 2];
  const scale = Math.min(4, Math.max(0.04, view.scale * factor));
  view.x = x - ((x - view.x) * scale) / view.scale;
  view.y = y - ((y - view.y) * scale) / view.scale;
  view.scale = scale;
  view.touched = true;
  place();
}

function centreOn(i, least = 0.9) {
  const box = scene.boxes.get(i);
  if (!box) return;
  const room = $("canvas").getBoundingClientRect();
  view.scale = Math.max(view.scale, least);
  view.x = room.width / 2 - box.x * view.scale;
  view.y = room.height / 2 - box.y * view.scale;
  view.touched = true;
  place();
}

function redraw({ refit = false } = {}) {
  arrange();
  draw();
  drawMap();
  if (refit || !view.touched) begin();
  else showWhere();
}
