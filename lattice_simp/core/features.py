"""Named columns of scores that belong to the arcs of a lattice: the terms of its costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from lattice_simp.core.arguments import instance, real
from lattice_simp.core.columns import LARGEST_COST, are_costs, finite_up_to, real_numbers
from lattice_simp.core.kernel import Floats, Ints, read_only
from lattice_simp.errors import InvalidLatticeError

Scores: TypeAlias = npt.NDArray[Any]
"""float64, or float32 in the lattices of a tuner."""


@dataclass(frozen=True, eq=False)
class Features(Mapping[str, Floats]):
    """Matrices of scores with named rows, for the arcs and for the final states.

    A feature is a score: higher is better, as in n-best lists and files of weights. If costs come from features alone,
    the cost of a path is minus the weighted sum of its features. Scores are finite, as costs are.

    >>> features = Features.from_columns({"LM": [-1.5, -2.0]}, {"LM": [0.0, -0.5]}, 2, 2)
    >>> features["LM"].tolist(), features.final("LM").tolist(), list(features)
    ([-1.5, -2.0], [0.0, -0.5], ['LM'])

    The matrices are read-only, since lattices share them.

    Attributes:
        names: the names of the rows.
        arcs: (len(names), num_arcs).
        finals: (len(names), num_states), 0 where a state is not final.
    """

    names: tuple[str, ...]
    arcs: Scores
    finals: Scores

    def __post_init__(self) -> None:
        object.__setattr__(self, "arcs", read_only(self.arcs))
        object.__setattr__(self, "finals", read_only(self.finals))

    def __reduce__(self) -> tuple[type[Features], tuple[Any, ...]]:
        """Makes copies through the constructor, so that their matrices are read-only, too."""
        return type(self), (self.names, self.arcs, self.finals)

    @classmethod
    def empty(cls, num_arcs: int, num_states: int) -> Features:
        """Returns an empty set of features for this number of arcs and states."""
        return cls((), np.zeros((0, num_arcs)), np.zeros((0, num_states)))

    @classmethod
    def from_columns(
        cls,
        arcs: Mapping[str, npt.ArrayLike],
        finals: Mapping[str, npt.ArrayLike] | None,
        num_arcs: int,
        num_states: int,
    ) -> Features:
        """Makes features from columns; missing final scores are 0.

        Raises:
            InvalidLatticeError: a column has another length or final scores only, or a score is not finite.
        """
        ends = finals or {}
        for name in ends:
            if name not in arcs:
                raise InvalidLatticeError(f"the feature {name!r} has final scores, but none for the arcs")
        return cls.empty(num_arcs, num_states).with_columns(arcs, ends)

    def __getitem__(self, name: str) -> Floats:
        return self.arcs[self._row(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Features({', '.join(self.names)})"

    def _row(self, name: str) -> int:
        try:
            return self.names.index(name)
        except ValueError:
            raise KeyError(name) from None

    def require(self, name: str) -> None:
        """Raises InvalidLatticeError, which lists the features, if there is none of this name."""
        if name not in self.names:
            available = ", ".join(self.names) or "none"
            raise InvalidLatticeError(f"the lattice has no feature {name!r} (it has: {available})")

    def final(self, name: str) -> Floats:
        """Returns the final scores of a feature, (num_states,).

        Raises:
            KeyError: there is no feature of this name.
        """
        return self.finals[self._row(name)]

    def gather(self, arcs: npt.NDArray[Any], states: npt.NDArray[Any]) -> Features:
        """Returns the scores of the arcs and states with these numbers; 0 for the number -1.

        >>> features = Features.from_columns({"LM": [-1.5, -2.0]}, None, 2, 1)
        >>> features.gather(np.array([1, 1, -1]), np.array([0]))["LM"].tolist()
        [-2.0, -2.0, 0.0]
        """
        if not self.names:
            return Features.empty(len(arcs), len(states))
        return Features(self.names, gather(self.arcs, arcs, 0.0), gather(self.finals, states, 0.0))

    def with_column(self, name: str, arcs: npt.ArrayLike, finals: npt.ArrayLike | None = None) -> Features:
        """Adds a feature, or replaces the one of that name.

        >>> features = Features.empty(2, 2).with_column("LM", [-1.5, -2.0])
        >>> features["LM"].tolist(), features.final("LM").tolist()
        ([-1.5, -2.0], [0.0, 0.0])

        Raises:
            InvalidLatticeError: the column does not fit the arcs or the states, or a score is not finite.
        """
        instance(name, str, "the name of a feature")
        return self.with_columns({name: arcs}, {} if finals is None else {name: finals})

    def with_columns(self, arcs: Mapping[str, npt.ArrayLike], finals: Mapping[str, npt.ArrayLike]) -> Features:
        """Adds or replaces features; missing final scores are 0.

        Raises:
            InvalidLatticeError: a column does not fit the arcs or the states, or a score is not finite.
        """
        if not arcs:
            return self
        remaining = self.without(*arcs)
        kept = len(remaining.names)
        matrix = np.empty((kept + len(arcs), self.arcs.shape[1]))
        ends = np.zeros((kept + len(arcs), self.finals.shape[1]))
        matrix[:kept], ends[:kept] = remaining.arcs, remaining.finals
        for row, (name, column) in enumerate(arcs.items(), start=kept):
            instance(name, str, "the name of a feature")
            scores, end = (
                real_numbers(values, f"scores of {name!r}") for values in (column, finals.get(name, ends[row]))
            )
            if scores.shape != matrix[row].shape or end.shape != ends[row].shape:
                raise InvalidLatticeError(f"the feature {name!r} does not fit the arcs or the states")
            matrix[row], ends[row] = scores, end
        features = Features((*remaining.names, *arcs), matrix, ends)
        features.validate(*features.shape)
        return features

    @property
    def shape(self) -> tuple[int, int]:
        """The number of arcs and of states."""
        return self.arcs.shape[1], self.finals.shape[1]

    def validate(self, num_arcs: int, num_states: int, largest: float = LARGEST_COST) -> None:
        """Checks the shapes against the numbers of arcs and states, and that all scores are finite, up to `largest`.

        Raises:
            InvalidLatticeError: a shape or a score is wrong; the message names the feature and the place.
        """
        largest = real(largest, "the largest score")
        if self.shape != (num_arcs, num_states) or not len(self.arcs) == len(self.finals) == len(self.names):
            raise InvalidLatticeError("the features do not fit the arcs or the states")
        for place, matrix in (("arc", self.arcs), ("state", self.finals)):
            broken = ~are_costs(matrix, largest)
            if broken.any():
                row, column = np.argwhere(broken)[0].tolist()
                score, name = matrix[row, column], self.names[row]
                limit = finite_up_to(largest)
                raise InvalidLatticeError(f"the feature {name!r} is {score} at {place} {column}; scores are {limit}")

    def without(self, *names: str) -> Features:
        """Returns all features except these.

        >>> Features.from_columns({"LM": [-1.5], "Length": [1.0]}, None, 1, 1).without("LM")
        Features(Length)
        """
        kept = [row for row, name in enumerate(self.names) if name not in names]
        if len(kept) == len(self.names):
            return self
        return Features(tuple(self.names[row] for row in kept), self.arcs[kept], self.finals[kept])

    def select(self, names: tuple[str, ...]) -> Features:
        """Returns the features of these names, in this order; missing ones are 0.

        >>> features = Features.from_columns({"LM": [-1.5], "Length": [1.0]}, None, 1, 1)
        >>> features.select(("Length", "Other")).arcs.tolist()
        [[1.0], [0.0]]
        """
        if names == self.names:
            return self
        rows = np.array([self.names.index(name) if name in self.names else -1 for name in names], dtype=np.int32)
        return Features(names, _gather_rows(self.arcs, rows), _gather_rows(self.finals, rows))

    def plus(self, other: Features) -> Features:
        """Adds the features of other arcs and states, by name; a missing feature counts as 0.

        >>> first, second = (Features.from_columns({name: [-1.5]}, None, 1, 1) for name in ("LM", "Length"))
        >>> first.plus(second).arcs.tolist()
        [[-1.5], [-1.5]]
        """
        if not other:
            return self
        names = tuple(dict.fromkeys((*self, *other)))
        left, right = self.select(names), other.select(names)
        return Features(names, left.arcs + right.arcs, left.finals + right.finals)

    def of_path(self, arcs: Ints, end: int) -> dict[str, float]:
        """Returns the sums of the scores along a path, given its arcs and its final state.

        >>> features = Features.from_columns({"LM": [-1.5, -2.0]}, {"LM": [0.0, 0.0, -0.5]}, 2, 3)
        >>> features.of_path(np.array([0, 1]), 2)
        {'LM': -4.0}
        """
        if not self.names:
            return {}
        totals = self.arcs[:, arcs].sum(axis=1, dtype=np.float64) + self.finals[:, end]
        return dict(zip(self.names, totals.tolist(), strict=True))


DENSE_CELLS = 1 << 24
"""Matrices of up to this many values (128 MB) may be sparse."""

LEAST_DENSITY = 0.01
"""The least density of larger matrices: memory grows quadratically if each hypothesis has features of its own."""


def check_density(names: int, hypotheses: Sequence[Mapping[str, float]], arcs: int) -> None:
    """Raises InvalidLatticeError if the matrix of the features, (names, arcs), would be both large and sparse."""
    num_scores = sum(map(len, hypotheses))
    if names * arcs > DENSE_CELLS and num_scores < LEAST_DENSITY * names * len(hypotheses):
        raise InvalidLatticeError(
            f"{names} features, and a hypothesis has {num_scores / len(hypotheses):.3g} of them on average: too few "
            "for a table; leave the rare ones out, or merge them into fewer features"
        )


def gather(values: npt.NDArray[Any], numbers: npt.NDArray[Any], blank: float) -> npt.NDArray[Any]:
    """Returns the entries with these numbers along the last axis, and `blank` for the number -1.

    >>> gather(np.array([10.0, 20.0]), np.array([1, -1, 0]), 0.0).tolist()
    [20.0, 0.0, 10.0]
    """
    if len(numbers) and numbers.min() < 0:
        padding = np.full((*values.shape[:-1], 1), blank, dtype=values.dtype)
        values = np.concatenate((values, padding), axis=-1)
    return np.take(values, numbers, axis=-1)  # unlike indexing, it keeps rows contiguous


def _gather_rows(matrix: Scores, rows: Ints) -> Scores:
    chosen = np.zeros((len(rows), matrix.shape[1]), dtype=matrix.dtype)
    chosen[rows >= 0] = matrix[rows[rows >= 0]]
    return chosen
