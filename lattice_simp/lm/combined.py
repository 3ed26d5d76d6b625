"""Several weighted language models as one: the union of their n-grams, with the sums of their costs.

An n-gram of the union costs what all models together charge for its last word, and its backoff is the sum of theirs. So
a word's cost in any context is the weighted sum of the models' costs: where the union backs off, so do all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from lattice_simp.core.blocks import chosen_blocks
from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.lm.binary import Successors
from lattice_simp.lm.model import LanguageModel
from lattice_simp.lm.restrict import RestrictedModel, child_blocks, suffixes


def combined(
    models: Sequence[tuple[LanguageModel, float]], words: Sequence[str], successors: Successors | None = None
) -> RestrictedModel:
    """Returns the weighted sum of language models, restricted to a vocabulary.

    Args:
        models: with their weights, not negative; those of weight 0 are left out, but the first stays if all are.
        words: the vocabulary; `word_ids[i]` of the result stands for `words[i]`.
        successors: see `LanguageModel.restrict`.
    """
    parts = [(model.restrict(words, successors), weight) for model, weight in in_use(models)]
    weighted = [replace(own, cost=weight * own.cost, backoff=weight * own.backoff) for own, weight in parts]
    return weighted[0] if len(weighted) == 1 else _union(weighted)


def in_use(models: Sequence[tuple[LanguageModel, float]]) -> list[tuple[LanguageModel, float]]:
    """Returns the models with a weight; the first one if none has any."""
    return [(model, weight) for model, weight in models if weight] or list(models[:1])


def _union(parts: list[RestrictedModel]) -> RestrictedModel:
    """Unites models that were restricted to the same words; a word of the union is one word of each of them."""
    columns = [np.append(part.word_ids, [part.start_word, part.end_word]) for part in parts]
    names, word_ids = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    word_ids, count = word_ids.ravel(), len(names)
    order = max(part.order for part in parts)
    held = [_Held(part, own, [own]) for part, own in zip(parts, names.T.astype(np.int32), strict=True)]
    parents, words, levels = [np.full(count, -1)], [np.arange(count)], [0, count]
    for _ in range(1, order):
        found = [own.extended(levels[-2], count) for own in held]
        codes = np.unique(np.concatenate([longer for _, longer in found]))
        for own, (nodes, longer) in zip(held, found, strict=True):
            own.add(nodes, np.searchsorted(codes, longer), len(codes))
        parents.append(codes // count)
        words.append(codes % count)
        levels.append(levels[-1] + len(codes))
    root = levels[-1]
    parent: Ints = np.concatenate([*parents, [-1]]).astype(np.int32)
    word: Ints = np.concatenate([*words, [-1]]).astype(np.int32)
    parent[parent < 0] = root
    children = child_blocks(parent[:-1], count, root)
    suffix = suffixes(parent, word, children, root)
    backoffs = [own.backoffs() for own in held]
    costs = [own.costs(backoff, levels, parent, suffix) for own, backoff in zip(held, backoffs, strict=True)]
    return RestrictedModel(
        order=order,
        word_ids=word_ids[:-2].astype(np.int32),
        num_words=count,
        start_word=int(word_ids[-2]),
        end_word=int(word_ids[-1]),
        level=np.append(np.repeat(np.arange(1, order + 1), np.diff(levels)), 0).astype(np.int32),
        cost=np.append(np.sum(costs, axis=0), 0.0),
        backoff=np.append(np.sum(backoffs, axis=0), 0.0),
        suffix=suffix,
        parent=parent,
        children=children,
        word=word,
    )


@dataclass(frozen=True, eq=False)
class _Held:
    """Which n-grams of the union a model holds.

    Attributes:
        names: (words,) int32, the model's word for each of the union; several may have the same one.
        nodes: for each length, (n-grams,) int32, the model's node, -1 for none.
    """

    model: RestrictedModel
    names: Ints
    nodes: list[Ints]

    def extended(self, first: int, num_words: int) -> tuple[Ints, Longs]:
        """Returns the model's n-grams that are longer by a word: nodes, and `parent * num_words + word` in the union.

        Args:
            first: the union's number of the first n-gram of the last length.
            num_words: the union's words.
        """
        own = np.flatnonzero(self.nodes[-1] >= 0)
        nodes, begins = chosen_blocks(self.model.children, self.nodes[-1][own])
        parents = np.repeat(own + first, np.diff(begins))
        by_name = np.argsort(self.names, kind="stable")
        of_name = np.searchsorted(self.names[by_name], np.arange(self.model.num_words + 1))
        places, begins = chosen_blocks(of_name, self.model.word[nodes])
        rows = np.repeat(np.arange(len(nodes)), np.diff(begins))  # several words of the union may be one of the model
        return nodes[rows].astype(np.int32), parents[rows] * num_words + by_name[places]

    def add(self, nodes: Ints, numbers: Longs, count: int) -> None:
        """Takes note of the nodes of the next length."""
        own = np.full(count, -1, dtype=np.int32)
        own[numbers] = nodes
        self.nodes.append(own)

    def backoffs(self) -> Floats:
        """Returns (n-grams,) float64, the cost of giving up each as a context, 0 where the model does not hold it."""
        nodes = np.concatenate(self.nodes)
        return np.where(nodes >= 0, self.model.backoff[nodes], 0.0)

    def costs(self, backoffs: Floats, levels: list[int], parent: Ints, suffix: Ints) -> Floats:
        """Returns (n-grams,) float64, the cost of the last word of each after the others."""
        nodes = np.concatenate(self.nodes)
        costs: Floats = np.where(nodes >= 0, self.model.cost[nodes], 0.0)
        for begin, end in pairwise(levels):
            missing = np.flatnonzero(nodes[begin:end] < 0) + begin
            costs[missing] = backoffs[parent[missing]] + costs[suffix[missing]]  # shorter ones come first
        return costs
