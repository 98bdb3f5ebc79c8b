// Graphs as matrices, as in ml4c.graph: a[i * n + j] = 1 and a[j * n + i] = 0 is i -> j, both 1 is i - j.
// preview() mirrors ml4c.report.preview, closure() ml4c.meek.closure_steps, certify() ml4c.meek.certify: to the word.

const NODES_SHOWN = 10;

function setsOf(a, n) {
  const make = () => Array.from({ length: n }, () => new Set());
  const g = { parents: make(), children: make(), neighbours: make(), adjacent: make() };
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (!a[i * n + j]) continue;
      g.adjacent[i].add(j);
      g.adjacent[j].add(i);
      if (a[j * n + i]) {
        g.neighbours[i].add(j);
      } else {
        g.children[i].add(j);
        g.parents[j].add(i);
      }
    }
  }
  return g;
}

function orient(g, i, j) {
  g.neighbours[i].delete(j);
  g.neighbours[j].delete(i);
  g.children[i].add(j);
  g.parents[j].add(i);
}

const minus = (a, b) => [...a].filter((k) => !b.has(k));
const both = (a, b) => [...a].filter((k) => b.has(k));
const smallest = (found) => found.sort((p, q) => p[0] - q[0] || (p[1] || 0) - (q[1] || 0))[0];

// Meek's rules on i - j: the other nodes of each, in every way that it applies.
const RULES = [
  (g, i, j) => minus(g.parents[i], g.adjacent[j]).map((k) => [k]),
  (g, i, j) => both(g.children[i], g.parents[j]).map((k) => [k]),
  (g, i, j) => {
    const middles = both(g.neighbours[i], g.parents[j]);
    return middles.flatMap((k) => middles.filter((m) => k < m && !g.adjacent[k].has(m)).map((m) => [k, m]));
  },
  (g, i, j) =>
    both(g.adjacent[i], g.parents[j]).flatMap((m) =>
      both(g.neighbours[i], g.parents[m]).filter((k) => !g.adjacent[j].has(k)).map((k) => [k, m]),
    ),
];

function stepFor(g, i, j) {
  for (let rule = 1; rule <= 4; rule++) {
    const by = smallest(RULES[rule - 1](g, i, j));
    if (by) return { source: i, target: j, rule, by };
  }
  return null;
}

function undirectedPairs(a, n) {
  const found = [];
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) if (a[i * n + j] && a[j * n + i]) found.push([i, j]);
  return found;
}

function closure(given, n) {
  const a = given.slice();
  const g = setsOf(a, n);
  let left = undirectedPairs(a, n);
  const steps = [];
  for (;;) {
    const asked = new Map();
    for (const [i, j] of left) {
      for (const [s, t] of [[i, j], [j, i]]) {
        const step = stepFor(g, s, t);
        if (step) asked.set(s * n + t, step);
      }
    }
    const drawn = [...asked.keys()].sort((p, q) => p - q).map((key) => asked.get(key));
    const round = drawn.filter((step) => !asked.has(step.target * n + step.source));
    if (!round.length) return { graph: a, steps };
    for (const step of round) {
      orient(g, step.source, step.target);
      a[step.target * n + step.source] = 0;
    }
    left = left.filter(([i, j]) => a[i * n + j] && a[j * n + i]);
    steps.push(...round);
  }
}

function arrowsOf(step) {
  const { source: i, target: j, rule, by } = step;
  const k = by[0], m = by[by.length - 1];
  return { 1: [[k, i]], 2: [[i, k], [k, j]], 3: [[k, j], [m, j]], 4: [[k, m], [m, j]] }[rule];
}

function chainTo(i, j, steps, n) {
  const byArrow = new Map(steps.map((step) => [step.source * n + step.target, step]));
  const needed = new Set();
  const waiting = [i * n + j];
  while (waiting.length) {
    const key = waiting.pop();
    if (byArrow.has(key) && !needed.has(key)) {
      needed.add(key);
      waiting.push(...arrowsOf(byArrow.get(key)).map(([s, t]) => s * n + t));
    }
  }
  return steps.filter((step) => needed.has(step.source * n + step.target));
}

function findCycle(a, n) {
  const g = setsOf(a, n);
  const waiting = g.parents.map((p) => p.size);
  const free = [...waiting.keys()].filter((i) => !waiting[i]);
  const left = new Set(waiting.keys());
  while (free.length) {
    const i = free.pop();
    left.delete(i);
    for (const j of g.children[i]) if (!--waiting[j]) free.push(j);
  }
  if (!left.size) return null;
  const position = new Map();
  const walk = [];
  let node = Math.min(...left);
  while (!position.has(node)) {
    position.set(node, walk.length);
    walk.push(node);
    node = Math.min(...both(g.parents[node], left));
  }
  return walk.slice(position.get(node)).reverse();
}

function eliminateSinks(a, n) {
  const g = setsOf(a, n);
  const dag = new Uint8Array(n * n);
  for (let k = 0; k < n * n; k++) dag[k] = a[k] && !a[(k % n) * n + Math.floor(k / n)] ? 1 : 0;
  const left = new Set(Array(n).keys());
  const pending = [...left];
  const canBeLast = (node) => {
    if (g.children[node].size) return false;
    for (const k of g.neighbours[node]) for (const m of g.adjacent[node]) if (m !== k && !g.adjacent[k].has(m)) return false;
    return true;
  };
  while (pending.length) {
    const node = pending.pop();
    if (!left.has(node) || !canBeLast(node)) continue;
    for (const k of g.neighbours[node]) dag[k * n + node] = 1;
    left.delete(node);
    for (const k of g.adjacent[node]) for (const sets of Object.values(g)) sets[k].delete(node);
    pending.push(...[...g.adjacent[node]].sort((p, q) => p - q));
  }
  return { dag, left: [...left].sort((p, q) => p - q) };
}

function vStructures(a, n) {
  const g = setsOf(a, n);
  const found = [];
  for (let t = 0; t < n; t++) {
    const around = [...g.parents[t]].sort((p, q) => p - q);
    for (const x of around) for (const y of around) if (x < y && !g.adjacent[x].has(y)) found.push([x, t, y]);
  }
  return found;
}

function cpdagOf(dag, n) {
  const a = new Uint8Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) if (dag[i * n + j]) a[i * n + j] = a[j * n + i] = 1;
  for (const [x, t, y] of vStructures(dag, n)) a[t * n + x] = a[t * n + y] = 0;
  return closure(a, n).graph;
}

function withArrows(cpdag, n, arrows) {
  if (!arrows.length) return cpdag;
  const drawn = cpdag.slice();
  for (const [i, j] of arrows) drawn[j * n + i] = 0;
  return closure(drawn, n).graph;
}

function certify(a, n, names, fixed) {
  const listed = (nodes, between) => {
    const shown = nodes.slice(0, NODES_SHOWN).map((i) => names[i]).join(between);
    return nodes.length <= NODES_SHOWN ? shown : `${shown}${between}... (${nodes.length} in all)`;
  };
  const reasons = [];
  const cycle = findCycle(a, n);
  if (cycle) reasons.push(`directed cycle ${listed([...cycle, cycle[0]], " -> ")}`);
  const { dag, left } = eliminateSinks(a, n);
  if (left.length) {
    reasons.push(`no DAG extends it: among ${listed(left, ", ")} none can be last without a cycle or a new v-structure`);
  }
  const open = edgeLeftOpen(a, n, names);
  if (open) reasons.push(open);
  const missing = fixed.find(([i, j]) => !a[i * n + j] || a[j * n + i]);
  if (missing) {
    const [s, t] = missing.map((i) => names[i]);
    reasons.push(`arrow missing: ${s} -> ${t} is fixed, but the graph does not have it`);
  }
  let isCpdag = false;
  if (!left.length && !missing) {
    const expected = withArrows(cpdagOf(dag, n), n, fixed);
    isCpdag = expected.every((value, k) => value === a[k]);
    const k = expected.findIndex((value, at) => a[at] < value);
    if (k >= 0) {
      const [i, j] = [names[Math.floor(k / n)], names[k % n]];
      reasons.push(`arrow not compelled: ${j} -> ${i} may as well be ${i} -> ${j}`);
    }
  }
  const checks = { acyclic: !cycle, extendable: !left.length, closed: !open, is_cpdag: isCpdag };
  return { ...checks, valid: Object.values(checks).every(Boolean), reason: reasons.join("; ") };
}

function edgeLeftOpen(a, n, names) {
  const g = setsOf(a, n);
  for (const [i, j] of undirectedPairs(a, n)) {
    for (const [s, t] of [[i, j], [j, i]]) {
      const step = stepFor(g, s, t);
      if (step) return `not closed: Meek's rule ${step.rule} turns ${names[s]} - ${names[t]} into ${names[s]} -> ${names[t]}`;
    }
  }
  return "";
}

// pairs: the edges of the skeleton; ranked: [x, t, y, probability]; arrows and absent: what is stated.
function preview({ n, names, pairs, ranked, least, arrows, absent }) {
  const a = new Uint8Array(n * n);
  for (const [i, j] of pairs) a[i * n + j] = a[j * n + i] = 1;
  for (const [i, j] of absent) a[i * n + j] = a[j * n + i] = 0;
  const stated = arrows.filter(([i, j]) => a[i * n + j] || a[j * n + i]);
  for (const [i, j] of stated) a[j * n + i] = 0;
  const kept = [], leftOut = [];
  ranked.forEach(([x, t, y, p], number) => {
    if (p < least) return;
    if (a[x * n + t] && a[y * n + t]) {
      a[t * n + x] = a[t * n + y] = 0;
      kept.push(number);
    } else {
      leftOut.push(number);
    }
  });
  const { graph, steps } = closure(a, n);
  return { graph, steps, kept, leftOut, certificate: certify(graph, n, names, stated) };
}
