"""The lattice: weighted hypotheses as arrays, and the bridge to OpenFst.

A lattice is a weighted finite-state acceptor or transducer. Arcs lie in flat arrays, sorted by source state; costs are
negative natural logs (the tropical semiring), so the best hypothesis is the cheapest path. Every operation of the
package takes lattices and gives lattices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from lattice_simp.core import fst_bytes
from lattice_simp.core.connect import topological_order, useful_states
from lattice_simp.core.symbols import EPSILON, SymbolTable, split_tokens
from lattice_simp.errors import CyclicLatticeError, FormatError, InvalidLatticeError

IntArray = npt.NDArray[np.int32]
CostArray = npt.NDArray[np.float64]
Scores = Mapping[str, CostArray]

INFINITY = float("inf")


@dataclass(frozen=True, eq=False)
class Lattice:
    """A weighted automaton over words, as arrays.

    >>> lattice = Lattice.from_strings([("a small cat", 1.0), ("a cat", 1.5)])
    >>> lattice.num_states, lattice.num_arcs, lattice.is_acyclic
    (4, 4, True)

    State 0 is the start; a lattice without states accepts nothing. The arcs of state `q` are
    `offsets[q]:offsets[q + 1]`.

    Attributes:
        offsets: (num_states + 1,) int32, where each state's arcs begin.
        ilabels: (num_arcs,) int32 input labels (rule ids in a decoder's lattice, words in an acceptor).
        olabels: (num_arcs,) int32 output labels (words); the same array as `ilabels` in an acceptor.
        weights: (num_arcs,) float64 costs in nats; finite.
        nextstates: (num_arcs,) int32.
        finals: (num_states,) float64 final costs in nats; infinity where a state is not final.
        symbols: the table of the output labels (and of the input labels, unless `isymbols` is given).
        isymbols: the table of the input labels; None for an acceptor, whose labels are words on both sides.
        scores: named columns, (num_arcs,) each, that travel with the arcs: the parts a weight is made of.
        final_scores: the same columns for the final costs, (num_states,) each; 0 where a state is not final.
    """

    offsets: IntArray
    ilabels: IntArray
    olabels: IntArray
    weights: CostArray
    nextstates: IntArray
    finals: CostArray
    symbols: SymbolTable
    isymbols: SymbolTable | None = None
    scores: Scores = field(default_factory=dict)
    final_scores: Scores = field(default_factory=dict)

    # ---------------------------------------------------------------- making

    @classmethod
    def from_arcs(
        cls,
        sources: npt.ArrayLike,
        labels: npt.ArrayLike,
        weights: npt.ArrayLike,
        nextstates: npt.ArrayLike,
        finals: npt.ArrayLike,
        symbols: SymbolTable,
        *,
        ilabels: npt.ArrayLike | None = None,
        isymbols: SymbolTable | None = None,
        scores: Mapping[str, npt.ArrayLike] | None = None,
        final_scores: Mapping[str, npt.ArrayLike] | None = None,
        start: int = 0,
    ) -> Lattice:
        """Makes a checked lattice from arcs in any order; `labels` are the output labels.

        Another `start` becomes state 0, and the states before it move up by one.

        Raises:
            InvalidLatticeError: NaN or infinite costs, labels outside the table, states that do not exist,
                lengths that differ.
        """
        source_array = np.asarray(sources, dtype=np.int64)
        final_array = np.asarray(finals, dtype=np.float64)
        if start:
            order = np.concatenate(([start], np.delete(np.arange(len(final_array)), start)))
            final_array = final_array[order]
            source_array, nextstates = (
                np.where(states == start, 0, states + ((states >= 0) & (states < start)))
                for states in (source_array, np.asarray(nextstates, dtype=np.int64))
            )
        num_states = len(final_array)
        if source_array.size and (source_array.min() < 0 or source_array.max() >= num_states):
            raise InvalidLatticeError(f"an arc leaves a state outside 0..{num_states - 1}")
        order = np.argsort(source_array, kind="stable")
        offsets = np.zeros(num_states + 1, dtype=np.int32)
        np.cumsum(np.bincount(source_array, minlength=num_states), out=offsets[1:])

        def column(values: npt.ArrayLike, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
            given = np.asarray(values)
            if given.dtype.kind in "iu" and given.size and np.abs(given).max() > np.iinfo(np.int32).max:
                raise InvalidLatticeError(f"a state or label of {np.abs(given).max()}: numbers go up to 2147483647")
            array = given.astype(dtype)
            if array.shape != source_array.shape:
                raise InvalidLatticeError(f"{len(source_array)} arcs, but an array of shape {array.shape}")
            return array[order]

        olabels = column(labels, np.int32)
        lattice = cls(
            offsets=offsets,
            ilabels=olabels if ilabels is None else column(ilabels, np.int32),
            olabels=olabels,
            weights=column(weights, np.float64),
            nextstates=column(nextstates, np.int32),
            finals=final_array,
            symbols=symbols,
            isymbols=isymbols,
            scores={name: column(values, np.float64) for name, values in (scores or {}).items()},
            final_scores={name: np.asarray(v, dtype=np.float64) for name, v in (final_scores or {}).items()},
        )
        lattice.validate()
        return lattice

    @classmethod
    def from_strings(
        cls, strings: Sequence[tuple[str, float] | tuple[Sequence[str], float]], symbols: SymbolTable | None = None
    ) -> Lattice:
        """Makes a prefix tree (merged at its leaves) of `(words, cost)` pairs; the costs stand on the last arcs.

        A string that occurs twice keeps its least cost. The empty string makes the start state final.
        """
        table = SymbolTable() if symbols is None else symbols
        best: dict[tuple[int, ...], float] = {}
        for words, cost in strings:
            if not np.isfinite(cost):
                raise InvalidLatticeError(f"the cost of {words!r} is {cost}; costs are finite numbers")
            key = tuple(table.encode(split_tokens(words) if isinstance(words, str) else words).tolist())
            best[key] = min(cost, best.get(key, INFINITY))
        # The last arc of every string goes to one common final state (1), the inner ones along a prefix tree.
        prefix_states: dict[tuple[int, ...], int] = {(): 0}
        arcs: list[tuple[int, int, float, int]] = []
        finals = [INFINITY, 0.0]
        for key, cost in best.items():
            if not key:
                finals[0] = cost
                continue
            state = 0
            for length in range(1, len(key)):
                following = prefix_states.get(key[:length])
                if following is None:
                    following = prefix_states[key[:length]] = len(finals)
                    finals.append(INFINITY)
                    arcs.append((state, key[length - 1], 0.0, following))
                state = following
            arcs.append((state, key[-1], cost, 1))
        sources, labels, weights, nextstates = zip(*arcs, strict=True) if arcs else ((), (), (), ())
        return cls.from_arcs(sources, labels, weights, nextstates, finals, table).topsorted()

    @classmethod
    def empty_like(cls, other: Lattice) -> Lattice:
        """Makes the lattice that accepts nothing, with the tables and columns of `other`."""
        nothing = np.zeros(0, dtype=np.int32)
        return replace(
            other,
            offsets=np.zeros(1, dtype=np.int32),
            ilabels=nothing,
            olabels=nothing,
            weights=np.zeros(0),
            nextstates=nothing,
            finals=np.zeros(0),
            scores={name: np.zeros(0) for name in other.scores},
            final_scores={name: np.zeros(0) for name in other.final_scores},
        )

    # ---------------------------------------------------------------- properties

    @property
    def num_states(self) -> int:
        return len(self.finals)

    @property
    def num_arcs(self) -> int:
        return len(self.weights)

    @property
    def empty(self) -> bool:
        """Whether no state is final (after `connected()`: whether the lattice accepts nothing)."""
        return not bool(np.isfinite(self.finals).any())

    @property
    def is_acceptor(self) -> bool:
        return self.isymbols is None and (
            self.ilabels is self.olabels or bool(np.array_equal(self.ilabels, self.olabels))
        )

    @property
    def sources(self) -> IntArray:
        """(num_arcs,) int32, the source state of each arc."""
        return np.repeat(np.arange(self.num_states, dtype=np.int32), np.diff(self.offsets))

    @property
    def is_topsorted(self) -> bool:
        """Whether every arc leads to a higher state."""
        return bool((self.nextstates > self.sources).all())

    @property
    def is_acyclic(self) -> bool:
        return self.is_topsorted or topological_order(self.offsets, self.nextstates) is not None

    def __repr__(self) -> str:
        kind = "acceptor" if self.is_acceptor else "transducer"
        return f"Lattice({kind}, {self.num_states} states, {self.num_arcs} arcs, {len(self.symbols)} symbols)"

    # ---------------------------------------------------------------- checks and canonical form

    def validate(self) -> None:
        """Checks what every operation relies on.

        Raises:
            InvalidLatticeError: says which array is broken and where.
        """
        checks = (
            (np.isnan(self.weights) | np.isinf(self.weights), "arc {} has the cost {}", self.weights),
            (np.isnan(self.finals) | (self.finals == -INFINITY), "state {} has the final cost {}", self.finals),
            (
                (self.nextstates < 0) | (self.nextstates >= self.num_states),
                "arc {} leads to the state {}, which does not exist",
                self.nextstates,
            ),
            (
                (self.olabels < 0) | (self.olabels >= len(self.symbols)),
                "arc {} carries the label {}, which the symbol table does not hold",
                self.olabels,
            ),
            (
                (self.ilabels < 0) | (self.ilabels >= len(self.isymbols or self.symbols)),
                "arc {} carries the input label {}, which the symbol table does not hold",
                self.ilabels,
            ),
        )
        for broken, message, values in checks:
            if broken.any():
                where = int(np.argmax(broken))
                raise InvalidLatticeError(message.format(where, values[where]))
        for name, values in self.scores.items():
            if np.isnan(values).any():
                where = int(np.isnan(values).argmax())
                raise InvalidLatticeError(f"the score column {name!r} holds NaN at arc {where}")
            if len(values) != self.num_arcs or len(self.final_scores.get(name, self.finals)) != self.num_states:
                raise InvalidLatticeError(f"the score column {name!r} does not fit the arcs or the states")

    def topsorted(self) -> Lattice:
        """Returns the same lattice with states numbered so that every arc leads to a higher state.

        Raises:
            CyclicLatticeError: the lattice has a cycle.
        """
        if self.is_topsorted:
            return self
        order = topological_order(self.offsets, self.nextstates)
        if order is None:
            raise CyclicLatticeError(
                "the lattice has a cycle, so it holds infinitely many strings; "
                "prune it to its n shortest paths first, or remove the loop"
            )
        return self.subset(order)

    def connected(self) -> Lattice:
        """Returns the lattice without states that no complete path visits, topologically sorted.

        Raises:
            CyclicLatticeError: the lattice has a cycle.
        """
        if self.num_states == 0:
            return self
        lattice = self.topsorted()
        useful = useful_states(lattice.offsets, lattice.nextstates, np.isfinite(lattice.finals))
        if useful.all():
            return lattice
        return lattice.subset(np.flatnonzero(useful).astype(np.int32)) if useful[0] else Lattice.empty_like(lattice)

    def subset(self, order: IntArray) -> Lattice:
        """Returns the lattice of the states in `order` alone, renumbered in that order; arcs to others are dropped."""
        new_name = np.full(self.num_states, -1, dtype=np.int32)
        new_name[order] = np.arange(len(order), dtype=np.int32)
        counts = np.diff(self.offsets)[order].astype(np.int64)
        ends = np.cumsum(counts)
        arcs = np.repeat(self.offsets[:-1][order] - (ends - counts), counts) + np.arange(int(counts.sum()))
        kept = new_name[self.nextstates[arcs]] >= 0
        sources = np.repeat(np.arange(len(order), dtype=np.int32), counts)[kept]
        arcs = arcs[kept]
        offsets = np.zeros(len(order) + 1, dtype=np.int32)
        np.cumsum(np.bincount(sources, minlength=len(order)), out=offsets[1:])
        olabels = self.olabels[arcs]
        return replace(
            self,
            offsets=offsets,
            olabels=olabels,
            ilabels=olabels if self.ilabels is self.olabels else self.ilabels[arcs],
            weights=self.weights[arcs],
            nextstates=new_name[self.nextstates[arcs]],
            finals=self.finals[order],
            scores={name: values[arcs] for name, values in self.scores.items()},
            final_scores={name: values[order] for name, values in self.final_scores.items()},
        )

    # ---------------------------------------------------------------- changes

    def with_symbols(self, symbols: SymbolTable) -> Lattice:
        """Returns the lattice with its words numbered by `symbols`, which grows as needed."""
        if symbols is self.symbols:
            return self
        mapping = self.symbols.mapping_to(symbols)
        olabels = mapping[self.olabels]
        ilabels = olabels if self.ilabels is self.olabels else self.ilabels
        if self.isymbols is None and ilabels is not olabels:
            ilabels = mapping[self.ilabels]
        return replace(self, olabels=olabels, ilabels=ilabels, symbols=symbols)

    def with_weights(self, weights: CostArray, finals: CostArray) -> Lattice:
        """Returns the lattice with other costs and the same paths and columns."""
        return replace(self, weights=weights, finals=finals)

    def project_output(self) -> Lattice:
        """Returns the acceptor of the output words; score columns stay."""
        return replace(self, ilabels=self.olabels, isymbols=None)

    def project_input(self) -> Lattice:
        """Returns the acceptor of the input side; score columns stay."""
        return replace(self, olabels=self.ilabels, symbols=self.isymbols or self.symbols, isymbols=None)

    def has_epsilons(self) -> bool:
        """Whether some arc carries no word."""
        return bool((self.olabels == EPSILON).any())

    # ---------------------------------------------------------------- OpenFst

    def to_pynini(self, *, attach_symbols: bool = False) -> Any:
        """Returns a `pynini.Fst` (costs in single precision), with symbol tables if asked for; columns stay behind."""
        import pynini

        return pynini.Fst.read_from_string(fst_bytes.pack(self, attach_symbols=attach_symbols))

    @classmethod
    def from_pynini(cls, fst: Any, symbols: SymbolTable | None = None, isymbols: SymbolTable | None = None) -> Lattice:
        """Makes a lattice from a `pynini.Fst` or `pywrapfst.Fst` over the tropical semiring.

        Without `symbols`, the FST's own symbol tables are used; an FST without any needs `symbols`.

        Raises:
            InvalidLatticeError: other arcs, labels without a word, costs that are NaN, an FST that contradicts itself.
        """
        if fst.fst_type() not in ("vector", "const"):
            import pywrapfst

            if not fst.verify():
                raise InvalidLatticeError("the FST's stored properties are wrong; make it again from its arcs")
            fst = pywrapfst.convert(fst, "vector")
        try:
            return cls.from_arcs(**fst_bytes.parse(fst.write_to_string(), symbols, isymbols, symbols is None))
        except FormatError as error:
            raise InvalidLatticeError(str(error)) from error
