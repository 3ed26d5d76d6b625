"""Draws lattices as Graphviz DOT, and with the extra `draw` as SVG, PNG and PDF."""

from __future__ import annotations

from lattice_simp.core.lattice import Lattice
from lattice_simp.draw.dot import to_dot
from lattice_simp.draw.image import IMAGE_FORMATS, to_image
from lattice_simp.draw.labels import Numbers
from lattice_simp.draw.svg import SVG_STYLE, drawn_arcs, drawn_states, to_svg
from lattice_simp.errors import MissingExtraError

__all__ = ["IMAGE_FORMATS", "SVG_STYLE", "Numbers", "drawn_arcs", "drawn_states", "to_dot", "to_image", "to_svg"]


def _notebook(lattice: Lattice) -> str | None:
    """Returns a notebook's drawing of a lattice, or None without the extra, so that the notebook shows text."""
    try:
        return to_svg(lattice)
    except MissingExtraError:
        return None


Lattice._repr_svg_ = _notebook  # type: ignore[attr-defined]  # here, so that core needs no drawing
