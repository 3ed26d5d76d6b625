"""How language models are made from parsed n-grams, written to arrays and mapped from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.kernel import Ints, Longs, kernel_view
from lattice_simp.errors import FormatError
from lattice_simp.lm.arpa import NgramSection
from lattice_simp.lm.automaton import END, LOG_10, START, Costs, NgramAutomaton, suffixes
from lattice_simp.support.array_cache import load_arrays, pack_words, store_arrays, unpack_words
from lattice_simp.support.array_checks import (
    BrokenArrayError,
    check_array,
    check_finite,
    check_indices,
    check_offsets,
    length_of,
)

FIELDS = ("levels", "children", "word", "cost", "backoff", "suffix")
"""The arrays of a whole model in a file."""

_KIND = "ngrams1"  # the kind of cache files; increment the number when parsing changes


def load(path: str | Path) -> tuple[list[str], NgramAutomaton] | None:
    """Maps the words and the model in the cache of a model file, or returns None."""
    arrays = load_arrays(path, _KIND)
    if arrays is None or not {*FIELDS, "words"} <= arrays.keys():
        return None
    try:
        words = unpack_words(arrays["words"])
        return words, from_arrays(words, {name: kernel_view(arrays[name]) for name in FIELDS})
    except ValueError:  # a damaged cache is made again
        return None


def store(path: str | Path, words: list[str], model: NgramAutomaton) -> None:
    """Writes words and model to the cache of a model file."""
    store_arrays(path, _KIND, {**to_arrays(model), "words": pack_words(words)})


def to_arrays(model: NgramAutomaton) -> dict[str, npt.NDArray[Any]]:
    """Returns the arrays of a whole model by their names in files."""
    return {name: getattr(model, name) for name in FIELDS}


def from_arrays(words: list[str], arrays: Mapping[str, npt.NDArray[Any]]) -> NgramAutomaton:
    """Restores a whole model from the vocabulary by word id and the arrays of `to_arrays`; others are ignored.

    Raises:
        BrokenArrayError: the arrays contradict each other or the words.
    """
    levels, children, word, cost, backoff, suffix = (arrays[name] for name in FIELDS)
    root, num_words = length_of("word", word) - 1, len(words)
    check_array("levels", levels, np.int32, None)
    check_offsets("levels", levels, root)
    if len(levels) < 2 or levels[1] != num_words:
        raise BrokenArrayError(f"levels: {levels.tolist()} for {num_words} words")
    check_array("word", word, np.int32, root + 1)
    check_indices("word", word[:root], num_words)
    for name, values in (("cost", cost), ("backoff", backoff)):
        check_array(name, values, np.float32, root + 1)
        check_finite(name, values)
    check_array("children", children, np.int32, root + 2)
    check_offsets("children", children, root, first=num_words)
    check_array("suffix", suffix, np.int32, root + 1)
    # A suffix must be shorter than its n-gram, so that following suffixes ends at the root.
    begins = np.repeat(levels[:-1], np.diff(levels))
    check_indices("suffix", np.where(suffix[:root] == root, -1, suffix[:root]), begins, -1)
    if (word[root], suffix[root], children[root]) != (-1, root, root):
        raise BrokenArrayError("word, suffix and children do not end with the root")
    model = _whole(words, len(levels) - 1, children, word, cost, backoff, suffix)
    if (model.levels != levels).any():
        raise BrokenArrayError(f"levels: {levels.tolist()}, but the children have {model.levels.tolist()}")
    return model


def _whole(
    words: list[str],
    order: int,
    children: Ints,
    word: Ints,
    cost: Costs,
    backoff: Costs,
    suffix: Ints,
) -> NgramAutomaton:
    start, end = (words.index(mark) if mark in words else -1 for mark in (START, END))
    return NgramAutomaton(
        order, children, word, cost, backoff, suffix, np.zeros(0, dtype=np.int32), start, end, unit=LOG_10
    )


def build(words: list[str], sections: list[NgramSection], path: str = "<bytes>") -> NgramAutomaton:
    """Builds a whole model from parsed n-grams; contexts that a pruned model lacks are added at their backoff costs.

    Raises:
        FormatError: an n-gram occurs twice.
    """
    size, sections = len(words), list(sections)
    keys: list[Longs] = [np.arange(size, dtype=np.int64)]
    orders: list[Longs] = [np.arange(size)]  # the rows of each section, sorted
    parents: list[Longs] = [np.full(size, -1)]  # within the order below
    for order, section in enumerate(sections[1:], start=2):
        parent = _find_nodes(section.words[:, :-1], keys, size)
        if (parent < 0).any():
            return build(words, _with_contexts(sections), path)
        key = parent * size + section.words[:, -1]
        sorting = np.argsort(key, kind="stable")
        key = key[sorting]
        if (key[1:] == key[:-1]).any():
            row = int(sorting[int(np.argmax(key[1:] == key[:-1]))])
            gram = " ".join(words[w] for w in section.words[row])
            raise FormatError(f"the {order}-gram {gram!r} occurs twice", path=path, remedy="make the model again")
        sections[order - 1] = _priced(sections, order, keys, orders)
        keys.append(key)
        orders.append(sorting)
        parents.append(parent[sorting])
    model = _linked(words, sections, orders, parents)
    closed = _with_suffixes(model, sections)
    return model if closed is None else build(words, closed, path)


def _with_contexts(sections: list[NgramSection]) -> list[NgramSection]:
    """Adds the n-grams that are the context of a longer one, but missing; their probabilities are NaN."""
    closed = list(sections)
    for order in range(len(sections), 2, -1):
        shorter, contexts = closed[order - 2], closed[order - 1].words[:, :-1]
        _, first = np.unique(np.concatenate((shorter.words, contexts)), axis=0, return_index=True)
        missing = contexts[np.sort(first[first >= len(shorter.words)]) - len(shorter.words)]
        if len(missing):
            closed[order - 2] = NgramSection(
                np.concatenate((shorter.words, missing)),
                np.append(shorter.probs, np.full(len(missing), np.nan)),
                np.append(shorter.backoffs, np.zeros(len(missing))),
            )
    return closed


def _priced(sections: list[NgramSection], order: int, keys: list[Longs], orders: list[Longs]) -> NgramSection:
    """Returns the n-grams of an order with the backed-off probabilities of those that were added; lower orders are
    complete.

    `keys` and `orders` are the sorted keys of the lower orders, and the rows that they come from.
    """
    section, size = sections[order - 1], len(sections[0].words)
    rows = np.flatnonzero(np.isnan(section.probs))
    probs, open_rows = section.probs.copy(), np.ones(len(rows), dtype=np.bool_)
    probs[rows] = 0.0
    for begin in range(order if len(rows) else 0):
        length = order - begin
        if begin:
            node = _find_nodes(section.words[rows, begin:], keys, size)
            is_known = open_rows & (node >= 0)
            probs[rows[is_known]] += sections[length - 1].probs[orders[length - 1][node[is_known]]]
            open_rows &= ~is_known
        if length > 1:
            context = _find_nodes(section.words[rows, begin:-1], keys, size)
            backs_off = open_rows & (context >= 0)
            probs[rows[backs_off]] += sections[length - 2].backoffs[orders[length - 2][context[backs_off]]]
    return replace(section, probs=probs)


def _linked(
    words: list[str], sections: list[NgramSection], orders: list[Longs], parents: list[Longs]
) -> NgramAutomaton:
    """Links the children and suffixes of sorted n-grams; returns the model."""
    levels = prefix_sums([len(longer) for longer in parents])
    root = int(levels[-1])
    above = np.concatenate([part + begin for part, begin in zip(parents[1:], levels[:-1], strict=False)] or [[]])
    children = (len(words) + np.searchsorted(above, np.arange(root + 2))).astype(np.int32)
    parent = np.append(np.full(len(words), root), above)
    rows = [section.words[order, -1] for section, order in zip(sections[1:], orders[1:], strict=True)]
    word = np.concatenate([np.arange(len(words)), *rows, [-1]]).astype(np.int32)
    cost, backoff = (
        np.concatenate([*(-part[order] for part, order in zip(columns, orders, strict=True)), [0.0]]).astype(np.float32)
        for columns in ([part.probs for part in sections], [part.backoffs for part in sections])
    )
    suffix = suffixes(np.append(parent, root).astype(np.int32), word, children)
    return _whole(words, len(sections), children, word, cost, backoff, suffix)


def _with_suffixes(model: NgramAutomaton, sections: list[NgramSection]) -> list[NgramSection] | None:
    """Adds the suffixes that a pruned model lacks, at their backoff costs; returns None if it lacks none.

    The optimistic lower orders need them: they shorten histories, whose n-grams must stay reachable.
    """
    length, parent, suffix, root = model.lengths, model.parents, model.suffix, model.root
    added: list[dict[tuple[int, ...], float]] = [{} for _ in sections]
    for node in np.flatnonzero(length[suffix] < length - 1).tolist():
        gram, at = [], node
        while at != root:
            gram.append(int(model.word[at]))
            at = int(parent[at])
        gram.reverse()
        contexts, at = {}, int(suffix[parent[node]])
        while at != root:
            contexts[int(length[at])] = float(model.backoff[at])
            at = int(suffix[at])
        cost = float(model.cost[suffix[node]])
        for shorter in range(int(length[suffix[node]]) + 1, int(length[node])):
            cost += contexts.get(shorter - 1, 0.0)
            added[shorter - 1][tuple(gram[-shorter:])] = -cost
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


def _find_nodes(grams: Ints, keys: list[Longs], size: int) -> Longs:
    """Returns the index of each row of word ids within its order, or -1 if the model does not hold it."""
    node = grams[:, 0].astype(np.int64)
    for column in range(1, grams.shape[1]):
        node = _find_children(node, grams[:, column], keys[column], size)
    return node


def _find_children(parent: Longs, word: Ints, keys: Longs, size: int) -> Longs:
    key = np.where(parent < 0, -1, parent * size + word)
    if len(keys) == 0:
        return np.full(len(key), -1, dtype=np.int64)
    index = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
    return np.where(keys[index] == key, index, -1)
