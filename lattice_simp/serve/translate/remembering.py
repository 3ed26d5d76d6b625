"""A caching decoder: marking a word changes the skeleton, but not the lattice of the whole sentence."""

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
"""The most arcs of a cached lattice."""


class Memory(Generic[T]):
    """A cache of the most recently used values.

    >>> memory = Memory(size=1)
    >>> [memory.get(key, lambda: value) for key, value in [("a", 1), ("a", 2), ("b", 3), ("a", 4)]]
    [1, 1, 3, 4]
    """

    def __init__(self, size: int = 8) -> None:
        self.size = size
        self._values: OrderedDict[Hashable, T] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T], keep: Callable[[T], bool] = lambda value: True) -> T:
        """Returns the value of a key, making it if missing and caching it if `keep` allows."""
        cached = self.find(key)
        if cached is not None:
            return cached
        value = make()
        if keep(value):
            self.keep(key, value)
        return value

    def find(self, key: Hashable) -> T | None:
        """Returns the value of a key, or None."""
        if key in self._values:
            self._values.move_to_end(key)
        return self._values.get(key)

    def keep(self, key: Hashable, value: T) -> None:
        """Caches a value, evicting the least recently used one."""
        self._values[key] = value
        if len(self._values) > self.size:
            self._values.popitem(last=False)


@dataclass(frozen=True, eq=False)
class RememberingDecoder(Decoder):
    """A decoder that caches its last lattices and n-best lists, for settings that differ only in the use of skeletons.

    Attributes:
        memory: the cache, shared by the decoders that `with_settings` derives.
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
            key, lambda: make(sentence, count), lambda pair: _is_small(pair[0])
        )
        return nbest


def _is_small(lattice: Lattice) -> bool:
    return lattice.num_arcs <= MOST_ARCS
