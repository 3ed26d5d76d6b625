"""Gappy acceptors and their composition with full lattices by OpenFst (Hasler et al. 2016, 4.2).

OpenFst's libraries have matchers for rho and sigma, but pynini does not, so these labels are written out: one arc for
every word of the full lattice (sigma), or for every word that no other arc of the state carries (rho).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pynini
import pywrapfst

from lattice_simp.core.hypothesis import Strings, WeightedWords, words_and_cost
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON, RHO, SIGMA, SymbolTable
from lattice_simp.errors import EmptyLatticeError, LatticeSimpError
from lattice_simp.reference.paths import prune
from lattice_simp.support.plurals import counted

if TYPE_CHECKING:
    from lattice_simp.ops.compose_gappy import EditCosts
    from lattice_simp.ops.gappy_acceptor import Loops

LOOPS = {"rho": RHO, "sigma": SIGMA}


def gappy_acceptor(
    hypotheses: Lattice | Strings,
    *,
    loops: Loops = "sigma",
    positions: Sequence[Collection[int]] | None = None,
    symbols: SymbolTable | None = None,
) -> Lattice:
    """Makes a gappy acceptor of a skeleton's hypotheses: deterministic, with loops as arcs `<rho>` or `<sigma>`.

    >>> acceptor = gappy_acceptor([("a c", 0.5), ("b c", 1.0)])
    >>> acceptor.num_arcs, sorted(set(acceptor.symbols.decode(acceptor.olabels)))
    (6, ['<sigma>', 'a', 'b', 'c'])

    The arguments are those of `ops`; the words of `symbols` begin the result's own table.

    Raises:
        EmptyLatticeError: no hypothesis.
        LatticeSimpError: unknown loops, or positions that do not fit the hypotheses.
    """
    if loops not in LOOPS:
        raise LatticeSimpError(f"loops must be 'sigma' or 'rho', not {loops!r}")
    table = SymbolTable.of(symbols).copy()
    mark = LOOPS[loops]
    if positions is None:
        strings = hypotheses if isinstance(hypotheses, Lattice) else Lattice.from_strings(list(hypotheses), table)
        strings = strings.project_output().connected().with_symbols(table)
        table = strings.symbols.copy()
        fst = pynini.determinize(strings.to_pynini().rmepsilon())
        looping = list(fst.minimize().states())
    elif isinstance(hypotheses, Lattice):
        raise LatticeSimpError("positions need hypotheses as strings; pass strings instead of a lattice")
    else:
        fst = pynini.determinize(_marked(list(hypotheses), positions, mark, table))
        looping = _unmarked(fst, table.add(mark))
    if not fst.num_states():
        raise EmptyLatticeError("no skeleton hypotheses; decode without the skeleton instead")
    for state in looping:
        fst.add_arc(state, pywrapfst.Arc(table.add(mark), table.add(mark), 0.0, state))
    return Lattice.from_pynini(fst, table)


def _marked(
    hypotheses: list[WeightedWords], positions: Sequence[Collection[int]], mark: str, table: SymbolTable
) -> pynini.Fst:
    """Returns the strings with a mark at every gap; no two share a state."""
    if len(positions) != len(hypotheses):
        raise LatticeSimpError(
            f"{counted(len(hypotheses), 'hypothesis', 'hypotheses')}, but gap positions for {len(positions)}"
        )
    strings = []
    for (words, cost), gaps in zip(map(words_and_cost, hypotheses), positions, strict=True):
        if not {*gaps} <= {*range(len(words) + 1)}:
            raise LatticeSimpError(
                f"gap positions {sorted(gaps)} of {counted(len(words), 'word')}; they run from 0 to {len(words)}"
            )
        marked = [
            token for index in range(len(words) + 1) for token in (*[mark] * (index in gaps), *words[index : index + 1])
        ]
        strings.append(Lattice.from_strings([(marked, cost)], table).to_pynini())
    return pynini.union(pynini.Fst(), *strings).rmepsilon()


def _unmarked(fst: pynini.Fst, mark: int) -> list[int]:
    """Turns the marks into epsilons; returns the states after them, which only hypotheses with the gap reach."""
    looping = []
    for state in fst.states():
        arcs = fst.mutable_arcs(state)
        for arc in arcs:
            if arc.ilabel == mark:
                looping.append(arc.nextstate)
                arcs.set_value(pywrapfst.Arc(EPSILON, EPSILON, arc.weight, arc.nextstate))
    return looping


def compose_gappy(
    full: Lattice,
    skeleton: Lattice,
    *,
    weight: float = 1.0,
    beam: float | None = None,
    edits: EditCosts | None = None,
    name: str = "Skeleton",
) -> Lattice:
    """Composes a full lattice with a gappy acceptor.

    >>> from lattice_simp.reference.paths import nbest
    >>> full = Lattice.from_strings([("a b d", 1.0), ("a x c", 2.0)])
    >>> skeletons = [("a c", 0.25), ("b d", 0.5)]
    >>> [(path.text, path.cost) for path in nbest(compose_gappy(full, gappy_acceptor(skeletons, loops="sigma")), 2)]
    [('a b d', 1.5), ('a x c', 2.25)]
    >>> [path.text for path in nbest(compose_gappy(full, gappy_acceptor(skeletons, loops="rho")), 2)]
    ['a x c']

    The arguments are those of `ops`, but `skeleton` may be any acceptor with arcs `<rho>` and `<sigma>`. Several
    embeddings of a skeleton in a hypothesis are several paths.

    Raises:
        CyclicLatticeError: `full` has a cycle.
        LatticeSimpError: a negative weight or beam.
    """
    if not (weight >= 0 and np.isfinite(weight)):
        raise LatticeSimpError(f"the skeleton's weight is {weight}; give a finite number that is not negative")
    full = full.connected()
    acceptor = skeleton.with_symbols(full.symbols)
    finals = np.multiply(acceptor.finals, weight, out=acceptor.finals.copy(), where=np.isfinite(acceptor.finals))
    fst = replace(acceptor, weights=weight * acceptor.weights, finals=finals).to_pynini()
    _write_out(fst, np.unique(full.olabels[full.olabels != EPSILON]).tolist(), acceptor.symbols, edits)
    joint = pynini.compose(full.to_pynini(), fst.arcsort())
    return prune(Lattice.from_pynini(joint, full.symbols, full.isymbols), beam)


def _write_out(fst: pynini.Fst, words: list[int], symbols: SymbolTable, edits: EditCosts | None) -> None:
    """Replaces each arc by one arc for every word that it matches."""
    rho, sigma = symbols.find(RHO), symbols.find(SIGMA)
    for state in fst.states():
        arcs = list(fst.arcs(state))
        carried = {arc.ilabel for arc in arcs}
        fst.delete_arcs(state)
        for arc in arcs:
            if arc.ilabel == sigma:
                prices = dict.fromkeys(words, 0.0)
            elif arc.ilabel == rho:
                prices = dict.fromkeys((word for word in words if word not in carried), 0.0)
            elif arc.ilabel == EPSILON or edits is None:
                prices = {arc.ilabel: 0.0}
            else:
                prices = _edit_prices(arc.ilabel, words, symbols, edits)
            for word, price in prices.items():
                fst.add_arc(state, pywrapfst.Arc(word, word, float(arc.weight) + price, arc.nextstate))


def _edit_prices(label: int, words: list[int], symbols: SymbolTable, edits: EditCosts) -> dict[int, float]:
    """Returns the cost of each word that may replace a word of the skeleton; epsilon stands for its deletion."""
    stem = edits.stem_of(symbols[label])
    of_stem = min(edits.stem, edits.substitution)
    prices = {word: of_stem if edits.stem_of(symbols[word]) == stem else edits.substitution for word in words}
    prices |= {EPSILON: edits.deletion, label: 0.0}
    return {word: price for word, price in prices.items() if price < np.inf}
