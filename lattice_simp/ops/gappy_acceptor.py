"""Gappy acceptors: the hypotheses of a skeleton, with loops where other words may occur (Hasler et al. 2016, 4.2).

Two kinds of loops, which differ where the acceptor branches. With the skeletons {`a c`, `b d`} and the full
hypothesis `a b d`:

- `rho`, the paper's, consumes a word that no other arc of the state carries. It must follow `a`, and then `c` never
  comes: the hypothesis is rejected.
- `sigma` consumes any word. It may skip `a` and accepts the hypothesis through `b d`: exactly the relation "contains
  a skeleton translation as a subsequence".
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal, NamedTuple, get_args

import numpy as np

from lattice_simp.core.arguments import choice, whole
from lattice_simp.core.features import Features
from lattice_simp.core.hypothesis import Hypothesis, Strings, words_and_cost
from lattice_simp.core.kernel import Bools
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON, RHO, SIGMA, SymbolTable, as_sentences, as_tokens
from lattice_simp.errors import EmptyLatticeError, LatticeSimpError
from lattice_simp.support.plurals import counted

Loops = Literal["sigma", "rho"]


@dataclass(frozen=True, eq=False)
class GappyAcceptor:
    """An acyclic acceptor and the states where words may be skipped.

    Attributes:
        acceptor: the skeleton hypotheses; minimal, sorted topologically, arcs sorted by word. Deterministic, unless
            `positions` keep hypotheses with the same words apart (then an arc without a word may leave the start).
            Its features, if it has any, are in final states.
        has_loop: (num_states,) bool.
        loops: the kind of loops, see the module's documentation.
    """

    acceptor: Lattice
    has_loop: Bools
    loops: Loops

    @classmethod
    def without_gaps(cls, lattice: Lattice) -> GappyAcceptor:
        """Returns the acceptor of a lattice's output words where no word may be skipped.

        >>> GappyAcceptor.without_gaps(Lattice.from_strings(["a b"])).has_loop.tolist()
        [False, False, False]
        """
        acceptor = replace(lattice.project_output(), features=lattice.features.select(())).connected()
        return cls(acceptor, np.zeros(acceptor.num_states, dtype=np.bool_), "sigma")

    def as_lattice(self) -> Lattice:
        """Returns the acceptor with its loops as arcs labelled `<rho>` or `<sigma>`, to draw it or to export it.

        >>> lattice = gappy_acceptor(["a"]).as_lattice()
        >>> [arc.word for arc in lattice.arcs_of(0)]
        ['a', '<sigma>']
        """
        acceptor = self.acceptor
        symbols = SymbolTable(acceptor.symbols.words[1:])
        looping = np.flatnonzero(self.has_loop).astype(np.int32)
        label = symbols.add(RHO if self.loops == "rho" else SIGMA)
        return Lattice.from_arcs(
            np.append(acceptor.sources, looping),
            np.append(acceptor.olabels, np.full(len(looping), label)),
            np.append(acceptor.weights, np.zeros(len(looping))),
            np.append(acceptor.nextstates, looping),
            acceptor.finals,
            symbols,
        )


def gappy_acceptor(
    hypotheses: Lattice | Strings,
    *,
    loops: Loops = "sigma",
    positions: Sequence[Collection[int]] | None = None,
    symbols: SymbolTable | None = None,
    features: Sequence[str] = (),
) -> GappyAcceptor:
    """Makes the acceptor of all sentences that contain one of these hypotheses, with any words in between.

    >>> acceptor = gappy_acceptor([("a c", 0.5), ("b c", 1.0)])
    >>> acceptor.acceptor.num_states, acceptor.has_loop.tolist()
    (3, [True, True, True])

    Args:
        hypotheses: pairs of words (a string or tokens) and a cost in nats, n-best hypotheses, strings at no
            cost, or a lattice of them. The cheapest of equal strings counts.
        loops: `sigma` skips any word; `rho`, as in the paper, skips a word only if no other arc of the state has it,
            and so rejects some sentences that contain a hypothesis.
        positions: for each hypothesis, the numbers of its words that may come before a gap (0 to all); None for
            loops everywhere, as in the paper. For pairs only.
        symbols: the symbol table to use; pass that of the full lattice to save a conversion.
        features: the features of n-best hypotheses that the acceptor keeps; hypotheses with different ones do not
            share their last state.

    Raises:
        EmptyLatticeError: no hypothesis.
        LatticeSimpError: positions that do not fit the hypotheses, or a hypothesis without one of the features.
    """
    choice(loops, get_args(Loops), "loops")
    if isinstance(hypotheses, Lattice):
        if positions is not None:
            raise LatticeSimpError("positions need hypotheses as strings; pass strings instead of a lattice")
        if features:
            raise LatticeSimpError("features need n-best hypotheses; pass nbest(lattice, n) instead of the lattice")
        acceptor = _deterministic(hypotheses if symbols is None else hypotheses.with_symbols(symbols))
        return GappyAcceptor(acceptor, np.ones(acceptor.num_states, dtype=np.bool_), loops)
    features = as_tokens(features) if not isinstance(features, str) else (features,)
    entries = list(as_sentences(hypotheses))
    strings = [words_and_cost(entry) for entry in entries]
    table = SymbolTable.of(symbols).with_words(chain.from_iterable(words for words, _ in strings))
    pairs = [(tuple(table.lookup(words).tolist()), cost) for words, cost in strings]
    if not pairs:
        raise EmptyLatticeError("no skeleton hypotheses; decode without the skeleton instead")
    allowed = _allowed([len(key) for key, _ in pairs], positions)
    acceptor, has_loop = _minimal_tree(pairs, allowed, table, _scores(entries, features))
    return GappyAcceptor(acceptor, has_loop, loops)


def _allowed(lengths: Sequence[int], positions: Sequence[Collection[int]] | None) -> list[tuple[bool, ...]]:
    """Returns whether a gap may occur at each position of hypotheses of these lengths."""
    if positions is None:
        return [(True,) * (length + 1) for length in lengths]
    if not hasattr(positions, "__len__") or isinstance(positions, str):
        raise TypeError(f"positions must be a list for each hypothesis, not {positions!r:.80}")
    if len(positions) != len(lengths):
        raise LatticeSimpError(
            f"{counted(len(lengths), 'hypothesis', 'hypotheses')}, but gap positions for {len(positions)}"
        )
    for length, gaps in zip(lengths, positions, strict=True):
        if any(not 0 <= whole(position, "a gap position") <= length for position in gaps):
            raise LatticeSimpError(
                f"gap positions {sorted(gaps)} of {counted(length, 'word')}; they run from 0 to {length}"
            )
    return [
        tuple(position in gaps for position in range(length + 1))
        for length, gaps in zip(lengths, positions, strict=True)
    ]


def _scores(entries: Sequence[Hypothesis | object], features: Sequence[str]) -> Features:
    """Returns the features of hypotheses as final scores, a column for each hypothesis."""
    rows = np.zeros((len(features), len(entries)))
    for number, entry in enumerate(entries if features else ()):
        available = entry.features if isinstance(entry, Hypothesis) else {}
        missing = [name for name in features if name not in available]
        if missing:
            raise LatticeSimpError(f"hypothesis {number + 1} has no feature {missing[0]!r}; give n-best lists with it")
        rows[:, number] = [available[name] for name in features]
    return Features(tuple(features), np.zeros((len(features), 0)), rows)


class _Tree(NamedTuple):
    """A prefix tree of hypotheses, as lists by node; node 0 is the root, and children have higher numbers.

    Attributes:
        children: the children by the word that leads there, and whether a gap may follow that word.
        loops: whether a gap may occur at the node.
        finals: the cost of the cheapest hypothesis that ends at the node; infinity for none.
        cheapest: the number of that hypothesis; -1 for none.
    """

    children: list[dict[tuple[int, bool], int]]
    loops: list[bool]
    finals: list[float]
    cheapest: list[int]

    def add_node(self, loop: bool) -> int:
        self.children.append({})
        self.loops.append(loop)
        self.finals.append(np.inf)
        self.cheapest.append(-1)
        return len(self.children) - 1


class _State(NamedTuple):
    """A state of the minimal acceptor: as a node of the tree, with its arcs (label, cost, number of the next state)."""

    final: float
    loop: bool
    arcs: list[tuple[int, float, int]]
    cheapest: int


def _minimal_tree(
    pairs: Sequence[tuple[tuple[int, ...], float]],
    allowed: Sequence[tuple[bool, ...]],
    symbols: SymbolTable,
    scores: Features,
) -> tuple[Lattice, Bools]:
    """Returns the minimal acceptor of the hypotheses, and which of its states have loops."""
    states = _merged(_prefix_tree(pairs, allowed), scores)
    # A state is numbered after its successors, so the reversed numbers are topological.
    last = len(states) - 1
    arcs = [arc for state in states for arc in state.arcs]
    lattice = Lattice.from_arcs(
        [last - number for number, state in enumerate(states) for _ in state.arcs],
        [word for word, _, _ in arcs],
        [cost for _, cost, _ in arcs],
        [last - target for _, _, target in arcs],
        [state.final for state in reversed(states)],
        symbols,
    )
    endings = np.array([state.cheapest for state in reversed(states)], dtype=np.int32)
    features = scores.gather(np.full(lattice.num_arcs, -1), endings)
    return replace(lattice, features=features), np.array([state.loop for state in reversed(states)], dtype=np.bool_)


def _prefix_tree(pairs: Sequence[tuple[tuple[int, ...], float]], allowed: Sequence[tuple[bool, ...]]) -> _Tree:
    """Builds the prefix tree of the hypotheses.

    Nodes that differ in whether a gap may follow stay apart, so the tree branches on (word, loop after it). If only
    some hypotheses begin with a gap, these start with an arc without a word.
    """
    tree = _Tree([], [], [], [])
    tree.add_node(all(gaps[0] for gaps in allowed))
    for number, ((key, cost), gaps) in enumerate(zip(pairs, allowed, strict=True)):
        node = 0
        steps = list(zip(key, gaps[1:], strict=True))
        if gaps[0] != tree.loops[0]:
            steps.insert(0, (EPSILON, gaps[0]))
        for step in steps:
            if step not in tree.children[node]:
                tree.children[node][step] = tree.add_node(step[1])
            node = tree.children[node][step]
        if cost < tree.finals[node]:
            tree.finals[node], tree.cheapest[node] = cost, number
    return tree


def _merged(tree: _Tree, scores: Features) -> list[_State]:
    """Moves the costs of a tree towards its start and merges nodes with the same future; returns states, last first."""
    potential = list(tree.finals)  # the cost of the cheapest completion of each node
    for node in reversed(range(len(potential))):
        potential[node] = min([potential[node], *(potential[child] for child in tree.children[node].values())])
    merged = [0] * len(potential)
    numbers: dict[object, int] = {}
    states: list[_State] = []
    for node in reversed(range(len(potential))):
        base, cheapest = 0.0 if node == 0 else potential[node], tree.cheapest[node]
        children = tree.children[node].items()
        arcs = sorted((word, potential[child] - base, merged[child]) for (word, _), child in children)
        state = _State(tree.finals[node] - base, tree.loops[node], arcs, cheapest)
        vector = scores.finals[:, cheapest].tobytes() if cheapest >= 0 else b""
        merged[node] = numbers.setdefault((node == 0, state.final, state.loop, tuple(arcs), vector), len(states))
        if merged[node] == len(states):
            states.append(state)
    return states


def _deterministic(lattice: Lattice) -> Lattice:
    """Determinizes and minimizes through OpenFst (costs in single precision)."""
    lattice = lattice.project_output().connected()
    if lattice.empty:
        raise EmptyLatticeError("the skeleton's lattice is empty; decode without the skeleton instead")
    import pynini

    fst = pynini.determinize(lattice.to_pynini().rmepsilon())
    fst.minimize().topsort().arcsort()
    return Lattice.from_pynini(fst, lattice.symbols)
