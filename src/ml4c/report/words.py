"""What the learner looked at, in words.

Features come in groups (see `ml4c.pipeline.weighing`). A group about answers is named A~B|C: how dependent A and B are
given C. Of the two ends of a triple, X is the one with the larger neighbourhood. The page fills in {x}, {t}, {y} and
{value}; a sentence about one end alone cannot say which of {x} and {y} it is, since the features do not.
"""

from __future__ import annotations

_PAIRS = {
    "X~Y": "{x} and {y}",
    "X~PC_Y": "the end with more neighbours and the neighbours of the other",
    "Y~PC_X": "the end with fewer neighbours and the neighbours of the other",
    "PC_X~PC_Y": "the neighbours of {x} and those of {y}",
}
_GIVENS = {
    "T": "given {t} alone",
    "S": "given what separates {x} and {y}",
    "S+T": "given what separates {x} and {y}, with {t} added",
    "PC_T": "given other neighbours of {t}",
    "S+PC_T": "given what separates {x} and {y}, with a neighbour of {t} added",
}
_SINGLE = {
    "|PC_T|": "{t} has {value} neighbours",
    "|PC_X|": "the end with more neighbours has {value}",
    "|PC_Y|": "the end with fewer neighbours has {value}",
    "sepsets": "{value} sets separate {x} and {y}",
    "mean sepset size": "the separating sets have {value} members on average",
    "olp(PC_X,PC_Y)": "overlap of the neighbours of {x} and {y}: {value}",
    "olp(PC_X,PC_T)": "overlap of the neighbours of {t} and of the end with more: {value}",
    "olp(PC_Y,PC_T)": "overlap of the neighbours of {t} and of the end with fewer: {value}",
    "olp(T,S)": "{t} is in {share} of the sets that separate {x} and {y}",
    "olp(PC_X,S)": "overlap of the separating sets and the neighbours of the end with more: {value}",
    "olp(PC_Y,S)": "overlap of the separating sets and the neighbours of the end with fewer: {value}",
    "olp(PC_T,S)": "overlap of the separating sets and the neighbours of {t}: {value}",
}

_SCORES = {
    "colliders": "{t} is their common effect in {share} of the graphs that the scores find probable",
    "gain: collider": "by themselves, the three columns score {value} nats more with {t} as common effect",
    "gain: X~Y": "{x} and {y} explain each other by {value} nats, {t} left aside",
    "gain: X~Y|T": "{x} and {y} explain each other by {value} nats, given {t}",
    "gain: both parents": "{t} is explained better by both than by one: {value} nats",
    "edges": "the weaker of the two edges is worth {value} nats",
    "rows": "the table has {value} rows",
    "columns": "the table has {value} columns",
    "cells per row": "the three columns have {value} cells for each row",
    "skeleton learned": "the skeleton was learned from the table (1) or given (0): {value}",
    "cardinality": "{t} has {value} categories",
    "degree": "{t} has {value} neighbours",
    "entropy": "{t} has an entropy of {value} nats",
}

WORDS: dict[str, str] = {
    **_SCORES,
    **{
        f"{pair}|{given}": f"{between} are {{value}} standard deviations from independence, {under}"
        for given, under in _GIVENS.items()
        for pair, between in _PAIRS.items()
    },
    **_SINGLE,
}
"""A sentence for each group of features."""
