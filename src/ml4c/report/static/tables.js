// The same as a table, for those who read rather than look, and for screen readers.

const MOST_ROWS = 200;
let sorting = { key: "i", down: false };

const ORIGIN = (edge) => {
  if (!edge.directed) return "undirected";
  if (edge.stated) return edge.stated === "reader" ? "stated by you" : "stated";
  if (edge.by.length) return "v-structure";
  const step = page.now.steps.find((found) => found.source === edge.i && found.target === edge.j);
  return step ? `Meek's rule ${step.rule}` : "follows";
};

const COLUMNS = [
  ["i", "Source", (edge) => data.shown[edge.i]],
  ["type", "", (edge) => (edge.directed ? "→" : "–")],
  ["j", "Target", (edge) => data.shown[edge.j]],
  ["p", "Probability", (edge) => edge.p],
  ["strength", "Strength", (edge) => evidenceOf(edge).strength],
  ["adjacency", "In resampled tables", (edge) => evidenceOf(edge).adjacency],
  ["origin", "Direction from", ORIGIN],
];

function listEdges() {
  const wanted = $("filter").value.trim().toLowerCase();
  const some = page.edges.filter((edge) => !wanted || data.shown[edge.i].toLowerCase().includes(wanted) || data.shown[edge.j].toLowerCase().includes(wanted));
  const used = COLUMNS.filter(([key]) => key !== "adjacency" || data.edges.some((edge) => edge[5] !== null)).filter(([key]) => key !== "strength" || data.edges.some((edge) => edge[4] !== null));
  const [, , value] = used.find(([key]) => key === sorting.key) || used[0];
  const none = sorting.down ? -Infinity : Infinity;
  const rank = (edge) => value(edge) ?? none;
  const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b, "en") : a - b);
  some.sort((a, b) => (sorting.down ? -1 : 1) * compare(rank(a), rank(b)) || a.i - b.i || a.j - b.j);
  const head = used.map(([key, text]) =>
    h("th", { scope: "col", "aria-sort": sorting.key === key ? (sorting.down ? "descending" : "ascending") : null }, text ? h("button", { type: "button", onclick: () => sortBy(key) }, text) : h("span", { class: "visually-hidden" }, "type")));
  const limit = $("all-rows").checked ? some.length : MOST_ROWS;
  const rows = some.slice(0, limit).map((edge) => h("tr", {}, used.map(([key, , cellOf]) => edgeCell(edge, key, cellOf(edge)))));
  $("edge-head").replaceChildren(h("tr", {}, head));
  $("edge-rows").replaceChildren(...rows);
  $("rows-left").hidden = some.length <= MOST_ROWS;
  $("edge-count").textContent = `${number(Math.min(limit, some.length), 0)} of ${number(page.edges.length, 0)} edges`;
}

function edgeCell(edge, key, value) {
  if (key === "i") {
    return h("td", {}, h("button", { type: "button", class: "link", "aria-label": edgeText(edge), onclick: () => showEdge(edge) }, value));
  }
  if (key === "type") return h("td", { class: "arrow" }, h("span", { "aria-hidden": "true" }, value), h("span", { class: "visually-hidden" }, edge.directed ? "causes" : "joined with"));
  const text = key === "adjacency" && value !== null && value !== undefined ? percent(value) : typeof value === "number" ? number(value, key === "p" ? 3 : 1) : value || "";
  return h("td", { class: typeof value === "number" ? "number" : null }, text);
}

function sortBy(key) {
  sorting = { key, down: sorting.key === key ? !sorting.down : ["p", "strength", "adjacency"].includes(key) };
  listEdges();
  const button = [...$("edge-head").querySelectorAll("th")].find((cell_) => cell_.hasAttribute("aria-sort"));
  if (button && button.querySelector("button")) button.querySelector("button").focus();
}

function showEdge(edge) {
  if (!scene.boxes.has(edge.i) || !scene.boxes.has(edge.j)) page.look(edge.i);
  page.select({ kind: "edge", key: pairKey(edge.i, edge.j) });
  $("graph").scrollIntoView({ block: "nearest" });
}
