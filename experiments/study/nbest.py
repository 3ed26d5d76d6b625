"""N-best lists with features, as arrays: in memory and on disk."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.support.array_cache import pack_words, read_arrays, unpack_words, write_arrays
from lattice_simp.tune.feature_lattice import nbest_lattice


@dataclass(frozen=True, eq=False)
class Nbest:
    """Different hypotheses, tokens joined by blanks, with the scores of named features; higher ones are better."""

    words: list[str]
    features: Floats
    names: tuple[str, ...]

    def costs(self, weights: Mapping[str, float], prefix: str = "") -> Floats:
        """Returns the hypotheses' costs (nats) under the weights of the features, whose names begin with a prefix."""
        return -self.features @ np.array([weights.get(prefix + name, 0.0) for name in self.names])

    def with_features(self, other: Nbest) -> Nbest:
        """Returns the list with the features of another list of the same hypotheses, too."""
        assert self.words == other.words
        return Nbest(self.words, np.hstack([self.features, other.features]), self.names + other.names)

    def columns(self, names: Sequence[str]) -> Floats:
        """Returns the scores of some features, (hypotheses, names); 0 for missing features.

        >>> Nbest(["a"], np.array([[1.0, 2.0]]), ("x", "y")).columns(["y", "z"]).tolist()
        [[2.0, 0.0]]
        """
        by_name = dict(zip(self.names, self.features.T, strict=True))
        none = np.zeros(len(self.words))
        return np.column_stack([by_name.get(name, none) for name in names])

    def first(self, count: int) -> Nbest:
        """Returns the first hypotheses."""
        return Nbest(self.words[:count], self.features[:count], self.names)

    def only(self, words: Container[str]) -> Nbest:
        """Returns the hypotheses whose words are in a collection."""
        indices = [index for index, text in enumerate(self.words) if text in words]
        return Nbest([self.words[index] for index in indices], self.features[indices], self.names)

    def sorted(self, weights: Mapping[str, float]) -> Nbest:
        """Returns the hypotheses in the order of their costs under weights."""
        order = np.argsort(self.costs(weights), kind="stable")
        return Nbest([self.words[index] for index in order.tolist()], self.features[order], self.names)

    def best(self, weights: Mapping[str, float], count: int) -> list[Hypothesis]:
        """Returns the best hypotheses under weights."""
        costs = self.costs(weights)
        order = np.argsort(costs, kind="stable")[:count].tolist()
        return [Hypothesis(tuple(self.words[index].split()), float(costs[index])) for index in order]

    def lattice(self, symbols: SymbolTable) -> Lattice:
        """Returns a lattice with a path for each hypothesis."""
        hypotheses = [
            Hypothesis(tuple(words.split()), features=dict(zip(self.names, row, strict=True)))
            for words, row in zip(self.words, self.features.tolist(), strict=True)
        ]
        return nbest_lattice(hypotheses, self.names, symbols)

    def write(self, path: Path) -> None:
        """Writes a file for `read`; features are rounded to half of their digits."""
        arrays = {"words": pack_words(self.words), "names": pack_words(list(self.names))}
        write_arrays(path, {**arrays, "features": self.features.astype(np.float32)})

    @classmethod
    def read(cls, path: Path) -> Nbest:
        """Reads a file."""
        arrays = read_arrays(path)
        names = tuple(unpack_words(arrays["names"]))
        return cls(unpack_words(arrays["words"]), arrays["features"].astype(np.float64), names)


def joined(lists: Sequence[Nbest]) -> Nbest:
    """Joins lists of the same features; of equal strings the first counts.

    >>> lists = [Nbest(["a"], np.array([[1.0]]), ("x",)), Nbest(["b", "a"], np.array([[2.0], [3.0]]), ("x",))]
    >>> joined(lists).words, joined(lists).features.ravel().tolist()
    (['a', 'b'], [1.0, 2.0])
    """
    assert all(part.names == lists[0].names for part in lists)
    words = [word for part in lists for word in part.words]
    firsts: dict[str, int] = {}
    for index, word in enumerate(words):
        firsts.setdefault(word, index)
    rows = np.array(list(firsts.values()), dtype=np.int64)
    return Nbest(list(firsts), np.vstack([part.features for part in lists])[rows], lists[0].names)
