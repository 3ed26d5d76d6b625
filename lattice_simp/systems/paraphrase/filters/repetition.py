"""No words come twice in a row that do not somewhere in the set: one, or two or three that the set has together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from lattice_simp.core.kernel import Longs
from lattice_simp.core.lattice import Lattice
from lattice_simp.systems.paraphrase.filters.acceptors import SentenceSet

MOST_WORDS = 3
"""The longest sequences of words whose repetition is looked for."""

_Words = tuple[int, ...]


def acceptor(given: SentenceSet) -> Lattice:
    """Makes an acceptor of the strings in which nothing is repeated, by the automaton of Aho and Corasick (1975)."""
    lowered = {word: number for number, word in enumerate(sorted({word.lower() for word in given.words}))}
    columns = np.array([lowered[word.lower()] for word in given.words], dtype=np.int64)
    sentences = [[lowered[word.lower()] for word in sentence] for sentence in given.sentences]
    grams = {own for size in range(1, MOST_WORDS + 1) for sentence in sentences for own in _grams(sentence, size)}
    there = {own for size in range(1, MOST_WORDS + 1) for sentence in sentences for own in _grams(sentence, 2 * size)}
    goals = _avoiding(sorted({own * 2 for own in grams} - there), len(lowered))
    return given.acceptor(goals[:, columns], (True for _ in goals))


def _grams(sentence: Sequence[int], size: int) -> Iterable[_Words]:
    return (tuple(sentence[at : at + size]) for at in range(len(sentence) - size + 1))


def _avoiding(strings: Sequence[_Words], symbols: int) -> Longs:
    """Returns an automaton's table (states, symbols) that leads to -1 where one of the strings ends."""
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
    queue = [(0, 0)]  # states with the one to fall back on: that of the longest suffix of what was read
    for state, back in queue:
        if state:
            goals[state] = goals[back]
        for symbol, goal in tree[state].items():
            if goals[state, symbol] >= 0:  # otherwise a shorter string ends there
                queue.append((goal, int(goals[state, symbol])))
                goals[state, symbol] = goal
        goals[state, ends[state]] = -1
    return goals
