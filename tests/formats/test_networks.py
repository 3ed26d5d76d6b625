"""Confusion networks and grammars of other programs: SRILM's word meshes and PFSG, Kaldi's sausages."""

from __future__ import annotations

import re
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from format_helpers import assert_same, fuzz, random_lattice

import lattice_simp as ls
from lattice_simp import Lattice, confusion_network, read, read_all, write
from lattice_simp.core.header import Header
from lattice_simp.errors import FormatError, InputWarning, InvalidLatticeError
from lattice_simp.formats import FORMATS, format_of, format_of_data, parse
from lattice_simp.formats.kaldi.sausages import is_sausages
from lattice_simp.formats.networks import network, word_labels

MESH = """name u-1
numaligns 2
posterior 0.5
align 1 cat 0.25 *DELETE* 0.2 hat 0.05 rat 0
align 0 the 0.5
info 0 the 0.1 0.2 -3 -4 DH:AX 3:4
reference 1 cat
"""
COLUMNS = "the 0.75 a 0.25 rat 0\ncat 0.5 *EPS* 0.5\n\n  \n5 1.0\n"
SAUSAGES = "u-1  [ 1 0.75 2 0.25 ] [ 0 0.9 3 0.1 ] \nu-2 \nu-3  [ 3 1 ] \n"
PFSG = "name u\nnodes 5 NULL the cat cat NULL\ninitial 0\nfinal 4\n\ntransitions 5\n"
PFSG += "0 1 0\n1 2 -5000\n1 3 -7000.5\n2 4 100\n3 4 0\n"


def masses(lattice: Lattice) -> list[tuple[int, str, float]]:
    words = [lattice.symbols[label] for label in lattice.olabels.tolist()]
    return [
        (slot, word, round(float(np.exp(-cost)), 9))
        for slot, word, cost in zip(lattice.sources.tolist(), words, lattice.weights.tolist(), strict=True)
    ]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "u.mesh").write_text(MESH)
    (tmp_path / "u.txt").write_text(SAUSAGES)
    (tmp_path / "u.pfsg").write_text(PFSG)
    (tmp_path / "words.txt").write_text("<eps> 0\na 1\nb 2\nc 3\n")
    return tmp_path


def test_meshes_are_divided_by_their_total(folder):
    lattice = read(folder / "u.mesh")
    cat = [(1, "cat", 0.5), (1, "<epsilon>", 0.4), (1, "hat", 0.1)]
    assert masses(lattice) == [(0, "the", 1.0), *cat]
    assert lattice.header.name == "u-1"
    write(lattice, folder / "again.mesh")
    assert_same(read(folder / "again.mesh"), lattice)


def test_times_in_meshes_are_reported():
    with pytest.warns(InputWarning, match="6: the times and scores of words are not read: lines info"):
        parse(MESH.encode(), "x", "mesh")


def test_lines_may_end_as_on_windows(folder):
    for name in ("u.mesh", "u.pfsg"):
        lattice = read(folder / name)
        (folder / name).write_bytes((folder / name).read_bytes().replace(b"\n", b"\r\n"))
        assert_same(read(folder / name), lattice)


def test_sausages_are_archives(folder):
    lattices = dict(read_all(folder / "u.txt", symbols_path=folder / "words.txt"))
    assert masses(lattices["u-1"]) == [(0, "a", 0.75), (0, "b", 0.25), (1, "<epsilon>", 0.9), (1, "c", 0.1)]
    assert [ls.nbest(lattice)[0].text for lattice in lattices.values()] == ["a", "", "c"]
    with pytest.raises(FormatError, match=r"u.txt:1: labels are numbers \(pass --symbols words.txt"):
        list(read_all(folder / "u.txt"))
    assert [name for name, _ in read_all(folder / "u.txt", numeric=False)] == ["u-1", "u-2", "u-3"]


def test_networks_of_moses_are_archives(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(COLUMNS.replace("\n", "\r\n").encode())
    lattices = dict(read_all(path))
    assert list(lattices) == ["0", "1"]
    assert masses(lattices["0"]) == [(0, "the", 0.75), (0, "a", 0.25), (1, "cat", 0.5), (1, "<epsilon>", 0.5)]
    assert ls.nbest(lattices["1"])[0].text == "5"
    with pytest.raises(FormatError, match="holds 2 confusion networks; expected one"):
        read(path)
    write(lattices["0"], tmp_path / "again.cn.gz")
    assert_same(read(tmp_path / "again.cn.gz"), lattices["0"])
    write(Lattice.from_strings([("", 0.0)]), tmp_path / "empty.cn")
    assert ls.nbest(read(tmp_path / "empty.cn"))[0].text == ""


def test_the_last_network_of_moses_may_be_cut_off(tmp_path):
    (tmp_path / "x").write_text("the 0.5 a 0.5\ncat 1.0\n")
    for reader in (read, lambda path: list(read_all(path))):
        with pytest.warns(InputWarning, match=r"x: the last network may be cut off, as no blank line ends it"):
            reader(tmp_path / "x")


@pytest.mark.parametrize(
    "text",
    ["0 1 a 0.5\n0 1 b 0.25\n1\n", "utt 1 0.00 0.25 the 0.9\n", "see 1 of 2\n", "the 0.5\na 0.25\n", "a 0 b 1\n", ""],
)
def test_what_is_no_network_of_moses(text):
    assert format_of_data(text.encode()) == "att"


def test_words_of_pfsg_are_on_nodes(folder):
    lattice = read(folder / "u.pfsg")
    paths = [(path.text, round(path.cost * 10000.5, 6)) for path in ls.nbest(lattice, 9, unique=False)]
    assert paths == [("the cat", 4900.0), ("the cat", 7000.5)]
    (folder / "u.pfsg").write_text(PFSG.replace("5 NULL", "5 so"))
    assert ls.nbest(read(folder / "u.pfsg"))[0].text == "so the cat"


def test_networks_keep_their_costs():
    for seed in range(60):
        words = ("a", "b", "x=1", "語", "[", "5")
        network = confusion_network(random_lattice(seed, words=words, single_precision=True), 0.1)
        if network.empty:
            continue
        network = replace(network, header=Header("u 1"))
        for format in ("mesh", "sausages", "moses-cn"):
            again = written_again(network, format)
            if network.num_arcs or format == "mesh":
                assert_same(again, network)
            else:  # an empty word
                assert [path.text for path in ls.nbest(again, 2)] == [""]
            assert again.header.name == (None if format == "moses-cn" else "u_1")


def written_again(lattice: Lattice, format: str) -> Lattice:
    """Writes a lattice and reads it again, detecting the format by its content."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        write(lattice, path, format)
        assert format_of(path) == format
        return read(path, format, **({"numeric": False} if format == "sausages" else {}))


@pytest.mark.parametrize("cyclic", [False, True])
def test_pfsg_keeps_strings_and_rounded_costs(cyclic):
    for seed in range(60):
        lattice = random_lattice(seed, words=("a", "b", "語"), cyclic=cyclic)
        lattice = replace(
            lattice,
            weights=np.rint(lattice.weights % 9 * 10000.5) / 10000.5,
            finals=np.where(np.isfinite(lattice.finals), 9000 / 10000.5, np.inf),
        )
        again = written_again(lattice, "pfsg")
        if cyclic:  # the size is stable when it is written and read again
            assert written_again(again, "pfsg").num_arcs == again.num_arcs
            continue
        assert strings_of(again) == strings_of(lattice)


def strings_of(lattice: Lattice) -> list[tuple[tuple[str, ...], float]]:
    """Returns the strings of all paths and their costs, in order."""
    return sorted((path.tokens, round(path.cost, 9)) for path in ls.nbest(lattice, 9999, unique=False))


@pytest.mark.parametrize(
    ("lattice", "message"),
    [
        (Lattice.from_strings([("a b", 0.0), ("c", 0.0)]), "can only hold confusion networks"),
        (Lattice.from_strings([("a", -1.0)]), "negative logs of probabilities"),
        (Lattice.from_strings([("a", 800.0)]), "not a probability in double precision"),
    ],
)
def test_other_lattices_are_refused(tmp_path, lattice, message):
    for format in ("mesh", "sausages", "moses-cn"):
        with pytest.raises(InvalidLatticeError, match=message):
            write(lattice, tmp_path / "x", format)


@pytest.mark.parametrize(
    ("format", "word"),
    [
        ("mesh", "*DELETE*"),
        ("mesh", "a b"),
        ("sausages", "]"),
        ("sausages", ""),
        ("moses-cn", "*EPS*"),
        ("pfsg", "NULL"),
    ],
)
def test_words_that_do_not_fit_are_refused(tmp_path, format, word):
    lattice = Lattice.from_strings([((word,), 0.0)]) if word else Lattice.from_strings([(("a b",), 0.0)])
    with pytest.raises(InvalidLatticeError, match="cannot hold the word"):
        write(lattice, tmp_path / "x", format)


BROKEN = {
    "posterior of words": (MESH.replace("0.25", "x"), 4, "not a probability: 'x'"),
    "above 1": (MESH.replace("0.25", "0.75"), 4, "not a probability: '0.75'"),
    "odd": (MESH.replace("the 0.5", "the"), 5, "a word without a probability"),
    "twice": (MESH.replace("align 0", "align 1"), 5, "occurs twice"),
    "beyond": (MESH.replace("align 0", "align 2"), 5, "beyond numaligns"),
    "missing": (MESH.replace("numaligns 2", "numaligns 3"), None, "2 slots, but numaligns is 3"),
    "improbable": (MESH.replace("the 0.5", "the 0"), 5, "without a probable word"),
    "several": (MESH + MESH, 8, "another word mesh begins"),
    "no line": (MESH + "algin 0 a 1\n", 8, "not a line of a word mesh: 'algin 0 a 1'"),
    "slot that does not end": ("u [ a 1 ] [ b 1\n", 1, "a slot that does not end"),
    "no slot": ("u [ a 1 ] b\n", 1, "not a slot: 'b'"),
    "no number": ("u [ a 1 ] [ b c ]\n", 1, "not a probability: 'c'"),
    "empty slot": ("u [ a 1 ] [ ]\n", 1, "without a probable word"),
    "two": ("u [ a 1 ]\nv [ a 1 ]\n", None, "holds 2 confusion networks"),
    "no share": ("a 0.5 b x\n", 1, "not a probability: 'x', which follows 'b'"),
    "a word alone": ("a 0.5 b 0.5\nc\n", 2, "a word without a probability: 'c'"),
    "nothing probable": ("a 0.5 b 0.5\nc 0\n", 2, "a slot without a probable word"),
    "two networks": (COLUMNS, None, "holds 2 confusion networks"),
    "nodes": (PFSG.replace("nodes 5", "nodes 4"), 2, "not a line of a PFSG: 'nodes 4 NULL"),
    "node": (PFSG.replace("3 4 0", "3 5 0"), 11, "not a node: '5'"),
    "score": (PFSG.replace("3 4 0", "3 4 x"), 11, "not a score: 'x'"),
    "cut off": (PFSG[:-6], None, "4 transitions, but 5 are announced"),
    "no end": (PFSG.replace("final 4\n", ""), None, "lines are missing"),
    "two grammars": (PFSG + PFSG, 12, "another grammar begins"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_named_with_their_line(name):
    text, line, message = BROKEN[name]
    marks = {"numaligns": "mesh", "nodes": "pfsg", "u [": "sausages"}
    format = next((format for mark, format in marks.items() if mark in text), "moses-cn")
    with pytest.raises(FormatError, match=re.escape(message)) as raised:
        parse(text.encode(), "x", format)
    assert raised.value.line == line
    assert raised.value.remedy


@pytest.mark.parametrize(
    ("format", "text"), [("mesh", MESH), ("sausages", SAUSAGES), ("pfsg", PFSG), ("moses-cn", COLUMNS)]
)
def test_any_bytes_are_read_or_refused(format, text):
    assert format_of_data(text.encode()) == format
    fuzz(text.encode(), lambda data: parse(data, "x", format), seconds=0.3)


def test_sausages_without_slots(tmp_path):
    """Utterances without slots may come first."""
    path = tmp_path / "x"
    for text, best in {
        "u-1 \nu-2  [ a 0.5 b 0.25 ]\n": ["", "a"],
        "u-1\nu-3\nu-2  [ a 0.5 ]\n": ["", "", "a"],
        "u-1  [ <eps> 1.0 ]\nu-2  [ a 0.5 ]\n": ["", "a"],
    }.items():
        path.write_text(text)
        assert [ls.nbest(lattice)[0].text for _, lattice in ls.read_all(path)] == best, text
    for text in ("u-1 \nu-2 a cat\n", "u-1 \n", "yes\n\n[ a 0.5 ]\n"):
        assert not is_sausages(text.encode()), text


@pytest.mark.parametrize(
    "slots",
    [[[("", 0.9)]], [[("a", 0.5)], [("cat", 0.25)]], [[("a", 1e-12)]]],
    ids=["empty", "pruned", "improbable"],
)
@pytest.mark.parametrize("name", ["u.sausages", "u.cn", "u.mesh"])
def test_pruned_networks_are_recognised(tmp_path, slots, name):
    """Also by `read_all`, which chooses formats of several lattices by itself."""
    table, path = ls.SymbolTable(), tmp_path / name
    written = network(slots, word_labels(slots, table, {""}), table, None, None)
    write(written, path)
    assert masses(read(path)) == masses(written)
    assert [masses(lattice) for _, lattice in read_all(path)] == [masses(written)]


def test_pruned_networks_of_numbers_are_no_automata(tmp_path):
    path = tmp_path / "u.txt"
    path.write_text("7 0.75\n12 0.25\n\n8 .5 9 .5\n\n")
    assert next(masses(lattice) for _, lattice in read_all(path)) == [(0, "7", 0.75), (1, "12", 0.25)]
    path.write_text("7 0.75\n12 0.25\n")
    with pytest.raises(FormatError, match="plain text"):
        read(path)


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"u-{number}\n" for number in range(1000)) + "u [ a 1 ]\n",
        f"u [ {' '.join(f'w{number} 0.001' for number in range(900))} ]\nv [ a 1 ]\n",
        " ".join(f"w{number} 0.001" for number in range(900)) + "\n\na 1.0\n\n",
        "".join(f"w{number} 0.75\n" for number in range(900)) + "\na 1.0\n\n",
        "".join(f"u-{number} \n\n" for number in range(1000)) + "u \n0 1 a 1,2,\n1\n\n",
    ],
    ids=["empty sausages", "wide sausage", "wide slot", "long network", "empty lattices"],
)
def test_files_whose_first_lattice_ends_after_4_kib(tmp_path, text):
    (tmp_path / "u").write_text(text)
    names, lattices = zip(*read_all(tmp_path / "u"), strict=True)
    assert len(names) > 1
    assert ls.nbest(lattices[-1])[0].text == "a"


@pytest.mark.parametrize("before", ["\ufeff", "\n \n", "\ufeff\r\n"], ids=["mark", "blanks", "both"])
@pytest.mark.parametrize(
    "text",
    [
        "u [ a 1 ]\nv [ b 1 ]\n",
        "a 1.0\n\nb 1.0\n\n",
        "u \n0 1 a 1,2,\n1\n\nv \n0 1 b 1,2,\n1\n\n",
        "0 hyp=0 stack=0\n0 hyp=1 stack=1 back=0 score=-2 transition=-2 forward=-1 fscore=-2 covered=0-0 out=a\n"
        "1 hyp=0 stack=0\n1 hyp=1 stack=1 back=0 score=-2 transition=-2 forward=-1 fscore=-2 covered=0-0 out=b\n",
        "0 ||| a ||| ||| -1\n1 ||| b ||| ||| -1\n",
        '#!MLF!#\n"u.rec"\n0 900000 a -6\n.\n"v.rec"\n0 900000 b -6\n.\n',
    ],
    ids=["sausages", "moses-cn", "kaldi", "moses-graph", "moses", "htk"],
)
def test_marks_and_blank_lines_before_several_lattices(tmp_path, text, before):
    (tmp_path / "x").write_text(before + text, encoding="utf-8")
    assert [ls.nbest(lattice)[0].text for _, lattice in read_all(tmp_path / "x")] == ["a", "b"]


def test_words_of_sausages_may_be_numbers(tmp_path):
    (tmp_path / "u.txt").write_text("u [ costs 0.5 ] [ 3.5 0.25 <eps> 0.75 ]\n")
    assert masses(read(tmp_path / "u.txt")) == [(0, "costs", 0.5), (1, "3.5", 0.25), (1, "<epsilon>", 0.75)]
    assert not is_sausages(b"u  [ 1 0.5 0.25 1 ]\n")  # a vector
    (tmp_path / "u.txt").write_text("u [ 0 0.5 1 0.5 ]\n")
    (tmp_path / "words.txt").write_text("a 0\nb 1\n")
    lattice = read(tmp_path / "u.txt", symbols_path=tmp_path / "words.txt")
    assert masses(lattice) == [(0, "<epsilon>", 0.5), (0, "b", 0.5)]


def test_errors_suggest_the_format_of_the_ending(tmp_path):
    (tmp_path / "u.cn").write_text("costs 0.5\n3.5 1.0\n\n")
    with pytest.raises(FormatError, match="--from moses-cn"):
        read(tmp_path / "u.cn")
    assert masses(read(tmp_path / "u.cn", "moses-cn")) == [(0, "costs", 0.5), (1, "3.5", 1.0)]


@pytest.mark.parametrize("format", ["kaldi", "kaldi-binary", "sausages"])
def test_blanks_in_names_are_reported_once(tmp_path, format):
    (tmp_path / "words.txt").write_text("<eps> 0\na 1\n")
    path, lattice = tmp_path / "x", Lattice.from_strings([("a", 0.0)])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        with FORMATS[format].archive(path, symbols_path=tmp_path / "words.txt") as add:
            for name in ("u-0", "u 1", "u 2"):
                add(name, lattice)
    assert [str(warning.message).partition(" (")[0] for warning in caught] == [
        f"{path}: blanks in names are written as '_', or left out"
    ]
    assert [name for name, _ in read_all(path, symbols_path=tmp_path / "words.txt")] == ["u-0", "u_1", "u_2"]
