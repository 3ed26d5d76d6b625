"""Forbids immediate repetitions of one to three words that do not occur in the set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from lattice_simp.core.kernel import Longs
from lattice_simp.core.lattice import Lattice
from lattice_simp.ops.intersect import intersect
from lattice_simp.systems.paraphrase.filters.acceptors import SentenceSet, adjacent_words

MOST_WORDS = 3
"""The most words of a detected repetition."""

_Words = tuple[int, ...]


def passing(lattice: Lattice, sentence_set: SentenceSet) -> Lattice:
    """Returns the sentences of a lattice without repetitions, by the automaton of Aho and Corasick (1975).

    The automaton has only repetitions whose neighbouring words are neighbours in the lattice.
    """
    lowered = {word: number for number, word in enumerate(sorted({word.lower() for word in sentence_set.words}))}
    columns = np.array([lowered[word.lower()] for word in sentence_set.words], dtype=np.int64)
    sentences = [[lowered[word.lower()] for word in sentence] for sentence in sentence_set.sentences]
    sizes = range(1, MOST_WORDS + 1)
    grams = {gram for size in sizes for sentence in sentences for gram in _grams(sentence, size)}
    observed = {gram for size in sizes for sentence in sentences for gram in _grams(sentence, 2 * size)}
    adjacent = {(lowered[first.lower()], lowered[second.lower()]) for first, second in adjacent_words(lattice)}
    possible = {gram * 2 for gram in grams if adjacent.issuperset(pairwise(gram * 2))}
    if possible <= observed:
        return lattice
    goals = _avoiding(sorted(possible - observed), len(lowered))
    return intersect(lattice, sentence_set.acceptor(goals[:, columns], (True for _ in goals)))


def _grams(sentence: Sequence[int], size: int) -> Iterable[_Words]:
    return (tuple(sentence[at : at + size]) for at in range(len(sentence) - size + 1))


def _avoiding(strings: Sequence[_Words], symbols: int) -> Longs:
    """Returns the transitions (states, symbols) of an automaton that rejects (-1) where one of the strings ends."""
    tree: list[dict[int, int]] = [{}]
    ends: list[list[int]] = [[]]
    for string in strings:
        state = 0
        for symbol in string[:-1]:
            if symbol not in tree[state]:
                tree[state][symbol] = len(tree)
                tree.append({})
                ends.append([])
            state = tree[state][symbol]
        ends[state].append(string[-1])
    goals = np.zeros((len(tree), symbols), dtype=np.int64)
    queue = [(0, 0)]  # states with their failure state, that of the longest suffix read
    for state, back in queue:
        if state:
            goals[state] = goals[back]
        for symbol, goal in tree[state].items():
            if goals[state, symbol] >= 0:  # otherwise a shorter string ends there
                queue.append((goal, int(goals[state, symbol])))
                goals[state, symbol] = goal
        goals[state, ends[state]] = -1
    return goals
