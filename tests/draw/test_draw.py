"""Drawings: DOT and SVG text; Graphviz computes positions only."""

from __future__ import annotations

import math
import random
import re
import sys
import time
from collections import Counter
from dataclasses import replace
from math import dist
from xml.etree import ElementTree

import numpy as np
import pytest

from lattice_simp import Lattice, SymbolTable
from lattice_simp.draw import to_dot, to_image, to_svg
from lattice_simp.draw.labels import is_network
from lattice_simp.draw.svg import MOST_LABELS, drawn_arcs, drawn_states
from lattice_simp.errors import LatticeSimpError, MissingExtraError

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
        inputs=(rules.encode(["r7", "r9", "r1"]), rules),
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


NAMESPACE = "{http://www.w3.org/2000/svg}"
SEEDS = range(20)


def texts(svg: str) -> list[str]:
    """Returns the words, costs, numbers and headings in a drawing."""
    root = ElementTree.fromstring(svg)
    titles = [title.tail or "" for title in root.iter(f"{NAMESPACE}title")]
    return [element.text or "" for element in root.iter(f"{NAMESPACE}text")] + titles


def states(svg: str) -> dict[int, tuple[float, float, float]]:
    """Returns centre and radius of each state, by its number."""
    root = ElementTree.fromstring(svg)
    circles = [entry for entry in root.iter(f"{NAMESPACE}circle") if entry.get("class") == "ls-state"]
    numbers = [entry for entry in root.iter(f"{NAMESPACE}text") if entry.get("class") == "ls-text ls-number"]
    return {
        int(number.text or ""): (float(circle.get("cx", "")), float(circle.get("cy", "")), float(circle.get("r", "")))
        for number, circle in zip(numbers, circles, strict=True)
    }


def touched(positions: dict[int, tuple[float, float, float]], point: tuple[float, float]) -> set[int]:
    """Returns the states whose rim a point is on."""
    return {state for state, (x, y, radius) in positions.items() if abs(dist(point, (x, y)) - radius) < 1.5}


def ends(svg: str) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Returns the beginning and the tip of each arrow; the first is the start's."""
    paths = re.findall(r'class="ls-line" d="M(\S+) (\S+?)C.*?class="ls-head" d="M(\S+) (\S+?)L', svg)
    return [((float(a), float(b)), (float(c), float(d))) for a, b, c, d in paths]


@samples
def test_svg_is_well_formed_and_holds_every_word(lattice: Lattice) -> None:
    shown = texts(to_svg(lattice, title="Demo"))
    for arc in range(lattice.num_arcs):
        word = lattice.symbols[int(lattice.olabels[arc])].replace("<epsilon>", "ε")
        assert any(text == word or text.endswith(f":{word}") for text in shown)
    assert {str(state) for state in range(lattice.num_states)} <= set(shown)


def test_arrows_run_from_rim_to_rim() -> None:
    for seed in SEEDS:
        lattice = tangle(seed, num_states=3 + seed // 2, num_arcs=seed * 2)
        svg = to_svg(lattice)
        positions = states(svg)
        assert len(positions) == lattice.num_states, seed
        (_, tip), *drawn = ends(svg)
        assert 0 in touched(positions, tip), seed
        pairs = Counter(zip(lattice.sources.tolist(), lattice.nextstates.tolist(), strict=True))
        for first, last in drawn:
            results = [
                pair for pair in pairs if pair[0] in touched(positions, first) and pair[1] in touched(positions, last)
            ]
            assert results, (seed, first, last)
            pairs.pop(results[0])
        assert not pairs, seed


@samples
def test_drawings_are_deterministic(lattice: Lattice) -> None:
    assert to_svg(lattice) == to_svg(lattice)
    assert to_dot(lattice) == to_dot(lattice)


def test_arcs_of_an_acyclic_lattice_run_to_the_right() -> None:
    for lattice in (sausage(), SAMPLES["strings"], SAMPLES["transducer"]):
        positions = states(to_svg(lattice))
        for source, target in zip(lattice.sources.tolist(), lattice.nextstates.tolist(), strict=True):
            assert positions[source][0] < positions[target][0]


def test_a_sausage_is_one_straight_line() -> None:
    svg = to_svg(sausage())
    assert len({y for _, y, _ in states(svg).values()}) == 1
    assert len(ends(svg)) == 31  # the arcs between two states share an arrow


def test_gap_loops_stand_above_their_states() -> None:
    svg = to_svg(gappy())
    result = re.findall(r'x="(\S+)" y="(\S+)"><title>[^<]*</title>&lt;rho&gt;', svg)
    labels = [(float(x), float(y)) for x, y in result]
    assert len(labels) == 6
    for x, y, radius in states(svg).values():
        assert sum(abs(label[0] - x) < 30 and y - 60 < label[1] < y - radius for label in labels) == 1


def test_final_states_have_two_rings_that_hold_the_cost() -> None:
    svg = to_svg(gappy())
    assert svg.count('class="ls-ring"') == 1
    x, y, radius = states(svg)[5]
    ((left, below),) = re.findall(r'x="(\S+)" y="(\S+)" text-anchor="middle">0.75<', svg)
    assert float(left) == x
    assert y < float(below) < y + radius


def test_costs_have_two_decimals_and_zero_is_left_out() -> None:
    shown = texts(to_svg(gappy()))
    assert {"0.20", "1.50", "2.25", "0.75"} <= set(shown)
    assert "0.00" not in shown


def network() -> Lattice:
    words = [(0, "a", 0.25, 1), (0, "b", 0.62, 1), (0, "<epsilon>", 0.13, 1), (1, "c", 0.999, 2), (1, "d", 0.001, 2)]
    rows: list[Row] = [(source, word, -math.log(share), target) for source, word, share, target in words]
    return from_rows(rows, {2: 0.0}, 3)


def test_confusion_networks_have_probabilities_the_greatest_first() -> None:
    dot = to_dot(network())
    assert re.findall(r'-> \d \[label="(.*?)"', dot) == ["b 0.62", "a 0.25", "ε 0.13", "c 1.00", "d <0.01"]
    assert '  2 [label="2"' in dot
    svg = to_svg(network())
    shown = texts(svg)
    assert {"0.62", "0.25", "0.13", "1.00", "<0.01", "ε: no word"} <= set(shown)
    heights = [float(re.search(rf'y="(\S+)"[^>]*><title>[^<]*</title>{word}<', svg)[1]) for word in "baε"]  # type: ignore[index]
    assert heights == sorted(heights)
    assert b"%PDF" in to_image(network(), "pdf")


def test_numbers_beside_words_can_be_chosen() -> None:
    assert '"b/0.47804"' in to_dot(network(), numbers="costs")
    assert {"0.48", "1.39"} <= set(texts(to_svg(network(), numbers="costs")))
    lattice = Lattice.from_strings([("a b", math.log(2))])
    assert "0.69" in texts(to_svg(lattice))
    assert {"0.50", "1.00"} <= set(texts(to_svg(lattice, numbers="probabilities")))
    final = from_rows([(0, "a", 0.0, 1)], {1: math.log(4)}, 2)
    assert '"1 0.25"' in to_dot(final, numbers="probabilities")
    assert "0.25" in texts(to_svg(final, numbers="probabilities"))
    with pytest.raises(LatticeSimpError, match="unknown numbers 'odds'; known are costs, probabilities"):
        to_svg(lattice, numbers="odds")  # type: ignore[arg-type]


def test_what_is_a_confusion_network() -> None:
    assert is_network(network())
    costs = network().weights.copy()
    costs[0] += 0.1
    others = [
        SAMPLES["nothing"],
        Lattice.from_strings([("a b", 0.0)]),
        replace(network(), weights=costs),
        replace(network(), weights=costs - 1e6),
        replace(network(), finals=np.array([np.inf, np.inf, 1.0])),
        replace(network(), finals=np.array([np.inf, 0.0, 0.0])),
        from_rows([(0, "a", math.log(2), 1), (0, "b", math.log(2), 2), (1, "c", 0.0, 2)], {2: 0.0}, 3),
        SAMPLES["transducer"],
    ]
    assert not any(map(is_network, others))


def test_highlighted_arcs_are_marked() -> None:
    lattice = gappy()
    plain, marked = to_svg(lattice), to_svg(lattice, highlight=frozenset({0, 2}))
    assert plain.count('class="ls-on"') == 0
    assert marked.count('class="ls-on"') == 2
    assert to_dot(lattice, highlight=[0, 2]).count("penwidth=2") == 2
    assert to_dot(lattice, highlight=np.array([0, 2])).count("penwidth=2") == 2


def test_an_embedded_drawing_has_no_style_and_numbers_its_arcs() -> None:
    lattice = sausage()
    svg = to_svg(lattice, highlight={3}, embedded=True)
    assert "<style>" not in svg
    root = ElementTree.fromstring(svg)
    lines = [entry.get("data-arcs", "").split() for entry in root.iter(f"{NAMESPACE}g") if entry.get("data-arcs")]
    assert sorted(int(arc) for arcs in lines for arc in arcs) == list(range(lattice.num_arcs))
    words = {
        entry.get("data-arcs") for entry in root.iter(f"{NAMESPACE}text") if "ls-word" in (entry.get("class") or "")
    }
    assert words == set(map(str, range(lattice.num_arcs)))
    (marked,) = (entry.get("data-arcs", "") for entry in root.iter(f"{NAMESPACE}g") if entry.get("class") == "ls-on")
    assert "3" in marked.split()
    assert "data-arcs" not in to_svg(lattice)


def test_words_are_escaped() -> None:
    words = ['"', "<b>&amp;", "\\n", "]]>", "a\x01b"]
    lattice = Lattice.from_strings([(words, 1.0)])
    assert {'"', "<b>&amp;", "\\n", "]]>", "a\ufffdb"} <= set(texts(to_svg(lattice, title='<"&\x02')))
    labels = re.findall(r'-> \d+ \[label="((?:[^"\\]|\\.)*)"\]', to_dot(lattice))
    assert labels[:4] == ['\\"', "<b>&amp;amp;", "\\\\n", "]]>"]


def test_large_lattices_are_cut_and_say_so() -> None:
    lattice = sausage()
    whole, part = to_svg(lattice, max_states=31), to_svg(lattice, max_states=12, highlight=[0])
    note = "the 12 of 31 states that are nearest to the start"
    assert note in texts(part)
    assert note not in texts(whole)
    assert sorted(states(part)) == list(range(12))
    assert sorted(states(whole)) == list(range(31))
    assert len(ends(part)) == 12
    assert part.count('<g class="ls-on">') == 1


@pytest.mark.slow
def test_many_links_are_laid_out_in_seconds() -> None:
    """For 200 states with 2.3 links each, curved splines would take more than a minute."""
    rng = np.random.default_rng(0)
    states, more = 400, 560
    sources = np.concatenate((rng.integers(0, states - 1, more), np.arange(states - 1)))
    reach = np.concatenate((rng.integers(1, 40, more), np.ones(states - 1, dtype=np.int64)))
    finals = np.append(np.full(states - 1, np.inf), 0.0)
    labels, costs = rng.integers(1, 1000, len(sources)), rng.uniform(0, 3, len(sources))
    targets = np.minimum(states - 1, sources + reach)
    table = SymbolTable(f"w{number}" for number in range(1000))
    lattice = Lattice.from_arcs(sources, labels, costs, targets, finals, table)
    begin = time.process_time()
    assert "the 200 of 400 states" in to_svg(lattice)
    assert time.process_time() - begin < 30


@pytest.mark.slow
def test_where_every_state_leads_to_every_other_fewer_are_drawn() -> None:
    rows: list[Row] = [(q, "w", 1.0, r) for q in range(60) for r in range(q + 1, 60)]
    drawn = states(to_svg(from_rows(rows, {59: 0.0}, 60)))
    assert 20 < len(drawn) < 40


def test_of_many_arcs_between_two_states_the_cheapest_are_drawn() -> None:
    rows: list[Row] = [(0, f"w{cost}", float(cost), 1) for cost in range(1000)]
    shown = texts(to_svg(from_rows(rows, {1: 0.0}, 2)))
    assert sum(text.startswith("w") for text in shown) == MOST_LABELS
    assert {"w0", f"w{MOST_LABELS - 1}", f"at most the {MOST_LABELS} cheapest arcs between two states"} <= set(shown)


def test_images_show_the_states_and_arcs_of_svg(monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    monkeypatch.setattr("lattice_simp.draw.image.rendered", lambda dot, format: written.append((dot, format)) or b"")
    lattice = sausage()
    to_image(lattice, "pdf", title="first", highlight=[0], max_states=4)
    states = drawn_states(lattice, 4)
    result = drawn_arcs(lattice, states)
    ((dot, kind),) = written
    assert kind == "pdf"
    assert dot == to_dot(lattice, "first", [0], states=states, arcs=result)
    assert sorted(map(int, re.findall(r"^  (\d+) \[", dot, re.MULTILINE))) == states
    assert dot.count("->") == len(result) == sum(int(end) in states for end in lattice.nextstates[: lattice.offsets[4]])
    rows: list[Row] = [(0, f"w{cost}", float(cost), 1) for cost in range(1000)]
    assert drawn_arcs(from_rows(rows, {1: 0.0}, 2), [0, 1]) == list(range(MOST_LABELS))


def test_a_format_that_graphviz_does_not_write_is_an_error() -> None:
    with pytest.raises(LatticeSimpError, match=r"unknown format 'gif'; known are png, pdf"):
        to_image(sausage(), "gif")  # type: ignore[arg-type]


def test_without_graphviz_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    with pytest.raises(MissingExtraError, match=r"lattice-simp\[draw\]"):
        to_svg(gappy())
    assert to_dot(gappy())


def test_no_program_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert to_svg(gappy())


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


def test_titles_make_room_above_the_drawing():
    lattice = Lattice.from_strings("a b")
    heights = [float(re.search(r'height="([\d.]+)"', to_svg(lattice, title=title))[1]) for title in (None, "a title")]
    assert heights[1] > heights[0]
