"""Shared by the formats of confusion networks: converts slots of words and probabilities to lattices and back."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from lattice_simp.core.header import Header
from lattice_simp.core.lattice import INFINITY, Lattice
from lattice_simp.core.symbols import EPSILON, SymbolTable
from lattice_simp.errors import EmptyLatticeError, InvalidLatticeError
from lattice_simp.formats.common import (
    LOST_FEATURES,
    LOST_HEADER,
    Losses,
    checked_lattice,
    header_parts,
    is_field,
    is_plain,
    probability_text,
    require_acceptor,
    shown,
)

_LARGEST = 1.01
"""The largest number that counts as a rounded probability."""


Slot: TypeAlias = Sequence[tuple[str, float]]
"""The words of a slot with their probabilities, which are above 0."""


def network(
    slots: Sequence[Slot], labels: Sequence[int], symbols: SymbolTable, path: str | Path | None, name: str | None
) -> Lattice:
    """Returns a chain of states with an arc for each word of each slot; `labels` are those of all words, in order."""
    sources = np.repeat(np.arange(len(slots)), list(map(len, slots)))
    costs = [0.0 - math.log(share) for slot in slots for _, share in slot]
    finals = np.append(np.full(len(slots), INFINITY), 0.0)
    lattice = checked_lattice(path, sources, labels, costs, sources + 1, finals, symbols)
    return replace(lattice, header=Header(name))


def word_labels(slots: Iterable[Slot], symbols: SymbolTable, no_words: Container[str]) -> list[int]:
    """Returns the labels of all words of slots, in order; `no_words` mean the empty word."""
    return [EPSILON if word in no_words else symbols.add(word) for slot in slots for word, _ in slot]


def probability(text: str) -> float | None:
    """Parses a probability, which may exceed 1 by rounding; returns None for any other text.

    >>> probability("0.25"), probability("1.000001"), probability("2")
    (0.25, 1.0, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return min(value, 1.0) if 0.0 <= value <= _LARGEST and is_plain(text) else None


def field_words(lattice: Lattice, no_word: str, format_name: str) -> dict[int, str]:
    """Returns the text of each label that occurs, and `no_word` for epsilon.

    Raises:
        InvalidLatticeError: a word is `no_word`, or readers would split it.
    """
    words = {label: lattice.symbols[label] for label in np.unique(lattice.olabels).tolist() if label != EPSILON}
    for word in words.values():
        if word == no_word or not is_field(word):
            raise InvalidLatticeError(f"{format_name} cannot hold the word {shown(word)}")
    return {EPSILON: no_word, **words}


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
