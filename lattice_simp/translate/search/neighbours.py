"""Finds the pairs of words that can be adjacent in the translations of a chart.

A KenLM binary cannot list its n-grams, so it is queried for each one that a sentence may need, and most pairs of words
never meet.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Bools, jit
from lattice_simp.lm.automaton import START
from lattice_simp.lm.binary import Successors
from lattice_simp.lm.model import LanguageModel
from lattice_simp.translate.parse import SourceParse
from lattice_simp.translate.search.chart import NO_WORD, Chart, search_chart, seen_labels

_Sets = npt.NDArray[np.uint64]
"""(sets, ceil(words / 64)) sets of words, a bit for each."""


def neighbours(
    parse: SourceParse, models: Sequence[tuple[LanguageModel, float]], invisible: Collection[str] = ()
) -> Successors | None:
    """Returns the words that can follow each word, and `<s>`; None if no model needs to know (`needs_successors`).

    Args:
        parse: the items of a sentence.
        models: the language models with their weights.
        invisible: words that they skip.
    """
    if not any(model.needs_successors for model, _ in models):
        return None
    labels, names = seen_labels(parse, invisible)
    count = len(names)
    searched, _ = search_chart(parse, labels, np.arange(count, dtype=np.int32), count, 0.0)
    follows = _following(searched, count)
    return {
        word: [names[number] for number in np.flatnonzero(row[:count]).tolist()]
        for word, row in zip([*names, START], follows, strict=True)
    }


def _following(chart: Chart, count: int) -> Bools:
    """Returns (words + 1, words + 1) bool: the successors of each word and of the start; the last column is the end."""
    bits = np.unpackbits(_follow(chart, count).view(np.uint8), axis=1, bitorder="little")
    return bits[:, : count + 1].astype(np.bool_)


@jit
def _follow(chart: Chart, count: int) -> _Sets:
    """Returns the sets of words that can follow each word, and the start of the sentence.

    Each state has the first words and the last words of the strings from its cell's start, and whether the empty string
    leads to it.
    """
    num_states, width, sentence = len(chart.offsets) - 1, (count + 64) >> 6, chart.starts[len(chart.starts) - 1]
    firsts, lasts = np.zeros((num_states, width), dtype=np.uint64), np.zeros((num_states, width), dtype=np.uint64)
    follow = np.zeros((count + 1, width), dtype=np.uint64)
    is_empty = np.zeros(num_states, dtype=np.bool_)
    is_empty[chart.starts] = True
    _add(lasts[sentence], count)
    labels = np.zeros(width, dtype=np.uint64)
    for state in range(num_states):
        for arc in range(chart.offsets[state], chart.offsets[state + 1]):
            target, symbol = chart.targets[arc], chart.symbols[arc]
            passed = symbol == NO_WORD
            firsts[target] |= firsts[state]
            if symbol >= 0:
                labels[:] = 0
                _add(labels, symbol)
                lasts[target] |= labels
            elif not passed:
                cell = chart.ends[-2 - symbol]
                labels[:] = firsts[cell]
                lasts[target] |= lasts[cell]
                passed = is_empty[cell]
            if passed:
                lasts[target] |= lasts[state]
                is_empty[target] |= is_empty[state]
            if symbol != NO_WORD:
                if is_empty[state]:
                    firsts[target] |= labels
                _add_behind(follow, lasts[state], labels)
    return follow


@jit
def _add(words: _Sets, word: int) -> None:
    words[word >> 6] |= np.uint64(1) << np.uint64(word & 63)


@jit
def _add_behind(follow: _Sets, before: _Sets, words: _Sets) -> None:
    """Adds `words` to the words that can follow each word of `before`."""
    for part in range(len(before)):
        word = 64 * part
        left = before[part]
        while left:
            if left & np.uint64(1):
                follow[word] |= words
            left >>= np.uint64(1)
            word += 1
