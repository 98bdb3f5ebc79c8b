// What is said about an edge, a triple or a column. Names become text nodes, never markup.

function h(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== null && value !== false) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== ""));
  return made;
}

const number = (value, digits = 2) => {
  if (value === null || value === undefined) return "";
  const size = Math.abs(value);
  if (size && (size < 0.001 || size >= 1e6)) return value.toExponential(1);
  return value.toLocaleString("en-US", { maximumFractionDigits: size < 0.1 ? 4 : digits });
};
const percent = (value) => `${Math.round(value * 100)} %`;
const section = (title, ...children) => h("section", { class: "why" }, h("h3", {}, title), ...children);

function meter(label, value, text, kind = "") {
  const bar = h("span", { class: `fill ${kind}` });
  bar.style.width = `${Math.max(0, Math.min(1, value)) * 100}%`;
  return h("div", { class: "meter" }, h("span", { class: "label" }, label), h("span", { class: "track", "aria-hidden": "true" }, bar), h("span", { class: "value" }, text));
}

function nodeButton(page, i) {
  return h("button", { type: "button", class: "link", onclick: () => page.select({ kind: "column", i }) }, page.shown[i]);
}

function edgeButton(page, edge) {
  const chosen = { kind: "edge", key: pairKey(edge.i, edge.j) };
  return h("button", { type: "button", class: "link", onclick: () => page.select(chosen) }, edgeText(edge));
}

const tripleText = (page, [x, t, y]) => `${page.shown[x]} → ${page.shown[t]} ← ${page.shown[y]}`;

function tripleButton(page, k) {
  const triple = page.data.triples[k];
  return h("button", { type: "button", class: "link", onclick: () => page.select({ kind: "triple", k }) }, tripleText(page, triple));
}

const REASONS = {
  dependent: "They depend on each other, and the edge earns its place in the best graph.",
  copy_link: "One of them is a copy of the other: they divide the rows alike.",
  required: "The knowledge of this run states that they are joined.",
};

function whyJoined(page, edge) {
  const record = edge.record;
  if (!record) return null;
  const [, , , , strength, adjacency, , , why, joined] = record;
  const parts = [];
  const tested = why && why[0] === "dependent" && why[3] === null;
  if (why) parts.push(h("p", {}, tested ? "No set of other columns that was tried makes them independent." : REASONS[why[0]] || why[0]));
  if (why && why[2] !== null) {
    const given = why[1].length ? ["given ", ...commas(why[1].map((i) => nodeButton(page, i)))] : ["by themselves"];
    parts.push(h("p", {}, "The best attempt to separate them: ", ...given, `, p = ${number(why[2])}.`));
  }
  if (joined !== null) parts.push(meter("Probability", joined, number(joined, 3)));
  if (strength !== null) {
    parts.push(meter("Strength", strength / page.strongest, `${number(strength, 1)}`), h("p", { class: "note" }, `${page.data.unit}; the bar is relative to the strongest edge`));
  }
  if (!parts.length) parts.push(h("p", {}, "It is in the skeleton that was given."));
  if (adjacency !== null) parts.push(...bootstrapBars(page, edge));
  return section("Why they are joined", ...parts);
}

const commas = (items) => items.flatMap((item, k) => (k ? [", ", item] : [item]));

function bootstrapBars(page, edge) {
  const { adjacency, forward, backward } = evidenceOf(edge);
  const [a, b] = [page.shown[edge.i], page.shown[edge.j]];
  const rows = [["joined", adjacency], [`${a} → ${b}`, forward], [`${b} → ${a}`, backward], ["undirected", adjacency - forward - backward]];
  return [h("h4", {}, `In the resampled tables`), ...rows.map(([label, share]) => meter(label, share, percent(share)))];
}

const RULE_WORDS = {
  1: (name, i, j, [k]) => `${name(k)} → ${name(i)}, and ${name(k)} and ${name(j)} are not joined: ${name(j)} → ${name(i)} would be a v-structure that is not there`,
  2: (name, i, j, [k]) => `${name(i)} → ${name(k)} → ${name(j)}: the other direction would close a circle`,
  3: (name, i, j, [k, m]) => `${name(k)} → ${name(j)} ← ${name(m)}, both joined with ${name(i)}: the other direction would force the v-structure ${name(k)} → ${name(i)} ← ${name(m)}`,
  4: (name, i, j, [k, m]) => `${name(k)} → ${name(m)} → ${name(j)}, ${name(i)} joined with both: the other direction would force a circle or a v-structure that is not there`,
};

function whyDirected(page, edge) {
  if (!edge.directed) {
    return section("Why it has no direction", h("p", {}, "Graphs with either direction explain the same independences, so no data of this kind can tell. Only knowledge, or an experiment, can."));
  }
  const parts = [];
  if (edge.stated) parts.push(h("p", {}, edge.stated === "reader" ? "You stated it." : "The knowledge of this run states it."));
  if (edge.by.length) {
    parts.push(h("p", {}, edge.by.length > 1 ? "These v-structures draw it:" : "This v-structure draws it:"));
    parts.push(h("ul", { class: "links" }, edge.by.slice(0, 12).map((number_) => vStructureItem(page, number_))));
    if (edge.by.length > 12) parts.push(h("p", { class: "note" }, `and ${edge.by.length - 12} more`));
  } else if (!edge.stated) {
    const chain = chainTo(edge.i, edge.j, page.now.steps, page.n);
    if (chain.length) {
      parts.push(h("p", {}, chain.length > 1 ? `It follows from other arrows, in ${chain.length} steps:` : "It follows from other arrows:"));
      const steps = chain.slice(-12).map((step) => h("li", {}, h("b", {}, `${page.shown[step.source]} → ${page.shown[step.target]}`), ` by Meek's rule ${step.rule}: `, RULE_WORDS[step.rule]((i) => page.shown[i], step.source, step.target, step.by), "."));
      parts.push(h("ol", { class: "chain" }, steps));
    } else {
      parts.push(h("p", {}, "It follows from other arrows."));
    }
  }
  return section("Why this direction", ...parts);
}

function vStructureItem(page, number_) {
  const [x, t, y, p] = page.data.ranked[number_];
  const k = page.tripleAt.get(`${Math.min(x, y)},${t},${Math.max(x, y)}`);
  const said = k === undefined ? h("span", {}, tripleText(page, [x, t, y])) : tripleButton(page, k);
  return h("li", {}, said, h("span", { class: "value" }, k === undefined ? "not judged" : number(p)));
}

function overrule(page, edge) {
  const key = pairKey(edge.i, edge.j);
  const [i, j] = key.split(",").map(Number);
  if (page.fixed.has(`${edge.i},${edge.j}`)) {
    return section("Overrule", h("p", {}, "The knowledge of this run fixes this arrow; change it there."));
  }
  const stated = page.stated.get(key);
  const choices = [["", "As found"], ["forward", `${page.shown[i]} → ${page.shown[j]}`], ["backward", `${page.shown[j]} → ${page.shown[i]}`], ["absent", "No edge"]];
  const options = choices.map(([kind, text]) =>
    h("label", { class: "choice" }, h("input", { type: "radio", name: "overrule", value: kind, checked: (stated || "") === kind, onchange: () => page.state(key, kind) }), h("span", {}, text)));
  return section("Overrule", h("fieldset", {}, h("legend", { class: "visually-hidden" }, "What do you know about this edge?"), options), h("p", { class: "note" }, "The consequences show at once; a new run with the exported file asks the data again."));
}

const SILENT = {
  constant: "The data say nothing about the direction: one of the two has a single value.",
  copy: "The data say nothing about the direction: the two are copies of one another.",
  "no interaction": "The data say nothing about the direction: no third column tells the two ends apart.",
};

function howSure(page, edge) {
  const { forward, backward } = directionsOf(edge.record, edge.i);
  if (forward === null) return null;
  const [a, b] = [page.shown[edge.i], page.shown[edge.j]];
  const rows = [[`${a} → ${b}`, forward], [`${b} → ${a}`, backward], ["undirected", Math.max(0, 1 - forward - backward)]];
  const silence = SILENT[edge.record[12]];
  return section("How probable is each direction", ...rows.map(([label, share]) => meter(label, share, share.toFixed(2))), h("p", { class: "note" }, "Over all orientations, before anything that you state."), silence ? h("p", {}, silence) : null);
}

function edgePanel(page, key) {
  const edge = page.edgeAt.get(key);
  const [i, j] = key.split(",").map(Number);
  if (!edge) {
    const gone = { i, j, directed: false, p: null, by: [], stated: "reader", record: page.recordAt.get(key) };
    return [title("Edge", `${page.shown[i]} and ${page.shown[j]}`), h("p", {}, "You stated that there is no edge here."), overrule(page, gone)];
  }
  const silent = edge.record && edge.record[12] ? "undetermined" : "";
  const badge = silent || (edge.p !== null ? `probability ${edge.p.toFixed(2)}` : edge.directed ? "follows" : "undirected");
  return [title(edge.directed ? "Arrow" : "Undirected edge", edgeText(edge), badge), whyDirected(page, edge), howSure(page, edge), whyJoined(page, edge), overrule(page, edge)];
}

function title(kind, name, badge = "") {
  return h("header", {}, h("p", { class: "kind" }, kind, badge ? h("span", { class: "badge" }, badge) : ""), h("h2", { tabindex: -1 }, name));
}

const VERDICT_WORDS = {
  accepted: "It is a v-structure of the graph, as its probability says.",
  rejected: "It is not a v-structure of the graph, as its probability says.",
  lost: "It is probable, but lost a conflict.",
  overruled: "It is probable, but not in the graph: it does not fit the others.",
  implied: "It is improbable, but in the graph: it follows from the others.",
};
const REASON_WORDS = { knowledge: "What the user states holds one of its arrows.", acyclicity: "The other way would close a directed circle.", decision: "The decision that was asked for weighs edges, not triples.", triple: "The strongest triple that stands against it: " };

function triplePanel(page, k) {
  const [x, t, y, p, verdict, rival, reason] = page.data.triples[k];
  const said = page.data.verdicts[verdict], why = page.data.reasons[reason];
  const parts = [h("p", {}, VERDICT_WORDS[said])];
  if (why || rival >= 0) {
    parts.push(h("p", {}, rival >= 0 ? (said === "lost" ? "It lost to the more probable " : REASON_WORDS.triple) : REASON_WORDS[why], rival >= 0 ? tripleButton(page, rival) : "", rival >= 0 ? ` (${number(page.data.triples[rival][3])}).` : ""));
  }
  const edges = [[x, t], [y, t]].map(([a, b]) => page.edgeAt.get(pairKey(a, b))).filter(Boolean);
  return [
    title("Triple", `${page.shown[x]} → ${page.shown[t]} ← ${page.shown[y]} ?`, said),
    section("How probable", meter("v-structure", p, number(p, 3)), ...parts),
    ...weighed(page, k),
    section("Its edges", h("ul", { class: "links" }, edges.map((edge) => h("li", {}, edgeButton(page, edge))))),
  ];
}

function weighed(page, k) {
  const told = page.data.weighed[k];
  const [x, t, y, p] = page.data.triples[k];
  if (!told) return [h("p", { class: "note" }, "The evidence of this triple is not in the page: only that of the triples that matter most is kept.")];
  const [withT, withoutT, setsWith, setsWithout, parts] = told;
  const found = [];
  if (withT !== null) {
    const sets = (count, named) => [`${number(count, 0)}`, count ? `: ${named.map((s) => (s.length ? `{${s.map((i) => page.shown[i]).join(", ")}}` : "{ } (by themselves)")).join(", ")}${count > named.length ? ", …" : ""}` : ""].join("");
    found.push(section(`What separates ${page.shown[x]} and ${page.shown[y]}`, h("dl", { class: "facts" }, h("dt", {}, `Sets with ${page.shown[t]}`), h("dd", {}, sets(withT, setsWith)), h("dt", {}, `Sets without ${page.shown[t]}`), h("dd", {}, sets(withoutT, setsWithout))), h("p", { class: "note" }, `At a v-structure, ${page.shown[t]} is in none of them: given it, the two depend on each other.`)));
  }
  if (parts.length) {
    const most = Math.max(...parts.map((part) => Math.abs(part[2])));
    const shown = parts.reduce((sum, part) => sum + part[2], 0);
    const rest = Math.log(p / (1 - p)) - shown;
    const lines = parts.map(([about, value, added]) => contribution(evidenceText(page, about, value, [x, t, y]), added, most));
    if (Number.isFinite(rest)) lines.push(contribution("everything else, and where the learner starts", rest, Math.max(most, Math.abs(rest))));
    found.push(section("What the learner weighed", h("ul", { class: "parts" }, lines), h("p", { class: "note" }, "Log-odds that each fact added for (+) or took from (−) a v-structure.")));
  }
  return found;
}

function contribution(text, added, most) {
  const bar = h("span", { class: `fill ${added > 0 ? "for" : "against"}` });
  bar.style.width = `${(Math.abs(added) / most) * 50}%`;
  bar.style[added > 0 ? "left" : "right"] = "50%";
  return h("li", {}, h("span", { class: "text" }, text), h("span", { class: "scale", "aria-hidden": "true" }, bar), h("span", { class: "value" }, `${added > 0 ? "+" : "−"}${number(Math.abs(added))}`));
}

function evidenceText(page, about, value, [x, t, y]) {
  const words = page.data.words[about];
  if (!words) return `${about}: ${number(value)}`;
  const filled = { "{x}": page.shown[x], "{t}": page.shown[t], "{y}": page.shown[y], "{value}": number(value), "{share}": percent(value) };
  return words.replace(/\{[a-z]+\}/g, (part) => filled[part]); // a function: names may hold $&
}

function columnPanel(page, i) {
  const facts = page.columns[i];
  const said = [];
  if (facts.categories !== null) said.push(["Categories", number(facts.categories, 0)]);
  if (facts.missing) said.push(["Missing", number(facts.missing, 0)]);
  if (facts.bins) said.push(["Discretised at", facts.bins]);
  if (facts.constant) said.push(["Note", "one value only: the data say nothing about it"]);
  const edges = page.edges.filter((edge) => edge.i === i || edge.j === i);
  const around = page.triplesAround(i).slice(0, 15);
  return [
    title("Column", page.shown[i], edges.length === 1 ? "1 edge" : `${edges.length} edges`),
    h("dl", { class: "facts" }, said.flatMap(([key, value]) => [h("dt", {}, key), h("dd", {}, value)])),
    h("p", {}, h("button", { type: "button", class: "plain-button", onclick: () => page.look(i) }, "Show its neighbourhood")),
    edges.length ? section("Edges", h("ul", { class: "links" }, edges.map((edge) => h("li", {}, edgeButton(page, edge), h("span", { class: "value" }, edge.p === null ? "" : number(edge.p)))))) : null,
    around.length ? section("Triples with it in the middle", h("ul", { class: "links" }, around.map((k) => h("li", {}, tripleButton(page, k), h("span", { class: "value" }, `${number(page.data.triples[k][3])} ${page.data.verdicts[page.data.triples[k][4]]}`))))) : null,
  ];
}

function startPanel(page) {
  const against = [...page.data.triples.keys()].filter((k) => ["lost", "overruled", "implied"].includes(page.data.verdicts[page.data.triples[k][4]])).slice(0, 10);
  const doubtful = page.edges.filter((edge) => edge.directed && edge.p !== null).sort((a, b) => a.p - b.p).slice(0, 5);
  return [
    title("How to read it", "Click an edge, a column or a triple"),
    h("p", {}, "Causes stand to the left. An arrow is a direction that the data can tell, a dashed line an edge whose direction they cannot. The thicker an arrow, the more probable the evidence that draws it."),
    doubtful.length ? section("The least sure arrows", h("ul", { class: "links" }, doubtful.map((edge) => h("li", {}, edgeButton(page, edge), h("span", { class: "value" }, number(edge.p)))))) : null,
    against.length ? section("Decided against their probability", h("ul", { class: "links" }, against.map((k) => h("li", {}, tripleButton(page, k), h("span", { class: "value" }, `${number(page.data.triples[k][3])} ${page.data.verdicts[page.data.triples[k][4]]}`))))) : null,
  ];
}
