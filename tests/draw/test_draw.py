"""Drawings: DOT and SVG text, and the layout behind the SVG."""

from __future__ import annotations

import random
import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lattice_simp import Lattice, SymbolTable
from lattice_simp.draw.dot import to_dot
from lattice_simp.draw.figure import Figure, make_figure
from lattice_simp.draw.svg import to_svg
from lattice_simp.errors import LatticeSimpError

INFINITY = float("inf")
Row = tuple[int, str, float, int]


def from_rows(rows: list[Row], finals: dict[int, float], num_states: int) -> Lattice:
    table = SymbolTable()
    costs = [finals.get(state, INFINITY) for state in range(num_states)]
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    return Lattice.from_arcs(columns[0], table.encode(columns[1]), columns[2], columns[3], costs, table)


def gappy() -> Lattice:
    rows: list[Row] = [(0, "der", 0.2, 1), (1, "Plan", 0.4, 2), (0, "die", 0.3, 3), (3, "Idee", 1.2, 2)]
    rows += [(2, "wurde", 0.0, 4), (4, "angenommen", 1.5, 5), (4, "gelobt", 2.25, 5)]
    rows += [(state, "<rho>", 0.0, state) for state in range(6)]
    return from_rows(rows, {5: 0.75}, 6)


def sausage() -> Lattice:
    choices = random.Random(3)
    words = ["a", "the", "<epsilon>", "old", "harbour", "house", "yesterday"]
    rows = [(q, word, choices.random(), q + 1) for q in range(30) for word in choices.sample(words, 3)]
    return from_rows(rows, {30: 0.0}, 31)


def tangle(seed: int, num_states: int = 16, num_arcs: int = 40) -> Lattice:
    choices = random.Random(seed)
    words = ["so", "proposal", "was", "supported", "Übergangsregelung"]
    rows: list[Row] = []
    for _ in range(num_arcs):
        source = choices.randrange(num_states)
        target = choices.randrange(num_states)
        rows.append((source, choices.choice(words), choices.random() * 9, target))
    return from_rows(rows, {num_states - 1: 1.0, 0: 0.0}, num_states)


def transducer() -> Lattice:
    words, rules = SymbolTable(), SymbolTable()
    return Lattice.from_arcs(
        [0, 0, 1],
        words.encode(["das", "<epsilon>", "Haus"]),
        [0.5, 0.0, 2.0],
        [1, 1, 2],
        [INFINITY, INFINITY, 0.0],
        words,
        ilabels=rules.encode(["r7", "r9", "r1"]),
        isymbols=rules,
    )


SAMPLES = {
    "gappy": gappy(),
    "sausage": sausage(),
    "strings": Lattice.from_strings([("the plan won", 1.0), ("the plan was liked", 1.5), ("it won", 3.0)]),
    "transducer": transducer(),
    "nothing": Lattice.from_strings([]),
    **{f"tangle {seed}": tangle(seed) for seed in range(4)},
}
samples = pytest.mark.parametrize("lattice", SAMPLES.values(), ids=SAMPLES.keys())


def texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")] + [
        title.tail or "" for title in root.iter("{http://www.w3.org/2000/svg}title")
    ]


def check_no_overlaps(figure: Figure) -> None:
    boxes = figure.label_boxes() + figure.state_boxes()
    assert not [pair for pair in combinations(boxes, 2) if pair[0].overlaps(pair[1])]
    bounds = figure.layout.bounds
    for box in boxes:
        assert bounds.left <= box.left <= box.right <= bounds.right
        assert bounds.top <= box.top <= box.bottom <= bounds.bottom


@samples
def test_svg_is_well_formed_and_holds_every_word(lattice: Lattice) -> None:
    shown = texts(to_svg(lattice, title="Demo"))
    for arc in range(lattice.num_arcs):
        word = lattice.symbols[int(lattice.olabels[arc])].replace("<epsilon>", "ε")
        assert any(text == word or text.endswith(f":{word}") for text in shown)
    assert {str(state) for state in range(lattice.num_states)} <= set(shown)


@samples
def test_nothing_overlaps(lattice: Lattice) -> None:
    check_no_overlaps(make_figure(lattice))


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(0, 30))
def test_nothing_overlaps_in_random_graphs(seed: int, num_states: int, num_arcs: int) -> None:
    lattice = tangle(seed, num_states, num_arcs)
    figure = make_figure(lattice)
    check_no_overlaps(figure)
    assert sum(len(bundle.labels) for bundle in [*figure.links, *figure.loops.values()]) == lattice.num_arcs
    ElementTree.fromstring(to_svg(lattice))


@samples
def test_lines_pass_no_label_and_no_state(lattice: Lattice) -> None:
    figure = make_figure(lattice)
    boxes = figure.label_boxes() + figure.state_boxes()
    for pieces in figure.layout.routes:
        for piece in pieces:
            for box in boxes:
                across = box.left < piece.right and piece.left < box.right
                assert not (across and box.top < piece.y < box.bottom)


@samples
def test_drawings_are_deterministic(lattice: Lattice) -> None:
    assert to_svg(lattice) == to_svg(lattice)
    assert to_dot(lattice) == to_dot(lattice)


@samples
def test_arcs_run_to_the_right_unless_turned(lattice: Lattice) -> None:
    figure = make_figure(lattice)
    for bundle, pieces, turned in zip(figure.links, figure.layout.routes, figure.layout.turned, strict=True):
        source, target = figure.layout.nodes[bundle.source], figure.layout.nodes[bundle.target]
        assert (source[0] > target[0]) == turned
        assert all(left.right < right.left for left, right in pairwise(pieces))


def test_a_sausage_is_one_straight_line() -> None:
    figure = make_figure(sausage())
    assert {y for _, y in figure.layout.nodes} == {0.0}
    assert all(len(bundle.labels) == 3 for bundle in figure.links)


def test_gap_loops_stand_above_their_states() -> None:
    figure = make_figure(gappy())
    assert sorted(figure.loops) == list(range(6))
    for state, bundle in figure.loops.items():
        assert figure.label_anchor(bundle, 0)[1] < figure.layout.nodes[state][1]
    assert texts(to_svg(gappy())).count("<rho>") == 6


def test_costs_have_two_decimals_and_zero_is_left_out() -> None:
    shown = texts(to_svg(gappy()))
    assert {"0.20", "1.50", "2.25", "0.75"} <= set(shown)
    assert "0.00" not in shown


def test_highlighted_arcs_are_marked() -> None:
    lattice = gappy()
    plain, marked = to_svg(lattice), to_svg(lattice, highlight=frozenset({0, 2}))
    assert plain.count('class="ls-on"') == 0
    assert marked.count('class="ls-on"') == 2
    assert to_dot(lattice, highlight=[0, 2]).count("penwidth=2") == 2


def test_words_are_escaped() -> None:
    words = ['"', "<b>&amp;", "\\n", "]]>", "a\x01b"]
    lattice = Lattice.from_strings([(words, 1.0)])
    assert {'"', "<b>&amp;", "\\n", "]]>", "a\ufffdb"} <= set(texts(to_svg(lattice, title='<"&\x02')))
    labels = re.findall(r'-> \d+ \[label="((?:[^"\\]|\\.)*)"\]', to_dot(lattice))
    assert labels[:4] == ['\\"', "<b>&amp;amp;", "\\\\n", "]]>"]


def test_large_lattices_are_refused() -> None:
    lattice = Lattice.from_strings([(["w"] * 12, 0.0)])
    with pytest.raises(LatticeSimpError, match=r"13 states.*prune the lattice first, or raise max_states"):
        to_svg(lattice, max_states=12)
    assert to_svg(lattice, max_states=13)


@samples
def test_dot_holds_every_state_and_arc(lattice: Lattice) -> None:
    lines = to_dot(lattice, title='a "b"').splitlines()
    assert lines[0] == "digraph lattice {"
    assert lines[-1] == "}"
    assert r'label="a \"b\""' in lines[1]
    body = lines[4:-1]
    quoted = r'"(?:[^"\\]|\\.)*"'
    states = [re.fullmatch(rf"  (\d+) \[label={quoted}(, \w+=\w+)*\];", line) for line in body]
    arcs = [re.fullmatch(rf"  (\d+) -> (\d+) \[label={quoted}\];", line) for line in body]
    assert all(bool(state) != bool(arc) for state, arc in zip(states, arcs, strict=True))
    assert [int(state[1]) for state in states if state] == list(range(lattice.num_states))
    ends = [(int(arc[1]), int(arc[2])) for arc in arcs if arc]
    assert ends == list(zip(lattice.sources.tolist(), lattice.nextstates.tolist(), strict=True))


def test_dot_labels() -> None:
    dot = to_dot(transducer())
    assert 'label="r7:das/0.5"' in dot
    assert 'label="r9:ε"' in dot
    assert '2 [label="2", style=solid, shape=doublecircle]' in dot
    assert 'label="5/0.75"' in to_dot(gappy())
    assert "rankdir=TB" in to_dot(gappy(), rankdir="TB")
