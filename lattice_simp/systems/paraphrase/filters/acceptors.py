"""What filters are made of: the sentences of a set, and acceptors over their words from tables of transitions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.support.tables import grammar_table


@dataclass(frozen=True)
class SentenceSet:
    """The sentences that were given, and the words that filters say something about.

    Attributes:
        sentences: tokens.
        tags: the parts of speech of each sentence's tokens.
    """

    sentences: tuple[tuple[str, ...], ...]
    tags: tuple[tuple[str, ...], ...]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The different words; label l is word l - 1."""
        return tuple(dict.fromkeys(word for sentence in self.sentences for word in sentence))

    @cached_property
    def neighbours(self) -> frozenset[tuple[str, str]]:
        """The pairs of words that follow each other somewhere."""
        return frozenset(pair for sentence in self.sentences for pair in pairwise(sentence))

    @cached_property
    def tags_of(self) -> Mapping[str, frozenset[str]]:
        """The parts of speech that each word has somewhere."""
        found: dict[str, set[str]] = {}
        for tokens, tags in zip(self.sentences, self.tags, strict=True):
            for token, tag in zip(tokens, tags, strict=True):
                found.setdefault(token, set()).add(tag)
        return {word: frozenset(own) for word, own in found.items()}

    def acceptor(self, goals: npt.ArrayLike, final: Iterable[bool]) -> Lattice:
        """Makes an acceptor of a table of transitions.

        Args:
            goals: (states, words) where each word leads from each state; -1 where it is not accepted.
            final: (states,) where sentences may end.
        """
        table = np.asarray(goals)
        sources, words = np.nonzero(table >= 0)
        ends = np.where(np.fromiter(final, dtype=np.bool_), 0.0, np.inf)
        symbols = SymbolTable(self.words)
        return Lattice.from_arcs(sources, words + 1, np.zeros(len(words)), table[sources, words], ends, symbols)


@cache
def word_classes(name: str) -> dict[str, str]:
    """Returns the class of each word of a table of `grammars/english`.

    >>> word_classes("modals")["must"]
    'obligation'
    """
    return {row["word"]: row["class"] for row in grammar_table(f"english/{name}.tsv", ("word", "class"), full=True)}


def automaton(
    given: SentenceSet, steps: Mapping[str, Mapping[int, int]], states: int, final: Collection[int]
) -> Lattice:
    """Makes an acceptor whose states stay as they are but where `steps[word][state]` says where a word leads."""
    goals = np.repeat(np.arange(states)[:, None], len(given.words), axis=1)
    for column, word in enumerate(given.words):
        for state, goal in steps.get(word, {}).items():
            goals[state, column] = goal
    return given.acceptor(goals, (state in final for state in range(states)))
