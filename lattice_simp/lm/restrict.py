"""A language model cut down to one lattice's vocabulary.

A lattice has a few hundred words, so of the model's millions of n-grams a few ten thousand can matter. They are
copied into a small failure automaton that fits the processor's cache.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, Longs, inlined, jit
from lattice_simp.lm.trie import LOG_10, ROOT, NgramTrie

# A context with many more children than the vocabulary has words is searched word by word instead of scanned.
_SCAN_LIMIT = 8


@dataclass(frozen=True)
class RestrictedModel:
    """A model over the vocabulary of one lattice; nodes are n-grams, numbered by length, the last node is the root.

    Attributes:
        order: the model's order.
        word_ids: (vocabulary,) the unigram node that stands for each word it was restricted to.
        num_words: the unigram nodes are `0:num_words`; a word and its unigram have one number.
        start_word, end_word: the unigrams `<s>` and `</s>`.
        level: (nodes + 1,) the length of each n-gram; 0 for the root.
        cost: (nodes + 1,) float64, negative natural log probability.
        backoff: (nodes + 1,) float64, negative natural log of the backoff weight.
        suffix: (nodes + 1,) the longest proper suffix in the model.
        parent: (nodes + 1,) the n-gram without its last word.
        children: (nodes + 2,) the n-grams that extend node n are `children[n]:children[n + 1]`, sorted by word.
        word: (nodes + 1,) the last word.
    """

    order: int
    word_ids: Ints
    num_words: int
    start_word: int
    end_word: int
    level: Ints
    cost: Floats
    backoff: Floats
    suffix: Ints
    parent: Ints
    children: Ints
    word: Ints

    @property
    def root(self) -> int:
        return len(self.level) - 1


def restrict(trie: NgramTrie, vocabulary: Ints, start_word: int, end_word: int) -> RestrictedModel:
    """Cuts `trie` down to the words `vocabulary` (ids of the trie)."""
    used = np.append(vocabulary, [start_word, end_word]).astype(np.int32)
    words, word_ids = np.unique(used, return_inverse=True)
    node, parent, word, levels = _collect(trie.children, trie.word, words, trie.order)
    root = len(node)
    children = child_blocks(parent, int(levels[1]), root)
    parent = np.append(np.where(parent < 0, root, parent), root).astype(np.int32)
    word = np.append(word, -1).astype(np.int32)
    return RestrictedModel(
        order=trie.order,
        word_ids=word_ids[:-2].astype(np.int32),
        num_words=len(words),
        start_word=int(word_ids[-2]),
        end_word=int(word_ids[-1]),
        level=np.append(np.repeat(np.arange(1, trie.order + 1), np.diff(levels)), 0).astype(np.int32),
        cost=np.append(trie.cost[node].astype(np.float64) * LOG_10, 0.0),
        backoff=np.append(trie.backoff[node].astype(np.float64) * LOG_10, 0.0),
        suffix=suffixes(parent, word, children, root),
        parent=parent,
        children=children,
        word=word,
    )


@jit
def _collect(children: Ints, word: Ints, words: Ints, order: int) -> tuple[Ints, Ints, Ints, Longs]:
    """Returns (trie node, own number of the parent, own number of the word) of all n-grams over `words`, by order."""
    size = len(words)
    capacity = 4 * size + 1024
    node = np.empty(capacity, dtype=np.int32)
    parent = np.empty(capacity, dtype=np.int32)
    label = np.empty(capacity, dtype=np.int32)
    inside = np.full(words[size - 1] + 1, -1, dtype=np.int32)
    for number in range(size):
        inside[words[number]] = number
        node[number] = words[number]
        parent[number] = ROOT
        label[number] = number
    levels = np.zeros(order + 1, dtype=np.int64)
    levels[1] = size
    count = size
    for level in range(1, order):
        for own in range(levels[level - 1], levels[level]):
            begin, end = children[node[own]], children[node[own] + 1]
            if count + size + 1 > capacity:
                capacity *= 2
                node, parent, label = _grow(node, capacity), _grow(parent, capacity), _grow(label, capacity)
            if end - begin > _SCAN_LIMIT * size:
                for number in range(size):
                    index = begin + np.searchsorted(word[begin:end], words[number])
                    if index < end and word[index] == words[number]:
                        node[count], parent[count], label[count] = index, own, number
                        count += 1
                continue
            for child in range(begin, end):
                if word[child] < len(inside) and inside[word[child]] >= 0:
                    node[count], parent[count], label[count] = child, own, inside[word[child]]
                    count += 1
        levels[level + 1] = count
    return node[:count].copy(), parent[:count].copy(), label[:count].copy(), levels


@jit
def _grow(values: Ints, capacity: int) -> Ints:
    grown = np.empty(capacity, dtype=values.dtype)
    grown[: len(values)] = values
    return grown


@jit
def child_blocks(parent: Ints, first: int, root: int) -> Ints:
    """Returns where each node's children begin; children are numbered in the order of their parents."""
    children = np.zeros(root + 2, dtype=np.int32)
    for node in range(first, root):
        children[parent[node] + 1] += 1
    children[0] = first
    for node in range(root + 1):
        children[node + 1] += children[node]
    return children


@inlined
def find_child(children: Ints, word: Ints, node: int, wanted: int) -> int:
    """Returns the child of `node` by the word `wanted`, or -1."""
    low, high = children[node], children[node + 1]
    while low < high:
        middle = (low + high) >> 1
        if word[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    if low < children[node + 1] and word[low] == wanted:
        return low
    return -1


@jit
def suffixes(parent: Ints, word: Ints, children: Ints, root: int) -> Ints:
    """Returns the suffixes: that of `context + w` is the longest suffix of the context that `w` extends, with `w`."""
    suffix = np.full(root + 1, root, dtype=np.int32)
    for node in range(children[0], root):
        context = suffix[parent[node]]
        while context != root:
            extended = find_child(children, word, context, word[node])
            if extended >= 0:
                suffix[node] = extended
                break
            context = suffix[context]
        if context == root:
            suffix[node] = word[node]
    return suffix
