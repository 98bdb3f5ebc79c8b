"""The slow, obvious twin of `ml4c._kernels.sampling`, and the exact joint distribution of a small network."""

from __future__ import annotations

import itertools

import numpy as np


def draw_column(codes, parents, parent_cards, table, uniforms):
    """Walk through the distribution of each record's own row until the uniform is used up."""
    column = []
    for record, uniform in zip(codes.tolist(), uniforms.tolist(), strict=True):
        row = 0
        for parent, card in zip(parents, parent_cards, strict=True):
            row = row * card + record[parent]
        possible = [state for state, p in enumerate(table[row].tolist()) if p > 0]
        reached = 0.0
        for state in possible:
            reached += float(table[row, state])
            if uniform < reached:
                break
        column.append(state)  # the last possible one if rounding left the sum below the uniform
    return np.array(column)


def joint(net):
    """Return {states of all nodes: probability}, by the chain rule."""
    probabilities = {}
    for states in itertools.product(*map(range, net.cardinalities)):
        p = 1.0
        for state, node in zip(states, net.distributions, strict=True):
            cards = [net.cardinalities[parent] for parent in node.parents]
            configuration = tuple(states[parent] for parent in node.parents)
            p *= node.table.reshape(*cards, -1)[configuration][state]
        probabilities[states] = p
    return probabilities
