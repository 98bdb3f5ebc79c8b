"""What `make demo` runs: a table, its graph, the evidence, and how near the truth it is."""

import time

import ml4c

# One of the 24 networks that come with the package, and 10,000 records of it. Your own: ml4c.read_table("data.csv").
net = ml4c.load_network("alarm").permuted(0)
data = net.sample(10_000, seed=0)
print(data)

start = time.perf_counter()
result = ml4c.discover(data)
print(result)
print(f"{time.perf_counter() - start:.1f} seconds (the first run compiles)\n")

# Why an edge is there, why another is not.
print(result.explain("HYPOVOLEMIA", "LVEDVOLUME"))
print(result.explain("HYPOVOLEMIA", "LVFAILURE"))

truth = ml4c.cpdag_of(net.dag)
print(f"\nof {len(result.edges)} edges found and {net.n_edges} true ones: SHD {ml4c.shd(truth, result.cpdag)}")
