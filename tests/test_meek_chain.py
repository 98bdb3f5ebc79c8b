"""The steps of the closure: what they draw, from what, and which of them lead to an arrow."""

import numpy as np
import pytest

from ml4c.graph import Adjacency, skeleton, v_structures
from ml4c.meek import Step, chain_to, closure_steps, cpdag_of, meek_closure, rule_1, rule_2, rule_3, rule_4
from naive_graphs import random_dag, random_pdag


def drawn(a, steps):
    b = a.copy()
    for step in steps:
        b[step.target, step.source] = 0
    return b


@pytest.mark.parametrize("seed", range(200))
def test_the_steps_draw_the_closure_and_each_is_a_rule_at_its_time(seed):
    a = random_pdag(np.random.default_rng(seed), 7)
    steps = closure_steps(a)
    assert np.array_equal(drawn(a, steps), meek_closure(a))
    rules = {1: rule_1, 2: rule_2, 3: rule_3, 4: rule_4}
    for k, step in enumerate(steps):
        before = drawn(a, steps[:k])
        rounds = (Adjacency(drawn(a, steps[:m])) for m in range(k + 1))  # its own began at one of these
        assert any(rules[step.rule](g, step.source, step.target) for g in rounds)
        for i, j in step.arrows:
            assert before[i, j]
            assert not before[j, i]


def test_a_step_names_the_smallest_nodes_of_its_rule():
    # 0 -> 2 and 1 -> 2, 2 - 3: rule 1 by either of them.
    a = np.zeros((4, 4), np.int8)
    a[0, 2] = a[1, 2] = a[2, 3] = a[3, 2] = 1
    assert closure_steps(a) == [Step(2, 3, 1, (0,))]


@pytest.mark.parametrize("seed", range(50))
def test_a_chain_forces_its_arrow_by_itself_and_has_no_step_too_many(seed):
    dag = random_dag(np.random.default_rng(seed), 9, 0.35)
    a = skeleton(dag)
    for x, t, y in v_structures(dag).tolist():
        a[t, x] = a[t, y] = 0
    steps = closure_steps(a)
    assert np.array_equal(drawn(a, steps), cpdag_of(dag))
    for step in steps:
        chain = chain_to((step.source, step.target), steps)
        assert chain[-1] == step
        ready = {(i, j) for i, j in np.argwhere(a > a.T).tolist()}
        needed = set()
        for link in chain:
            assert set(link.arrows) <= ready
            ready.add((link.source, link.target))
            needed |= set(link.arrows)
        assert all((link.source, link.target) in needed for link in chain[:-1])


def test_an_arrow_that_no_rule_drew_has_no_chain():
    assert chain_to((0, 1), [Step(1, 2, 1, (0,))]) == []
