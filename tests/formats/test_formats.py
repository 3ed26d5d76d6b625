"""The choice of formats by content and by name."""

from __future__ import annotations

import io
import sys
from dataclasses import replace

import numpy as np
import pytest
from format_helpers import COMPRESSIONS, SHARED, assert_same, fuzz_file, needs_shared
from helpers import best_by_string

from lattice_simp import Lattice, SymbolTable, read, write
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats import FORMATS, Format, format_of, read_nbest
from lattice_simp.formats.nbest import is_nbest

CAT = Lattice.from_strings([("a cat", 0.5), ("the cat", 1.5)])
ENDINGS = (".fst", ".txt", ".att", ".plf", ".slf", ".lat")


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_name_and_content(tmp_path, ending, compression):
    path = tmp_path / f"x.y{ending}{compression}"
    options = {"scores": "cost"} if ending == ".plf" else {}
    write(CAT, path, **options)
    again = read(path, **options)
    assert_same(replace(again, features=None), CAT)
    (tmp_path / "renamed").write_bytes(path.read_bytes())
    symbols = SymbolTable(["dog"])
    assert read(tmp_path / "renamed", symbols=symbols, **options).symbols is symbols


@pytest.mark.parametrize("name", ["openfst", "att", "plf", "slf"])
def test_named_formats(tmp_path, name):
    write(CAT, tmp_path / "x", format=name)
    assert read(tmp_path / "x", format=name).num_arcs == CAT.num_arcs


@pytest.mark.parametrize("name", ["att", "plf", "slf", "features", "nbest"])
def test_byte_order_marks_are_skipped(tmp_path, name):
    (tmp_path / "x").write_bytes(
        {
            "att": b"\xef\xbb\xbf0 1 a 1.5\n1\n",
            "plf": b"\xef\xbb\xbf((('a',1.5,1),),)\n",
            "slf": b"\xef\xbb\xbfN=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a a=-1.5\n",
            "features": b"\xef\xbb\xbf0 1 a f:1.5\n1\n",
            "nbest": b"\xef\xbb\xbf0 ||| a ||| f= -1 ||| -1.5\n",
        }[name]
    )
    if name == "nbest":
        assert is_nbest(tmp_path / "x")
        assert [entry.text for entry in read_nbest(tmp_path / "x")[0]] == ["a"]
        return
    assert list(best_by_string(read(tmp_path / "x", name))) == [("a",)]
    assert name == "features" or format_of(tmp_path / "x") == name


@pytest.mark.parametrize("name", ["x", "x.gz", "x.doc", ".fst"])
def test_unknown_endings(tmp_path, name):
    with pytest.raises(LatticeSimpError, match=r"no known lattice format has this ending .*\.fst"):
        write(CAT, tmp_path / name)


def test_unknown_formats(tmp_path):
    with pytest.raises(LatticeSimpError, match="unknown format 'doc'"):
        write(CAT, tmp_path / "x", format="doc")
    with pytest.raises(FormatError, match="unknown format 'doc'"):
        read(tmp_path / "x", format="doc")


@pytest.mark.parametrize("content", [b"", b"\n", b"\0\0", b"\xff\xfe", b"hello", b"(", b"N=1", b"\xd6\xfd\xb2~"])
def test_rubbish(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(FormatError, match="x:"):
        read(tmp_path / "x")


def read_toy(data, *, path, symbols):
    return Lattice.from_strings([(line, 0.0) for line in data.decode().splitlines()[1:]], symbols)


def write_toy(lattice, path):
    path.write_text("\n".join(["toy", *(" ".join(words) for words in best_by_string(lattice)), ""]))


def test_a_format_is_one_entry_of_the_table(tmp_path, monkeypatch):
    monkeypatch.setitem(FORMATS, "toy", Format((".toy",), lambda head: head.startswith(b"toy"), read_toy, write_toy))
    write(CAT, tmp_path / "x.toy")
    assert (tmp_path / "x.toy").read_text() == "toy\na cat\nthe cat\n"
    assert format_of(tmp_path / "x.toy") == "toy"
    assert set(best_by_string(read(tmp_path / "x.toy"))) == {("a", "cat"), ("the", "cat")}
    write(CAT, tmp_path / "y", "toy")
    assert read(tmp_path / "y", "toy").num_arcs == 4
    with pytest.raises(LatticeSimpError, match=r"\.toy\)"):
        write(CAT, tmp_path / "x.doc")


def test_several_plf_lattices(tmp_path):
    (tmp_path / "x").write_text("((('a',1),),)\n((('b',1),),)\n")
    with pytest.raises(FormatError, match=r"x:2: 2 lattices in one file .*read_plf"):
        read(tmp_path / "x")


def test_att_options(tmp_path):
    write(CAT, tmp_path / "x.txt", symbols_path=tmp_path / "x.syms")
    assert_same(read(tmp_path / "x.txt", symbols_path=tmp_path / "x.syms", acceptor=True), CAT)


@pytest.mark.parametrize("format_name", ["openfst", "att", "plf", "slf"])
def test_standard_streams(monkeypatch, capfdbinary, format_name):
    write(CAT, "-", format=format_name)
    written = capfdbinary.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(written)))
    assert read("-").num_arcs == CAT.num_arcs


def test_standard_output_gets_att(capfdbinary):
    write(CAT, "-")
    assert capfdbinary.readouterr().out.startswith(b"0\t")


def test_cycles_are_read(tmp_path):
    lattice = Lattice.from_arcs([0, 1], [1, 2], [0.5, 0.5], [1, 0], [np.inf, 0.0], SymbolTable(["a", "b"]))
    assert not lattice.is_acyclic
    for ending in (".fst", ".txt", ".slf"):
        write(lattice, tmp_path / f"x{ending}")
        assert not read(tmp_path / f"x{ending}").is_acyclic


def test_any_bytes_are_read_or_refused(tmp_path):
    for ending in (".fst", ".txt", ".plf", ".slf"):
        write(CAT, tmp_path / f"x{ending}")
        fuzz_file(tmp_path / "x", (tmp_path / f"x{ending}").read_bytes(), read, seconds=0.3)


@needs_shared
@pytest.mark.shared
@pytest.mark.parametrize("ending", [".fst", ".slf", ".plf"])
def test_real_lattices_through_each_format(tmp_path, ending):
    folder = SHARED / "data" / "oracles" / "lattices" / "multi30k"
    lattice = read(folder / "7.lm.total.txt.gz")
    options = {"scores": "cost"} if ending == ".plf" else {}
    write(lattice, tmp_path / f"x{ending}", **options)
    again = read(tmp_path / f"x{ending}", symbols=lattice.symbols, **options)
    assert (again.num_states, again.num_arcs) == (lattice.num_states, lattice.num_arcs)
    assert (again.olabels == lattice.olabels).all()
    assert abs(again.weights - lattice.weights).max() < (1e-4 if ending == ".fst" else 1e-300)
