"""Language models whose n-grams are looked up one by one, in their own arrays.

A search that scores a small part of a sentence's possible n-grams is faster with them than with a copy of them all
(`lm/restrict.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Ints, jit
from lattice_simp.lm.binary import Successors
from lattice_simp.lm.combined import combined, in_use
from lattice_simp.lm.model import LanguageModel
from lattice_simp.lm.restrict import find_child
from lattice_simp.lm.trie import LOG_10, ROOT, Singles


class NgramLookup(NamedTuple):
    """A weighted backoff model, and the words of a sentence's translations, which have numbers of their own.

    A *state* is an n-gram that some word of the model extends, or `len(suffix)`, the root.

    Attributes:
        order: the model's order.
        words: (words,) int32, the model's number of each word;  start, end: the numbers of `<s>` and `</s>` there.
        children, word, cost, backoff, suffix: as in `NgramTrie`.
        unit: nats of a cost of 1, the model's weight included.
    """

    order: int
    words: Ints
    start: int
    end: int
    children: Ints
    word: Ints
    cost: Singles
    backoff: Singles
    suffix: Ints
    unit: float

    @property
    def root(self) -> int:
        return len(self.suffix)


def lookup(
    models: Sequence[tuple[LanguageModel, float]], vocabulary: Sequence[str], successors: Successors | None = None
) -> tuple[NgramLookup, Ints]:
    """Returns the weighted sum of language models, and (vocabulary,) int32, the number of each word in it.

    Several models are united for this vocabulary, and the n-grams of a KenLM binary are listed; those of one ARPA file
    stay where they are.

    >>> text = "\\\\data\\\\\\nngram 1=3\\n\\n\\\\1-grams:\\n-9 <s>\\n-0.5 a\\n-0.25 </s>\\n\\n\\\\end\\\\\\n"
    >>> model, numbers = lookup([(LanguageModel.from_bytes(text.encode()), 0.5)], ["a"])
    >>> state, cost = read_word(model, start_state(model)[0], numbers[0])
    >>> round(cost, 4)   # 0.5 * 0.5 * ln 10
    0.5756

    Args:
        models: with their weights, not negative; those of weight 0 are left out, but the first stays if all are.
        vocabulary: the words that will be looked up.
        successors: see `LanguageModel.restrict`.
    """
    (model, weight), *others = in_use(models)
    if not others and not model.needs_successors:
        trie = model.trie
        known, (start, end) = model.word_ids(vocabulary), model.sentence_marks
        arrays = (trie.children, trie.word, trie.cost, trie.backoff, trie.suffix, LOG_10 * weight)
        order = trie.order
    else:
        united = combined(models, vocabulary, successors)
        known, start, end = united.word_ids, united.start_word, united.end_word
        suffix = np.where(united.suffix == united.root, ROOT, united.suffix).astype(np.int32)
        cost, backoff = (costs[:-1].astype(np.float32) for costs in (united.cost, united.backoff))
        arrays = (united.children[:-1], united.word[:-1], cost, backoff, suffix[:-1], 1.0)
        order = united.order
    words, inverse = np.unique(np.append(known, [start, end]).astype(np.int32), return_inverse=True)
    numbers: Ints = inverse.astype(np.int32)
    return NgramLookup(order, words, int(numbers[-2]), int(numbers[-1]), *arrays), numbers[:-2]


@jit
def read_word(model: NgramLookup, state: int, word: int) -> tuple[int, float]:
    """Returns the state after a word, and its cost (nats), with the backoffs that every continuation pays anyway."""
    children, words, backoff, suffix = model.children, model.word, model.backoff, model.suffix
    root, wanted = len(suffix), model.words[word]
    matched, paid = wanted, 0.0
    while state != root:
        child = find_child(children, words, state, wanted)
        if child >= 0:
            matched = child
            break
        paid += backoff[state]
        state = suffix[state] if suffix[state] >= 0 else root
    settled, settling = _settled(model, matched)
    return settled, (paid + model.cost[matched] + settling) * model.unit


@jit
def start_state(model: NgramLookup) -> tuple[int, float]:
    """Returns the state at the beginning of a sentence, and the backoffs that every first word pays anyway."""
    state, paid = _settled(model, model.words[model.start])
    return state, paid * model.unit


@jit
def _settled(model: NgramLookup, node: int) -> tuple[int, float]:
    """Returns the longest suffix of an n-gram that some word extends, and the backoffs on the way to it."""
    root, paid = len(model.suffix), 0.0
    while node != root and model.children[node] == model.children[node + 1]:
        paid += model.backoff[node]
        node = model.suffix[node] if model.suffix[node] >= 0 else root
    return node, paid
