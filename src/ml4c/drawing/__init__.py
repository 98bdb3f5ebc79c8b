"""Graphs for the eye: where the nodes of a graph stand, and a small picture of it without a script.

Causes stand to the left of their effects. `layered_layout` gives places that the report draws on and moves;
`svg_picture` is the same graph as one static picture, for notebooks and comparisons.
"""

from ml4c.drawing.layout import Layout, Point, layered_layout
from ml4c.drawing.picture import Look, svg_picture

__all__ = ["Layout", "Look", "Point", "layered_layout", "svg_picture"]
