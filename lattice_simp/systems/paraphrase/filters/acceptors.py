"""Building blocks of filters: sets of sentences, and acceptors over their words from transition tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from lattice_simp.core.blocks import chosen_blocks
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.support.tables import grammar_table
from lattice_simp.systems.paraphrase.tree import Tree


@dataclass(frozen=True)
class SentenceSet:
    """The tokens, parts of speech and base forms of the original sentences, to whose words filters apply."""

    sentences: tuple[tuple[str, ...], ...]
    tags: tuple[tuple[str, ...], ...]
    lemmas: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> SentenceSet:
        """Returns the set of the sentences of trees."""
        return cls(*(tuple(getattr(tree, name) for tree in trees) for name in ("tokens", "tags", "lemmas")))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The distinct words; label l is word l - 1."""
        return tuple(dict.fromkeys(word for sentence in self.sentences for word in sentence))

    @cached_property
    def neighbours(self) -> frozenset[tuple[str, str]]:
        """The pairs of adjacent words."""
        return frozenset(pair for sentence in self.sentences for pair in pairwise(sentence))

    @cached_property
    def tags_of(self) -> Mapping[str, frozenset[str]]:
        """The parts of speech of each word."""
        tags_of: dict[str, set[str]] = {}
        for tokens, tags in zip(self.sentences, self.tags, strict=True):
            for token, tag in zip(tokens, tags, strict=True):
                tags_of.setdefault(token, set()).add(tag)
        return {word: frozenset(tags) for word, tags in tags_of.items()}

    def acceptor(self, goals: npt.ArrayLike, final: Iterable[bool]) -> Lattice:
        """Returns the acceptor of the (states, words) next states, -1 for none, with (states,) final marks."""
        table = np.asarray(goals)
        sources, words = np.nonzero(table >= 0)
        ends = np.where(np.fromiter(final, dtype=np.bool_), 0.0, np.inf)
        symbols = SymbolTable(self.words)
        return Lattice.from_arcs(sources, words + 1, np.zeros(len(words)), table[sources, words], ends, symbols)


def adjacent_words(lattice: Lattice) -> list[tuple[str, str]]:
    """Returns the distinct pairs of words on consecutive arcs of a lattice.

    >>> adjacent_words(Lattice.from_strings([("a b", 0.0), ("a b a", 0.0)]))
    [('a', 'b'), ('b', 'a')]
    """
    size = len(lattice.symbols)
    words = list(lattice.symbols)
    entering = np.unique(lattice.nextstates.astype(np.int64) * size + lattice.olabels)
    arcs, begins = chosen_blocks(lattice.offsets, entering // size)
    pairs = np.unique(np.repeat(entering % size, np.diff(begins)) * size + lattice.olabels[arcs])
    return [(words[pair // size], words[pair % size]) for pair in pairs.tolist()]


@cache
def word_classes(name: str) -> dict[str, str]:
    """Returns the class of each word in a table of `grammars/english`.

    >>> word_classes("modals")["must"]
    'obligation'
    """
    return {row["word"]: row["class"] for row in grammar_table(f"english/{name}.tsv", ("word", "class"), full=True)}


def counting(sentence_set: SentenceSet, words: Iterable[str], most: int, final: Collection[int]) -> Lattice:
    """Returns an acceptor that counts some words, up to `most`; `final` are the accepted numbers."""
    steps = {word: {state: state + 1 if state < most else -1 for state in range(most + 1)} for word in words}
    return automaton(sentence_set, steps, most + 1, final)


def automaton(
    sentence_set: SentenceSet, steps: Mapping[str, Mapping[int, int]], states: int, final: Collection[int]
) -> Lattice:
    """Returns an acceptor in which a word leads from a state to `steps[word][state]`, by default to the same state."""
    goals = np.repeat(np.arange(states)[:, None], len(sentence_set.words), axis=1)
    for column, word in enumerate(sentence_set.words):
        for state, goal in steps.get(word, {}).items():
            goals[state, column] = goal
    return sentence_set.acceptor(goals, (state in final for state in range(states)))
