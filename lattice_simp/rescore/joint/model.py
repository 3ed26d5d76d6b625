"""A trained joint model: p(word | three words before it, the source around its affiliation), in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.rescore.files import read_fields, write_fields
from lattice_simp.rescore.joint.symbols import TargetSymbols
from lattice_simp.rescore.jumps import BUCKETS
from lattice_simp.rescore.vocabulary import Vocabulary
from lattice_simp.support.array_checks import check_array, check_finite, check_indices, check_offsets, sound_arrays

CONTENT = "joint"

Matrix = npt.NDArray[np.float32]

ORDER = 4
"""A word is predicted from the ORDER - 1 words before it."""

WIDTH = 5
"""The width of the convolutions over the source, in words."""

AROUND = 3
"""How many positions of their output a word sees: its affiliation, and one on each side."""


class Widths(NamedTuple):
    """The widths of the network: embeddings of both sides, and its two hidden layers."""

    source: int = 256
    target: int = 192
    hidden: int = 512


def weight_shapes(widths: Widths, source: int, target: int, classes: int) -> dict[str, tuple[int, ...]]:
    """Returns the shapes of the weights by name, for these numbers of symbols on both sides, and of classes."""
    return {
        "source_embedding": (source, widths.source),
        "first_convolution": (WIDTH * widths.source, 2 * widths.source),
        "first_convolution_bias": (2 * widths.source,),
        "second_convolution": (WIDTH * widths.source, 2 * widths.source),
        "second_convolution_bias": (2 * widths.source,),
        "source_hidden": (AROUND * widths.source, widths.hidden),
        "target_embedding": (target, widths.target),
        "target_hidden": ((ORDER - 1) * widths.target, widths.hidden),
        "hidden_bias": (widths.hidden,),
        "second_hidden": (widths.hidden, widths.hidden),
        "second_bias": (widths.hidden,),
        "class_output": (widths.hidden, classes),
        "class_bias": (classes,),
        "word_output": (target, widths.hidden),
        "word_bias": (target,),
    }


WEIGHTS = tuple(weight_shapes(Widths(), 1, 1, 1))
"""The names of the network's arrays."""

_ROWS = 4096
"""How many hidden rows are computed at once: 8 megabytes a layer, which fit the processor's cache."""


@dataclass(frozen=True, eq=False)
class JointModel:
    """The network with its symbols.

    Attributes:
        source: the source's words; the unknown word and the end of the sentence follow them.
        target: the target's symbols.
        jumps: the weights of jumps between the affiliations of neighbouring words (`rescore/jumps.py`).
        weights: the arrays named in `WEIGHTS`, float32.
    """

    source: Vocabulary
    target: TargetSymbols
    jumps: Floats
    weights: dict[str, Matrix]

    @classmethod
    def read(cls, path: str | Path) -> JointModel:
        """Maps a file written by `write`; raises FormatError if it is broken or of another kind."""
        names = ("symbols", "log_shares", "class_begins", "jumps", *WEIGHTS)
        (source, target), (symbols, shares, begins, jumps, *weights) = read_fields(
            path, CONTENT, ("source", "target"), names
        )
        model = cls(
            source, TargetSymbols(target, symbols, shares, begins), jumps, dict(zip(WEIGHTS, weights, strict=True))
        )
        with sound_arrays(path, "train the model again"):
            model.check()
        return model

    def check(self) -> None:
        """Raises BrokenArrayError if the arrays contradict each other."""
        target, words = self.target, self.target.vocabulary.unknown + 1
        check_array("class_begins", target.class_begins, np.int64, None)
        size = self.weights["word_output"].shape[0] if self.weights["word_output"].ndim else 0
        check_offsets("class_begins", target.class_begins, size)
        check_array("symbols", target.symbols, np.int32, words)
        check_indices("symbols", target.symbols, size)
        check_array("log_shares", target.log_shares, np.float64, words)
        check_array("jumps", self.jumps, np.float64, BUCKETS)
        for name in ("source_embedding", "target_embedding", "class_output"):
            check_array(name, self.weights[name], np.float32, None, None)
        widths = Widths(
            *(self.weights[name].shape[1] for name in ("source_embedding", "target_embedding", "second_hidden"))
        )
        shapes = weight_shapes(widths, self.source.unknown + 2, size, len(target.class_begins) - 1)
        for name, shape in shapes.items():
            check_array(name, self.weights[name], np.float32, *shape)
            check_finite(name, self.weights[name])

    def write(self, path: str | Path) -> None:
        """Writes the model to one file."""
        target = self.target
        fields: dict[str, npt.NDArray[Any] | Vocabulary] = {
            "source": self.source,
            "target": target.vocabulary,
            "symbols": target.symbols,
            "log_shares": target.log_shares,
            "class_begins": target.class_begins,
            "jumps": self.jumps,
        }
        write_fields(path, CONTENT, {**fields, **self.weights})

    def encode(self, source: Sequence[str]) -> Matrix:
        """Returns the (words + 1, hidden) contribution of each source position, the end last, to the first layer."""
        weights = self.weights
        numbers = np.append(self.source.numbers(source), self.source.unknown + 1)
        rows = weights["source_embedding"][numbers]
        for name in ("first_convolution", "second_convolution"):
            linear = _windows(rows, WIDTH) @ weights[name] + weights[name + "_bias"]
            values, gates = np.split(linear, 2, axis=1)
            rows = rows + values / (1 + np.exp(-gates))
        return np.asarray(_windows(rows, AROUND) @ weights["source_hidden"], dtype=np.float32)

    def costs(self, encoded: Matrix, histories: Longs, rows: Longs, symbols: Longs) -> Matrix:
        """Returns the costs of symbols after histories, for every position of the source.

        Args:
            encoded: (positions, hidden) the result of `encode`, or some of its rows.
            histories: (h, 3) symbols, the nearest last; the boundary's symbol before the sentence.
            rows: (n,) the history of each symbol, sorted.
            symbols: (n,) the symbols of the words.

        Returns:
            (n, positions) costs in nats, exactly normalised over all symbols.
        """
        target_parts, positions = self._target_part(histories), len(encoded)
        symbol_costs = np.empty((len(symbols), positions), dtype=np.float32)
        size = max(1, _ROWS // positions)
        for begin in range(0, len(histories), size):
            mine = slice(*np.searchsorted(rows, [begin, begin + size]).tolist())
            hidden = self._hidden(target_parts[begin : begin + size, None] + encoded)
            symbol_costs[mine] = self._output(hidden, rows[mine] - begin, symbols[mine])
        return symbol_costs

    def costs_at(self, encoded: Matrix, histories: Longs, pairs: Longs, rows: Longs, symbols: Longs) -> Matrix:
        """Returns the costs of symbols after histories, each at one position of the source.

        Args:
            encoded: (positions, hidden) the result of `encode`.
            histories: (h, 3) symbols, as for `costs`.
            pairs: (p, 2) a history and a position.
            rows: (n,) the pair of each symbol, sorted.
            symbols: (n,) the symbols of the words.

        Returns:
            (n,) costs in nats.
        """
        target_parts = self._target_part(histories)
        symbol_costs = np.empty(len(symbols), dtype=np.float32)
        for begin in range(0, len(pairs), _ROWS):
            mine = slice(*np.searchsorted(rows, [begin, begin + _ROWS]).tolist())
            history, position = pairs[begin : begin + _ROWS].T
            hidden = self._hidden(target_parts[history] + encoded[position])
            symbol_costs[mine] = self._output(hidden[:, None], rows[mine] - begin, symbols[mine])[:, 0]
        return symbol_costs

    def _target_part(self, histories: Longs) -> Matrix:
        """Returns the contribution of each history to the first hidden layer."""
        weights = self.weights
        words = weights["target_embedding"][histories].reshape(len(histories), weights["target_hidden"].shape[0])
        return np.asarray(words @ weights["target_hidden"] + weights["hidden_bias"], dtype=np.float32)

    def _hidden(self, first: Matrix) -> Matrix:
        """Returns the last hidden layer, given the input of the first one."""
        weights = self.weights
        return np.maximum(_product(np.maximum(first, 0), weights["second_hidden"]) + weights["second_bias"], 0)

    def _output(self, hidden: Matrix, rows: Longs, symbols: Longs) -> Matrix:
        """Returns the (n, positions) costs of symbols (class, then symbol in it) by rows of the last hidden layer."""
        weights, begins = self.weights, self.target.class_begins
        logits = _product(hidden, weights["class_output"]) + weights["class_bias"]
        classes = self.target.classes[symbols]
        costs = _log_sum(logits)[rows] - logits[rows, :, classes]
        order = np.argsort(classes, kind="stable")
        for mine in np.split(order, np.flatnonzero(np.diff(classes[order])) + 1):
            begin, end = begins[classes[mine[0]] :][:2] if len(mine) else (0, 0)
            if end - begin > 1:
                needed, row_of = np.unique(rows[mine], return_inverse=True)
                word_logits = (
                    _product(hidden[needed], weights["word_output"][begin:end].T) + weights["word_bias"][begin:end]
                )
                costs[mine] += _log_sum(word_logits)[row_of] - word_logits[row_of, :, symbols[mine] - begin]
        return costs


def _product(rows: Matrix, matrix: Matrix) -> Matrix:
    """Returns rows @ matrix as one product; with three axes, numpy would compute one for each index of the first."""
    return np.asarray((rows.reshape(-1, rows.shape[-1]) @ matrix).reshape(*rows.shape[:-1], -1), dtype=np.float32)


def _windows(rows: Matrix, width: int) -> Matrix:
    """Returns (rows, width * columns): each row with its neighbours, zeros beyond the ends."""
    padded = np.pad(rows, ((width // 2, width // 2), (0, 0)))
    return np.concatenate([padded[shift : shift + len(rows)] for shift in range(width)], axis=1)


def _log_sum(logits: Matrix) -> Matrix:
    """Returns log sum exp over the last axis."""
    highest = logits.max(axis=-1)
    return np.asarray(highest + np.log(np.exp(logits - highest[..., None]).sum(axis=-1)), dtype=np.float32)
