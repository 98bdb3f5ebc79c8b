// The graph as it is shown, in the formats of ml4c.interop: what Python reads back is the same graph.

function save(name, type, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const cell = (value) => {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) || /^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const EVIDENCE = ["probability", "forward_probability", "backward_probability", "strength", "edge_probability", "adjacency", "forward", "backward", "undetermined"];

// The probabilities of the two directions of an edge, as seen from node i.
function directionsOf(record, i) {
  const [forward, backward] = record ? record.slice(10, 12) : [null, null];
  return record && record[0] !== i ? { forward: backward, backward: forward } : { forward, backward };
}

function evidenceOf(edge) {
  const [, , , , strength, adjacency, forward, backward, , joined] = edge.record || [];
  const turned = edge.record && edge.record[0] !== edge.i;
  const shares = turned ? { forward: backward, backward: forward } : { forward, backward };
  const odds = directionsOf(edge.record, edge.i);
  const directions = { forward_probability: odds.forward, backward_probability: odds.backward };
  return { probability: edge.p, ...directions, strength, edge_probability: joined, adjacency, ...shares, undetermined: (edge.record || [])[12] };
}

function asCsv(edges, names) {
  const rows = edges.map((edge) => {
    const facts = evidenceOf(edge);
    return [names[edge.i], names[edge.j], edge.directed ? "directed" : "undirected", ...EVIDENCE.map((key) => facts[key])];
  });
  return [["source", "target", "type", ...EVIDENCE], ...rows].map((row) => row.map(cell).join(",") + "\n").join("");
}

function asDot(edges, shown) {
  const quoted = (text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  const lines = shown.map((name, i) => `  ${i} [label=${quoted(name)}];`);
  for (const edge of edges) {
    const attributes = [];
    if (!edge.directed) attributes.push("dir=none");
    if (edge.p !== null) attributes.push(`label="${edge.p.toFixed(2)}"`);
    lines.push(`  ${edge.i} -> ${edge.j}${attributes.length ? ` [${attributes.join(", ")}]` : ""};`);
  }
  return ["digraph {", ...lines, "}", ""].join("\n");
}

const escapeXml = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\r", "&#13;");

// Python's unicode_escape, which ml4c.interop.graphml uses for names that XML cannot hold.
function unicodeEscape(name) {
  const short = { 9: "\\t", 10: "\\n", 13: "\\r", 92: "\\\\" };
  return Array.from(name, (letter) => {
    const code = letter.codePointAt(0);
    if (short[code]) return short[code];
    if (code >= 32 && code < 127) return letter;
    const hex = code.toString(16);
    return code < 256 ? `\\x${hex.padStart(2, "0")}` : code < 65536 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
  }).join("");
}

function asGraphml(edges, names) {
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'];
  const key = (id, owner, type) => `<key id="${id}" for="${owner}" attr.name="${id}" attr.type="${type}"/>`;
  lines.push(key("name", "node", "string"), key("escaped", "node", "boolean"), key("kind", "edge", "string"));
  lines.push(...EVIDENCE.map((id) => key(id, "edge", id === "undetermined" ? "string" : "double")), '<graph edgedefault="directed">');
  const data = (id, value) => (value === null || value === undefined ? "" : `<data key="${id}">${escapeXml(String(value))}</data>`);
  names.forEach((name, i) => {
    const odd = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(name);
    lines.push(`<node id="n${i}">${data("name", odd ? unicodeEscape(name) : name)}${odd ? data("escaped", "true") : ""}</node>`);
  });
  for (const edge of edges) {
    const facts = { kind: edge.directed ? "directed" : "undirected", ...evidenceOf(edge) };
    const arc = (i, j, told) => `<edge source="n${i}" target="n${j}">${Object.entries(told).map(([k, v]) => data(k, v)).join("")}</edge>`;
    lines.push(arc(edge.i, edge.j, facts));
    const turned = { forward: facts.backward, backward: facts.forward, forward_probability: facts.backward_probability, backward_probability: facts.forward_probability };
    if (!edge.directed) lines.push(arc(edge.j, edge.i, { ...facts, ...turned }));
  }
  return [...lines, "</graph>", "</graphml>", ""].join("\n");
}

const PICTURE_STYLE =
  "text{font:500 13px system-ui,sans-serif;fill:#1c2733}.hit{display:none}.line{fill:none;stroke:#3f4c5c}.head{fill:#3f4c5c}" +
  ".plain .line{stroke:#8a95a3}.plain .head{fill:#8a95a3}.undirected .line{stroke:#6b7685}.stated .line{stroke:#a15c00}" +
  ".stated .head{fill:#a15c00}.node rect{fill:#fff;stroke:#a9b3bf}.constant rect{stroke-dasharray:3 3}";

// A copy of the drawing that stands alone, in the colours of a light page.
function asSvg(board, bounds) {
  const round = (value) => Math.round(value);
  const made = svg("svg", {
    xmlns: SVG,
    viewBox: [bounds.x, bounds.y, bounds.width, bounds.height].map(round).join(" "),
    width: round(bounds.width),
    height: round(bounds.height),
  });
  made.append(svg("style", {}, PICTURE_STYLE));
  made.append(svg("rect", { x: bounds.x, y: bounds.y, width: bounds.width, height: bounds.height, fill: "#ffffff" }));
  for (const part of board.children) made.append(part.cloneNode(true));
  for (const node of made.querySelectorAll("[tabindex]")) {
    for (const name of ["tabindex", "role", "aria-label", "style"]) node.removeAttribute(name);
  }
  for (const node of made.querySelectorAll(".dim,.chosen,.lit")) node.classList.remove("dim", "chosen", "lit");
  return new XMLSerializer().serializeToString(made);
}

const MOST_PIXELS = 8000;

function asPng(text, bounds) {
  const scale = Math.min(2, MOST_PIXELS / bounds.width, MOST_PIXELS / bounds.height);
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = Math.ceil(bounds.width * scale);
      canvas.height = Math.ceil(bounds.height * scale);
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png");
    };
    image.onerror = () => reject(new Error("the picture cannot be drawn"));
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });
}

// What ml4c discover --knowledge reads: the knowledge of the run and what the reader stated.
function asKnowledge(knowledge, statements, names) {
  const made = JSON.parse(JSON.stringify(knowledge));
  const add = (key, i, j) => { (made[key] ||= []).push([names[i], names[j]]); };
  for (const { i, j, kind } of statements) {
    if (kind === "absent") {
      add("forbidden", i, j);
      add("forbidden", j, i);
    } else {
      add("required", ...(kind === "forward" ? [i, j] : [j, i]));
    }
  }
  return JSON.stringify(made, null, 2) + "\n";
}
