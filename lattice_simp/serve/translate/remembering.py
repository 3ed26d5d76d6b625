"""A decoder that remembers: marking a word changes the skeleton, but not the lattice of the whole sentence."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.hiero_decoder import HieroDecoder, Words
from lattice_simp.translate.source import as_source

T = TypeVar("T")

MOST_ARCS = 1_000_000
"""Larger lattices are not kept."""


class Memory:
    """The last few values, by what they were made of.

    >>> memory = Memory(size=1)
    >>> [memory.get(key, lambda: made) for key, made in [("a", 1), ("a", 2), ("b", 3), ("a", 4)]]
    [1, 1, 3, 4]
    """

    def __init__(self, size: int = 8) -> None:
        self.size = size
        self._values: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T], keep: Callable[[T], bool] = lambda value: True) -> T:
        """Returns the value of a key, which is made if it is not there, and kept if it may be."""
        if key in self._values:
            self._values.move_to_end(key)
            found: T = self._values[key]
            return found
        value = make()
        if keep(value):
            self._values[key] = value
            if len(self._values) > self.size:
                self._values.popitem(last=False)
        return value


@dataclass(frozen=True, eq=False)
class RememberingDecoder(Decoder):
    """A decoder whose last lattices and n-best lists are kept; for settings that differ in the use of skeletons alone.

    Attributes:
        memory: shared by the decoders that `with_settings` makes of one.
    """

    memory: Memory = field(default_factory=Memory)

    @cached_property
    def hiero(self) -> HieroDecoder:
        """What decodes without skeletons."""
        return _RememberingHiero(self.grammar, self.language_models, self.weights, self.settings, self.memory)


@dataclass(frozen=True, eq=False)
class _RememberingHiero(HieroDecoder):
    memory: Memory = field(default_factory=Memory)

    def lattice(self, words: Words, beam: float) -> Lattice:
        key = ("lattice", as_source(words).best_words, beam)
        return self.memory.get(key, lambda: super(_RememberingHiero, self).lattice(words, beam), _is_small)

    def exact_nbest(self, words: Words, count: int) -> tuple[Lattice, list[Hypothesis]]:
        key = ("nbest", as_source(words).best_words, count)
        make = super().exact_nbest
        return self.memory.get(key, lambda: make(words, count), lambda found: _is_small(found[0]))


def _is_small(lattice: Lattice) -> bool:
    return lattice.num_arcs <= MOST_ARCS
