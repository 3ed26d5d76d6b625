"""Language models cut down to one lattice's vocabulary.

A lattice has a few hundred words, so only some ten thousands of the model's millions of n-grams can matter. They are
copied into a small failure automaton that fits the processor's cache.
"""

from __future__ import annotations

import numpy as np

from lattice_simp.core.growing import grown
from lattice_simp.core.kernel import Ints, jit
from lattice_simp.core.sorting import lower_bound
from lattice_simp.lm.automaton import NgramAutomaton, suffixes

# A context with many more children than the vocabulary has words is searched word by word instead of scanned.
_SCAN_LIMIT = 8


def restrict(model: NgramAutomaton, vocabulary: Ints) -> NgramAutomaton:
    """Returns the n-grams over some words, in nats and float64.

    Args:
        model: any model.
        vocabulary: (words,) int32, unigrams of the model; `<s>` and `</s>` always stay as well.
    """
    used = np.append(vocabulary, [model.start, model.end]).astype(np.int32)
    words, numbers = np.unique(used, return_inverse=True)
    node, parent, word = _collect(model.children, model.word, words, model.order, model.root)
    children = child_blocks(parent, len(words))
    return NgramAutomaton(
        order=model.order,
        children=children,
        word=word,
        cost=model.cost[node].astype(np.float64) * model.unit,
        backoff=model.backoff[node].astype(np.float64) * model.unit,
        suffix=suffixes(parent, word, children),
        vocabulary=numbers[:-2].astype(np.int32),
        start=int(numbers[-2]),
        end=int(numbers[-1]),
        unit=1.0,
    )


@jit
def _collect(children: Ints, word: Ints, words: Ints, order: int, root: int) -> tuple[Ints, Ints, Ints]:
    """Returns the n-grams over `words`, shortest first: their nodes, parents and last words, the latter renumbered."""
    size = len(words)
    capacity = 4 * size + 1024
    node = np.empty(capacity, dtype=np.int32)
    parent = np.empty(capacity, dtype=np.int32)
    label = np.empty(capacity, dtype=np.int32)
    number_of = np.full(words[size - 1] + 1, -1, dtype=np.int32)
    for number in range(size):
        number_of[words[number]] = number
        node[number] = words[number]
        label[number] = number
    begin_level, count = 0, size
    for _ in range(1, order):
        end_level = count
        for context in range(begin_level, end_level):
            begin, end = children[node[context]], children[node[context] + 1]
            if count + size + 1 > capacity:
                capacity *= 2
                node, parent, label = grown(node), grown(parent), grown(label)
            if end - begin > _SCAN_LIMIT * size:
                for number in range(size):
                    index = lower_bound(word, begin, end, words[number])
                    if index < end and word[index] == words[number]:
                        node[count], parent[count], label[count] = index, context, number
                        count += 1
                continue
            for child in range(begin, end):
                if word[child] < len(number_of) and number_of[word[child]] >= 0:
                    node[count], parent[count], label[count] = child, context, number_of[word[child]]
                    count += 1
        begin_level = end_level
    parent[count] = count
    for number in range(size):
        parent[number] = count
    node[count], label[count] = root, -1
    return node[: count + 1].copy(), parent[: count + 1].copy(), label[: count + 1].copy()


@jit
def child_blocks(parent: Ints, num_words: int) -> Ints:
    """Returns where each node's children begin; children are numbered in the order of their parents."""
    root = len(parent) - 1
    children = np.zeros(root + 2, dtype=np.int32)
    for node in range(num_words, root):
        children[parent[node] + 1] += 1
    children[0] = num_words
    for node in range(root + 1):
        children[node + 1] += children[node]
    return children
