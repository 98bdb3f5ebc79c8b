// Pointer, keyboard and buttons; then the first drawing.

const canvas = $("canvas");
let held = null;

const inside = (event) => {
  const room = canvas.getBoundingClientRect();
  return [event.clientX - room.left, event.clientY - room.top];
};

canvas.addEventListener("pointerdown", (event) => {
  if (event.button) return;
  const node = event.target.closest("[data-node]"), edge = event.target.closest("[data-edge]");
  held = { at: [event.clientX, event.clientY], from: { ...view }, node: node ? Number(node.dataset.node) : null, edge: edge ? edge.dataset.edge : null, moved: false };
  if (held.node !== null) held.box = { ...scene.boxes.get(held.node) };
});
window.addEventListener("pointermove", (event) => {
  if (!held) return;
  const dx = event.clientX - held.at[0], dy = event.clientY - held.at[1];
  if (!held.moved && Math.hypot(dx, dy) < 4) return;
  held.moved = true;
  if (held.node === null) {
    view.x = held.from.x + dx;
    view.y = held.from.y + dy;
    view.touched = true;
    place();
  } else {
    scene.moved.set(held.node, { x: held.box.x + dx / view.scale, y: held.box.y + dy / view.scale, w: held.box.w });
    view.touched = true;
    draw();
  }
});
window.addEventListener("pointerup", () => {
  if (held && !held.moved) {
    if (held.node !== null) page.select({ kind: "column", i: held.node }, { focus: false });
    else if (held.edge) page.select({ kind: "edge", key: held.edge }, { focus: false });
    else page.select(null, { focus: false });
    if (held.node !== null && nodeAt(held.node)) {
      rove(held.node);
      nodeAt(held.node).focus({ preventScroll: true });
    }
  }
  held = null;
});
canvas.addEventListener("wheel", (event) => {
  if (!(event.ctrlKey || event.metaKey || canvas.contains(document.activeElement))) return;
  event.preventDefault();
  zoom(Math.exp(-event.deltaY * 0.0015), inside(event));
}, { passive: false });
canvas.addEventListener("focusin", (event) => {
  const node = event.target.closest("[data-node]");
  if (node) {
    lastFocus = Number(node.dataset.node);
    rove(lastFocus);
  }
});

// The nearest column in a direction, those straight ahead first.
function neighbourAt(i, dx, dy) {
  const here = scene.boxes.get(i);
  let best = null, least = Infinity;
  for (const [k, box] of scene.boxes) {
    const ahead = (box.x - here.x) * dx + (box.y - here.y) * dy;
    const aside = Math.abs((box.x - here.x) * dy) + Math.abs((box.y - here.y) * dx);
    if (k === i || ahead <= 1) continue;
    const cost = ahead + 2.5 * aside;
    if (cost < least) [best, least] = [k, cost];
  }
  return best;
}

canvas.addEventListener("keydown", (event) => {
  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const node = event.target.closest("[data-node]");
  if (ways[event.key] && node) {
    const next = neighbourAt(Number(node.dataset.node), ...ways[event.key]);
    if (next !== null) {
      rove(next);
      nodeAt(next).focus({ preventScroll: true });
      keepInView(next);
    }
  } else if ((event.key === "Enter" || event.key === " ") && node) {
    page.select({ kind: "column", i: Number(node.dataset.node) });
  } else if (event.key === "Escape") {
    page.select(null, { focus: false });
  } else if (event.key === "+" || event.key === "=") {
    zoom(1.25);
  } else if (event.key === "-") {
    zoom(0.8);
  } else if (event.key === "0") {
    fit();
  } else {
    return;
  }
  event.preventDefault();
});

function keepInView(i) {
  const room = canvas.getBoundingClientRect(), box = scene.boxes.get(i);
  const x = box.x * view.scale + view.x, y = box.y * view.scale + view.y;
  if (x < 60 || y < 30 || x > room.width - 60 || y > room.height - 30) centreOn(i);
}

$("panel").addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !page.chosen) return;
  page.select(null, { focus: false });
  const node = $("board").querySelector('[tabindex="0"]');
  if (node) node.focus({ preventScroll: true });
});

$("zoom-in").addEventListener("click", () => zoom(1.25));
$("zoom-out").addEventListener("click", () => zoom(0.8));
$("zoom-fit").addEventListener("click", () => { scene.moved.clear(); redraw(); fit(); });
$("map").addEventListener("pointerdown", (event) => {
  event.stopPropagation();
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform($("map").getScreenCTM().inverse());
  const room = canvas.getBoundingClientRect();
  view.x = room.width / 2 - at.x * view.scale;
  view.y = room.height / 2 - at.y * view.scale;
  view.touched = true;
  place();
});
$("search").addEventListener("change", (event) => search(event.target.value));
$("search").addEventListener("keydown", (event) => { if (event.key === "Enter") search(event.target.value); });
$("view").addEventListener("change", () => { scene.moved.clear(); redraw({ refit: true }); });
$("steps").addEventListener("change", () => { scene.moved.clear(); redraw({ refit: true }); });
$("centre").addEventListener("change", (event) => { const i = find(event.target.value); if (i >= 0) page.look(i); });
$("hide-isolated").addEventListener("change", () => redraw({ refit: true }));
$("least").addEventListener("input", (event) => { page.least = Number(event.target.value); update(); });
$("reset").addEventListener("click", reset);
$("filter").addEventListener("input", listEdges);
$("all-rows").addEventListener("change", listEdges);
$("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
$("save-knowledge").addEventListener("click", () => {
  const statements = [...page.stated].map(([key, kind]) => { const [i, j] = key.split(",").map(Number); return { i, j, kind }; });
  save("knowledge.json", "application/json", asKnowledge(data.knowledge, statements, data.names));
});
$("save-csv").addEventListener("click", () => save("edges.csv", "text/csv", asCsv(page.edges, data.names)));
$("save-dot").addEventListener("click", () => save("graph.dot", "text/plain", asDot(page.edges, data.shown)));
$("save-graphml").addEventListener("click", () => save("graph.graphml", "application/xml", asGraphml(page.edges, data.names)));
$("save-svg").addEventListener("click", () => save("graph.svg", "image/svg+xml", asSvg($("board"), boundsOf(scene.boxes))));
$("save-png").addEventListener("click", async () => {
  const bounds = boundsOf(scene.boxes);
  save("graph.png", "image/png", await asPng(asSvg($("board"), bounds), bounds));
});
$("copy-command")?.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText($("command").textContent);
    $("copied").textContent = "copied";
  } catch {
    getSelection().selectAllChildren($("command"));
    $("copied").textContent = "selected: copy it";
  }
});

for (const list of ["column-names"]) $(list).append(...data.shown.slice(0, 2000).map((name) => h("option", { value: name })));
recompute();
const degrees = page.adjacent.map((around) => around.size);
const readable = degrees.map((degree) => (degree <= MOST_READABLE / 2 ? degree : 0)); // of a hub there is little to see
page.centre = readable.indexOf(Math.max(...readable));
const isolated = degrees.filter((degree) => !degree).length;
$("hide-isolated").checked = isolated > 8;
$("isolated-count").textContent = number(isolated, 0);
$("isolated-control").hidden = !isolated;
if (n > data.whole) $("view").value = "near";
chooseSteps();
$("centre").value = data.shown[page.centre] || "";
redraw({ refit: true });
tell();
sayStatus();
listEdges();
new ResizeObserver(() => { if (!view.touched) begin(); }).observe(canvas);
window.ml4c = Object.freeze({ preview, chainTo, page, asKnowledge });
