"""Word posterior lattices of SRILM."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from format_helpers import assert_same, fuzz_file

import lattice_simp as ls
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats import format_of

WLAT = """version 2
name u-1
initial 7
final 1
node 0 the 1 0.75 3 0.5 4 0.25 5 0
node 1 NULL 4 1
node 3 cat 2 0.625 1 0.625
node 4 hat 2 0.25 1 0.25
node 5 rat 2 0
node 7 NULL 0 1 0 0.75 3 0.125 1 0.125
"""
PATHS = {"the cat": 0.75 * 2 / 3, "the hat": 0.75 / 3, "": 0.125, "cat": 0.125}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "u.wlat").write_text(WLAT)
    return tmp_path / "u.wlat"


def test_costs_are_those_of_a_distribution(path: Path) -> None:
    lattice = ls.read(path)
    assert (format_of(path), lattice.header.name) == ("wlat", "u-1")
    assert {entry.text: math.exp(-entry.cost) for entry in ls.nbest(lattice, 9)} == pytest.approx(PATHS)
    path.write_text(WLAT.replace("\n", "\r\n"))
    assert_same(ls.read(path), lattice)
    assert [name for name, _ in ls.read_all(path.parent)] == ["u"]


def test_posteriors_are_divided_by_those_of_all_paths(path: Path) -> None:
    for content in (WLAT, re.sub(r"0\.\d+", lambda match: str(float(match[0]) / 2), WLAT)):
        path.write_text(content)
        lattice = ls.read(path)
        words = [lattice.symbols[label] for label in lattice.olabels.tolist()]
        shares = sorted(zip(words, lattice.features["posterior"].tolist(), strict=True))
        expected = [("<epsilon>", 0.125), ("<epsilon>", 0.25), ("<epsilon>", 0.625), ("cat", 0.125), ("cat", 0.5)]
        expected += [("hat", 0.25), ("the", 0.75)]
        assert shares == [(word, pytest.approx(math.log(share))) for word, share in expected]


def test_a_lattice_may_be_a_node(path: Path) -> None:
    path.write_text("version 2\ninitial 0\nfinal 0\nnode 0 NULL 0 1\n")
    assert [(entry.text, entry.cost) for entry in ls.nbest(ls.read(path))] == [("", 0.0)]


def test_posteriors_of_any_size_have_finite_costs(path: Path) -> None:
    nodes = "node 0 NULL 0 1 2 1e-310 1 1e99\nnode 1 NULL 2 1\nnode 2 a 1 1 1 1e-320\n"
    path.write_text(f"version 2\ninitial 0\nfinal 1\n{nodes}")
    best, other = ls.nbest(ls.read(path), 9)
    assert (best.text, best.cost) == ("", 0.0)
    assert (other.text, other.cost) == ("a", pytest.approx(409 * math.log(10)))


def test_word_lattices_are_not_written(path: Path) -> None:
    with pytest.raises(LatticeSimpError, match="no known lattice format has this ending"):
        ls.write(ls.read(path), path.with_name("v.wlat"))


BROKEN = {
    "no number": (WLAT.replace("0.25 5 0", "x 5 0"), 5, "not the numbers of a node"),
    "negative": (WLAT.replace("4 0.25", "4 -0.25"), 5, "not the numbers of a node"),
    "no posterior": (WLAT.replace("4 0.25 5 0", "4 0.25 5"), 5, "not the numbers of a node"),
    "no slot": (WLAT.replace("rat 2 0", "rat 0"), 9, "not the numbers of a node"),
    "twice": (WLAT.replace("node 4", "node 3"), 8, "not a line of a word lattice, or a second one: 'node 3 hat"),
    "no such line": (WLAT.replace("node 4", "edge 4"), 8, "not a line of a word lattice"),
    "no target": (WLAT.replace("node 4 hat 2 0.25 1 0.25\n", ""), 5, "the node 4 has no line"),
    "no start": (WLAT.replace("initial 7", "initial 8"), 3, "the node 8 has no line"),
    "no initial": (WLAT.replace("initial 7\n", ""), None, "no line initial"),
    "cut off": (WLAT[:18], None, "no line initial and no line final"),
    "word": (WLAT.replace("node 7 NULL", "node 7 a"), 3, "the initial node has the word 'a'"),
    "several": (WLAT + WLAT, 11, "another word lattice begins"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files(path: Path, name: str) -> None:
    text, line, message = BROKEN[name]
    path.write_text(text)
    with pytest.raises(FormatError, match=re.escape(message)) as caught:
        ls.read(path)
    assert (str(caught.value.path), caught.value.line, bool(caught.value.remedy)) == (str(path), line, True)


def test_any_bytes_are_read_or_refused(path: Path) -> None:
    fuzz_file(path, WLAT.encode(), lambda path: ls.read(path, "wlat"), seconds=0.2)
