"""An n-gram model as a failure automaton in flat arrays.

Nodes are n-grams, numbered order by order: the unigrams first (node = word id), then the bigrams sorted by
(first word, second word), and so on. The children of a node (the n-grams that extend it by one word) are therefore
one block of the next order, sorted by word, and the whole model is a handful of arrays that can be mapped from disk.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Ints
from lattice_simp.errors import FormatError
from lattice_simp.lm.arpa import NgramSection
from lattice_simp.support.array_cache import load_arrays, pack_words, store_arrays, unpack_words
from lattice_simp.support.array_checks import (
    BrokenArrayError,
    check_array,
    check_finite,
    check_indices,
    check_offsets,
    length_of,
)

ROOT = -1
"""The node of the empty context."""

LOG_10 = float(np.log(10.0))

_KIND = "trie3"  # of cache files; the number grows when parsing changes
_FIELDS = ("levels", "word", "cost", "backoff", "children", "suffix")

Singles = npt.NDArray[np.float32]


@dataclass(frozen=True)
class NgramTrie:
    """The arrays of a backoff model.

    Attributes:
        words: the vocabulary by word id.
        levels: (order + 1,) int32; the nodes of order k are `levels[k - 1]:levels[k]`.
        word: (nodes,) int32, the last word of each n-gram.
        cost: (nodes,) float32, its negative log10 probability.
        backoff: (nodes,) float32, the negative log10 backoff weight of the n-gram as a context.
        children: (nodes + 1,) int32; the children of node n are `children[n]:children[n + 1]`.
        suffix: (nodes,) int32, the longest proper suffix that the model holds; ROOT for unigrams.
    """

    words: list[str]
    levels: Ints
    word: Ints
    cost: Singles
    backoff: Singles
    children: Ints
    suffix: Ints

    @property
    def order(self) -> int:
        return len(self.levels) - 1

    @classmethod
    def load(cls, path: str | Path) -> NgramTrie | None:
        """Maps the arrays in the cache of a model file, or returns None."""
        arrays = load_arrays(path, _KIND)
        if arrays is None or not {*_FIELDS, "words"} <= arrays.keys():
            return None
        try:
            trie = cls(words=unpack_words(arrays["words"]), **{name: arrays[name] for name in _FIELDS})
            trie.check()
        except ValueError:  # a damaged cache is made again
            return None
        return trie

    def check(self) -> None:
        """Checks the arrays of a file.

        Raises:
            BrokenArrayError: they contradict each other.
        """
        nodes, words = length_of("word", self.word), len(self.words)
        check_array("levels", self.levels, np.int32, None)
        check_offsets("levels", self.levels, nodes)
        if self.order < 1 or self.levels[1] != words:
            raise BrokenArrayError(f"levels: {self.levels.tolist()} for {words} words")
        check_array("word", self.word, np.int32, nodes)
        check_indices("word", self.word, words)
        for name, values in (("cost", self.cost), ("backoff", self.backoff)):
            check_array(name, values, np.float32, nodes)
            check_finite(name, values)
        check_array("children", self.children, np.int32, nodes + 1)
        check_offsets("children", self.children, nodes, first=words)
        check_array("suffix", self.suffix, np.int32, nodes)
        # A suffix is shorter than its n-gram: so whoever follows suffixes comes to an end.
        levels = self.levels[:-1]
        check_indices("suffix", self.suffix, np.repeat(levels, np.diff(self.levels)), ROOT)

    def store(self, path: str | Path) -> None:
        """Writes the arrays to the cache of a model file."""
        arrays = {name: getattr(self, name) for name in _FIELDS}
        store_arrays(path, _KIND, {**arrays, "words": pack_words(self.words)})

    def length(self, node: int) -> int:
        """Returns how many words the n-gram of a node has."""
        return int(np.searchsorted(self.levels, node, side="right"))

    def advance(self, context: int, word: int) -> tuple[int, float]:
        """Returns the longest n-gram that ends a context with `word`, and the backoff weights (-log10) paid for it."""
        paid = 0.0
        while context != ROOT:
            begin, end = int(self.children[context]), int(self.children[context + 1])
            child = begin + int(np.searchsorted(self.word[begin:end], word))
            if child < end and self.word[child] == word:
                return child, paid
            paid += float(self.backoff[context])
            context = int(self.suffix[context])
        return word, paid


def build_trie(words: list[str], sections: list[NgramSection], path: str = "<bytes>") -> NgramTrie:
    """Arranges parsed n-grams as a trie.

    Raises:
        FormatError: an n-gram's context is not among the n-grams one shorter, or an n-gram occurs twice.
    """
    size = len(words)
    keys: list[npt.NDArray[np.int64]] = [np.arange(size, dtype=np.int64)]
    parts_word = [np.arange(size, dtype=np.int32)]
    parts_cost = [-sections[0].probs]
    parts_backoff = [-sections[0].backoffs]
    parts_parent: list[npt.NDArray[np.int64]] = []
    for order, section in enumerate(sections[1:], start=2):
        parent = _find_nodes(section.words[:, :-1], keys, size)
        if (parent < 0).any():
            gram = " ".join(words[w] for w in section.words[int(np.argmax(parent < 0))])
            raise FormatError(
                f"the context of the {order}-gram {gram!r} is missing", path=path, remedy="make the model again"
            )
        key = parent * size + section.words[:, -1]
        sorting = np.argsort(key, kind="stable")
        key = key[sorting]
        if (key[1:] == key[:-1]).any():
            row = int(sorting[int(np.argmax(key[1:] == key[:-1]))])
            gram = " ".join(words[w] for w in section.words[row])
            raise FormatError(f"the {order}-gram {gram!r} occurs twice", path=path, remedy="make the model again")
        keys.append(key)
        parts_parent.append(parent[sorting])
        parts_word.append(section.words[sorting, -1])
        parts_cost.append(-section.probs[sorting])
        parts_backoff.append(-section.backoffs[sorting])
    levels = np.concatenate(([0], np.cumsum([len(part) for part in keys]))).astype(np.int32)
    children = np.full(int(levels[-1]) + 1, levels[-1], dtype=np.int32)
    for level, parent in enumerate(parts_parent):
        count = int(levels[level + 1] - levels[level])
        begins = np.searchsorted(parent, np.arange(count))
        children[levels[level] : levels[level + 1]] = levels[level + 1] + begins
    word = np.concatenate(parts_word)
    trie = NgramTrie(
        words=words,
        levels=levels,
        word=word,
        cost=np.concatenate(parts_cost).astype(np.float32),
        backoff=np.concatenate(parts_backoff).astype(np.float32),
        children=children,
        suffix=_suffixes(levels, word, keys, parts_parent, size),
    )
    closed = _with_suffixes(trie, sections, parts_parent)
    return trie if closed is None else build_trie(words, closed, path)


def _with_suffixes(
    trie: NgramTrie, sections: list[NgramSection], parents: list[npt.NDArray[np.int64]]
) -> list[NgramSection] | None:
    """Adds the suffixes that a pruned model lacks, at the cost that backing off gives them; None if it lacks none.

    The optimistic lower orders rely on them: a history is shortened there, and its n-grams must stay in reach.
    """
    level = np.repeat(np.arange(1, trie.order + 1), np.diff(trie.levels))
    parent = np.concatenate([np.full(trie.levels[1], ROOT), *(p + trie.levels[k] for k, p in enumerate(parents))])
    suffix_level = np.where(trie.suffix == ROOT, 0, level[trie.suffix])
    added: list[dict[tuple[int, ...], float]] = [{} for _ in sections]
    for node in np.flatnonzero(suffix_level < level - 1).tolist():
        gram, at = [], node
        while at != ROOT:
            gram.append(int(trie.word[at]))
            at = int(parent[at])
        gram.reverse()
        contexts, at = {}, int(trie.suffix[parent[node]])
        while at != ROOT:
            contexts[int(level[at])] = float(trie.backoff[at])
            at = int(trie.suffix[at])
        cost = float(trie.cost[trie.suffix[node]])
        for length in range(int(suffix_level[node]) + 1, int(level[node])):
            cost += contexts.get(length - 1, 0.0)
            added[length - 1][tuple(gram[-length:])] = -cost
    if not any(added):
        return None
    return [
        NgramSection(
            np.concatenate((section.words, np.array(list(new), dtype=np.int32).reshape(-1, order))),
            np.concatenate((section.probs, np.fromiter(new.values(), dtype=np.float64))),
            np.concatenate((section.backoffs, np.zeros(len(new)))),
        )
        for order, (section, new) in enumerate(zip(sections, added, strict=True), start=1)
    ]


def _find_nodes(grams: Ints, keys: list[npt.NDArray[np.int64]], size: int) -> npt.NDArray[np.int64]:
    """Returns for each row of word ids its index within its order, -1 if the model does not hold it."""
    node = grams[:, 0].astype(np.int64)
    for column in range(1, grams.shape[1]):
        node = _find_children(node, grams[:, column], keys[column], size)
    return node


def _find_children(
    parent: npt.NDArray[np.int64], word: Ints, keys: npt.NDArray[np.int64], size: int
) -> npt.NDArray[np.int64]:
    key = np.where(parent < 0, -1, parent * size + word)
    if len(keys) == 0:
        return np.full(len(key), -1, dtype=np.int64)
    index = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
    return np.where(keys[index] == key, index, -1)


def _suffixes(
    levels: Ints,
    word: Ints,
    keys: list[npt.NDArray[np.int64]],
    parents: list[npt.NDArray[np.int64]],
    size: int,
) -> Ints:
    """Finds each n-gram's longest proper suffix in the model, order by order.

    The suffix of `parent + word` extends some suffix of `parent` by `word`; a model that was pruned may lack the
    next shorter one, so the search goes on down the parent's own suffixes.
    """
    suffix = np.full(int(levels[-1]), ROOT, dtype=np.int32)
    for level in range(1, len(levels) - 1):
        last = word[levels[level] : levels[level + 1]]
        context = suffix[parents[level - 1] + levels[level - 1]].astype(np.int64)
        found = np.full(len(last), ROOT, dtype=np.int64)
        open_rows = np.arange(len(last))
        while len(open_rows):
            at_root = context[open_rows] == ROOT
            found[open_rows[at_root]] = last[open_rows[at_root]]
            open_rows = open_rows[~at_root]
            order_of = np.searchsorted(levels, context[open_rows], side="right")  # the order of the context
            for order in np.unique(order_of):
                rows = open_rows[order_of == order]
                child = _find_children(context[rows] - levels[order - 1], last[rows], keys[order], size)
                found[rows] = np.where(child >= 0, child + levels[order], ROOT)
            open_rows = open_rows[found[open_rows] == ROOT]
            context[open_rows] = suffix[context[open_rows]]
        suffix[levels[level] : levels[level + 1]] = found
    return suffix
