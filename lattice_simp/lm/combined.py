"""Several weighted language models as one: the union of their n-grams, with the sums of their costs.

An n-gram of the union costs what all models together charge for its last word, and its backoff is the sum of theirs. So
a word's cost in any context is the weighted sum of the models' costs: where the union backs off, so do all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from lattice_simp.lm.model import LanguageModel
from lattice_simp.lm.restrict import RestrictedModel, child_blocks, suffixes

Gram = tuple[int, ...]


def combined(models: Sequence[tuple[LanguageModel, float]], words: Sequence[str]) -> RestrictedModel:
    """Returns the weighted sum of language models, restricted to a vocabulary.

    Args:
        models: with their weights, not negative; those of weight 0 are left out, but one stays.
        words: the vocabulary; `word_ids[i]` of the result stands for `words[i]`.
    """
    parts = [(model.restrict(words), weight) for model, weight in in_use(models)]
    weighted = [replace(own, cost=weight * own.cost, backoff=weight * own.backoff) for own, weight in parts]
    return weighted[0] if len(weighted) == 1 else _union(weighted)


def in_use(models: Sequence[tuple[LanguageModel, float]]) -> list[tuple[LanguageModel, float]]:
    """Returns the models with a weight; the first one if none has any."""
    return [(model, weight) for model, weight in models if weight] or list(models[:1])


def _union(parts: list[RestrictedModel]) -> RestrictedModel:
    """Unites models that were restricted to the same words; a word of the union is one word of each of them."""
    columns = [np.append(part.word_ids, [part.start_word, part.end_word]) for part in parts]
    names, word_ids = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    word_ids = word_ids.ravel()
    readers = [_Reader(part, names[:, column]) for column, part in enumerate(parts)]
    grams: set[Gram] = {(word,) for word in range(len(names))}
    grams.update(gram for reader in readers for gram in reader.grams())
    ordered: list[Gram] = []
    number: dict[Gram, int] = {}
    for level in range(1, max(part.order for part in parts) + 1):
        own = (gram for gram in grams if len(gram) == level)
        for gram in sorted(own, key=lambda gram: (number.get(gram[:-1], 0), gram[-1])):
            number[gram] = len(ordered)
            ordered.append(gram)
    root = len(ordered)
    parent = np.array([*(number.get(gram[:-1], root) for gram in ordered), root], dtype=np.int32)
    word = np.array([*(gram[-1] for gram in ordered), -1], dtype=np.int32)
    children = child_blocks(parent[:-1], len(names), root)
    return RestrictedModel(
        order=max(part.order for part in parts),
        word_ids=word_ids[:-2].astype(np.int32),
        num_words=len(names),
        start_word=int(word_ids[-2]),
        end_word=int(word_ids[-1]),
        level=np.array([*map(len, ordered), 0], dtype=np.int32),
        cost=np.array([*(sum(reader.cost(gram) for reader in readers) for gram in ordered), 0.0]),
        backoff=np.array([*(sum(reader.backoff(gram) for reader in readers) for gram in ordered), 0.0]),
        suffix=suffixes(parent, word, children, root),
        parent=parent,
        children=children,
        word=word,
    )


class _Reader:
    """A model whose n-grams are looked up by the words of the union; `names` is the model's word for each."""

    def __init__(self, model: RestrictedModel, names: np.ndarray) -> None:  # type: ignore[type-arg]
        self._model, self._names = model, names.tolist()
        self._nodes: dict[Gram, int] = {}
        parent, word = model.parent.tolist(), model.word.tolist()
        of_node: list[Gram] = []
        for node in range(model.root):
            gram = (word[node],) if parent[node] == model.root else (*of_node[parent[node]], word[node])
            of_node.append(gram)
            self._nodes[gram] = node

    def grams(self) -> Iterator[Gram]:
        """Yields the model's n-grams in words of the union, of which several may be one word of the model."""
        named: dict[int, list[int]] = {}
        for number, name in enumerate(self._names):
            named.setdefault(name, []).append(number)
        for gram in self._nodes:
            yield from product(*(named.get(word, ()) for word in gram))

    def _node(self, gram: Gram) -> int:
        return self._nodes.get(tuple(self._names[word] for word in gram), -1)

    def cost(self, gram: Gram) -> float:
        """Returns the cost of the last word after the others."""
        node = self._node(gram)
        if node >= 0:
            return float(self._model.cost[node])
        return self.backoff(gram[:-1]) + self.cost(gram[1:])

    def backoff(self, gram: Gram) -> float:
        """Returns the cost of giving up a context, 0 if the model does not hold it."""
        node = self._node(gram)
        return float(self._model.backoff[node]) if node >= 0 else 0.0
