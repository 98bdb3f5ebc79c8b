// The page: what is chosen, what is stated, and everything that follows from it.

const data = JSON.parse(document.getElementById("graph-data").textContent);
const $ = (id) => document.getElementById(id);
const n = data.names.length;
const page = {
  data, n,
  shown: data.shown,
  columns: JSON.parse($("column-data").textContent),
  stated: new Map(),
  fixed: new Set(data.fixed.map(([i, j]) => `${i},${j}`)),
  strongest: Math.max(1e-9, ...data.edges.map((edge) => edge[4] || 0)),
  recordAt: new Map(data.edges.map((edge) => [pairKey(edge[0], edge[1]), edge])),
  tripleAt: new Map(data.triples.map(([x, t, y], k) => [`${Math.min(x, y)},${t},${Math.max(x, y)}`, k])),
  chosen: null,
  least: 0,
};
const pairs = data.edges.map(([i, j]) => [i, j]);
const view = { scale: 1, x: 0, y: 0, touched: false };
const labels = data.shown.map(fitted);
const scene = {
  labels,
  shown: data.shown,
  widths: labels.map((text) => Math.min(WIDEST, Math.max(NARROWEST, pen.measureText(text).width + 24))),
  constant: new Set([...page.columns.keys()].filter((i) => page.columns[i].constant)),
  moved: new Map(),
  describe,
};
const wholeBends = new Map(data.bends.map(([i, j, ...points]) => [pairKey(i, j), points]));

const edgeText = (edge) => `${data.shown[edge.i]} ${edge.directed ? "→" : "–"} ${data.shown[edge.j]}`;

function recompute() {
  const statements = [...page.stated].map(([key, kind]) => ({ key, kind, ends: key.split(",").map(Number) }));
  const arrows = statements.filter(({ kind }) => kind !== "absent").map(({ kind, ends }) => (kind === "forward" ? ends : [...ends].reverse()));
  const absent = statements.filter(({ kind }) => kind === "absent").map(({ ends }) => ends);
  const asked = { n, names: data.names, pairs, ranked: data.ranked, least: page.least, arrows: [...data.fixed, ...arrows], absent };
  page.now = preview(asked);
  page.changed = page.least > 0 || statements.length > 0;
  page.arrows = new Set(arrows.map(([i, j]) => `${i},${j}`));
  page.edges = page.changed || data.faithful ? edgesOf(page.now.graph) : edgesAsFound();
  page.edgeAt = new Map(page.edges.map((edge) => [pairKey(edge.i, edge.j), edge]));
  page.adjacent = Array.from({ length: n }, () => new Set());
  for (const { i, j } of page.edges) {
    page.adjacent[i].add(j);
    page.adjacent[j].add(i);
  }
}

function drawnBy() {
  const found = new Map();
  for (const number_ of page.now.kept) {
    const [x, t, y] = data.ranked[number_];
    for (const i of [x, y]) {
      const key = i * n + t;
      if (!found.has(key)) found.set(key, []);
      found.get(key).push(number_);
    }
  }
  return found;
}

function edgeBetween(i, j, directed, drawn) {
  const by = (directed && drawn.get(i * n + j)) || [];
  const stated = !directed ? "" : page.arrows.has(`${i},${j}`) ? "reader" : page.fixed.has(`${i},${j}`) ? "run" : "";
  const record = page.recordAt.get(pairKey(i, j));
  return { i, j, directed, by, stated, p: stated === "reader" ? null : probabilityOf(i, directed, by, record), record };
}

// Of the edge as it is drawn; of a run without directions' probabilities, that of the surest v-structure.
function probabilityOf(i, directed, by, record) {
  const { forward, backward } = directionsOf(record, i);
  if (forward === null) return by.length ? data.ranked[by[0]][3] : null;
  return directed ? forward : Math.max(0, 1 - forward - backward);
}

function edgesOf(graph) {
  const drawn = drawnBy();
  const found = [];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (graph[i * n + j] && (!graph[j * n + i] || i < j)) found.push(edgeBetween(i, j, !graph[j * n + i], drawn));
    }
  }
  return found;
}

const edgesAsFound = () => {
  const drawn = drawnBy();
  return data.edges.map(([i, j, directed, p]) => ({ ...edgeBetween(i, j, Boolean(directed), drawn), p }));
};

page.triplesAround = (i) => [...data.triples.keys()].filter((k) => data.triples[k][1] === i).sort((p, q) => data.triples[q][3] - data.triples[p][3]);

function describe(i) {
  const named = (label, nodes) => (nodes.length ? `${label} ${nodes.slice(0, 8).map((k) => data.shown[k]).join(", ")}` : "");
  const into = page.edges.filter((edge) => edge.directed && edge.j === i).map((edge) => edge.i);
  const out = page.edges.filter((edge) => edge.directed && edge.i === i).map((edge) => edge.j);
  const lines = page.edges.filter((edge) => !edge.directed && (edge.i === i || edge.j === i)).map((edge) => edge.i + edge.j - i);
  const parts = [named("causes:", into), named("effects:", out), named("undirected:", lines)].filter(Boolean);
  return `column ${data.shown[i]}; ${parts.join("; ") || "no edges"}`;
}

// Choosing

page.select = (chosen, { focus = true } = {}) => {
  page.chosen = chosen;
  light();
  tell();
  if (focus && chosen) $("panel").querySelector("h2").focus({ preventScroll: true });
};

function tell() {
  const chosen = page.chosen;
  const parts = !chosen ? startPanel(page) : chosen.kind === "edge" ? edgePanel(page, chosen.key) : chosen.kind === "triple" ? triplePanel(page, chosen.k) : columnPanel(page, chosen.i);
  const close = chosen ? h("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => page.select(null) }, "×") : null;
  $("panel").replaceChildren(...[close, ...parts].filter(Boolean));
  $("panel").scrollTop = 0;
}

page.look = (i) => {
  page.centre = i;
  $("centre").value = data.shown[i];
  $("view").value = "near";
  chooseSteps();
  scene.moved.clear();
  redraw({ refit: true });
};

// As many steps as still make a picture that can be read.
function chooseSteps() {
  const sizes = [1, 2, 3].map((steps) => near(page.centre, steps, page.adjacent).length);
  $("steps").value = Math.max(1, sizes.filter((size) => size <= MOST_READABLE).length);
}

function find(text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return -1;
  const shown = data.shown.map((name) => name.toLowerCase());
  const exact = data.shown.indexOf(text) >= 0 ? data.shown.indexOf(text) : shown.indexOf(wanted);
  return exact >= 0 ? exact : shown.findIndex((name) => name.includes(wanted));
}

function search(text) {
  const i = find(text);
  $("found").textContent = i < 0 && text.trim() ? "no such column" : "";
  if (i < 0) return;
  if (!scene.boxes.has(i)) {
    if ($("view").value === "near") page.look(i);
    else {
      $("hide-isolated").checked = false;
      redraw();
    }
  }
  page.select({ kind: "column", i }, { focus: false });
  centreOn(i);
}

// What if

page.state = (key, kind) => {
  if (kind) page.stated.set(key, kind);
  else page.stated.delete(key);
  update();
  const option = $("panel").querySelector(`input[value="${kind}"]`);
  if (option) option.focus();
};

function update() {
  recompute();
  redraw();
  tell();
  sayStatus();
  listEdges();
}

function sayStatus() {
  const arrows = page.edges.filter((edge) => edge.directed).length;
  $("n-arrows").textContent = number(arrows, 0);
  $("n-lines").textContent = number(page.edges.length - arrows, 0);
  const certificate = page.changed ? page.now.certificate : null;
  const valid = certificate ? certificate.valid : data.valid;
  const text = certificate ? (certificate.valid ? "a valid CPDAG" : `not a valid CPDAG: ${certificate.reason}`) : data.certificate;
  $("certificate").textContent = text + ((page.stated.size || data.fixed.length) && valid ? ", with what is known drawn in" : "");
  $("certificate").className = `certificate ${valid ? "valid" : "invalid"}`;
  $("least-value").textContent = page.least.toFixed(2);
  $("kept").textContent = `${page.now.kept.length} of ${data.ranked.length} v-structures${page.now.leftOut.length ? `, ${page.now.leftOut.length} against what is stated` : ""}`;
  $("preview-bar").hidden = !page.changed;
  listStatements();
}

function listStatements() {
  const items = [...page.stated].map(([key, kind]) => {
    const [i, j] = key.split(",").map(Number);
    const [a, b] = [data.shown[i], data.shown[j]];
    const text = kind === "absent" ? `no edge between ${a} and ${b}` : kind === "forward" ? `${a} → ${b}` : `${b} → ${a}`;
    return h("li", {}, h("button", { type: "button", class: "link", onclick: () => page.select({ kind: "edge", key }) }, text), h("button", { type: "button", class: "take-back", "aria-label": `Take back: ${text}`, onclick: () => page.state(key, "") }, "take back"));
  });
  $("statements").replaceChildren(...items);
  $("statements-box").hidden = !items.length;
}

function reset() {
  page.stated.clear();
  page.least = 0;
  $("least").value = 0;
  update();
}
