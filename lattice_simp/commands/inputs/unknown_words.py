"""Messages about words that a model does not know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping
from threading import Lock

import numpy as np

from lattice_simp.commands.shared.messages import say
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON

SHOWN_WORDS = 5
"""The number of unknown words to print."""

MANY_UNKNOWN = 0.25
"""The share of unknown words above which the text is probably tokenised in another way."""


def unknown_words(unknown: Counter[str], total: int, model: str = "the model") -> str:
    """Returns the number of words that a model does not know; asks for the cause if they are many.

    >>> unknown_words(Counter({"Cat": 2}), 4)
    "2 of 4 words unknown to the model (most often Cat): is the text tokenised and cased like the model's?"
    """
    shown = ", ".join(word for word, _ in unknown.most_common(SHOWN_WORDS))
    text = f"{unknown.total()} of {total} words unknown to {model} (most often {shown})"
    return f"{text}: is the text tokenised and cased like the model's?" if _are_many(unknown, total) else text


def _are_many(unknown: Counter[str], total: int) -> bool:
    return unknown.total() > MANY_UNKNOWN * total


class ScoredWords:
    """Counts the words that a language model scores, in any thread, to warn if it does not know many of them."""

    def __init__(self, model: Container[str], name: str = "the model") -> None:
        self._model, self._name = model, name
        self._counts, self._lock = Counter[str](), Lock()

    def add(self, words: Iterable[str] | Mapping[str, int]) -> None:
        """Adds words, or the counts of words."""
        with self._lock:
            self._counts.update(words)

    def add_arcs(self, lattice: Lattice, ignored: Collection[str]) -> None:
        """Adds the words of a lattice's arcs, except for ignored ones."""
        labels, counts = np.unique(lattice.olabels[lattice.olabels != EPSILON], return_counts=True)
        words = zip(lattice.symbols.words_of(labels), counts.tolist(), strict=True)
        self.add({word: count for word, count in words if word not in ignored})

    def warn(self, source: object) -> None:
        """Prints on stderr how many words of a file the model does not know, if they are many."""
        unknown = Counter({word: count for word, count in self._counts.items() if word not in self._model})
        if _are_many(unknown, total := self._counts.total()):
            say(f"{source}: {unknown_words(unknown, total, self._name)}")
