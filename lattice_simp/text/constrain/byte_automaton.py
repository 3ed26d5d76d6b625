"""Automata over the UTF-8 bytes of texts, as tables for kernels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lattice_simp.core.kernel import Bools, Ints
from lattice_simp.formats.text_automaton import TextAutomaton

DEAD = -1
"""The target of a byte that no text has in this place."""

_CONTINUING = ((0x00, 0x7F, 0), (0xC2, 0xDF, 1), (0xE0, 0xEF, 2), (0xF0, 0xF4, 3))
"""The first and last lead byte of each kind, and how many bytes follow them."""

_LEAST = (0x00, 0x80, 0x800, 0x10000)
"""The lowest code point by the number of bytes that follow; lower ones take fewer bytes."""

_SURROGATES = (0xD800, 0xDFFF)

Pending = tuple[tuple[int, int, int], ...]
"""Ranges of code points that the remaining bytes may encode, relative to the bytes read: first, last, target state."""


@dataclass(frozen=True, eq=False)
class ByteAutomaton:
    """A deterministic automaton over bytes; every state reaches a final state.

    Attributes:
        table: (states, 256) int32, the state that each byte leads to, or -1; the start is state 0.
        finals: (states,) bool.
    """

    table: Ints
    finals: Bools

    def walk(self, data: bytes, state: int = 0) -> int:
        """Returns the state after `data`, or -1 if the bytes are rejected."""
        for byte in data:
            if state == DEAD:
                return DEAD
            state = int(self.table[state, byte])
        return state


def byte_automaton(automaton: TextAutomaton) -> ByteAutomaton:
    """Converts an automaton over characters to one over UTF-8 bytes.

    >>> from lattice_simp.core.lattice import Lattice
    >>> from lattice_simp.formats.text_automaton import text_automaton
    >>> bytes_of_cafe = byte_automaton(text_automaton(Lattice.from_strings([("café", 0.0)])))
    >>> bool(bytes_of_cafe.finals[bytes_of_cafe.walk("café".encode())]), bytes_of_cafe.walk(b"caf" + bytes([0xC2]))
    (True, -1)
    """
    growing = _Growing(len(automaton.arcs))
    for state in range(len(automaton.arcs)):
        growing.add_characters(state, _merged(automaton.ranges(state)))
    finals = np.zeros(len(growing.rows), dtype=np.bool_)
    finals[: len(automaton.finals)] = automaton.finals
    return ByteAutomaton(np.array(growing.rows, dtype=np.int32).reshape(-1, 256), finals)


class _Growing:
    """A growing table; states within a character are shared if the same code points may follow."""

    def __init__(self, count: int) -> None:
        self.rows = [[DEAD] * 256 for _ in range(count)]
        self._within: dict[tuple[int, Pending], int] = {}

    def add_characters(self, state: int, ranges: Pending) -> None:
        """Adds the bytes of code points."""
        for first, last, count in _CONTINUING:
            allowed = _clipped(ranges, _LEAST[count], 0x10FFFF, 0)
            if count == 2:
                below = _clipped(allowed, 0, _SURROGATES[0] - 1, 0)
                allowed = (*below, *_clipped(allowed, _SURROGATES[1] + 1, 0x10FFFF, 0))
            span = 64**count
            for byte in range(first, last + 1):
                begin = (byte - first if count == 0 else byte & (0x3F >> count)) * span
                self.rows[state][byte] = self._state(count, _clipped(allowed, begin, begin + span - 1, begin))

    def _state(self, left: int, pending: Pending) -> int:
        """Returns the state in which `left` bytes of a character remain."""
        if not pending:
            return DEAD
        if left == 0:
            return pending[0][2]
        key = (left, pending)
        if key not in self._within:
            self._within[key] = number = len(self.rows)
            row = [DEAD] * 256
            self.rows.append(row)
            span = 64 ** (left - 1)
            for index in range(64):
                begin = index * span
                row[0x80 + index] = self._state(left - 1, _clipped(pending, begin, begin + span - 1, begin))
            return number
        return self._within[key]


def _clipped(ranges: Pending, first: int, last: int, base: int) -> Pending:
    """Clips ranges to two code points and subtracts a base."""
    return tuple(
        (max(low, first) - base, min(high, last) - base, to)
        for low, high, to in ranges
        if low <= last and high >= first
    )


def _merged(ranges: Iterable[tuple[int, int, int]]) -> Pending:
    """Sorts ranges and merges neighbours that lead to the same state."""
    merged: list[tuple[int, int, int]] = []
    for first, last, to in sorted(ranges):
        if merged and merged[-1][1] + 1 == first and merged[-1][2] == to:
            merged[-1] = (merged[-1][0], last, to)
        else:
            merged.append((first, last, to))
    return tuple(merged)
