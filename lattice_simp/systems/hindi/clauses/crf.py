"""Linear-chain conditional random fields as arrays, trained by CRFsuite and scored by numpy.

Lafferty, McCallum and Pereira 2001. CRFsuite returns best labellings and marginals, but lattices need the scores.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.errors import FormatError
from lattice_simp.support.array_cache import Arrays, pack_words, read_arrays, unpack_words, write_arrays
from lattice_simp.support.array_checks import check_array, check_finite, check_indices
from lattice_simp.support.crfsuite import open_tagger, train_tagger
from lattice_simp.systems.hindi.clauses.features import Features


@dataclass(frozen=True)
class CrfSettings:
    """Training settings of a field.

    Attributes:
        l1: the L1 regularisation, which selects few features and so keeps models small and fast.
        l2: the L2 regularisation, a factor of half the sum of squared weights.
        max_iterations: the most iterations of L-BFGS.
        min_count: the least number of occurrences of an attribute.
    """

    l1: float = 0.5
    l2: float = 0.05
    max_iterations: int = 120
    min_count: int = 2


@dataclass(frozen=True, eq=False)
class LinearChain:
    """A linear-chain conditional random field.

    Attributes:
        labels: (num_labels,) the names of the labels.
        attributes: the row of each attribute.
        weights: (num_attributes, num_labels) float32 scores, natural logs.
        transitions: (num_labels, num_labels) float64 scores, from label (row) to label (column).
    """

    labels: tuple[str, ...]
    attributes: dict[str, int]
    weights: np.ndarray[Any, np.dtype[np.float32]]
    transitions: Floats

    @classmethod
    def train(
        cls, examples: Iterable[tuple[Features, Sequence[str]]], settings: CrfSettings | None = None
    ) -> LinearChain:
        """Trains a field on the attributes and the label of each token of sentences; raises as `train_tagger`."""
        settings = settings or CrfSettings()
        parameters = {
            "c1": settings.l1,
            "c2": settings.l2,
            "max_iterations": settings.max_iterations,
            "feature.minfreq": settings.min_count,
        }
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model")
            train_tagger(path, examples, parameters, extra_name="hindi", fewest_labels=1)
            dump = open_tagger(path, extra_name="hindi", remedy="train it again").info()
        labels = tuple(sorted(dump.labels))
        columns = {label: position for position, label in enumerate(labels)}
        attributes = {name: row for row, name in enumerate(sorted({name for name, _ in dump.state_features}))}
        weights = np.zeros((len(attributes), len(labels)), dtype=np.float32)
        for (name, label), weight in dump.state_features.items():
            weights[attributes[name], columns[label]] = weight
        transitions = np.zeros((len(labels), len(labels)))
        for (first, second), weight in dump.transitions.items():
            transitions[columns[first], columns[second]] = weight
        return cls(labels, attributes, weights, transitions)

    def scores(self, features: Features) -> Floats:
        """Returns (num_tokens, num_labels) float64 scores of each label for each token, without transitions."""
        rows = [[row for name in names if (row := self.attributes.get(name)) is not None] for names in features]
        scores = np.zeros((len(rows), len(self.labels)))
        for position, token_rows in enumerate(rows):
            if token_rows:
                scores[position] = self.weights[token_rows].sum(axis=0, dtype=np.float64)
        return scores

    def write(self, path: Path) -> None:
        """Writes the field to a file."""
        names = {"labels": pack_words(list(self.labels)), "attributes": pack_words(list(self.attributes))}
        rows, columns = np.nonzero(self.weights)
        arrays: Arrays = {**names, "rows": rows.astype(np.int32), "columns": columns.astype(np.int16)}
        arrays |= {"values": self.weights[rows, columns], "transitions": self.transitions}
        write_arrays(path, arrays)

    @classmethod
    def read(cls, path: Path) -> LinearChain:
        """Reads a field written by `write`; raises FormatError if the file is broken or holds no field."""
        arrays = read_arrays(path)
        try:
            labels, attributes = unpack_words(arrays["labels"]), unpack_words(arrays["attributes"])
            rows, columns, values, transitions = (arrays[name] for name in ("rows", "columns", "values", "transitions"))
            check_array("rows", rows, np.int32, None)
            check_indices("rows", rows, len(attributes))
            check_array("columns", columns, np.int16, len(rows))
            check_indices("columns", columns, len(labels))
            check_array("values", values, np.float32, len(rows))
            check_array("transitions", transitions, np.float64, len(labels), len(labels))
            check_finite("values", values)
            check_finite("transitions", transitions)
            weights = np.zeros((len(attributes), len(labels)), dtype=np.float32)
            weights[rows, columns] = values
        except (KeyError, ValueError):
            raise FormatError("not a conditional random field", path=path, remedy="train it again") from None
        return cls(tuple(labels), {name: row for row, name in enumerate(attributes)}, weights, transitions)


def best_rests(scores: Floats, transitions: Floats) -> Floats:
    """Returns (num_tokens, num_labels) scores of the best labelling of the tokens after each token with each label.

    >>> best_rests(np.array([[1.0, 0.0], [0.0, 0.5]]), np.array([[2.0, 0.0], [0.0, 0.0]])).tolist()
    [[2.0, 0.5], [0.0, 0.0]]
    """
    rests = np.zeros_like(scores)
    for position in range(len(scores) - 2, -1, -1):
        rests[position] = (transitions + scores[position + 1] + rests[position + 1]).max(axis=1)
    return rests
