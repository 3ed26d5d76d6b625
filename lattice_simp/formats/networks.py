"""Shared by the formats of confusion networks: converts slots of words and probabilities to lattices and back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lattice_simp.core.header import Header
from lattice_simp.core.lattice import INFINITY, Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import EmptyLatticeError, InvalidLatticeError
from lattice_simp.formats.common import (
    LOST_FEATURES,
    LOST_HEADER,
    Losses,
    checked_lattice,
    finite,
    header_parts,
    probability_text,
    require_acceptor,
)

_LARGEST = 1.01
"""The largest number that counts as a rounded probability."""


class Slots(NamedTuple):
    """The entries of a confusion network.

    Attributes:
        slots: the number of each entry's slot, from 0, in ascending order.
        labels: (entries,)
        probabilities: above 0.
        length: the number of slots.
    """

    slots: Sequence[int]
    labels: Sequence[int]
    probabilities: Sequence[float]
    length: int

    def lattice(self, symbols: SymbolTable, path: str | Path | None, name: str | None) -> Lattice:
        """Returns a chain of states with an arc for each entry."""
        sources = np.array(self.slots, dtype=np.int64)
        costs = [0.0 - math.log(probability) for probability in self.probabilities]
        finals = np.append(np.full(self.length, INFINITY), 0.0)
        lattice = checked_lattice(path, sources, self.labels, costs, sources + 1, finals, symbols)
        return replace(lattice, header=Header(name))


def probability(text: str) -> float | None:
    """Parses a probability, which may exceed 1 by rounding; returns None for any other text.

    >>> probability("0.25"), probability("1.000001"), probability("2")
    (0.25, 1.0, None)
    """
    value = finite(text)
    return None if value is None or not 0.0 <= value <= _LARGEST else min(value, 1.0)


def written_slots(lattice: Lattice, words: Mapping[int, str], format_name: str) -> list[list[tuple[str, str]]]:
    """Returns the words and the probabilities of each slot of a confusion network, as text.

    Args:
        lattice: the network: arcs lead from each state to the next, and the last state is final at no cost.
        words: the text of each label.
        format_name: the format, for errors.

    Raises:
        InvalidLatticeError: the lattice is not a confusion network, or its costs are not those of probabilities.
        EmptyLatticeError: the lattice accepts nothing.
    """
    require_acceptor(lattice, format_name)
    lattice = lattice.connected()
    if lattice.empty:
        raise EmptyLatticeError("the lattice accepts nothing, so it cannot be written in this format")
    if (lattice.nextstates != lattice.sources + 1).any() or np.isfinite(lattice.finals[:-1]).any():
        remedy = "make one with `lattice confusion` or ls.confusion_network; or write PLF: --to plf"
        raise InvalidLatticeError(f"{format_name} can only hold confusion networks ({remedy})")
    if lattice.finals[-1] or (lattice.weights < -math.log(_LARGEST)).any():
        message = "a confusion network's costs are negative logs of probabilities, and its final cost is 0"
        raise InvalidLatticeError(f"{message} (make one with `lattice confusion` or ls.confusion_network)")
    slots: list[list[tuple[str, str]]] = [[] for _ in range(lattice.num_states - 1)]
    for slot, label, cost in zip(
        lattice.sources.tolist(), lattice.olabels.tolist(), lattice.weights.tolist(), strict=True
    ):
        slots[slot].append((words[label], probability_text(cost)))
    return slots


def lost(lattice: Lattice) -> Losses:
    """Returns the parts of a lattice that a format of words, costs and an utterance's name does not store."""
    return {
        LOST_FEATURES: lattice.features,
        LOST_HEADER: [part for part in header_parts(lattice) if part != "utterance"],
    }
