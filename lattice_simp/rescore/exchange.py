"""Word classes by the exchange algorithm (Kneser and Ney 1993; Martin, Liermann and Ney 1998, section 3).

The classes maximise the likelihood of the text under the bigram class model p(c(w) | c(v)) p(w | c(w)). Each word in
turn is removed from its class and put where the likelihood is highest, until few words move. One boundary symbol joins
the sentences in a ring; it and the unknown word have separate classes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.errors import LatticeSimpError
from lattice_simp.rescore.counts import count_events
from lattice_simp.rescore.vocabulary import Sentences
from lattice_simp.support.plurals import counted

ENOUGH = 0.002
"""If a smaller share of the words moves in a sweep, a further sweep is not worth its time."""

_TABLE = 1 << 16
"""How many values of x log x are looked up instead of computed."""

_SHIFT, _MASK = 32, (1 << 32) - 1


@dataclass(frozen=True)
class WordClasses:
    """The class of each word, from 0, and the text's log-likelihood (nats) before the first sweep and after each."""

    classes: Ints
    likelihoods: tuple[float, ...]


def exchange_classes(
    parts: Sequence[Sentences],
    words: int,
    classes: int,
    *,
    sweeps: int = 15,
    progress: Callable[[int, int, float], None] = lambda sweep, moves, likelihood: None,
) -> WordClasses:
    """Learns the classes of words, of which there are `words`, from text; the same text gives the same classes.

    >>> numbers = {"the": 0, "cat": 1, "a": 2, "dog": 3}
    >>> text = "the cat the cat the dog a dog a cat the cat".split()
    >>> part = Sentences(np.arange(0, 13, 2), np.array([numbers[word] for word in text], np.int32))
    >>> learned = exchange_classes([part], 4, 2)
    >>> learned.classes.tolist()
    [0, 1, 0, 1]

    Args:
        parts: the text, part by part; numbers from `words` on are unknown words.
        progress: called with the sweep, the number of words moved and the log-likelihood.

    Raises:
        LatticeSimpError: no words, fewer than one class, or fewer words than classes.
    """
    if not 1 <= classes <= words:
        raise LatticeSimpError(
            f"{counted(classes, 'class', 'classes')} for {counted(words, 'word')} (give at least one, at most as many)"
        )
    keys, counts = count_events(_bigrams(part, words + 1) for part in parts)
    first, second = keys >> _SHIFT, keys & _MASK
    after, before = _neighbours(first, second, counts, words + 2), _neighbours(second, first, counts, words + 2)
    sizes = np.bincount(first, weights=counts, minlength=words + 2).astype(np.int64)
    order = np.argsort(-sizes[:words], kind="stable").astype(np.int32)
    word_classes = np.empty(words + 2, dtype=np.int32)
    word_classes[order] = np.arange(words) % classes  # so that each class begins with frequent and rare words
    word_classes[words:] = classes, classes + 1
    state = _classes(word_classes, keys, counts, sizes, classes + 2)
    table = np.arange(_TABLE, dtype=np.float64)
    table[1:] *= np.log(table[1:])
    likelihoods = [_likelihood(state, sizes)]
    for sweep in range(sweeps):
        moves = _sweep(order, sizes, after, before, state, classes, table)
        likelihoods.append(_likelihood(state, sizes))
        progress(sweep + 1, moves, likelihoods[-1])
        if moves <= ENOUGH * words:
            break
    return WordClasses(state.classes[:words].copy(), tuple(likelihoods))


class Classes(NamedTuple):
    """The words' classes, the classes' bigram counts ([before, after], and transposed), and sizes; all mutable."""

    classes: Ints
    counts: Longs
    turned: Longs
    sizes: Longs


class Neighbours(NamedTuple):
    """The words on one side of word w, and their counts: `begins[w]:begins[w + 1]` of both."""

    begins: Longs
    words: Ints
    counts: Longs


def _likelihood(state: Classes, word_sizes: Longs) -> float:
    return float(_entropy_sum(state.counts) - 2 * _entropy_sum(state.sizes) + _entropy_sum(word_sizes))


def _entropy_sum(counts: Longs) -> float:
    positive = counts[counts > 0].astype(np.float64)
    return float((positive * np.log(positive)).sum())


def _bigrams(part: Sentences, boundary: int) -> Longs:
    words = np.insert(np.minimum(part.words, boundary - 1), part.offsets[1:], boundary).astype(np.int64)
    return np.roll(words, 1) << _SHIFT | words


def _neighbours(words: Longs, neighbours: Longs, counts: Longs, size: int) -> Neighbours:
    order = np.lexsort((neighbours, words))
    begins = np.searchsorted(words[order], np.arange(size + 1)).astype(np.int64)
    return Neighbours(begins, neighbours[order].astype(np.int32), counts[order])


def _classes(classes: Ints, keys: Longs, counts: Longs, word_sizes: Longs, size: int) -> Classes:
    pairs = classes[keys >> _SHIFT].astype(np.int64) * size + classes[keys & _MASK]
    table = np.bincount(pairs, weights=counts, minlength=size * size).astype(np.int64).reshape(size, size)
    sizes = np.bincount(classes, weights=word_sizes, minlength=size).astype(np.int64)
    return Classes(classes, table, np.ascontiguousarray(table.T), sizes)


@jit
def _xlogx(value: int, table: Floats) -> float:
    return table[value] if value < len(table) else value * np.log(value)


@jit
def _sweep(
    order: Ints, word_sizes: Longs, after: Neighbours, before: Neighbours, state: Classes, movable: int, table: Floats
) -> int:
    """Moves each word once to its best class; returns the number of moved words."""
    classes, counts, turned, sizes = state
    size = len(sizes)
    right, left = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    gains = np.empty(movable)
    moves = 0
    for word in order:
        right[:], left[:] = 0, 0
        with_itself = np.int64(0)
        for index in range(after.begins[word], after.begins[word + 1]):
            if after.words[index] == word:
                with_itself = after.counts[index]
            else:
                right[classes[after.words[index]]] += after.counts[index]
        for index in range(before.begins[word], before.begins[word + 1]):
            if before.words[index] != word:
                left[classes[before.words[index]]] += before.counts[index]
        old = classes[word]
        _put(old, -1, left, right, with_itself, counts, turned)
        sizes[old] -= word_sizes[word]
        for candidate in range(movable):
            gain = _xlogx(counts[candidate, candidate] + left[candidate] + right[candidate] + with_itself, table)
            gain -= _xlogx(counts[candidate, candidate], table)
            gain -= 2.0 * (_xlogx(sizes[candidate] + word_sizes[word], table) - _xlogx(sizes[candidate], table))
            gains[candidate] = gain
        for neighbour in range(size):
            if left[neighbour] > 0:
                _add_gains(counts[neighbour], left[neighbour], neighbour, movable, table, gains)
            if right[neighbour] > 0:
                _add_gains(turned[neighbour], right[neighbour], neighbour, movable, table, gains)
        best = old
        for candidate in range(movable):
            # Rounding must not make words wander between classes that are equally good.
            if gains[candidate] > gains[best] + 1e-9 * (1.0 + abs(gains[best])):
                best = candidate
        if best != old:
            moves += 1
            classes[word] = best
        _put(best, 1, left, right, with_itself, counts, turned)
        sizes[best] += word_sizes[word]
    return moves


@jit
def _add_gains(row: Longs, added: int, neighbour: int, movable: int, table: Floats, gains: Floats) -> None:
    """Adds the gain of `added` bigrams between class `neighbour` and the word, for each other class it might join."""
    for candidate in range(movable):
        if candidate != neighbour:
            gains[candidate] += _xlogx(row[candidate] + added, table) - _xlogx(row[candidate], table)


@jit
def _put(word_class: int, sign: int, left: Longs, right: Longs, with_itself: int, counts: Longs, turned: Longs) -> None:
    """Adds a word's bigrams to those of a class, or subtracts them."""
    for neighbour in range(len(left)):
        counts[neighbour, word_class] += sign * left[neighbour]
        turned[word_class, neighbour] += sign * left[neighbour]
        counts[word_class, neighbour] += sign * right[neighbour]
        turned[neighbour, word_class] += sign * right[neighbour]
    counts[word_class, word_class] += sign * with_itself
    turned[word_class, word_class] += sign * with_itself
