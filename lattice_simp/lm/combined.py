"""Several weighted language models as one: the union of their n-grams, with the sums of their costs.

An n-gram of the union costs what all models together charge for its last word, and its backoff is the sum of theirs. So
a word's cost in any context is the weighted sum of the models' costs: where the union backs off, so do all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lattice_simp.core.blocks import chosen_blocks
from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.lm.automaton import LOG_10, NgramAutomaton, suffixes
from lattice_simp.lm.binary import Successors
from lattice_simp.lm.model import LanguageModel
from lattice_simp.lm.restrict import child_blocks


def combined(
    models: Sequence[tuple[LanguageModel, float]], words: Sequence[str], successors: Successors | None = None
) -> NgramAutomaton:
    """Returns the weighted sum of language models, restricted to a vocabulary.

    Args:
        models: with their weights, not negative; those of weight 0 are left out, but the first stays if all are.
        words: the vocabulary; `vocabulary[i]` of the result stands for `words[i]`.
        successors: see `LanguageModel.restrict`.
    """
    weighted = [model.restrict(words, successors).scaled(weight) for model, weight in _in_use(models)]
    return weighted[0] if len(weighted) == 1 else _union(weighted)


def lookup(
    models: Sequence[tuple[LanguageModel, float]], words: Sequence[str], successors: Successors | None = None
) -> tuple[NgramAutomaton, Ints]:
    """Returns the weighted sum of language models for a search that scores few of a sentence's possible n-grams.

    The n-grams of one ARPA file stay where they are, which is faster then than a copy of those that `combined` makes.
    Several models are united for this vocabulary, and the n-grams of a KenLM binary are listed.

    >>> from lattice_simp.lm.automaton import advance, start_state
    >>> text = "\\\\data\\\\\\nngram 1=3\\n\\n\\\\1-grams:\\n-9 <s>\\n-0.5 a\\n-0.25 </s>\\n\\n\\\\end\\\\\\n"
    >>> model, numbers = lookup([(LanguageModel.from_bytes(text.encode()), 0.5)], ["a"])
    >>> state, cost = advance(model, start_state(model)[0], model.vocabulary[numbers[0]])
    >>> round(cost, 4)   # 0.5 * 0.5 * ln 10
    0.5756

    Args:
        models: see `combined`.
        words: those that will be looked up.
        successors: see `LanguageModel.restrict`.

    Returns:
        The model, whose vocabulary has each unigram once, and (words + 1,) int32: the place there of each word and,
        last, of `</s>`.
    """
    (model, weight), *others = _in_use(models)
    if others or model.needs_successors:
        united = combined(models, words, successors)
        ngrams = united._replace(cost=united.cost.astype(np.float32), backoff=united.backoff.astype(np.float32))
    else:
        ngrams = model.ngrams._replace(vocabulary=model.word_ids(words), unit=LOG_10 * weight)
    unigrams = np.append(ngrams.vocabulary, [ngrams.start, ngrams.end]).astype(np.int32)
    vocabulary, numbers = np.unique(unigrams, return_inverse=True)
    return ngrams._replace(vocabulary=vocabulary), np.delete(numbers, -2).astype(np.int32)


def _in_use(models: Sequence[tuple[LanguageModel, float]]) -> list[tuple[LanguageModel, float]]:
    """Returns the models with a weight; the first one if none has any."""
    return [(model, weight) for model, weight in models if weight] or list(models[:1])


def _union(models: list[NgramAutomaton]) -> NgramAutomaton:
    """Unites models that were restricted to the same words; a word of the union is one word of each of them."""
    columns = [np.append(model.vocabulary, [model.start, model.end]) for model in models]
    names, vocabulary = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    vocabulary, count = vocabulary.ravel(), len(names)
    order = max(model.order for model in models)
    parts = [_Part(model, column, [column]) for model, column in zip(models, names.T.astype(np.int32), strict=True)]
    parents, words, levels = [np.full(count, -1)], [np.arange(count)], [0, count]
    for _ in range(1, order):
        extensions = [part.extended(levels[-2], count) for part in parts]
        codes = np.unique(np.concatenate([longer for _, longer in extensions]))
        for part, (nodes, longer) in zip(parts, extensions, strict=True):
            part.add(nodes, np.searchsorted(codes, longer), len(codes))
        parents.append(codes // count)
        words.append(codes % count)
        levels.append(levels[-1] + len(codes))
    parent: Ints = np.concatenate([*parents, [-1]]).astype(np.int32)
    word: Ints = np.concatenate([*words, [-1]]).astype(np.int32)
    parent[parent < 0] = levels[-1]
    children = child_blocks(parent, count)
    suffix = suffixes(parent, word, children)
    backoffs = [part.backoffs() for part in parts]
    costs = [part.costs(backoff, levels, parent, suffix) for part, backoff in zip(parts, backoffs, strict=True)]
    return NgramAutomaton(
        order=order,
        children=children,
        word=word,
        cost=np.append(np.sum(costs, axis=0), 0.0),
        backoff=np.append(np.sum(backoffs, axis=0), 0.0),
        suffix=suffix,
        vocabulary=vocabulary[:-2].astype(np.int32),
        start=int(vocabulary[-2]),
        end=int(vocabulary[-1]),
        unit=1.0,
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """Which n-grams of the union a model holds.

    Attributes:
        names: (words,) int32, the model's word for each of the union; several may have the same one.
        nodes: for each length, (n-grams,) int32, the model's node, -1 for none.
    """

    model: NgramAutomaton
    names: Ints
    nodes: list[Ints]

    def extended(self, first: int, num_words: int) -> tuple[Ints, Longs]:
        """Returns the model's n-grams that are longer by a word: nodes, and `parent * num_words + word` in the union.

        Args:
            first: the union's number of the first n-gram of the last length.
            num_words: the union's words.
        """
        contexts = np.flatnonzero(self.nodes[-1] >= 0)
        nodes, begins = chosen_blocks(self.model.children, self.nodes[-1][contexts])
        parents = np.repeat(contexts + first, np.diff(begins))
        by_name = np.argsort(self.names, kind="stable")
        of_name = np.searchsorted(self.names[by_name], np.arange(self.model.num_words + 1))
        places, begins = chosen_blocks(of_name, self.model.word[nodes])
        rows = np.repeat(np.arange(len(nodes)), np.diff(begins))  # several words of the union may be one of the model
        return nodes[rows].astype(np.int32), parents[rows] * num_words + by_name[places]

    def add(self, nodes: Ints, numbers: Longs, count: int) -> None:
        """Takes note of the nodes of the next length."""
        level = np.full(count, -1, dtype=np.int32)
        level[numbers] = nodes
        self.nodes.append(level)

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
