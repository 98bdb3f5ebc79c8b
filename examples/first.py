"""What `make demo` runs: a network, a sample, questions about it, and its graph."""

import itertools
import time

import ml4c
from ml4c.citest import questions

# One of the 24 networks that come with the package, and 10,000 records of it.
net = ml4c.load_network("alarm")
data = net.sample(10_000, seed=0)
print(data)

# Two causes of one effect: independent by themselves, dependent once the effect is known. That is a v-structure.
test = ml4c.DataTest(data)
print(test.ask("HYPOVOLEMIA", "LVFAILURE"))
print(test.ask("HYPOVOLEMIA", "LVFAILURE", given=["LVEDVOLUME"]))

# How well the two explain it, as a local score in nats.
scores = ml4c.LocalScores(data, "bdeu")
gain = scores.of("LVEDVOLUME", ["HYPOVOLEMIA", "LVFAILURE"]) - scores.of("LVEDVOLUME")
print(f"LVEDVOLUME given both: {gain:.1f} nats better than by itself")

# The graph that data can identify: arrows that are certain, and edges that no data can orient.
cpdag = ml4c.cpdag_of(net.dag)
print(ml4c.certify(cpdag, net.names))
for edge in ml4c.to_edges(cpdag, net.names)[:3]:
    print(edge)

# Every pair of columns given every third, in one batch.
asked = questions((x, y, (z,)) for x, y in itertools.combinations(range(37), 2) for z in range(37) if z not in (x, y))
start = time.perf_counter()
severity = test.dependence(asked).severity
print(f"{len(asked):,} more questions, {(time.perf_counter() - start) / len(asked) * 1e6:.1f} microseconds each")
