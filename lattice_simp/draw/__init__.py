"""Drawings of lattices: Graphviz DOT, which needs nothing, and SVG (with the extra `draw`)."""

from __future__ import annotations

from lattice_simp.draw.dot import to_dot
from lattice_simp.draw.svg import to_svg

__all__ = ["to_dot", "to_svg"]
