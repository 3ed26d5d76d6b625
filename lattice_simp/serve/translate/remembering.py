"""A decoder that remembers: marking a word changes the skeleton, but not the lattice of the whole sentence."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.source import Sentence, as_source

T = TypeVar("T")

MOST_ARCS = 1_000_000
"""Larger lattices are not kept."""


class Memory(Generic[T]):
    """The last few values, by what they were made of.

    >>> memory = Memory(size=1)
    >>> [memory.get(key, lambda: made) for key, made in [("a", 1), ("a", 2), ("b", 3), ("a", 4)]]
    [1, 1, 3, 4]
    """

    def __init__(self, size: int = 8) -> None:
        self.size = size
        self._values: OrderedDict[Hashable, T] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T], keep: Callable[[T], bool] = lambda value: True) -> T:
        """Returns the value of a key, which is made if it is not there, and kept if it may be."""
        known = self.find(key)
        if known is not None:
            return known
        value = make()
        if keep(value):
            self.keep(key, value)
        return value

    def find(self, key: Hashable) -> T | None:
        """Returns the value of a key, None if it is not there."""
        if key in self._values:
            self._values.move_to_end(key)
        return self._values.get(key)

    def keep(self, key: Hashable, value: T) -> None:
        """Keeps a value; the one that nobody asked for the longest goes."""
        self._values[key] = value
        if len(self._values) > self.size:
            self._values.popitem(last=False)


@dataclass(frozen=True, eq=False)
class RememberingDecoder(Decoder):
    """A decoder whose last lattices and n-best lists are kept; for settings that differ in the use of skeletons alone.

    Attributes:
        memory: shared by the decoders that `with_settings` makes of one.
    """

    memory: Memory[Any] = field(default_factory=Memory)

    def lattice(self, sentence: Sentence, beam: float | None = None) -> Lattice:
        beam = self.settings.beam if beam is None else beam
        key = ("lattice", as_source(sentence).best_words, beam)
        make = super().lattice
        lattice: Lattice = self.memory.get(key, lambda: make(sentence, beam), _is_small)
        return lattice

    def exact_nbest(self, sentence: Sentence, count: int) -> tuple[Lattice, list[Hypothesis]]:
        key = ("nbest", as_source(sentence).best_words, count)
        make = super().exact_nbest
        nbest: tuple[Lattice, list[Hypothesis]] = self.memory.get(
            key, lambda: make(sentence, count), lambda made: _is_small(made[0])
        )
        return nbest


def _is_small(lattice: Lattice) -> bool:
    return lattice.num_arcs <= MOST_ARCS
