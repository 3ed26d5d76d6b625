"""Draws a lattice as PNG or PDF with Graphviz, which the wheel of `pygraphviz` includes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, TypeAlias, get_args

from lattice_simp.core.arguments import choice, whole
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.draw.dot import to_dot
from lattice_simp.draw.labels import Numbers
from lattice_simp.draw.layout import graphviz
from lattice_simp.draw.svg import drawn_arcs, drawn_states
from lattice_simp.errors import LatticeSimpError

ImageFormat: TypeAlias = Literal["png", "pdf"]

IMAGE_FORMATS: tuple[str, ...] = get_args(ImageFormat)

_OPTIONS = {"png": "-Gdpi=144"}
"""The resolution; Graphviz's 96 pixels an inch are too few for small type."""


def to_image(
    lattice: Lattice,
    format: ImageFormat = "png",
    *,
    title: str | None = None,
    highlight: Collection[int] = frozenset(),
    max_states: int = 200,
    numbers: Numbers | None = None,
) -> bytes:
    """Draws a lattice's DOT text with Graphviz, in a format of IMAGE_FORMATS.

    >>> from lattice_simp import Lattice
    >>> to_image(Lattice.from_strings([("good day", 1.5)]), "pdf")[:5]
    b'%PDF-'

    Args:
        lattice: any lattice, even a cyclic one.
        format: `png` (144 pixels an inch) or `pdf`.
        title, highlight, numbers: see `to_dot`.
        max_states: see `to_svg`, which draws the same states and arcs.

    Raises:
        LatticeSimpError: the format is unknown, or this Graphviz cannot write it.
        MissingExtraError: pygraphviz is not installed.
    """
    require_lattice("to_image", lattice)
    choice(format, IMAGE_FORMATS, "format")
    states = drawn_states(lattice, whole(max_states, "max_states", 1))
    arcs = drawn_arcs(lattice, states)
    return rendered(to_dot(lattice, title, highlight, states=states, arcs=arcs, numbers=numbers), format)


def rendered(dot: str, format: str) -> bytes:
    """Renders DOT text with Graphviz; raises LatticeSimpError if it cannot write the format."""
    graph = graphviz(dot, format.upper())
    try:
        drawn: bytes = graph.draw(format=format, prog="dot", args=_OPTIONS.get(format, ""))
    except (OSError, TypeError, ValueError) as error:  # its bindings fail with a TypeError
        raise LatticeSimpError(f"this Graphviz cannot write {format.upper()}; write SVG or DOT") from error
    return drawn
