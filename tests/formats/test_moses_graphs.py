"""Search graphs of Moses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from format_helpers import assert_same, fuzz_file

import lattice_simp as ls
from lattice_simp.errors import FormatError
from lattice_simp.formats import format_of
from lattice_simp.formats.collections import is_collection

GRAPH = """3 hyp=0 stack=0
3 hyp=5 stack=1 back=0 score=-1 transition=-1 forward=9 fscore=-4 covered=0-0 out=the
3 hyp=6 stack=1 back=0 score=-1.5 transition=-1.5 recombined=5 forward=9 fscore=-4 covered=0-0 out=le|DT the
3 hyp=7 stack=1 back=0 score=-2 transition=-2 forward=8 fscore=-6 covered=1-1 out=
3 hyp=9 stack=2 back=5 score=-4 transition=-3 forward=-1 fscore=-4 covered=1-1 out=old cat
3 hyp=8 stack=2 back=7 score=-6.5 transition=-4.5 recombined=9 forward=-1 fscore=-4 covered=0-0 out=cat
3 hyp=4 stack=2 back=7 score=-7 transition=-5 forward=-1 fscore=-7 covered=0-0 out=hat
10 hyp=0 stack=0 forward=-1 fscore=0
11 hyp=0 stack=0
"""
PATHS = [("the old cat", 4.0), ("le|DT the old cat", 4.5), ("cat", 6.5), ("hat", 7.0)]
START = "0 hyp=0 stack=0 forward=1 fscore=-3\n0 hyp=1 stack=1 back=0 score=-3 transition=-3 "
EXTENDED = START + 'forward=-1 fscore=-3 covered=0-1 scores="{}" out="das haus|the house"\n'
OLD = START + "[ d: -4 0 lm: -10.5 ] forward=-1 fscore=-3 covered=4-4 out=die Inflation , , pC=-0.24, c=-0.93\n"
BRACKETS = START + "forward=-1 fscore=-3 covered=2-2 scores=[ x: -2 y: 1 3 ] out=haus|the house\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "a.graph").write_text(GRAPH, encoding="utf-8")
    return tmp_path / "a.graph"


def strings(lattice: ls.Lattice) -> list[tuple[str, float]]:
    return [(entry.text, entry.cost) for entry in ls.nbest(lattice, 9)]


def test_a_file_holds_a_lattice_for_each_sentence(path: Path) -> None:
    assert (format_of(path), is_collection(path)) == ("moses-graph", True)
    lattices = dict(ls.read_all(path))
    assert {name: strings(lattice) for name, lattice in lattices.items()} == {"3": PATHS, "10": [("", 0.0)], "11": []}
    assert [lattice.header.name for lattice in lattices.values()] == ["3", "10", "11"]
    table = ls.SymbolTable()
    assert all(lattice.symbols is table for _, lattice in ls.read_all(path, symbols=table))
    path.write_bytes(b"\xef\xbb\xbf" + GRAPH.replace("\n", "\r\n").encode())
    for name, lattice in ls.read_all(path):
        assert_same(lattice, lattices[name])


def test_the_graph_of_a_sentence_is_a_lattice(path: Path) -> None:
    text = GRAPH[: GRAPH.index("10 hyp")]
    path.write_text(text)
    assert strings(ls.read(path)) == PATHS
    assert not is_collection(path)
    path.write_text(GRAPH)
    with pytest.raises(FormatError, match=r"holds 3 search graphs; expected one \(use read_all"):
        ls.read(path)


@pytest.mark.parametrize(
    ("text", "words", "features"),
    [
        (EXTENDED.format("core=(-1.5,2) sp_a=1"), "the house", {"Feature0": -1.5, "Feature1": 2, "sp_a": 1}),
        (EXTENDED.format("d: -2 w: -1 d: 0.5"), "the house", {"d_0": -2, "d_1": 0.5, "w": -1}),
        (BRACKETS, "the house", {"x": -2, "y_0": 1, "y_1": 3}),
        (OLD, "die Inflation ,", {"d_0": -4, "d_1": 0, "lm": -10.5}),
    ],
)
def test_scores_become_features(path: Path, text: str, words: str, features: dict[str, float]) -> None:
    path.write_text(text)
    [best] = ls.nbest(ls.read(path), 9)
    assert (best.text, best.cost, best.features) == (words, 3.0, features)


BROKEN = {
    "no hypothesis": (GRAPH.replace("3 hyp=7", "3 hyp="), 4, "not a hypothesis: '3 hyp="),
    "cut off": (GRAPH[: GRAPH.index("fscore=-6")], 4, "not a hypothesis with transition="),
    "no number": (GRAPH.replace("transition=-2 ", "transition=nan "), 4, "not a hypothesis with transition="),
    "no predecessor": (GRAPH.replace("back=7", "back=70"), 6, "the hypothesis 70 has no line"),
    "sentence again": (GRAPH + "3 hyp=0 stack=0\n", 10, "the sentence '3' again"),
    "no score": (EXTENDED.format("core=(1,x)"), 2, "not the scores of features: 'core=(1,x)'"),
    "no name": (EXTENDED.format("1 2"), 2, "not the scores of features: '1 2'"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files(path: Path, name: str) -> None:
    text, line, message = BROKEN[name]
    path.write_text(text)
    with pytest.raises(FormatError, match=re.escape(message)) as caught:
        list(ls.read_all(path))
    assert (str(caught.value.path), caught.value.line, bool(caught.value.remedy)) == (str(path), line, True)


def test_any_bytes_are_read_or_refused(path: Path) -> None:
    for text in (GRAPH, EXTENDED.format("core=(1,2)"), OLD):
        fuzz_file(path, text.encode(), lambda path: list(ls.read_all(path, "moses-graph")), seconds=0.1)
