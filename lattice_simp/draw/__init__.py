"""Drawings of lattices: Graphviz DOT, and SVG with a layout of our own that needs no system package."""

from __future__ import annotations

from lattice_simp.draw.dot import to_dot
from lattice_simp.draw.svg import to_svg

__all__ = ["to_dot", "to_svg"]
