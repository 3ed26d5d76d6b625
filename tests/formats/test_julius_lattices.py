"""Word graphs and confusion networks of Julius."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from format_helpers import fuzz_file
from helpers import assert_linear

import lattice_simp as ls
from lattice_simp.errors import FormatError

REST = (
    "f=0.0 f_prev=0.0 g_head=0.0 g_prev=0.0 forward_score=0.0 backword_score=0.0 AMavg={} cmscore=0.5 graphcm=0.5 "
    "headphone=a tailphone=b"
)


def word(number: int, frames: str, name: str, average: float, links: str = "") -> str:
    rest = f'wid={number} name="{name}" lname="{name}+x" {REST.format(average)}'
    return f"{number}: [{frames}]{links} lscore_tmp=-1.0 {rest}"


GRAPH = "\n".join(
    (
        "--- begin wordgraph data ---",
        word(0, "0..9", "", -1.0, " right=1,2 right_lscore=-2.000000,-3.000000"),
        word(1, "10..29", "cat", -2.0, " left=0 right=3 left_lscore=-2.0 right_lscore=-1.0"),
        word(2, "10..29", "hat sat", -2.5, " left=0 right=3 left_lscore=-3.0 right_lscore=-1.0"),
        word(3, "30..39", "", -1.0, " left=1,2 left_lscore=-1.0,-1.0"),
        "--- end wordgraph data ---",
        "",
    )
)
NETWORK = """---- begin confusion network ---
(the:0.700)  (a:0.200)(-:0.100)
(:-):1.000)  (not so:0.000)
(:1.000)
---- end confusion network ---
"""
MARK = "wordgraph data pass1 ---"
FIRST = GRAPH.replace("--- begin", f"--- begin {MARK}\n--- begin", 1) + f"--- end {MARK}\n"
RESULT = f"{FIRST}pass1_best: the cat\nsentence1: the cat\nscore1: -20.0\n{GRAPH}{NETWORK}"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "a.out").write_text(RESULT + RESULT.replace("cat", "bat"), encoding="utf-8")
    return tmp_path / "a.out"


def test_word_graphs(path: Path) -> None:
    """Graphs of the first pass are left out. Costs are the sums of acoustic scores and of those of links."""
    lattices = dict(ls.read_all(path, "julius-graph"))
    assert list(lattices) == ["0", "1"]
    paths = ls.nbest(lattices["0"], 5)
    assert [entry.text for entry in paths] == ["cat", "hat sat"]
    scores = [-10 - 40 - 10 - 2 - 1, -10 - 50 - 10 - 3 - 1]
    assert [entry.score for entry in paths] == pytest.approx([score * math.log(10) for score in scores])
    assert paths[0].features["LM"] == pytest.approx(-3 * math.log(10))
    [timed] = ls.timed_words(lattices["1"])
    assert (timed.word, timed.begin, timed.duration) == ("bat", pytest.approx(0.1), pytest.approx(0.2))


def test_confusion_networks(path: Path) -> None:
    lattices = dict(ls.read_all(path, "julius-cn"))
    assert list(lattices) == ["0", "1"]
    paths = ls.nbest(lattices["0"], 5)
    assert [entry.text for entry in paths] == ["the :-)", "a :-)", ":-)"]
    assert math.exp(paths[0].score) == pytest.approx(0.7)
    path.write_text(RESULT, encoding="utf-8")
    assert ls.read(path, "julius-cn").num_arcs == 5


BROKEN = {
    "cut off": ("julius-graph", RESULT[: RESULT.index("--- end wordgraph data ---\n---- begin")], None, "has no end"),
    "none": ("julius-graph", "sentence1: a\n", None, "holds no word graph of Julius"),
    "no network": ("julius-cn", GRAPH, None, "holds no confusion network of Julius"),
    "no target": ("julius-graph", GRAPH.replace("right=3", "right=7"), 3, "a link to the word 7, which has no line"),
    "cycle of scores": ("julius-graph", GRAPH.replace("-2.000000,", ""), 2, "links or scores that are not numbers"),
    "no number": ("julius-graph", GRAPH.replace("AMavg=-2.0", "AMavg=nan"), 3, "links or scores that are not numbers"),
    "digits": ("julius-graph", GRAPH.replace("right=3", "right=" + "9" * 5000), 3, "scores that are not numbers"),
    "no word": ("julius-graph", GRAPH.replace('name="cat"', "cat"), 3, "not a word of a graph"),
    "no slot": ("julius-cn", NETWORK.replace("(a:0.200)", "a"), 2, "not a slot of words and probabilities"),
    "no share": ("julius-cn", NETWORK.replace("0.200", "2"), 2, "not a slot of words and probabilities"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files(tmp_path: Path, name: str) -> None:
    kind, text, line, message = BROKEN[name]
    (tmp_path / "x").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=re.escape(message)) as caught:
        for _ in ls.read_all(tmp_path / "x", kind):
            pass
    assert (line is None or caught.value.line == line, bool(caught.value.remedy)) == (True, True)


def test_unclosed_brackets_are_refused_in_linear_time(tmp_path: Path) -> None:
    def refuse(count: int) -> None:
        (tmp_path / "x").write_text(NETWORK.replace("(-:0.100)", "(" * count), encoding="utf-8")
        with pytest.raises(FormatError, match="not a slot"):
            list(ls.read_all(tmp_path / "x", "julius-cn"))

    assert_linear(refuse, 1_000)


def test_any_bytes_are_read_or_refused(tmp_path: Path) -> None:
    for kind in ("julius-graph", "julius-cn"):
        fuzz_file(tmp_path / "x", RESULT.encode(), lambda path, kind=kind: list(ls.read_all(path, kind)), seconds=0.15)
