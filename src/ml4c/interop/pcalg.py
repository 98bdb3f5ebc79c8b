"""Adjacency matrices as the R package pcalg has them, type `amat.cpdag`.

Its manual (`?amatType`): a cell is 1 for an arrowhead and 0 for a tail or no edge, and the mark "refers to the row
index". So

    amat[a, b] = 0, amat[b, a] = 1    a --> b
    amat[a, b] = 1, amat[b, a] = 1    a --- b

which is the transpose of the matrix of this package: row b holds the parents of b. What pcalg's `pc()` and `skeleton()`
return is of this type after `as(x, "amat")`. Its other type, `amat.pag`, is Tetrad's matrix of endpoints: see
`to_tetrad_matrix`.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ml4c.interop.edges import NamedGraph, with_names
from ml4c.interop.marks import NamedMatrix


def to_pcalg(matrix: npt.ArrayLike, names: Sequence[str]) -> NamedMatrix:
    """Return the matrix of type amat.cpdag, rows and columns in the order of the names; any name will do."""
    named = with_names(matrix, names)
    return NamedMatrix(np.ascontiguousarray(named.matrix.T), named.names)


def from_pcalg(amat: npt.ArrayLike, names: Sequence[str]) -> NamedGraph:
    """Read a matrix of type amat.cpdag; weights, as in pcalg's wgtMatrix, must be made 1 before."""
    named = with_names(amat, names)
    return NamedGraph(np.ascontiguousarray(named.matrix.T), named.names)
