"""Every error that ml4c raises on purpose.

One root, so that `except ml4c.Ml4cError` catches all of them and nothing else; one child for each kind of
thing a user can hand us. A message names the offending column, line, edge or file and says what to do.
"""


class Ml4cError(Exception):
    """Root of all errors that ml4c raises on purpose."""


class DataError(Ml4cError):
    """A table cannot be read or used as it is."""


class GraphError(Ml4cError):
    """A matrix is not the graph that it is used as, or a query names a node that it cannot."""


class NetworkError(Ml4cError):
    """A Bayesian network or its file is malformed or unknown."""


class ModelError(Ml4cError):
    """A model file is truncated, foreign or does not match its card."""


class WorkError(Ml4cError):
    """Long work cannot begin or go on: its workers died, its folder belongs to another run, an option is senseless."""


class KnowledgeError(Ml4cError):
    """Background knowledge is malformed or contradicts itself or the skeleton."""
