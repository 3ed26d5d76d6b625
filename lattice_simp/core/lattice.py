"""The lattice: weighted hypotheses as arrays.

A lattice is a weighted finite-state acceptor or transducer. Arcs are in flat arrays, sorted by source state; costs are
negative natural logs (the tropical semiring), so the best hypothesis is the cheapest path. Every operation of the
package takes lattices and returns lattices.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lattice_simp.core import fst_bytes
from lattice_simp.core.arcs import Arcs, kept_offsets, offsets_of
from lattice_simp.core.arguments import finite_real, flag, instance, mapping, real, whole
from lattice_simp.core.blocks import chosen_blocks
from lattice_simp.core.columns import (
    LARGEST_COST,
    LARGEST_SUM,
    are_costs,
    finite_up_to,
    log_probabilities,
    real_numbers,
    whole_numbers,
)
from lattice_simp.core.connect import reaches_final, topological_order, useful_states
from lattice_simp.core.feature_names import POSTERIOR, TIME
from lattice_simp.core.features import Features, check_density, gather
from lattice_simp.core.header import NO_HEADER, Header
from lattice_simp.core.hypothesis import Hypothesis, Strings, as_hypotheses, words_and_cost
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, read_only
from lattice_simp.core.prefix_tree import prefix_tree
from lattice_simp.core.product import product
from lattice_simp.core.symbols import EPSILON, EPSILON_SYMBOL, SymbolTable, as_sentences, as_tokens
from lattice_simp.core.word_times import MarkedStrings
from lattice_simp.errors import CyclicLatticeError, FormatError, InvalidLatticeError

INFINITY = float("inf")

ONE_SIDE = "keep one side first: project_output(), or `lattice convert --project output`"
"""How to make an acceptor of a transducer, in Python and on the command line."""


class Arc(NamedTuple):
    """One arc, for inspection.

    Attributes:
        state, nextstate: the states that it leaves and reaches.
        label: the input label; the word in an acceptor, `<epsilon>` where there is none.
        word: the output label.
        weight: its cost in nats.
        features: its scores by name.
    """

    state: int
    nextstate: int
    label: str
    word: str
    weight: float
    features: dict[str, float]


@dataclass(frozen=True, eq=False)
class Lattice:
    """A weighted automaton over words, as arrays.

    >>> lattice = Lattice.from_strings([("a small cat", 1.0), ("a cat", 1.5)])
    >>> lattice.num_states, lattice.num_arcs, lattice.is_acyclic
    (4, 4, True)

    State 0 is the start; a lattice without states accepts nothing. The arcs of state `q` are
    `offsets[q]:offsets[q + 1]`. Lattices do not change: operations return new ones, which may share arrays with the
    old ones, so the arrays are read-only. Change a copy, and `dataclasses.replace` the array.

    Attributes:
        offsets: (num_states + 1,) int32, where each state's arcs begin.
        ilabels: (num_arcs,) int32 input labels (rule ids in a decoder's lattice, words in an acceptor).
        olabels: (num_arcs,) int32 output labels (words); the same array as `ilabels` in an acceptor.
        weights: (num_arcs,) float64 costs in nats; finite, up to 1e100. Sums of these in results may exceed it; such
            lattices can be processed further, but not written.
        nextstates: (num_arcs,) int32.
        finals: (num_states,) float64 final costs in nats; infinity where a state is not final.
        symbols: the table of the output labels (and of the input labels, unless `isymbols` is given).
        isymbols: the table of the input labels; None for an acceptor, whose labels are words on both sides.
        features: named scores of the arcs and final states, the terms of the weights.
        header: metadata of the whole lattice: its name, the scales of its scores.
    """

    offsets: Ints
    ilabels: Ints
    olabels: Ints
    weights: Floats
    nextstates: Ints
    finals: Floats
    symbols: SymbolTable
    isymbols: SymbolTable | None = None
    features: Features = field(default=None)  # type: ignore[assignment]  # None becomes an empty set of features
    header: Header = NO_HEADER

    def __post_init__(self) -> None:
        if self.features is None:
            object.__setattr__(self, "features", Features.empty(len(self.weights), len(self.finals)))
        same = self.ilabels is self.olabels
        for name in ("offsets", "olabels", "weights", "nextstates", "finals"):
            object.__setattr__(self, name, read_only(getattr(self, name)))
        object.__setattr__(self, "ilabels", self.olabels if same else read_only(self.ilabels))

    def __reduce__(self) -> tuple[type[Lattice], tuple[Any, ...]]:
        """Makes copies through the constructor, so that their arrays are read-only, too."""
        return type(self), tuple(getattr(self, attribute.name) for attribute in fields(self))

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
        inputs: tuple[npt.ArrayLike, SymbolTable] | None = None,
        features: Mapping[str, npt.ArrayLike] | Features | None = None,
    ) -> Lattice:
        """Makes a checked lattice from arcs in any order.

        >>> words = SymbolTable(["house", "home"])
        >>> lexicon = Lattice.from_arcs([0, 0], [1, 2], [0.5, 1.0], [1, 1], [INFINITY, 0.0], words,
        ...     inputs=([1, 1], SymbolTable(["Haus"])), features={"count": [3.0, 1.0]})
        >>> [(arc.label, arc.word, arc.weight, arc.features) for arc in lexicon.arcs_of(0)]
        [('Haus', 'house', 0.5, {'count': 3.0}), ('Haus', 'home', 1.0, {'count': 1.0})]

        Args:
            sources: (arcs,) the states that the arcs leave; 0 is the start.
            labels: (arcs,) output labels, numbers of `symbols`; 0 is epsilon.
            weights: (arcs,) costs in nats.
            nextstates: (arcs,)
            finals: (states,) final costs in nats; infinity where a state is not final.
            symbols: the words.
            inputs: the input labels of a transducer, (arcs,), and their table, which may be `symbols`.
            features: scores of the arcs by name, (arcs,) each; `Features` where ending in a state has scores, too.

        Raises:
            InvalidLatticeError: NaN or infinite costs or scores, or those above 1e100, labels outside the table, states
                that do not exist, states or labels that are not whole numbers, lengths that differ.
        """
        instance(symbols, SymbolTable, "the symbols", "SymbolTable(words)")
        if inputs is not None:
            if not isinstance(inputs, tuple | list) or len(inputs) != 2:
                raise TypeError("the inputs must be a pair of labels and their symbol table")
            instance(inputs[1], SymbolTable, "the symbols of the inputs", "SymbolTable(words)")
        ends = real_numbers(finals, "final costs")
        origins, targets = whole_numbers(sources, "source states"), whole_numbers(nextstates, "next states")
        if origins.size and (origins.min() < 0 or origins.max() >= len(ends)):
            raise InvalidLatticeError(f"an arc leaves a state outside 0..{len(ends) - 1}")
        is_sorted = not (origins[1:] < origins[:-1]).any()
        order = slice(None) if is_sorted else np.argsort(origins, kind="stable")

        def sorted_column(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
            if values.shape != origins.shape:
                raise InvalidLatticeError(f"{len(origins)} arcs, but an array of shape {values.shape}")
            return values[order]

        def words(values: npt.ArrayLike) -> Ints:
            return sorted_column(whole_numbers(values, "labels")).astype(np.int32)

        if not isinstance(features, Features):
            columns = {} if features is None else mapping(features, "the features")
            features = Features.from_columns(columns, None, len(origins), len(ends))
        features.validate(len(origins), len(ends))
        olabels = words(labels)
        ilabels, isymbols = (olabels, None) if inputs is None else (words(inputs[0]), inputs[1])
        lattice = cls(
            offsets=offsets_of(origins, len(ends)),
            ilabels=ilabels,
            olabels=olabels,
            weights=sorted_column(real_numbers(weights, "costs")),
            nextstates=sorted_column(targets).astype(np.int32),
            finals=ends,
            symbols=symbols,
            isymbols=None if isymbols is symbols else isymbols,
            features=replace(features, arcs=features.arcs[:, order]),
        )
        lattice.validate(largest=LARGEST_COST)
        return lattice

    @classmethod
    def from_strings(cls, strings: Strings, symbols: SymbolTable | None = None) -> Lattice:
        """Makes a prefix tree (merged at its leaves) from strings, pairs of words and a cost, or hypotheses.

        >>> Lattice.from_strings("a cat").num_arcs, Lattice.from_strings([("a cat", 1.0), "a dog"]).num_arcs
        (2, 3)

        A string without a cost costs 0; a single string is one sentence.

        The costs are on the last arcs. A string that occurs twice keeps its least cost. The empty string makes the
        start state final.

        Raises:
            InvalidLatticeError: as `words_and_cost`, or a string has the name of the empty word, `<epsilon>`.
        """
        best: dict[tuple[str, ...], float] = {}
        for words, cost in map(words_and_cost, as_sentences(strings)):
            _refuse_epsilon(words)
            best[words] = min(cost, best.get(words, INFINITY))
        table = SymbolTable.of(symbols)
        return cls._tree(*_encoded(best, table), list(best.values()), table, {})

    @classmethod
    def from_nbest(cls, hypotheses: Strings, symbols: SymbolTable | None = None) -> Lattice:
        """Makes a prefix tree from an n-best list; the features of each hypothesis are on its last arc.

        If all have times of words, arcs get the feature "time" (in seconds), and those without words are pauses. If all
        have confidences of words, arcs get the feature "posterior", the logs of these.

        >>> lattice = Lattice.from_nbest([Hypothesis(("a", "cat"), 2.0, {"LM": -1.5}), Hypothesis(("a",), 3.0)])
        >>> lattice.features["LM"].tolist()
        [0.0, 0.0, -1.5]

        Of equal strings the cheapest counts, with its features; a feature that a hypothesis lacks is 0 there.

        Raises:
            InvalidLatticeError: as `words_and_cost`, a hypothesis has the name of the empty word, `<epsilon>`, or there
                are thousands of features that few hypotheses have.
        """
        best: dict[tuple[str, ...], Hypothesis] = {}
        for hypothesis in as_hypotheses(hypotheses):
            _refuse_epsilon(hypothesis.tokens)
            if hypothesis.tokens not in best or hypothesis.cost < best[hypothesis.tokens].cost:
                best[hypothesis.tokens] = hypothesis
        entries = list(best.values())
        costs, scores = [entry.cost for entry in entries], [entry.features for entry in entries]
        names = dict.fromkeys(chain.from_iterable(scores))
        if any(entry.times is not None for entry in entries):
            names.pop(TIME, None)  # the sum of a path, which the times of its words replace
        if any(entry.confidences is not None for entry in entries):
            names.pop(POSTERIOR, None)
        check_density(len(names), scores, sum(map(len, best)))  # no more arcs than words
        columns = {name: [features.get(name, 0.0) for features in scores] for name in names}
        table = SymbolTable.of(symbols)
        marked = MarkedStrings.of(entries, table)
        if marked is None:
            return cls._tree(*_encoded(best, table), costs, table, columns)
        tree = cls._tree(marked.labels, marked.begins, costs, table, columns)
        words = marked.words[tree.olabels]
        lattice = replace(tree, ilabels=words, olabels=words, header=Header(start=marked.start))
        if marked.seconds is not None:
            lattice = lattice.with_feature(TIME, marked.seconds[tree.olabels])
        if marked.confidences is not None:
            lattice = lattice.with_feature(POSTERIOR, log_probabilities(marked.confidences[tree.olabels]))
        return lattice

    @classmethod
    def _tree(
        cls, labels: Ints, begins: Longs, costs: list[float], symbols: SymbolTable, scores: Mapping[str, list[float]]
    ) -> Lattice:
        """Makes a prefix tree from distinct strings of labels, with costs and scores on their last arcs."""
        tree = prefix_tree(labels, begins)
        weights, finals = tree.spread(costs, "costs", INFINITY)
        if len(weights):
            finals[-1] = 0.0
        columns = {name: tree.spread(values, f"scores of {name!r}", 0.0) for name, values in scores.items()}
        arcs, ends = ({name: sides[side] for name, sides in columns.items()} for side in (0, 1))
        return cls(
            offsets=offsets_of(tree.sources, tree.num_states),
            ilabels=tree.labels,
            olabels=tree.labels,
            weights=weights,
            nextstates=tree.nextstates,
            finals=finals,
            symbols=symbols,
            features=Features.from_columns(arcs, ends, len(weights), tree.num_states),
        )

    @classmethod
    def empty_like(cls, lattice: Lattice) -> Lattice:
        """Makes the lattice that accepts nothing, with the symbol tables and feature names of `lattice`.

        >>> Lattice.empty_like(Lattice.from_strings("a cat")).empty
        True
        """
        require_lattice("empty_like", lattice)
        none = np.zeros(0, dtype=np.int32)
        return lattice.gather(none, np.zeros(1, dtype=np.int32), none, none)

    # ---------------------------------------------------------------- properties

    @property
    def num_states(self) -> int:
        """The number of states."""
        return len(self.finals)

    @property
    def num_arcs(self) -> int:
        """The number of arcs."""
        return len(self.weights)

    @cached_property
    def empty(self) -> bool:
        """Whether no path leads from the start to a final state.

        >>> Lattice.from_strings("a cat").empty, Lattice.from_strings([]).empty
        (False, True)
        """
        if self.__dict__.get("_is_connected"):
            return not self.num_states
        return not reaches_final(self.offsets, self.nextstates, np.isfinite(self.finals))

    @cached_property
    def is_acceptor(self) -> bool:
        """Whether input and output labels are the same words."""
        return self.isymbols is None and (
            self.ilabels is self.olabels or bool(np.array_equal(self.ilabels, self.olabels))
        )

    def require_acceptor(self, name: str = "the lattice") -> None:
        """Raises InvalidLatticeError if this is a transducer; `name` says which lattice.

        >>> Lattice.from_strings("a cat").require_acceptor()
        """
        if not self.is_acceptor:
            raise InvalidLatticeError(f"{name} is a transducer; {ONE_SIDE}")

    @property
    def arcs(self) -> Arcs:
        """The output side, as kernels take it."""
        return Arcs(self.offsets, self.olabels, self.weights, self.nextstates, self.finals)

    @cached_property
    def sources(self) -> Ints:
        """(num_arcs,) int32, the source state of each arc."""
        return read_only(np.repeat(np.arange(self.num_states, dtype=np.int32), np.diff(self.offsets)))

    @cached_property
    def is_topsorted(self) -> bool:
        """Whether every arc leads to a higher state."""
        return bool((self.nextstates > self.sources).all())

    @cached_property
    def is_acyclic(self) -> bool:
        """Whether no path from the start visits a state twice."""
        return self.is_topsorted or topological_order(self.offsets, self.nextstates) is not None

    @cached_property
    def _is_connected(self) -> bool:
        """Whether the lattice is sorted topologically and every state is on a complete path."""
        if not self.num_states:
            return True
        return self.is_topsorted and bool(useful_states(self.offsets, self.nextstates, np.isfinite(self.finals)).all())

    def states(self) -> range:
        """Returns the numbers of the states; 0 is the start.

        >>> list(Lattice.from_strings(["a b"]).states())
        [0, 1, 2]
        """
        return range(self.num_states)

    def arcs_of(self, state: int) -> list[Arc]:
        """Returns the arcs that leave a state, for inspection; operations use the arrays instead.

        >>> [arc] = Lattice.from_strings([("cat", 1.5)]).arcs_of(0)
        >>> arc.word, arc.weight, arc.nextstate
        ('cat', 1.5, 1)

        Raises:
            InvalidLatticeError: the lattice has no such state.
        """
        if not 0 <= whole(state, "the state") < self.num_states:
            raise InvalidLatticeError(f"there is no state {state}; the lattice has {self.num_states} states")
        inputs = self.isymbols or self.symbols
        return [
            Arc(
                state,
                int(self.nextstates[arc]),
                inputs[int(self.ilabels[arc])],
                self.symbols[int(self.olabels[arc])],
                float(self.weights[arc]),
                {name: float(self.features[name][arc]) for name in self.features},
            )
            for arc in range(self.offsets[state], self.offsets[state + 1])
        ]

    def __matmul__(self, other: Lattice) -> Lattice:
        """Returns the composition with another lattice, as `compose` does."""
        if not isinstance(other, Lattice):
            return NotImplemented
        inputs = other.isymbols or other.symbols
        middle = other.ilabels if inputs is self.symbols else self.symbols.labels_of(inputs, other.ilabels)
        pairs = product(self.arcs, other.arcs._replace(labels=middle))
        weights = gather(self.weights, pairs.first_arcs, 0.0) + gather(other.weights, pairs.second_arcs, 0.0)
        finals = gather(self.finals, pairs.first_states, INFINITY) + gather(other.finals, pairs.second_states, INFINITY)
        joint = self.gather(
            pairs.first_arcs, pairs.offsets, pairs.nextstates, pairs.first_states, weights=weights, finals=finals
        )
        ends = np.where(np.isfinite(finals), pairs.second_states, -1)
        features = joint.features.plus(other.features.gather(pairs.second_arcs, ends))
        joint = replace(joint, features=features, header=_header_of_product(self, other))
        if not other.is_acceptor:
            olabels = gather(other.olabels, pairs.second_arcs, 0)
            joint = replace(joint, olabels=olabels, symbols=other.symbols, isymbols=self.isymbols or self.symbols)
        return joint.connected()

    def __repr__(self) -> str:
        kind = "acceptor" if self.is_acceptor else "transducer"
        features = f", features {', '.join(self.features)}" if self.features else ""
        return f"Lattice({kind}, {self.num_states} states, {self.num_arcs} arcs, {len(self.symbols)} symbols{features})"

    # ---------------------------------------------------------------- checks and canonical form

    def validate(self, *, largest: float = LARGEST_SUM) -> None:
        """Checks the assumptions of all operations.

        >>> Lattice.from_strings([("a cat", 1.0)]).validate()

        Args:
            largest: the largest cost or score; by default far above 1e100, since operations add costs.

        Raises:
            InvalidLatticeError: says which array is broken and where.
        """
        largest = real(largest, "the largest cost")
        counts = (len(self.ilabels), len(self.olabels), len(self.nextstates), self.offsets[-1:].sum())
        if len(self.offsets) != self.num_states + 1 or any(count != self.num_arcs for count in counts):
            raise InvalidLatticeError("the arrays of the arcs, or of the states, differ in their lengths")
        if self.offsets[0] or (self.offsets[1:] < self.offsets[:-1]).any():
            raise InvalidLatticeError("the offsets do not go up from 0")
        costs = f"costs are {finite_up_to(largest)}"
        checks = (
            (~are_costs(self.weights, largest), f"arc {{}} has the cost {{}}; {costs}", self.weights),
            (
                ~are_costs(self.finals, largest) & (self.finals != INFINITY),
                f"state {{}} has the final cost {{}}; {costs}, or infinity",
                self.finals,
            ),
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
                index = int(np.argmax(broken))
                raise InvalidLatticeError(message.format(index, values[index]))
        self.features.validate(self.num_arcs, self.num_states, largest)

    def topsorted(self) -> Lattice:
        """Returns the same lattice with states numbered so that every arc leads to a higher state.

        >>> words = SymbolTable(["a", "cat"])
        >>> lattice = Lattice.from_arcs([0, 2], [1, 2], [0.0, 0.0], [2, 1], [INFINITY, 0.0, INFINITY], words)
        >>> lattice.is_topsorted, lattice.topsorted().nextstates.tolist()
        (False, [1, 2])

        Raises:
            CyclicLatticeError: the lattice has a cycle.
        """
        if self.is_topsorted:
            return self
        order = topological_order(self.offsets, self.nextstates)
        if order is None:
            raise CyclicLatticeError(
                "the lattice has a cycle, so it holds infinitely many strings; remove its loops, or keep n paths with "
                "OpenFst: `fstshortestpath --nshortest=n`, in Python "
                "Lattice.from_pynini(pynini.shortestpath(lattice.to_pynini(attach_symbols=True), nshortest=n))"
            )
        return self.subset(order)

    def connected(self) -> Lattice:
        """Returns the lattice without states that no complete path visits, sorted topologically.

        >>> words = SymbolTable(["a", "cat"])
        >>> lattice = Lattice.from_arcs([0, 0], [1, 2], [0.0, 0.0], [1, 2], [INFINITY, 0.0, INFINITY], words)
        >>> lattice.num_states, lattice.connected().num_states   # no path leads from state 2 to the end
        (3, 2)

        Raises:
            CyclicLatticeError: the lattice has a cycle.
        """
        if self._is_connected:
            return self
        lattice = self.topsorted()
        useful = useful_states(lattice.offsets, lattice.nextstates, np.isfinite(lattice.finals))
        if not useful[0]:
            lattice = Lattice.empty_like(lattice)
        elif not useful.all():
            lattice = lattice.subset(np.flatnonzero(useful).astype(np.int32))
        lattice.__dict__["_is_connected"] = True
        return lattice

    # ---------------------------------------------------------------- arc maps

    def gather(
        self,
        arcs: npt.NDArray[Any],
        offsets: Ints,
        nextstates: Ints,
        states: npt.NDArray[Any],
        *,
        weights: Floats | None = None,
        finals: Floats | None = None,
    ) -> Lattice:
        """Makes a lattice whose arcs and states copy labels, costs and features from those with these numbers.

        Operations that derive arcs from arcs describe the result in this way, so features always follow.

        Args:
            arcs: (new arcs,) int32, the arc to copy for each new arc; -1 for an arc without words, cost and features.
            offsets: (new states + 1,) int32.
            nextstates: (new arcs,) int32.
            states: (new states,) int32, the state whose final cost to copy; -1 for a state that is not final.
            weights: (new arcs,) float64 costs that replace the copied ones.
            finals: (new states,) float64 final costs that replace the copied ones. States that are no longer final
                lose their final features.
        """
        olabels = gather(self.olabels, arcs, 0)
        ends = states if finals is None else np.where(np.isfinite(finals), states, -1)
        return replace(
            self,
            offsets=offsets,
            ilabels=olabels if self.ilabels is self.olabels else gather(self.ilabels, arcs, 0),
            olabels=olabels,
            weights=gather(self.weights, arcs, 0.0) if weights is None else weights,
            nextstates=nextstates,
            finals=gather(self.finals, states, INFINITY) if finals is None else finals,
            features=self.features.gather(arcs, ends),
        )

    def subset(self, order: Ints) -> Lattice:
        """Restricts the lattice to the states in `order`, renumbered in that order; arcs to others are dropped.

        >>> lattice = Lattice.from_strings(["a cat", "a dog", "the dog"])
        >>> lattice.subset(np.array([0, 1, 3], dtype=np.int32)).num_arcs
        3
        """
        order = whole_numbers(order, "states").astype(np.int32)
        if order.size and not 0 <= order.min() <= order.max() < self.num_states:
            raise InvalidLatticeError(f"a state outside 0..{self.num_states - 1}")
        new_name = np.full(self.num_states, -1, dtype=np.int32)
        new_name[order] = np.arange(len(order), dtype=np.int32)
        arcs, offsets = chosen_blocks(self.offsets, order)
        nextstates = new_name[self.nextstates[arcs]]
        kept = nextstates >= 0
        return self.gather(arcs[kept], kept_offsets(offsets, kept), nextstates[kept], order)

    def keep_arcs(self, kept: Bools, final: Bools | None = None) -> Lattice:
        """Keeps the arcs that the mask `kept` selects, (num_arcs,); states are unchanged.

        >>> lattice = Lattice.from_strings([("a", 1.0), ("b", 2.0)])
        >>> lattice.keep_arcs(lattice.weights < 1.5).num_arcs
        1

        With `final`, a mask of the states, only the selected states stay final.
        """
        kept = _mask(kept, self.num_arcs, "arcs")
        final = None if final is None else _mask(final, self.num_states, "states")
        arcs = np.flatnonzero(kept).astype(np.int32)
        states = np.arange(self.num_states, dtype=np.int32)
        states = states if final is None else np.where(final, states, -1).astype(np.int32)
        return self.gather(arcs, kept_offsets(self.offsets, kept), self.nextstates[arcs], states)

    # ---------------------------------------------------------------- changes

    def with_symbols(self, symbols: SymbolTable) -> Lattice:
        """Renumbers the words by `symbols`, or by a copy of it with the missing words of the arcs added.

        >>> Lattice.from_strings("a cat").with_symbols(SymbolTable(["cat"])).olabels.tolist()
        [2, 1]
        """
        if symbols is self.symbols:
            return self
        instance(symbols, SymbolTable, "the symbols", "SymbolTable(words)")
        symbols = symbols.with_words(self._used_words())
        olabels, ilabels = symbols.labels_of(self.symbols, self.olabels), self.ilabels
        if self.isymbols is None:  # both sides use the same table
            ilabels = olabels if self.ilabels is self.olabels else symbols.labels_of(self.symbols, self.ilabels)
        return replace(self, olabels=olabels, ilabels=ilabels, symbols=symbols)

    def with_used_symbols(self) -> Lattice:
        """Restricts the symbol table to the words of the arcs; that of a grammar, for example, has many others.

        >>> lattice = Lattice.from_strings("a cat", SymbolTable(["a", "dog", "cat"]))
        >>> list(lattice.with_used_symbols().symbols)
        ['<epsilon>', 'a', 'cat']
        """
        return self.with_symbols(SymbolTable(self._used_words()))

    def _used_words(self) -> list[str]:
        """Returns the words of `symbols` that arcs carry; its other words may be many."""
        labels = self.olabels if self.isymbols is not None else np.concatenate((self.olabels, self.ilabels))
        return self.symbols.words_of(labels)

    def with_feature(self, name: str, scores: npt.ArrayLike, finals: npt.ArrayLike | None = None) -> Lattice:
        """Adds or replaces a feature; costs are unchanged.

        >>> Lattice.from_strings("a cat").with_feature("time", [0.1, 0.4]).features["time"].tolist()
        [0.1, 0.4]

        Args:
            name: the feature.
            scores: (num_arcs,) its scores on the arcs.
            finals: (num_states,) its scores of ending in each state; 0 if None.

        Raises:
            InvalidLatticeError: the scores do not fit the arcs or the states, or one is not finite.
        """
        return replace(self, features=self.features.with_column(name, scores, finals))

    def without_feature(self, name: str, weight: float | None = None) -> Lattice:
        """Removes a feature, and its contribution to the costs at `weight`.

        >>> lattice = Lattice.from_strings([("a", 3.0)]).with_feature("LM", [-2.0])
        >>> lattice.without_feature("LM", 0.5).weights.tolist()   # 3 - 0.5 * 2
        [2.0]

        Use it to replace the scores of one language model by those of another.

        Args:
            name: the feature.
            weight: its weight in the costs; by default its scale in the header, and 0 if it has none.

        Raises:
            InvalidLatticeError: the lattice has no such feature, or a cost becomes infinite.
        """
        self.features.require(name)
        weight = finite_real(self.header.scales.get(name, 0.0) if weight is None else weight, "the weight")
        weights = self.weights + weight * self.features[name]
        finals = self.finals + weight * self.features.final(name)
        features, header = self.features.without(name), self.header.without_scale(name)
        lattice = replace(self, weights=weights, finals=finals, features=features, header=header)
        lattice.validate(largest=LARGEST_COST)
        return lattice

    def without_features(self, *names: str) -> Lattice:
        """Removes these features and their scales, or all of them; costs are unchanged.

        >>> list(Lattice.from_strings([("a", 3.0)]).with_feature("LM", [-2.0]).without_features().features)
        []
        """
        removed = names or tuple(self.features)
        scales = {name: scale for name, scale in self.header.scales.items() if name not in removed}
        header = self.header if len(scales) == len(self.header.scales) else replace(self.header, scales=scales)
        return replace(self, features=self.features.without(*removed), header=header)

    def without_words(self, words: str | Iterable[str]) -> Lattice:
        """Replaces these words by epsilons; arcs keep their numbers and costs.

        >>> lattice = Lattice.from_strings([("<s> a </s>", 1.0)]).without_words({"<s>", "</s>"})
        >>> lattice.symbols.decode(lattice.olabels)
        ['a']
        """
        labels = [label for label in map(self.symbols.find, as_tokens(words)) if label is not None]
        is_gone = np.zeros(len(self.symbols), dtype=np.bool_)
        is_gone[labels] = True
        if not is_gone[self.olabels].any():
            return self
        olabels = np.where(is_gone[self.olabels], EPSILON, self.olabels).astype(np.int32)
        return replace(self, olabels=olabels, ilabels=olabels if self.is_acceptor else self.ilabels)

    def project_output(self) -> Lattice:
        """Returns the acceptor of the output words; features are kept.

        >>> inputs = [1], SymbolTable(["Haus"])
        >>> lexicon = Lattice.from_arcs([0], [1], [0.5], [1], [INFINITY, 0.0], SymbolTable(["house"]), inputs=inputs)
        >>> lexicon.project_output().is_acceptor, [arc.label for arc in lexicon.project_output().arcs_of(0)]
        (True, ['house'])
        """
        return replace(self, ilabels=self.olabels, isymbols=None)

    def project_input(self) -> Lattice:
        """Returns the acceptor of the input labels; features are kept.

        >>> inputs = [1], SymbolTable(["Haus"])
        >>> lexicon = Lattice.from_arcs([0], [1], [0.5], [1], [INFINITY, 0.0], SymbolTable(["house"]), inputs=inputs)
        >>> [arc.word for arc in lexicon.project_input().arcs_of(0)]
        ['Haus']
        """
        return replace(self, olabels=self.ilabels, symbols=self.isymbols or self.symbols, isymbols=None)

    def has_epsilons(self) -> bool:
        """Returns whether some arc carries no word.

        >>> Lattice.from_strings("<s> a").without_words("<s>").has_epsilons()
        True
        """
        return bool((self.olabels == EPSILON).any())

    # ---------------------------------------------------------------- OpenFst

    def to_pynini(self, *, attach_symbols: bool = False) -> Any:
        """Returns a `pynini.Fst` without features, its costs in single precision.

        >>> Lattice.from_strings([("a cat", 1.5)]).to_pynini().num_states()
        3

        Args:
            attach_symbols: whether the FST gets the symbol tables.

        Raises:
            InvalidLatticeError: a cost is too large for single precision.
        """
        import pynini

        tables = (self.isymbols or self.symbols, self.symbols) if flag(attach_symbols, "attach_symbols") else ()
        return pynini.Fst.read_from_string(fst_bytes.pack(self.arcs, self.ilabels, tables))

    @classmethod
    def from_pynini(cls, fst: Any, symbols: SymbolTable | None = None, isymbols: SymbolTable | None = None) -> Lattice:
        """Makes a lattice from a `pynini.Fst` or `pywrapfst.Fst`; the weights of log arcs count as costs.

        >>> fst = Lattice.from_strings([("a cat", 1.5)]).to_pynini(attach_symbols=True)
        >>> [arc.word for arc in Lattice.from_pynini(fst).arcs_of(0)]
        ['a']

        Args:
            fst: the automaton.
            symbols: the words of its output labels; None for the FST's own tables, which it then needs.
            isymbols: the words of its input labels; None for `symbols`, or for the FST's own table.

        Raises:
            InvalidLatticeError: the arcs are not standard or log arcs, a label has no word, a cost is NaN, or the
                FST's stored properties are wrong.
        """
        if not hasattr(fst, "fst_type"):
            remedy = "read(path) reads files"
            raise TypeError(f"from_pynini takes an FST of pynini or pywrapfst, not a {type(fst).__name__}; {remedy}")
        if isymbols is not None:
            isymbols = SymbolTable.of(isymbols)
        if fst.fst_type() not in ("vector", "const"):
            import pywrapfst

            if not fst.verify():
                raise InvalidLatticeError("the FST's stored properties are wrong; make it again from its arcs")
            fst = pywrapfst.convert(fst, "vector")
        try:
            data, file_tables = fst.write_to_string(), symbols is None
            return cls.from_arcs(**fst_bytes.parse(data, symbols, isymbols, file_tables=file_tables))
        except FormatError as error:
            raise InvalidLatticeError(str(error)) from error


def _header_of_product(first: Lattice, second: Lattice) -> Header:
    """Returns the first header, with the scales and the word score that are true of the summed costs."""
    sides = (first, second)
    scales = {  # a feature of both sides keeps its scale only if both have the same one
        name: scale
        for name, scale in {**second.header.scales, **first.header.scales}.items()
        if all(side.header.scales.get(name, scale if name not in side.features else None) == scale for side in sides)
    }
    word_score = second.header.word_score
    if second.is_acceptor:  # the words of both are the same
        word_score += first.header.word_score
    elif first.header.word_score:
        word_score = 0.0
    return replace(first.header, scales=scales, word_score=word_score)


def _mask(values: npt.ArrayLike, count: int, what: str) -> Bools:
    """Returns a mask of the arcs or states, (count,) bool."""
    mask = np.asarray(values)
    mask = mask if mask.size else mask.astype(np.bool_)  # an empty list has no type of its own
    if mask.dtype != np.bool_ or mask.shape != (count,):
        message = f"the {what} are selected by an array of {count} bools, not by {mask.dtype} of the shape {mask.shape}"
        raise InvalidLatticeError(message)
    return mask


def _refuse_epsilon(words: tuple[str, ...]) -> None:
    """Refuses a string whose word would vanish, as its name is that of the empty word."""
    if EPSILON_SYMBOL in words:
        text = " ".join(words)
        message = f"the word {EPSILON_SYMBOL} of {text!r:.80} is the name of the empty word"
        raise InvalidLatticeError(f"{message} (leave it out, or give the word another name)")


def _encoded(strings: Collection[tuple[str, ...]], symbols: SymbolTable) -> tuple[Ints, Longs]:
    """Returns the labels of strings, and where each string begins in them."""
    labels = symbols.encode(chain.from_iterable(strings))
    return labels, np.fromiter(accumulate(map(len, strings), initial=0), dtype=np.int64, count=len(strings) + 1)


def share_symbols(lattices: Sequence[Lattice], symbols: SymbolTable | None = None) -> list[Lattice]:
    """Renumbers lattices by one table: `symbols` or the first lattice's, or a copy with missing words of arcs added.

    >>> cat, dog = share_symbols([Lattice.from_strings("a cat"), Lattice.from_strings("a dog")])
    >>> cat.symbols is dog.symbols, dog.olabels.tolist()
    (True, [1, 3])
    """
    base = lattices[0].symbols if symbols is None else symbols
    lattices_to_renumber = (lattice for lattice in lattices if lattice.symbols is not base)
    table = base.with_words(chain.from_iterable(lattice._used_words() for lattice in lattices_to_renumber))
    return [  # an extended copy of `base` keeps its numbers
        replace(lattice, symbols=table) if lattice.symbols is base else lattice.with_symbols(table)
        for lattice in lattices
    ]


def require_lattice(operation: str, *values: object) -> None:
    """Raises a TypeError if an operation is called with anything but lattices."""
    for value in values:
        if isinstance(value, Lattice):
            continue
        expected, remedy = "a lattice", ""
        if isinstance(value, str):
            remedy = "; make one: Lattice.from_strings(text)"
        elif isinstance(value, list | tuple):
            remedy = "; make one: Lattice.from_nbest(hypotheses)"
            if value and isinstance(value[0], Lattice):
                remedy = "; call it for each lattice"
                if operation in ("concat", "union"):
                    expected, remedy = "lattices", f"; unpack it: {operation}(*lattices)"
        elif hasattr(value, "as_lattice"):
            remedy = "; compose_gappy composes it, .as_lattice() converts it"
        raise TypeError(f"{operation} takes {expected}, not a {type(value).__name__}{remedy}")
