"""Lattices whose arcs carry feature vectors: what tuning knows of a sentence's hypotheses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lattice_simp.core.connect import topological_order, useful_states
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Bools, Ints
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON, EPSILON_SYMBOL, SymbolTable
from lattice_simp.errors import CyclicLatticeError, InvalidLatticeError, LatticeSimpError
from lattice_simp.formats.feature_lattice import FeatureArcs, FeatureMatrix, read_feature_arcs, write_feature_arcs
from lattice_simp.tune.scores import best_path, weight_vector, weighted

SENTENCE_ENDS = ("<s>", "</s>")
"""Words of a file that are no words of a hypothesis."""


@dataclass(frozen=True, eq=False)
class FeatureLattice:
    """An acyclic lattice, sorted topologically, whose hypotheses cost -(weights . features) under any weights.

    Every state lies on a complete path; state 0 is the start. A lattice without states holds no hypothesis.

    Attributes:
        offsets: (states + 1,) int32, where each state's arcs begin.
        words: (arcs,) int32 word ids; 0 carries no word.
        nextstates: (arcs,) int32, higher than the arc's own state.
        features: (arcs, features) float32 scores: higher is better. Columns lie one after the other in memory.
        final: (states,) bool.
        final_features: (states, features) float32, what ending in the state adds.
        feature_names: the names of the columns.
    """

    offsets: Ints
    words: Ints
    nextstates: Ints
    features: FeatureMatrix
    final: Bools
    final_features: FeatureMatrix
    feature_names: tuple[str, ...]

    @property
    def num_states(self) -> int:
        return len(self.final)

    @property
    def num_arcs(self) -> int:
        return len(self.words)

    # ---------------------------------------------------------------- making

    @classmethod
    def from_arcs(
        cls,
        sources: npt.ArrayLike,
        words: npt.ArrayLike,
        nextstates: npt.ArrayLike,
        features: npt.ArrayLike,
        final: npt.ArrayLike,
        feature_names: Sequence[str],
        final_features: npt.ArrayLike | None = None,
    ) -> FeatureLattice:
        """Makes a lattice from arcs in any order; states that no complete path visits are left out.

        >>> FeatureLattice.from_arcs([0, 0], [1, 2], [1, 1], [[1.0], [2.0]], [False, True], ["x"]).best({"x": 1.0})
        (array([2], dtype=int32), -2.0)

        Raises:
            InvalidLatticeError: lengths that differ, states that do not exist, values that are not finite.
            CyclicLatticeError: the lattice has a cycle.
        """
        origin, target = np.asarray(sources, dtype=np.int64), np.asarray(nextstates, dtype=np.int64)
        labels, is_final = np.asarray(words, dtype=np.int32), np.asarray(final, dtype=np.bool_)
        names = tuple(feature_names)
        ends = np.zeros((len(is_final), len(names))) if final_features is None else final_features
        matrix, final_matrix = _matrix(features, len(origin), names), _matrix(ends, len(is_final), names)
        _check(origin, target, labels, matrix, final_matrix, names)
        order = np.argsort(origin, kind="stable")
        offsets = np.zeros(len(is_final) + 1, dtype=np.int32)
        np.cumsum(np.bincount(origin, minlength=len(is_final)), out=offsets[1:])
        kept = _useful_in_order(offsets, target[order].astype(np.int32), is_final)
        new_name = np.full(len(is_final), -1, dtype=np.int64)
        new_name[kept] = np.arange(len(kept))
        starts, ends_of_arcs = new_name[origin], new_name[target]
        order = np.argsort(starts, kind="stable")
        order = order[(starts[order] >= 0) & (ends_of_arcs[order] >= 0)]
        offsets = np.zeros(len(kept) + 1, dtype=np.int32)
        np.cumsum(np.bincount(starts[order], minlength=len(kept)), out=offsets[1:])
        return cls(
            offsets=offsets,
            words=labels[order],
            nextstates=ends_of_arcs[order].astype(np.int32),
            features=np.asfortranarray(matrix[order]),
            final=is_final[kept],
            final_features=np.asfortranarray(np.where(is_final[kept, None], final_matrix[kept], np.float32(0.0))),
            feature_names=names,
        )

    @classmethod
    def from_lattice(
        cls,
        lattice: Lattice,
        features: npt.ArrayLike,
        feature_names: Sequence[str],
        final_features: npt.ArrayLike | None = None,
    ) -> FeatureLattice:
        """Makes a lattice of a `Lattice`'s output words; its costs are not looked at.

        Args:
            lattice: acyclic.
            features: (arcs, features), the scores of the lattice's arcs.
            feature_names: the names of the columns.
            final_features: (states, features); zeros if None.
        """
        final = np.isfinite(lattice.finals)
        arcs = (lattice.sources, lattice.olabels, lattice.nextstates, features)
        return cls.from_arcs(*arcs, final, feature_names, final_features)

    @classmethod
    def from_nbest(
        cls, hypotheses: Sequence[Hypothesis], feature_names: Sequence[str], symbols: SymbolTable
    ) -> FeatureLattice:
        """Makes a lattice of one path for each hypothesis of one sentence, its features on the path's first arc.

        Args:
            hypotheses: of one sentence.
            feature_names: the columns.
            symbols: numbers the words; it grows as needed.

        Raises:
            LatticeSimpError: a hypothesis has a feature that is not named.
        """
        column = {name: number for number, name in enumerate(feature_names)}
        lengths, words, rows = [], [], np.zeros((len(hypotheses), len(column)), dtype=np.float32)
        for number, hypothesis in enumerate(hypotheses):
            words.append(symbols.encode(hypothesis.tokens) if hypothesis.tokens else np.zeros(1, dtype=np.int32))
            lengths.append(len(words[-1]))
            for name, value in hypothesis.features.items():
                if name not in column:
                    raise LatticeSimpError(f"the feature {name!r} is not among the named ones; add it to them")
                rows[number, column[name]] = value
        # States: the start, one common end (1), and the inner states of each path.
        total = sum(lengths)
        lasts = np.cumsum(lengths, dtype=np.int64) - 1
        firsts = lasts + 1 - np.array(lengths, dtype=np.int64)
        inner = np.arange(total) - np.repeat(np.arange(len(lengths)), lengths) + 2
        sources, nextstates = inner - 1, inner.copy()
        sources[firsts], nextstates[lasts] = 0, 1
        features = np.zeros((total, len(column)), dtype=np.float32)
        features[firsts] = rows
        final = np.zeros(2 + total - len(lengths), dtype=np.bool_)
        final[1] = True
        labels = np.concatenate([np.zeros(0, dtype=np.int32), *words])
        return cls.from_arcs(sources, labels, nextstates, features, final, feature_names)

    @classmethod
    def union(cls, lattices: Sequence[FeatureLattice]) -> FeatureLattice:
        """Makes the lattice of all the paths of `lattices`, behind one new start state.

        Raises:
            LatticeSimpError: no lattices, or other features in one than in the first.
        """
        if not lattices or any(lattice.feature_names != lattices[0].feature_names for lattice in lattices):
            raise LatticeSimpError("a union needs lattices with the same features in the same order")
        names = lattices[0].feature_names
        held = [lattice for lattice in lattices if lattice.num_states]
        shifts = np.cumsum([1, *(lattice.num_states for lattice in held)])
        sources = [lattice.sources + shift for lattice, shift in zip(held, shifts, strict=False)]
        nextstates = [lattice.nextstates + shift for lattice, shift in zip(held, shifts, strict=False)]
        entries = np.zeros(len(held), dtype=np.int32)
        nothing = np.zeros((1, len(names)), dtype=np.float32)
        return cls.from_arcs(
            np.concatenate([entries, *sources]),
            np.concatenate([entries, *(lattice.words for lattice in held)]),
            np.concatenate([shifts[:-1], *nextstates]),
            np.concatenate([np.repeat(nothing, len(held), axis=0), *(lattice.features for lattice in held)]),
            np.concatenate([[False], *(lattice.final for lattice in held)]),
            names,
            np.concatenate([nothing, *(lattice.final_features for lattice in held)]),
        )

    # ---------------------------------------------------------------- files

    @classmethod
    def read(
        cls,
        path: str | Path,
        symbols: SymbolTable | None = None,
        *,
        feature_names: Sequence[str] | None = None,
        removed: Collection[str] = SENTENCE_ENDS,
    ) -> FeatureLattice:
        """Reads a text lattice, see `formats.feature_lattice`.

        Args:
            path: the file; `-` is standard input.
            symbols: numbers the words; it grows as needed. None where the words are whole numbers already.
            feature_names: the columns, in order; those of the file if None.
            removed: words of the file that become epsilons.

        Raises:
            FormatError: a broken file.
            InvalidLatticeError: words that are not whole numbers, where there are no `symbols`.
            CyclicLatticeError: the lattice has a cycle.
        """
        arcs = read_feature_arcs(path, feature_names)
        table: dict[str, int] = {}
        for word in dict.fromkeys(arcs.words):
            table[word] = EPSILON if word in removed or word == EPSILON_SYMBOL else _label(word, symbols)
        words = np.fromiter(map(table.__getitem__, arcs.words), dtype=np.int32, count=len(arcs.words))
        num_states = 1 + max(int(states.max(initial=0)) for states in (arcs.sources, arcs.nextstates, arcs.finals))
        final = np.zeros(num_states, dtype=np.bool_)
        final_features = np.zeros((num_states, len(arcs.feature_names)), dtype=np.float32)
        final[arcs.finals] = True
        final_features[arcs.finals] = arcs.final_features
        columns = (arcs.sources, words, arcs.nextstates, arcs.features, final)
        return cls.from_arcs(*columns, arcs.feature_names, final_features)

    def write(self, path: str | Path, symbols: SymbolTable | None = None) -> None:
        """Writes a text lattice, words as numbers if there are no `symbols`; `read` gives the same lattice."""
        words = [str(word) if symbols is None else symbols[word] for word in self.words.tolist()]
        finals = np.flatnonzero(self.final)
        arcs = (self.sources.astype(np.int64), self.nextstates.astype(np.int64), words, self.features)
        write_feature_arcs(FeatureArcs(*arcs, finals, self.final_features[finals], self.feature_names), path)

    # ---------------------------------------------------------------- use

    @property
    def sources(self) -> Ints:
        """(arcs,) int32, the state that each arc leaves."""
        return np.repeat(np.arange(self.num_states, dtype=np.int32), np.diff(self.offsets))

    def best(self, weights: Mapping[str, float] | npt.ArrayLike) -> tuple[Ints, float]:
        """Returns the words (int32 ids) of the best hypothesis and its cost in nats; infinite if there is none."""
        vector = weight_vector(self.feature_names, weights) if isinstance(weights, Mapping) else np.asarray(weights)
        scores = weighted(self.columns, np.asarray(vector, dtype=np.float64))
        final_scores = weighted(self.final_columns, np.asarray(vector, dtype=np.float64))
        words, score = best_path(self.offsets, self.words, self.nextstates, scores, self.final, final_scores)
        return words, 0.0 - float(score)

    @property
    def columns(self) -> FeatureMatrix:
        """(features, arcs) float32, C order: the same numbers as `features`."""
        return np.ascontiguousarray(self.features.T)

    @property
    def final_columns(self) -> FeatureMatrix:
        """(features, states) float32, C order."""
        return np.ascontiguousarray(self.final_features.T)


def _label(word: str, symbols: SymbolTable | None) -> int:
    if symbols is not None:
        return symbols.add(word)
    if not (word.isascii() and word.isdigit() and len(word) < 10):
        raise InvalidLatticeError(f"the word {word!r} is no number below 10^9; give a symbol table")
    return int(word)


def _matrix(features: npt.ArrayLike, rows: int, names: Sequence[str]) -> FeatureMatrix:
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused
        return np.asarray(features).astype(np.float32).reshape(rows, -1 if rows else len(names))


def _check(sources: Any, nextstates: Any, words: Any, features: Any, final_features: Any, names: Any) -> None:
    num_states = len(final_features)
    states = np.concatenate((sources, nextstates))
    if states.size and (states.min() < 0 or states.max() >= num_states):
        raise InvalidLatticeError(f"an arc leaves or reaches a state outside 0..{num_states - 1}")
    if not len(sources) == len(nextstates) == len(words) or words.min(initial=0) < 0:
        raise InvalidLatticeError("arcs need one source, one next state and one word id from 0 each")
    if features.shape[1] != len(names) or final_features.shape[1] != len(names):
        raise InvalidLatticeError(f"{len(names)} features are named, but the matrices have other numbers of columns")
    if not (np.isfinite(features).all() and np.isfinite(final_features).all()):
        raise InvalidLatticeError("a feature is NaN or infinite; features are finite numbers")


def _useful_in_order(offsets: Ints, nextstates: Ints, final: Bools) -> Ints:
    """Returns the states on complete paths in topological order (as they stand, if they are sorted already)."""
    if not len(final):
        return np.zeros(0, dtype=np.int32)
    order = np.arange(len(final), dtype=np.int32)
    if (nextstates <= np.repeat(order, np.diff(offsets))).any():
        found = topological_order(offsets, nextstates)
        if found is None:
            raise CyclicLatticeError("the lattice has a cycle; tuning needs acyclic lattices")
        order = found
    place = np.full(len(final), -1, dtype=np.int64)
    place[order] = np.arange(len(order))
    counts = np.diff(offsets)[order]
    arcs = np.repeat(offsets[:-1][order] - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())
    sorted_offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    useful = useful_states(sorted_offsets, place[nextstates[arcs]].astype(np.int32), final[order])
    return order[useful] if useful[0] else np.zeros(0, dtype=np.int32)
