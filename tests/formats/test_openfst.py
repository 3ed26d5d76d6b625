"""OpenFst binary files: round trips, files that OpenFst wrote, damage."""

from __future__ import annotations

import struct

import numpy as np
import pynini
import pytest
import pywrapfst
from format_helpers import COMPRESSIONS, assert_same, fuzz, random_lattice
from helpers import best_by_string

from lattice_simp import Lattice, SymbolTable
from lattice_simp.core.fst_bytes import parse
from lattice_simp.errors import FormatError, InvalidLatticeError
from lattice_simp.formats import read
from lattice_simp.formats.collections import entries
from lattice_simp.formats.openfst.binary import parse_openfst, write_openfst

CAT = Lattice.from_strings([("a cat", 0.5), ("the cat", 1.5)])


@pytest.fixture(name="data", params=["vector", "const"])
def _data(request, tmp_path):
    write_openfst(CAT, tmp_path / "x.fst", request.param)
    return (tmp_path / "x.fst").read_bytes()


@pytest.mark.parametrize("fst_type", ["vector", "const"])
def test_round_trip(tmp_path, fst_type):
    for seed in range(30):
        path = tmp_path / f"x.fst{COMPRESSIONS[seed % 4]}"
        lattice = random_lattice(seed, transducer=seed % 2 == 1, cyclic=seed % 3 == 0, single_precision=True)
        write_openfst(lattice, path, fst_type)
        again = read(path, "openfst")
        assert_same(again, lattice)
        assert again.symbols == lattice.symbols, seed
        assert again.isymbols is None, seed


@pytest.mark.parametrize("fst_type", ["vector", "const"])
def test_two_tables(tmp_path, fst_type):
    rules = SymbolTable(["rule1", "rule2"])
    lattice = Lattice.from_arcs([0], [1], [0.5], [1], [np.inf, 0], SymbolTable(["x"]), inputs=([2], rules))
    write_openfst(lattice, tmp_path / "x.fst", fst_type)
    again = read(tmp_path / "x.fst", "openfst")
    assert again.isymbols == rules
    assert_same(again, lattice)


def test_without_tables(tmp_path):
    path = tmp_path / "x.fst"
    write_openfst(CAT, path, attach_symbols=False)
    assert_same(read(path, "openfst", CAT.symbols), CAT)
    with pytest.raises(FormatError, match=r"no symbol table.*symbols_path= in Python, --symbols"):
        read(path, "openfst")
    with pytest.raises(FormatError, match="the label 3 is not in the symbol table"):
        read(path, "openfst", SymbolTable(["a"]))


def test_words_of_labels_in_a_text_table(tmp_path):
    path, words = tmp_path / "x.fst", tmp_path / "words.syms"
    write_openfst(CAT, path)
    words.write_text("x 1\ny 2\nz 3\nunused 77\n")
    assert set(best_by_string(read(path, symbols_path=words))) == {("x", "y"), ("z", "y")}


def test_words_are_mapped_into_a_given_table(data):
    symbols = SymbolTable(["dog", "cat"])
    again = parse_openfst(data, symbols=symbols)
    assert again.symbols is symbols
    assert_same(again, CAT)


def _pynini_example():
    fst = pynini.Fst()
    fst.add_states(3)
    table = pywrapfst.SymbolTable()
    for word, label in (("<eps>", 0), ("x", 7), ("y", 1 << 40)):
        table.add_symbol(word, label)
    fst.set_start(2).set_final(0, 0.25)
    fst.add_arc(2, pynini.Arc(7, 7, 0.5, 1)).add_arc(1, pynini.Arc(0, 0, 1.0, 0))
    fst.set_output_symbols(table)
    return fst


@pytest.mark.parametrize("fst_type", ["vector", "const"])
def test_other_starts_and_sparse_labels(fst_type):
    fst = _pynini_example()
    lattice = parse_openfst(pywrapfst.convert(fst, fst_type).write_to_string())
    assert lattice.symbols.words == ["<epsilon>", "x", "y"]
    assert lattice.sources.tolist() == [0, 2]
    assert lattice.nextstates.tolist() == [2, 1]
    assert lattice.finals.tolist() == [np.inf, 0.25, np.inf]
    assert lattice.olabels.tolist() == [1, 0]


@pytest.mark.parametrize("fst_type", ["vector", "const"])
def test_files_that_openfst_wrote(tmp_path, fst_type):
    path = str(tmp_path / "x.fst")
    fst = pywrapfst.convert(CAT.to_pynini(attach_symbols=True), fst_type)
    fst.write(path)
    assert_same(read(path, "openfst"), CAT)


def test_openfst_reads_what_is_written(tmp_path):
    write_openfst(CAT, tmp_path / "x.fst")
    assert pynini.isomorphic(pynini.Fst.read(str(tmp_path / "x.fst")), CAT.to_pynini(attach_symbols=True))


def test_aligned_const_files():
    """Version 1 of the layout aligns states and arcs to 16 bytes."""
    chain = Lattice.from_strings([("a cat", 0.5)])
    plain = pywrapfst.convert(chain.to_pynini(), "const").write_to_string()
    header, states, arcs = plain[:65], plain[65 : 65 + 20 * chain.num_states], plain[65 + 20 * chain.num_states :]
    header = header.replace(struct.pack("<i", 2), struct.pack("<i", 1), 1)
    assert len(states) % 16
    aligned = header + bytes(15) + states + bytes(-len(states) % 16) + arcs
    assert_same(parse_openfst(aligned, symbols=chain.symbols), chain)


def test_vector_streams_without_a_number_of_states():
    data = CAT.to_pynini().write_to_string()
    offset = 4 + 4 + 6 + 4 + 8 + 4 + 4 + 8 + 8
    data = data[:offset] + struct.pack("<q", -1) + data[offset + 8 :]
    assert_same(parse_openfst(data, symbols=CAT.symbols), CAT)


def test_nothing_to_accept(tmp_path):
    write_openfst(Lattice.empty_like(CAT), tmp_path / "x.fst")
    assert read(tmp_path / "x.fst", "openfst").num_states == 0
    data = CAT.to_pynini().write_to_string()
    offset = 4 + 4 + 6 + 4 + 8 + 4 + 4 + 8
    data = data[:offset] + struct.pack("<q", -1) + data[offset + 8 :]  # no start state
    assert parse_openfst(data, symbols=CAT.symbols).num_states == 0


def test_other_types_are_converted(tmp_path):
    fst = CAT.to_pynini(attach_symbols=True)
    assert best_by_string(CAT) == {("a", "cat"): 0.5, ("the", "cat"): 1.5}
    for name in ("compact_acceptor", "edit"):
        pywrapfst.convert(fst, name).write(str(tmp_path / "x.fst"))
        assert best_by_string(read(tmp_path / "x.fst", symbols=CAT.symbols)) == best_by_string(CAT), name
    for name in ("log", "log64"):
        logs = pywrapfst.arcmap(fst, map_type=f"to_{name}")
        logs.write(str(tmp_path / "x.fst"))
        assert best_by_string(read(tmp_path / "x.fst")) == best_by_string(CAT), name
    string = pywrapfst.convert(pynini.accep("ab"), "compact_string").write_to_string()
    assert best_by_string(parse_openfst(string, symbols=SymbolTable(map(chr, range(1, 128))))) == {("a", "b"): 0.0}


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (b"", "not an OpenFst file"),
        (b"0 1 a\n", "not an OpenFst file"),
        (struct.pack("<i", 2125659606), "ends too early"),
        (struct.pack("<ii", 2125659606, 2**31 - 1), "ends too early"),
        (struct.pack("<ii", 2125659606, -5), "ends too early"),
        (struct.pack("<ii6si7s", 2125659606, 6, b"vector", 7, b"expect."), "arcs of type 'expect.'.*standard arcs"),
        (struct.pack("<ii6si8s", 2125659606, 6, b"const8", 8, b"standard"), "type 'const8'.*write it as vector"),
        (
            struct.pack("<ii4si8s", 2125659606, 4, b"edit", 8, b"standard"),
            "OpenFst cannot load it",
        ),
    ],
)
def test_files_of_other_kinds(broken, message):
    with pytest.raises(FormatError, match=message):
        parse_openfst(broken, symbols=CAT.symbols)


def test_cut_off_anywhere(data):
    for size in range(len(data)):
        with pytest.raises(FormatError):
            parse_openfst(data[:size])
    with pytest.raises(FormatError, match="3 bytes too many"):
        parse_openfst(data + b"abc")


@pytest.mark.parametrize("field", range(3))
@pytest.mark.parametrize("value", [-2, 1 << 31, 1 << 40, (1 << 63) - 1])
def test_sizes_in_the_header(data, field, value):
    offset = 4 + 4 + len("vector" if b"vector" in data else "const") + 4 + 8 + 4 + 4 + 8 + 8 * field
    if field == 2 and b"vector" in data:
        pytest.skip("OpenFst leaves the number of arcs of a vector FST open")
    with pytest.raises(FormatError):
        parse_openfst(data[:offset] + struct.pack("<q", value) + data[offset + 8 :])


@pytest.mark.parametrize("cost", [-np.inf, np.nan])
def test_costs(data, cost):
    old = struct.pack("<f", 1.5)
    assert data.count(old) == 1
    with pytest.raises(FormatError, match="cost"):
        parse_openfst(data.replace(old, struct.pack("<f", cost)))


def test_arcs_of_infinite_cost_are_left_out(data):
    lattice = parse_openfst(data.replace(struct.pack("<f", 1.5), struct.pack("<f", np.inf)))
    assert best_by_string(lattice) == {("a", "cat"): 0.5}


@pytest.mark.parametrize("label", [7, 2])
def test_an_empty_symbol_matters_only_where_it_is_used(label):
    fst = pynini.Fst()
    fst.add_states(2)
    fst.set_start(0).set_final(1)
    fst.add_arc(0, pynini.Arc(label, label, 0.0, 1))
    table = Lattice.from_strings([("a b", 0.0)]).to_pynini(attach_symbols=True).output_symbols().copy()
    table.add_symbol("QQQ", 7)
    fst.set_output_symbols(table)
    data = fst.write_to_string().replace(struct.pack("<i3s", 3, b"QQQ"), struct.pack("<i", 0))
    if label == 7:
        symbols = SymbolTable()
        with pytest.raises(FormatError, match="label 7 is not in the symbol table"):
            parse_openfst(data, symbols=symbols)
        assert len(symbols) == 1
    else:
        assert best_by_string(parse_openfst(data)) == {("b",): 0.0}


@pytest.mark.parametrize("attach", [False, True])
@pytest.mark.parametrize("fst_type", ["vector", "const"])
def test_the_bytes_are_those_of_openfst(tmp_path, fst_type, attach):
    for seed in range(10):
        lattice = random_lattice(seed, transducer=seed % 2 == 1, single_precision=True)
        write_openfst(lattice, tmp_path / "x.fst", fst_type, attach_symbols=attach)
        fst = pywrapfst.convert(lattice.to_pynini(attach_symbols=attach), fst_type)
        assert fst.verify()
        ours, theirs = bytearray((tmp_path / "x.fst").read_bytes()), bytearray(fst.write_to_string())
        properties = 4 + 4 + len(fst_type) + 4 + 8 + 4 + 4
        ours[properties : properties + 8] = theirs[properties : properties + 8] = bytes(8)
        assert ours == theirs, seed


def test_costs_too_large(tmp_path):
    with pytest.raises(InvalidLatticeError, match="too large"):
        write_openfst(Lattice.from_strings([("a", -1e39)]), tmp_path / "x.fst")
    with pytest.raises(InvalidLatticeError, match="choose vector or const"):
        write_openfst(CAT, tmp_path / "x.fst", "compact")


def test_dangling_states(data):
    offset = data.rindex(struct.pack("<f", 1.5)) + 4
    for state in (-1, CAT.num_states, 2**31 - 1):
        with pytest.raises(FormatError, match=r"state -?[0-9]+, which does not exist"):
            parse_openfst(data[:offset] + struct.pack("<i", state) + data[offset + 4 :])


def test_any_bytes_are_read_or_refused(data, capfd):
    fuzz(data, parse_openfst, seconds=1.5)
    without = CAT.to_pynini().write_to_string()
    fuzz(without, lambda broken: parse_openfst(broken, symbols=CAT.symbols), seconds=0.5)
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_damaged_files_of_other_types_are_refused_and_harm_no_other(tmp_path):
    fst = CAT.to_pynini(attach_symbols=True)
    for name in ("compact_acceptor", "edit"):
        whole = pywrapfst.convert(fst, name).write_to_string()
        (tmp_path / name).mkdir()
        (tmp_path / name / "whole.fst").write_bytes(whole)
        for number, place in enumerate(range(20, len(whole) - 8, 24)):
            damaged = whole[:place] + struct.pack("<q", 1 << 40) + whole[place + 8 :]
            (tmp_path / name / f"{number}.fst").write_bytes(damaged)
        refused = 0
        for entry in entries(tmp_path / name, symbols=CAT.symbols):
            try:
                lattice = entry.load()
            except FormatError:
                refused += 1
            else:
                assert entry.name != "whole" or best_by_string(lattice) == best_by_string(CAT)
        assert refused > 2, name


def test_a_wrong_number_of_states_is_one_line():
    whole = pywrapfst.convert(CAT.to_pynini(), "compact_acceptor").write_to_string()
    place = 4 + (4 + len("compact_acceptor")) + (4 + len("standard")) + 4 + 4 + 8 + 8
    for count in (1 << 40, -5, (1 << 62) + 1):
        damaged = whole[:place] + struct.pack("<q", count) + whole[place + 8 :]
        with pytest.raises(FormatError, match=r"x\.fst: .*OpenFst (cannot load it|crashes)"):
            parse_openfst(damaged, path="x.fst", symbols=CAT.symbols)


@pytest.mark.parametrize("size", [3, 500])
@pytest.mark.parametrize("fst_type", ["vector", "const"])
def test_other_numbers_of_states_and_arcs_than_the_header_says(tmp_path, fst_type, size):
    """Different code reads small and large files; only streams may omit the number."""
    chain = Lattice.from_strings([(" ".join("a" * size), 0.5)])
    write_openfst(chain, tmp_path / "x.fst", fst_type)
    data = (tmp_path / "x.fst").read_bytes()
    assert parse_openfst(data).num_states == size + 1
    field = 4 + 4 + len(fst_type) + 4 + 8 + 4 + 4 + 8 + 8
    assert struct.unpack("<q", data[field : field + 8]) == (size + 1,)
    for states, arcs in ((size, size), (size + 2, size), (1, size), (size + 1, size + 1), (size + 1, size - 1)):
        if fst_type == "vector" and states == size + 1:
            continue  # the number of arcs is not used
        changed = data[:field] + struct.pack("<qq", states, arcs) + data[field + 16 :]
        with pytest.raises(FormatError):
            parse_openfst(changed, path="x")


@pytest.mark.parametrize(
    "table", [{-1: "b", 0: "<eps>", 1: "c", 2: "a"}, {2: "a", 0: "", 9: "b"}, {-2: "b", 0: "b", 2: "a"}]
)
def test_tables_may_leave_labels_out(tmp_path, table):
    path = tmp_path / "x.fst"
    write_openfst(Lattice.from_strings(["c a"], SymbolTable(["c", "a"])), path, attach_symbols=False)
    words = {**table, 1: "c"}
    data = path.read_bytes()
    lattice = Lattice.from_arcs(**parse(data, tables=(words, words)))
    assert [arc.word for state in range(2) for arc in lattice.arcs_of(state)] == ["c", "a"]
    with pytest.raises(FormatError, match="the label 2 is not in the symbol table"):
        parse(data, tables=(None, {label: word for label, word in words.items() if label != 2}))
