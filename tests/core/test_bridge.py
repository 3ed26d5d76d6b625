"""The bytes bridge: lattices to OpenFst and back, compared arc by arc and path by path."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pynini
import pytest
import pywrapfst
from helpers import arc_paths, best_by_string, paths, random_lattice

from lattice_simp import Lattice, SymbolTable
from lattice_simp.errors import InvalidLatticeError

SEEDS = range(15)
WORDS = ("a", "b", "c")


def rows(lattice):
    """Returns the sorted (input labels, output labels, cost) of all paths, epsilons included."""
    return sorted(
        (
            tuple(lattice.ilabels[arcs].tolist()),
            tuple(lattice.olabels[arcs].tolist()),
            round(float(lattice.weights[arcs].sum() + lattice.finals[state]), 3),
        )
        for arcs, state in arc_paths(lattice)
    )


def fst_rows(fst):
    """Returns the same rows of an OpenFst object, read arc by arc."""
    results = []
    pending = [(fst.start(), (), (), 0.0)] if fst.start() >= 0 else []
    while pending:
        state, inputs, outputs, cost = pending.pop()
        final = float(fst.final(state))
        if final < math.inf:
            results.append((inputs, outputs, round(cost + final, 3)))
        for arc in fst.arcs(state):
            pending.append((arc.nextstate, (*inputs, arc.ilabel), (*outputs, arc.olabel), cost + float(arc.weight)))
    return sorted(results)


def random_fst(rng, states, labels=3, transducer=True):
    """Makes an acyclic FST whose states, the start among them, are numbered at random; costs are quarters."""
    fst = pywrapfst.VectorFst()
    for _ in range(states):
        fst.add_state()
    names = rng.permutation(states)
    fst.set_start(int(names[0]))
    for source in range(states):
        for _ in range(int(rng.integers(0, 4)) if source + 1 < states else 0):
            target = int(names[rng.integers(source + 1, states)])
            inner, outer = (int(label) for label in rng.integers(0, labels + 1, 2))
            cost = float(rng.integers(-4, 12)) / 4
            fst.add_arc(int(names[source]), pywrapfst.Arc(inner if transducer else outer, outer, cost, target))
        if rng.random() < 0.3 or source + 1 == states:
            fst.set_final(int(names[source]), float(rng.integers(-4, 12)) / 4)
    return fst


def openfst_table(words, first=1, step=1):
    table = pywrapfst.SymbolTable()
    table.add_symbol("<epsilon>", 0)
    for number, word in enumerate(words):
        table.add_symbol(word, first + step * number)
    return table


# ---------------------------------------------------------------- to OpenFst


@pytest.mark.parametrize("numbered", [False, True])
def test_openfst_sees_the_same_paths(numbered):
    for seed in SEEDS:
        lattice = random_lattice(
            np.random.default_rng(seed), 2 + seed % 6, WORDS, epsilon=True, numbered=numbered, shuffled=seed % 2 == 0
        )
        fst = lattice.to_pynini()
        assert fst.verify(), seed
        assert (fst.num_states(), sum(fst.num_arcs(state) for state in fst.states())) == (
            lattice.num_states,
            lattice.num_arcs,
        ), seed
        actual, expected = fst_rows(fst), rows(lattice)
        assert [row[:2] for row in actual] == [row[:2] for row in expected], seed
        assert [row[2] for row in actual] == pytest.approx([row[2] for row in expected], abs=2e-3), seed
        for state in fst.states():
            arcs = list(fst.arcs(state))
            assert fst.num_input_epsilons(state) == sum(arc.ilabel == 0 for arc in arcs), seed
            assert fst.num_output_epsilons(state) == sum(arc.olabel == 0 for arc in arcs), seed


def test_openfst_finds_the_same_best_cost_and_the_same_language():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lattice = random_lattice(rng, 7, WORDS, epsilon=True)
        distance = pywrapfst.shortestdistance(lattice.to_pynini(), reverse=True)
        best = min((cost for *_, cost in paths(lattice)), default=math.inf)
        assert float(distance[0]) == pytest.approx(best, abs=1e-5), seed
        plain = pynini.determinize(lattice.to_pynini().rmepsilon())
        again = Lattice.from_pynini(plain, lattice.symbols)
        assert best_by_string(again) == pytest.approx(best_by_string(lattice), abs=1e-4), seed


def test_attached_tables_name_the_labels():
    lattice = random_lattice(np.random.default_rng(1), 5, WORDS, numbered=True)
    fst = lattice.to_pynini(attach_symbols=True)
    assert [word for _, word in fst.output_symbols()] == list(lattice.symbols)
    assert [word for _, word in fst.input_symbols()] == list(lattice.isymbols)
    again = Lattice.from_pynini(fst)
    assert again.symbols == lattice.symbols
    assert again.isymbols == lattice.isymbols
    assert [row[:2] for row in rows(again)] == [row[:2] for row in rows(lattice)]


# ---------------------------------------------------------------- from OpenFst


@pytest.mark.parametrize("transducer", [False, True])
def test_a_lattice_has_the_paths_of_the_fst_wherever_it_starts(transducer):
    for seed in SEEDS:
        fst = random_fst(np.random.default_rng(seed), 1 + seed % 7, transducer=transducer)
        lattice = Lattice.from_pynini(fst, SymbolTable(WORDS))
        lattice.validate()
        assert rows(lattice) == fst_rows(fst), seed
        assert lattice.num_states == fst.num_states(), seed


def test_there_and_back_again_changes_nothing():
    for seed in SEEDS:
        fst = random_fst(np.random.default_rng(seed), 6)
        lattice = Lattice.from_pynini(fst, SymbolTable(WORDS))
        again = Lattice.from_pynini(lattice.to_pynini(), lattice.symbols)
        for name in ("offsets", "ilabels", "olabels", "weights", "nextstates", "finals"):
            np.testing.assert_array_equal(getattr(again, name), getattr(lattice, name))
            assert getattr(again, name).dtype == getattr(lattice, name).dtype, seed


def test_the_fsts_own_tables_are_used_and_may_have_holes():
    for seed in SEEDS:
        fst = random_fst(np.random.default_rng(seed), 6)
        outer, inner = openfst_table(WORDS, 1), openfst_table(["x", "y", "z", "unused"], 1)
        fst.set_output_symbols(outer)
        fst.set_input_symbols(inner)
        lattice = Lattice.from_pynini(fst)
        expected = [
            ([inner.find(label) for label in ilabels if label], [outer.find(label) for label in olabels if label], cost)
            for ilabels, olabels, cost in fst_rows(fst)
        ]
        actual = [
            (lattice.isymbols.decode(ilabels), lattice.symbols.decode(olabels), cost)
            for ilabels, olabels, cost in rows(lattice)
        ]
        assert actual == expected, seed


def test_table_ids_with_holes_become_dense():
    fst = pywrapfst.VectorFst()
    fst.add_states(2)
    fst.set_start(0)
    fst.set_final(1)
    fst.add_arc(0, pywrapfst.Arc(50, 50, 0.5, 1))
    table = openfst_table(["a", "b"], 30, 20)
    fst.set_output_symbols(table)
    fst.set_input_symbols(table)
    lattice = Lattice.from_pynini(fst)
    assert best_by_string(lattice) == {("b",): 0.5}
    assert len(lattice.symbols) == 3
    assert lattice.is_acceptor


def test_given_tables_win_over_the_fsts_own():
    fst = random_fst(np.random.default_rng(3), 5, transducer=False)
    fst.set_output_symbols(openfst_table(["x", "y", "z"]))
    symbols = SymbolTable(WORDS)
    lattice = Lattice.from_pynini(fst, symbols)
    assert lattice.symbols is symbols
    assert rows(lattice) == fst_rows(fst)


@pytest.mark.parametrize("kind", ["vector", "const", "compact_acceptor"])
def test_every_fst_type_is_read(kind):
    fst = random_fst(np.random.default_rng(2), 6, transducer=False)
    lattice = Lattice.from_pynini(pywrapfst.convert(fst, kind), SymbolTable(WORDS))
    assert rows(lattice) == fst_rows(fst)


@pytest.mark.parametrize("states", [0, 2])
def test_an_fst_without_a_start_is_the_empty_lattice(states):
    fst = pywrapfst.VectorFst()
    fst.add_states(states)
    lattice = Lattice.from_pynini(fst, SymbolTable())
    assert lattice.empty
    assert lattice.num_states == lattice.num_arcs == 0
    back = lattice.to_pynini()
    assert back.start() == -1
    assert back.num_states() == 0


# ---------------------------------------------------------------- refusals


def test_log_arcs_are_costs_too():
    for name in ("log", "log64"):
        fst = pywrapfst.VectorFst(name)
        fst.add_states(2)
        fst.set_start(0)
        fst.set_final(1, 0.25)
        fst.add_arc(0, pywrapfst.Arc(1, 1, pywrapfst.Weight(name, 1.5), 1))
        assert best_by_string(Lattice.from_pynini(fst, SymbolTable(["a"]))) == {("a",): 1.75}


def test_an_fst_without_tables_needs_one():
    with pytest.raises(InvalidLatticeError, match="no symbol table"):
        Lattice.from_pynini(random_fst(np.random.default_rng(0), 3))


def test_labels_outside_the_tables_are_refused():
    fst = pywrapfst.VectorFst()
    fst.add_states(2)
    fst.set_start(0)
    fst.set_final(1)
    fst.add_arc(0, pywrapfst.Arc(7, 7, 0.0, 1))
    with pytest.raises(InvalidLatticeError, match="label 7"):
        Lattice.from_pynini(fst, SymbolTable(WORDS))
    fst.set_output_symbols(openfst_table(WORDS))
    with pytest.raises(InvalidLatticeError, match="label 7"):
        Lattice.from_pynini(fst)


def test_arcs_of_infinite_cost_are_left_out():
    fst = pywrapfst.VectorFst()
    fst.add_states(2)
    fst.set_start(0)
    fst.set_final(1)
    fst.add_arc(0, pywrapfst.Arc(1, 1, math.inf, 1))
    fst.add_arc(0, pywrapfst.Arc(2, 2, 0.5, 1))
    assert best_by_string(Lattice.from_pynini(fst, SymbolTable(WORDS))) == {("b",): 0.5}


def test_an_acceptor_needs_only_an_input_table():
    fst = random_fst(np.random.default_rng(4), 5, transducer=False)
    fst.set_input_symbols(openfst_table(WORDS))
    lattice = Lattice.from_pynini(fst)
    assert lattice.is_acceptor
    assert rows(lattice) == fst_rows(fst)


def with_wrong_properties(fst):
    """Returns the FST with inverted stored properties (acceptor or transducer)."""
    data = bytearray(fst.write_to_string())
    offset = 4 + 4 + len(fst.fst_type()) + 4 + 8 + 4 + 4
    properties = int.from_bytes(data[offset : offset + 8], "little") ^ 0x30000
    data[offset : offset + 8] = properties.to_bytes(8, "little")
    return pywrapfst.Fst.read_from_string(bytes(data))


def test_wrong_stored_properties_do_no_harm():
    fst = random_fst(np.random.default_rng(5), 6)
    broken = with_wrong_properties(fst)
    assert rows(Lattice.from_pynini(broken, SymbolTable(WORDS))) == fst_rows(fst)
    acceptor = pywrapfst.convert(random_fst(np.random.default_rng(5), 6, transducer=False), "compact_acceptor")
    with pytest.raises(InvalidLatticeError, match="stored properties are wrong"):
        Lattice.from_pynini(with_wrong_properties(acceptor), SymbolTable(WORDS))


@pytest.mark.parametrize("where", ["weights", "finals"])
def test_costs_beyond_single_precision_are_refused(where):
    lattice = Lattice.from_strings([("a", 1.0)])
    for cost in (1e39, -1e300, 3.5e38):
        changed = np.where(np.isfinite(getattr(lattice, where)), cost, np.inf)
        with pytest.raises(InvalidLatticeError, match="too large for OpenFst"):
            replace(lattice, **{where: changed}).to_pynini()
