"""AT&T text and text symbol tables."""

from __future__ import annotations

import time
import warnings

import numpy as np
import pytest
import pywrapfst
from format_helpers import COMPRESSIONS, SHARED, WORDS, assert_same, fuzz, needs_shared, random_lattice

from lattice_simp import Lattice, SymbolTable, nbest
from lattice_simp.errors import FormatError, InputWarning, InvalidLatticeError
from lattice_simp.formats import read
from lattice_simp.formats.openfst.symbols import read_labels, write_symbols
from lattice_simp.formats.openfst.text import parse_att, write_att

CAT = Lattice.from_strings([("a cat", 0.5), ("the cat", 1.5)])


def test_round_trip(tmp_path):
    for seed in range(60):
        path = tmp_path / f"x.txt{COMPRESSIONS[seed % 4]}"
        lattice = random_lattice(
            seed, transducer=seed % 2 == 1, cyclic=seed % 3 == 0, words=(*WORDS, "v\vt", "nb\u00a0sp")
        )
        write_att(lattice, path)
        # A transducer whose arcs all have equal labels is written as an acceptor.
        assert_same(read(path, "att"), lattice)
        assert_same(read(path, "att", symbols=lattice.symbols), lattice)


def test_numeric_round_trip(tmp_path):
    for seed in range(10):
        lattice = random_lattice(seed, transducer=seed % 2 == 1, words=(*WORDS, "with blank", "<eps>"))
        write_att(lattice, tmp_path / "x.txt", numeric=True)
        again = read(tmp_path / "x.txt", "att", lattice.symbols, numeric=True)
        assert_same(again, lattice)


def test_symbol_files(tmp_path):
    path, words, rules = tmp_path / "x.txt", tmp_path / "words.syms", tmp_path / "rules.syms.gz"
    isymbols = SymbolTable(["rule1", "rule2"])
    lattice = Lattice.from_arcs([0], [1], [0.5], [1], [np.inf, 0], SymbolTable(["x"]), inputs=([2], isymbols))
    write_att(lattice, path, symbols_path=words, isymbols_path=rules)
    assert path.read_text() == "0\t1\t2\t1\t0.5\n1\t0.0\n"
    again = read(path, "att", isymbols=SymbolTable(), symbols_path=words, isymbols_path=rules)
    assert_same(again, lattice)


def test_openfst_reads_what_is_written(tmp_path):
    write_att(CAT, tmp_path / "x.txt", symbols_path=tmp_path / "x.syms")
    compiler = pywrapfst.Compiler(acceptor=True)
    compiler.write((tmp_path / "x.txt").read_text())
    assert pywrapfst.isomorphic(compiler.compile(), CAT.to_pynini())
    table = pywrapfst.SymbolTable.read_text(str(tmp_path / "x.syms"))
    assert [word for _, word in table] == list(CAT.symbols.words)


def test_reads_what_openfst_prints():
    fst = CAT.to_pynini(attach_symbols=True)
    assert_same(parse_att(fst.print(acceptor=True).encode()), CAT)
    lattice = random_lattice(5, transducer=True, words=("x", "y"), single_precision=True).connected()
    printed = parse_att(lattice.to_pynini(attach_symbols=True).print(show_weight_one=True).encode())
    assert printed.num_arcs == lattice.num_arcs
    assert not printed.is_acceptor


@pytest.mark.parametrize("blank", [" ", "\t", "  \t "])
@pytest.mark.parametrize("end", ["\n", "\r\n", " \n", "\n\n"])
def test_blanks_and_line_ends(blank, end):
    text = end.join(blank.join(fields) for fields in (("0", "1", "a", "0.5"), ("1", "2", "b"), ("2", "0.25")))
    for whole in (text, text + end, "\ufeff" + text):
        lattice = parse_att(whole.encode())
        assert lattice.weights.tolist() == [0.5, 0.0]
        assert lattice.finals.tolist() == [np.inf, np.inf, 0.25]


def test_the_first_line_names_the_start():
    lattice = parse_att(b"2 0 a\n0 1 b\n1\n")
    assert lattice.sources.tolist() == [0, 1]
    assert lattice.nextstates.tolist() == [1, 2]
    assert parse_att(b"1 0.5\n1 0 a\n0 1 b\n").finals.tolist() == [0.5, np.inf]


def test_huge_state_numbers_are_renumbered():
    lattice = parse_att(b"999999999999 5 a\n5 7 b\n7 2.5\n")
    assert lattice.nextstates.tolist() == [1, 2]
    assert lattice.finals.tolist() == [np.inf, np.inf, 2.5]


def test_acceptor_or_transducer():
    assert parse_att(b"0 1 a 2\n1\n").weights.tolist() == [2.0]
    transducer = parse_att(b"0 1 a 2\n1\n", acceptor=False)
    assert (transducer.weights.tolist(), transducer.symbols.words) == ([0.0], ["<epsilon>", "2", "a"])
    assert not parse_att(b"0 1 a 2\n1 2 b x\n2\n").is_acceptor
    assert not parse_att(b"0 1 a 2\n1 2 b 3 0.5\n2\n").is_acceptor
    with pytest.raises(FormatError, match=r":2: five fields in an acceptor.*acceptor=False"):
        parse_att(b"0 1 a 2\n1 2 b 3 0.5\n2\n", acceptor=True, path="x")


def test_epsilon_names():
    assert parse_att(b"0 1 <eps>\n1 2 <epsilon>\n2\n").olabels.tolist() == [0, 0]


def test_labels_of_many_symbols_are_named():
    with pytest.warns(InputWarning, match="x: @_IDENTITY_SYMBOL_@ is read as a word, not as any symbol"):
        parse_att(b"0 1 @_IDENTITY_SYMBOL_@\n1\n", path="x")


def test_final_states():
    lattice = parse_att(b"0 1 a\n0 2 b\n1 Infinity\n2 3.5\n2 1.5\n")
    assert lattice.finals.tolist() == [np.inf, np.inf, 1.5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x: the file is empty"),
        ("\n \n", "x: the file is empty"),
        ("0 1 a 0.5\n1 2 b nan\n2\n", "x:2: a cost is not a finite number: 'nan'"),
        ("0 1 a 0.5\n\n1 2 b inf\n2\n", "x:3: a cost is not a finite number: 'inf'"),
        ("0 1 a 1_0\n1\n", "x:1: a cost is not a finite number: '1_0'"),
        ("0 1 a b c\n1\n", "x:1: a cost is not a finite number: 'c'"),
        ("0 1 a 0.5\n1 x\n", "x:2: a cost is not a finite number: 'x'"),
        ("0 1 a 0.5\n1 -Infinity\n", "x:2: a cost is not a finite number: '-Infinity'"),
        ("0 -1 a\n1\n", "x:1: not a state number .*: '-1'"),
        ("0 1 a\nx 1 b\n1\n", "x:2: not a state number .*: 'x'"),
        ("0 1 a\n1.5\n", "x:2: not a state number .*: '1.5'"),
        ("0 1_0 a\n1\n", "x:1: not a state number .*: '1_0'"),
        ("0 " + "9" * 5000 + " a\n1\n", "x:1: not a state number .*: '9999"),
        ("0 1 a b 1 more\n1\n", "x:1: more than five fields"),
        ("0 1 a\n1 2 \xff\n".encode("latin-1"), "x:2: bytes that are not UTF-8"),
    ],
)
def test_broken_lines(text, message):
    with pytest.raises(FormatError, match=message):
        parse_att(text if isinstance(text, bytes) else text.encode(), path="x")


@pytest.mark.parametrize("label", ["3", "-1", "99999999999999999999"])
def test_unknown_labels(tmp_path, label):
    text, words = f"0 1 1\n1 2 {label}\n2\n".encode(), tmp_path / "words.syms"
    words.write_text("p 1\nq 2\n")
    remedy = "k2 marks" if label == "-1" else "pass the symbol table"
    with pytest.raises(FormatError, match=f"x:2: unknown label: '{label}'.*{remedy}"):
        parse_att(text, path="x", symbols=SymbolTable(["p", "q"]), numeric=True)
    with pytest.raises(FormatError, match="x:2: unknown label"):
        parse_att(text, path="x", symbols_path=words)


def test_words_where_a_table_expects_numbers(tmp_path):
    """The remedy is to leave the table out, not to pass another one."""
    (tmp_path / "words.syms").write_text("p 1\nq 2\n")
    for options in ({"symbols_path": tmp_path / "words.syms"}, {"numeric": True}):
        with pytest.raises(FormatError, match=r"x:1: a label that is not a number: 'p' \(leave --symbols out if"):
            parse_att(b"0 1 p\n1 2 q\n2\n", path="x", **options)


@pytest.mark.parametrize("word", ["two words", "tab\t", "line\n", "return\r", "<eps>"])
def test_words_that_text_cannot_hold(tmp_path, word):
    lattice = Lattice.from_strings([([word], 0.0)])
    with pytest.raises(InvalidLatticeError, match="cannot represent the word"):
        write_att(lattice, tmp_path / "x.txt")
    assert not list(tmp_path.iterdir())


def test_nothing_to_accept(tmp_path):
    write_att(Lattice.empty_like(CAT), tmp_path / "x.txt")
    again = read(tmp_path / "x.txt", "att")
    assert (again.num_states, again.empty) == (1, True)


def test_symbol_tables(tmp_path):
    table = SymbolTable(WORDS)
    write_symbols(table, tmp_path / "x.syms.xz")
    assert read_labels(tmp_path / "x.syms.xz") == dict(enumerate(table))
    for word in ("two words", "tab\t", "\ttab", "line\n", "return\r"):
        with pytest.raises(InvalidLatticeError, match="cannot represent the word"):
            write_symbols(SymbolTable([word]), tmp_path / "y.syms")
    assert not (tmp_path / "y.syms").exists()
    (tmp_path / "tabs.txt").write_text("<eps>\t0\n b \t 2 \na\t\t1\t\n")
    assert read_labels(tmp_path / "tabs.txt") == {0: "<eps>", 1: "a", 2: "b"}
    (tmp_path / "kaldi.txt").write_text("<eps> 0\nb 2\na 1\n")
    assert read_labels(tmp_path / "kaldi.txt") == {0: "<eps>", 1: "a", 2: "b"}
    (tmp_path / "gaps.txt").write_text("x\t999999999999\ny\t3\n")
    assert read_labels(tmp_path / "gaps.txt") == {999999999999: "x", 3: "y"}


def test_binary_symbol_tables(tmp_path):
    table = pywrapfst.SymbolTable()
    for word, label in (("<eps>", 0), ("der", 3), ("größe", 7)):
        table.add_symbol(word, label)
    table.write(str(tmp_path / "x.syms"))
    assert read_labels(tmp_path / "x.syms") == {0: "<eps>", 3: "der", 7: "größe"}
    (tmp_path / "x.syms").write_bytes((tmp_path / "x.syms").read_bytes()[:-3])
    with pytest.raises(FormatError, match=r"x.syms: the symbol table of .* ends too early"):
        read_labels(tmp_path / "x.syms")
    other = pywrapfst.SymbolTable()
    other.add_symbol("der")
    other.write(str(tmp_path / "x.syms"))
    with pytest.warns(InputWarning, match="x.syms: the symbol table gives 'der' the number 0"):
        read_labels(tmp_path / "x.syms")


@pytest.mark.parametrize(("name", "count"), [("der", 1), ("<eps>", 0), ("epsilon", 0), ("-", 0), ("0", 0)])
def test_words_of_the_number_0_are_lost_and_named(tmp_path, name, count):
    (tmp_path / "x.syms").write_text(f"{name} 0\na 1\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        parse_att(b"0 1 1\n1 2 0\n2\n", symbols_path=tmp_path / "x.syms")
    assert len(caught) == count


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("a 1\nb\n", "x.syms:2: not a word and a number"),
        ("a 1\nb -2\n", "x.syms:2: not a word and a number"),
        ("a 1\nb 1\n", "x.syms:2: 'b' or its number 1 occurs twice"),
        ("a 1\na 2\n", "x.syms:2: 'a' or its number 2 occurs twice"),
        ("<epsilon> 3\n", "occurs twice"),
    ],
)
def test_broken_symbol_tables(tmp_path, text, message):
    (tmp_path / "x.syms").write_text(text)
    with pytest.raises(FormatError, match=message):
        read_labels(tmp_path / "x.syms")


def test_any_bytes_are_read_or_refused(tmp_path):
    write_att(random_lattice(3, transducer=True), tmp_path / "x.txt")
    write_att(random_lattice(4), tmp_path / "y.txt")
    fuzz((tmp_path / "x.txt").read_bytes(), parse_att, seconds=0.7)
    fuzz((tmp_path / "y.txt").read_bytes(), parse_att, seconds=0.7)
    fuzz((tmp_path / "y.txt").read_bytes(), lambda data: parse_att(data, acceptor=False), seconds=0.5)


@pytest.mark.slow
@needs_shared
@pytest.mark.shared
def test_a_large_lattice_reads_fast(tmp_path):
    folder = SHARED / "data" / "oracles" / "lattices"
    begin = time.process_time()
    lattice = read(folder / "europarl" / "7.nolm.txt.gz", "att")
    assert time.process_time() - begin < 5  # a second
    rows = [line.split("\t") for line in (folder / "index.tsv").read_text().splitlines()]
    sizes = next(row[1:3] for row in rows if row[0] == "europarl/7.nolm.txt.gz")
    assert [str(lattice.num_states), str(lattice.num_arcs)] == sizes
    assert lattice.is_topsorted
    write_att(lattice, tmp_path / "x.txt")
    assert_same(read(tmp_path / "x.txt", "att", lattice.symbols), lattice)


def test_label_ids_are_not_taken_for_words():
    """Numbers may be the words of one side of a transducer, but with a 0, or on both sides, they are ids."""
    ids = b"0 1 5 1.5\n1 2 0\n2\n"
    with pytest.raises(FormatError, match=r"x:2: labels are numbers, and 0 among them \(.*--symbols.*--words"):
        parse_att(ids, path="x")
    assert nbest(parse_att(ids, numeric=False))[0].tokens == ("5", "0")
    for text in (b"0 1 5 1.5\n1 2 7\n2\n", b"0 1 5 5 1.5\n1 2 7 8\n2\n", b"0 1 39\n1\n"):
        with pytest.raises(FormatError, match=r"x:1: labels are numbers \(.*--symbols.*--words"):
            parse_att(text, path="x")
        assert nbest(parse_att(text, numeric=False))[0].tokens[0] in ("5", "39")
    assert nbest(parse_att(b"0 1 a 1.5\n1 2 0\n2\n"))[0].tokens == ("a", "0")
    assert nbest(parse_att(b"0 1 3.5\n1 2 1,000\n2\n"))[0].tokens == ("3.5", "1,000")
    assert nbest(parse_att(b"0 1 5 five\n1\n"))[0].tokens == ("five",)
    with pytest.raises(FormatError, match="x:1: labels are numbers"):
        parse_att(b"0 1 0 a 1\n1\n", path="x", acceptor=False)
    symbols = SymbolTable(["a", "b"])
    assert nbest(parse_att(b"0 1 1\n1 2 0\n2\n", symbols=symbols, numeric=True))[0].tokens == ("a",)


@pytest.mark.parametrize("text", ["0 1 10 0.1\n1 2 -1 0.2\n2\n", "0 1 10 20 0.1\n1 2 -1 -1 0.2\n2\n"])
def test_final_arcs_of_k2_are_no_words(tmp_path, text):
    (tmp_path / "x").write_text(text)
    (tmp_path / "words").write_text("<eps> 0\na 10\nb 20\n")
    with pytest.raises(FormatError, match=r"x:2: labels are numbers, and -1 among them \(k2 .*openfst=True"):
        read(tmp_path / "x")
    (path,) = nbest(read(tmp_path / "x", symbols_path=tmp_path / "words"), 9)
    assert path.tokens == (("a",) if text.startswith("0 1 10 0.1") else ("b",))
    assert path.cost == pytest.approx(-0.3)
    (tmp_path / "x").write_text(text.replace("0 1 10", "0 1 -1"))
    with pytest.raises(FormatError, match=r"x:[12]: unknown label: '-1'"):
        read(tmp_path / "x", symbols_path=tmp_path / "words")


@pytest.mark.parametrize("between", ["", "\n", "\n\n\n"])
def test_a_second_automaton_is_refused(between):
    first = "0 1 a 0.5\n0 2 b\n1 2 c\n2 0.5\n"
    for second in ("0 1 d\n1\n", "0 1 d\n1 0 e\n0\n", first):
        line = 5 + between.count("\n")
        with pytest.raises(FormatError, match=rf"x:{line}: a second automaton begins \(write each"):
            parse_att((first + between + second).encode(), path="x")
        with pytest.raises(FormatError, match=r"x:5: a line that separates automata: -- \(write each"):
            parse_att(f"{first}--\n{second}".encode(), path="x")


def test_lines_in_any_order_are_one_automaton():
    """Lines may return to the start state, even after a final state, unless both parts are automata."""
    for text in ("0 1 a\n1\n0 2 b\n2\n", "0 1 a\n1 2 b\n2\n0 2 c\n", "0 1 a\n1 0 b\n0\n1\n", "0 1 a\n0\n0 2 b\n1\n2\n"):
        assert parse_att(text.encode()).num_arcs == 2 + text.count("c")
