"""A decoder of UTF-8 as a table for kernels: from bytes to classes of characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lattice_simp.core.kernel import Bools, Ints
from lattice_simp.formats.generators.automaton import Ranges

DEAD = -1
"""The step of a byte that is not allowed in this place."""

CLASS = -2
"""Steps from here down end a character: `CLASS - number` stands for a class."""

_CONTINUING = ((0x00, 0x7F, 0), (0xC2, 0xDF, 1), (0xE0, 0xEF, 2), (0xF0, 0xF4, 3))
"""The first and last lead byte of each kind, and how many bytes follow them."""

_LEAST = (0x00, 0x80, 0x800, 0x10000)
"""The lowest code point by the number of bytes that follow; lower ones take fewer bytes."""

_SURROGATES = (0xD800, 0xDFFF)

Pending = tuple[tuple[int, int, int], ...]
"""Ranges of code points that the remaining bytes may encode, relative to the bytes read: first, last, class."""


@dataclass(frozen=True, eq=False)
class Utf8Decoder:
    """A deterministic automaton over bytes; state 0 is between characters, the others are within one.

    >>> decoder = Utf8Decoder.of([((0x61, 0x7A),), ((0xE9, 0xE9),)])
    >>> within = int(decoder.steps[0, 0xC3])
    >>> CLASS - int(decoder.steps[0, ord("b")]), CLASS - int(decoder.steps[within, 0xA9]), decoder.open[within].tolist()
    (0, 1, [False, True])

    Attributes:
        steps: (states, 256) int32, the target of each byte: a state, a class (see `CLASS`), or `DEAD`.
        open: (states, classes) bool, the classes of characters that may end the character begun.
    """

    steps: Ints
    open: Bools

    @classmethod
    def of(cls, classes: Sequence[Ranges]) -> Utf8Decoder:
        """Makes the decoder of classes of code points that do not overlap."""
        growing = _Growing()
        growing.add_characters(
            tuple(sorted((first, last, number) for number, ranges in enumerate(classes) for first, last in ranges))
        )
        may_end = np.ones((len(growing.rows), len(classes)), dtype=np.bool_)
        for (_, pending), state in growing.within.items():
            may_end[state] = np.isin(np.arange(len(classes)), [number for _, _, number in pending])
        return cls(np.array(growing.rows, dtype=np.int32), may_end)


class _Growing:
    """A growing table; states are shared if the same code points may follow."""

    def __init__(self) -> None:
        self.rows = [[DEAD] * 256]
        self.within: dict[tuple[int, Pending], int] = {}

    def add_characters(self, ranges: Pending) -> None:
        """Adds the bytes of code points."""
        for first, last, count in _CONTINUING:
            allowed = _clipped(ranges, _LEAST[count], 0x10FFFF, 0)
            if count == 2:
                below = _clipped(allowed, 0, _SURROGATES[0] - 1, 0)
                allowed = (*below, *_clipped(allowed, _SURROGATES[1] + 1, 0x10FFFF, 0))
            span = 64**count
            for byte in range(first, last + 1):
                begin = (byte - first if count == 0 else byte & (0x3F >> count)) * span
                self.rows[0][byte] = self._step(count, _clipped(allowed, begin, begin + span - 1, begin))

    def _step(self, left: int, pending: Pending) -> int:
        """Returns the step of a byte after which `left` bytes of the character remain."""
        if not pending:
            return DEAD
        if left == 0:
            return CLASS - pending[0][2]
        key = (left, pending)
        if key not in self.within:
            self.within[key] = number = len(self.rows)
            row = [DEAD] * 256
            self.rows.append(row)
            span = 64 ** (left - 1)
            for index in range(64):
                begin = index * span
                row[0x80 + index] = self._step(left - 1, _clipped(pending, begin, begin + span - 1, begin))
            return number
        return self.within[key]


def _clipped(ranges: Pending, first: int, last: int, base: int) -> Pending:
    """Clips ranges to two code points and subtracts a base."""
    return tuple(
        (max(low, first) - base, min(high, last) - base, number)
        for low, high, number in ranges
        if low <= last and high >= first
    )
