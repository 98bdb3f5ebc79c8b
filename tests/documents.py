"""Results to make pages of, without looking at data: a true CPDAG with probabilities drawn at random."""

from html.parser import HTMLParser

import numpy as np

from ml4c.graph import skeleton, unshielded_triples
from ml4c.interop import FoundEdge, FoundTriple, GraphDocument, to_edges
from ml4c.meek import certify, cpdag_of

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><b>",
    "{{ 7*7 }}",
    "$& ' \\ a,b",
    "two\nlines\x07",
)


def document_of(dag, names, *, seed=0, known=(), **run):
    """A document as `discover` makes it, from a DAG whose v-structures are probable and others are not."""
    rng = np.random.default_rng(seed)
    joined = skeleton(dag)
    triples = unshielded_triples(joined)
    x, t, y = triples.T
    collider = (dag[x, t] & dag[y, t]).astype(bool)
    p = np.where(collider, rng.uniform(0.55, 0.999, len(x)), rng.uniform(0.001, 0.45, len(x)))
    graph, verdicts = cpdag_of(dag), np.where(collider, "accepted", "rejected").tolist()
    draws = {}
    for k in np.flatnonzero(collider).tolist():
        for end in (x[k], y[k]):
            draws.setdefault((names[end], names[t[k]]), []).append(float(p[k]))
    edges = [
        FoundEdge(
            e.source, e.target, e.type, max(draws.get((e.source, e.target), []), default=None), rng.uniform(5, 500)
        )
        for e in to_edges(graph, names)
    ]
    records = [
        FoundTriple(names[a], names[b], names[c], float(p[k]), verdicts[k])
        for k, (a, b, c) in enumerate(triples.tolist())
    ]
    columns = {name: {"categories": 2 + k % 4, "missing": 0} for k, name in enumerate(names)}
    facts = {"model": "default", "seed": 0, "rows": 5000, "known": [list(arrow) for arrow in known], **run}
    return GraphDocument(tuple(names), tuple(edges), tuple(records), certify(graph), columns, facts)


class Page(HTMLParser):
    """The elements of a page, and the text inside of each kind."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self._open = [], {}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._open.append(tag)

    def handle_endtag(self, tag):
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data):
        if self._open:
            self.text.setdefault(self._open[-1], []).append(data)
