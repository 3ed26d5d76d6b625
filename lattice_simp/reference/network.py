"""Recursive transition networks: arcs that stand for other automata."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

import pynini
import pywrapfst

from lattice_simp.core.lattice import Lattice, share_symbols
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import CyclicLatticeError, LatticeSimpError

MAX_ARCS = 5_000_000
"""The most arcs of an expanded network, in which each automaton counts as often as it is copied."""


def replace(lattice: Lattice, parts: Mapping[str, Lattice]) -> Lattice:
    """Replaces every arc with the output word `w` by a copy of `parts[w]`, at the sum of both costs.

    >>> from lattice_simp.reference.paths import nbest
    >>> gap = Lattice.from_strings([("x", 0.5), ("y z", 2.0)])
    >>> full = replace(Lattice.from_strings([("a GAP b", 1.0)]), {"GAP": gap})
    >>> [(path.text, path.cost) for path in nbest(full, 3)]
    [('a x b', 1.5), ('a y z b', 3.0)]

    The parts are not searched for further words to replace. The result is an acceptor: input labels are left out.

    Raises:
        CyclicLatticeError: a part or the lattice has a cycle.
    """
    lattice, *shared = share_symbols([lattice, *(part.project_output().connected() for part in parts.values())])
    symbols, automata = lattice.symbols, [part.to_pynini() for part in shared]
    calls = {word: len(symbols) + number for number, word in enumerate(parts)}  # labels that are in no part
    root = lattice.project_output().connected().to_pynini()
    for state in root.states():
        arcs = root.mutable_arcs(state)
        for arc in arcs:
            arc.olabel = calls.get(symbols[arc.olabel], arc.olabel)
            arcs.set_value(arc)
    return expand([(len(symbols) + len(parts), root), *zip(calls.values(), automata, strict=True)], symbols)


def expand(automata: Iterable[tuple[int, pynini.Fst]], symbols: SymbolTable) -> Lattice:
    """Expands a recursive transition network: `(label, automaton)` pairs, the root first.

    An arc with the output label of an automaton stands for a copy of that automaton; other labels belong to `symbols`.

    Raises:
        CyclicLatticeError: an automaton contains itself, or has a cycle.
        LatticeSimpError: the network is too large.
    """
    network = dict(automata)
    labels = {
        label: [arc.olabel for state in fst.states() for arc in fst.arcs(state)] for label, fst in network.items()
    }
    arcs: dict[int, int] = {}
    try:
        for label in TopologicalSorter(
            {label: {*references} & {*network} for label, references in labels.items()}
        ).static_order():
            arcs[label] = sum(1 + arcs.get(inner, 0) for inner in labels[label])
    except CycleError as error:
        raise CyclicLatticeError("an automaton contains itself; remove a reference of the cycle") from error
    root = next(iter(network))
    if arcs[root] > MAX_ARCS:
        raise LatticeSimpError(f"{arcs[root]} arcs are too many for the engine openfst; use the engine arrays")
    return Lattice.from_pynini(pywrapfst.replace(network.items(), epsilon_on_replace=True), symbols).connected()
