"""Several weighted language models as one: the union of their n-grams, with the sums of their costs.

The cost of an n-gram of the union is the sum of all models' costs of its last word, and its backoff is the sum of
theirs. So a word's cost in any context is the weighted sum of the models' costs: where the union backs off, all do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lattice_simp.core.blocks import block_numbers, chosen_blocks
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

    The n-grams of a single ARPA file are used in place, which is faster for such a search than the copy that `combined`
    makes. Several models are united for this vocabulary, and the n-grams of a KenLM binary are listed.

    >>> from lattice_simp.lm.automaton import advance, start_state
    >>> text = "\\\\data\\\\\\nngram 1=3\\n\\n\\\\1-grams:\\n-9 <s>\\n-0.5 a\\n-0.25 </s>\\n\\n\\\\end\\\\\\n"
    >>> model, numbers = lookup([(LanguageModel.from_bytes(text.encode()), 0.5)], ["a"])
    >>> state, cost = advance(model, start_state(model)[0], model.vocabulary[numbers[0]])
    >>> round(cost, 4)   # 0.5 * 0.5 * ln 10
    0.5756

    Args:
        models: see `combined`.
        words: the words to look up.
        successors: see `LanguageModel.restrict`.

    Returns:
        The model, whose vocabulary has each unigram once, and (words + 1,) int32: the index there of each word and,
        last, of `</s>`.
    """
    (model, weight), *further_models = _in_use(models)
    if further_models or model.needs_successors:
        united = combined(models, words, successors)
        ngrams = united._replace(cost=united.cost.astype(np.float32), backoff=united.backoff.astype(np.float32))
    else:
        ngrams = model.ngrams._replace(vocabulary=model.word_ids(words), unit=LOG_10 * weight)
    unigrams = np.append(ngrams.vocabulary, [ngrams.start, ngrams.end]).astype(np.int32)
    vocabulary, numbers = np.unique(unigrams, return_inverse=True)
    return ngrams._replace(vocabulary=vocabulary), np.delete(numbers, -2).astype(np.int32)


def _in_use(models: Sequence[tuple[LanguageModel, float]]) -> list[tuple[LanguageModel, float]]:
    """Returns the models of nonzero weight, or the first one if there are none."""
    return [(model, weight) for model, weight in models if weight] or list(models[:1])


def _union(models: list[NgramAutomaton]) -> NgramAutomaton:
    """Unites models that were restricted to the same words; a word of the union is one word of each of them."""
    columns = [np.append(model.vocabulary, [model.start, model.end]) for model in models]
    names, vocabulary = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    vocabulary = vocabulary.ravel()
    parts = [Part(model, column, [column]) for model, column in zip(models, names.T.astype(np.int32), strict=True)]
    order = max(model.order for model in models)
    union = unite(parts, len(names), order)
    cost = np.sum([part.costs(union) for part in parts], axis=0)
    cost[-1] = 0.0
    return NgramAutomaton(
        order=order,
        children=union.children,
        word=union.word,
        cost=cost,
        backoff=np.sum([part.backoffs() for part in parts], axis=0),
        suffix=union.suffix,
        vocabulary=vocabulary[:-2].astype(np.int32),
        start=int(vocabulary[-2]),
        end=int(vocabulary[-1]),
        unit=1.0,
    )


class Union(NamedTuple):
    """The n-grams that any of several models holds; the other fields are those of `NgramAutomaton`.

    Attributes:
        levels: the n-grams of k words are `levels[k - 1]:levels[k]`; the root comes last.
        parent: (nodes,) int32, each n-gram without its last word; the root for unigrams and itself.
    """

    levels: list[int]
    parent: Ints
    word: Ints
    children: Ints
    suffix: Ints


def unite(parts: Sequence[Part], num_words: int, order: int) -> Union:
    """Returns the n-grams of all parts, and fills in the nodes of each part."""
    parents, words, levels = [np.full(num_words, -1)], [np.arange(num_words)], [0, num_words]
    for _ in range(1, order):
        extensions = [part.extended(levels[-2], num_words) for part in parts]
        codes = np.unique(np.concatenate([longer for _, longer in extensions]))
        for part, (nodes, longer) in zip(parts, extensions, strict=True):
            part.add(nodes, np.searchsorted(codes, longer), len(codes))
        parents.append(codes // num_words)
        words.append(codes % num_words)
        levels.append(levels[-1] + len(codes))
    parent: Ints = np.concatenate([*parents, [-1]]).astype(np.int32)
    word: Ints = np.concatenate([*words, [-1]]).astype(np.int32)
    parent[parent < 0] = levels[-1]
    children = child_blocks(parent, num_words)
    return Union(levels, parent, word, children, suffixes(parent, word, children))


@dataclass(frozen=True, eq=False)
class Part:
    """Which n-grams of the union a model holds.

    Attributes:
        names: (words,) int32, the model's word for each of the union; several may have the same one, -1 for none.
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
        rows = block_numbers(begins)  # one word of the model may be several of the union
        return nodes[rows].astype(np.int32), parents[rows] * num_words + by_name[places]

    def add(self, nodes: Ints, numbers: Longs, count: int) -> None:
        """Adds the nodes of the next length."""
        level = np.full(count, -1, dtype=np.int32)
        level[numbers] = nodes
        self.nodes.append(level)

    def backoffs(self) -> Floats:
        """Returns (nodes,) float64, the backoff cost of each n-gram, 0 if the model does not hold it."""
        nodes = np.concatenate([*self.nodes, [-1]])
        return np.where(nodes >= 0, self.model.backoff[nodes], 0.0)

    def costs(self, union: Union) -> Floats:
        """Returns (nodes,) float64, the cost of each n-gram's last word after the others; infinite if unknown."""
        nodes, backoffs = np.concatenate([*self.nodes, [-1]]), self.backoffs()
        costs: Floats = np.where(nodes >= 0, self.model.cost[nodes], np.inf)
        for begin, end in pairwise(union.levels):
            missing = np.flatnonzero(nodes[begin:end] < 0) + begin
            # The costs of shorter n-grams are complete by now.
            costs[missing] = backoffs[union.parent[missing]] + costs[union.suffix[missing]]
        return costs
