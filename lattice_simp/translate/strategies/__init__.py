"""The decoding strategies, in one table: a strategy is a file here and a line below."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lattice_simp.translate.lattice_decoder import LatticeDecoder
from lattice_simp.translate.result import Translation
from lattice_simp.translate.strategies import gappy, plain, skeleton_first
from lattice_simp.translate.strategies.task import Task


@dataclass(frozen=True)
class Strategy:
    """A way of translating.

    Attributes:
        translate: the function that translates a task.
        needs: attributes of a task, one of which must not be empty; none for a strategy without skeletons.
        help: one line for users.
    """

    translate: Callable[[LatticeDecoder, Task], Translation]
    needs: tuple[str, ...]
    help: str


STRATEGIES: Mapping[str, Strategy] = {
    "plain": Strategy(plain.translate, (), "without the skeleton"),
    "gappy": Strategy(gappy.translate, ("skeletons", "hypotheses"), "gappy composition of both lattices"),
    "skeleton-first": Strategy(skeleton_first.translate, ("skeletons",), "the skeleton first, its gaps after it"),
}
"""The strategies by name."""
