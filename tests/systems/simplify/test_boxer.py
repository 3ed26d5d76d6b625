"""Graphs of discourse representations: the worked example of Narayan and Gardent (2014), Figure 1, Tables 1 and 2."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from lattice_simp.errors import FormatError
from lattice_simp.systems.simplify.candidates import event_pairs
from lattice_simp.systems.simplify.deletion import deletion_candidates
from lattice_simp.systems.simplify.graphs.boxer import read_graphs

HIGGS = Path(__file__).parent / "higgs.xml"


@pytest.fixture(scope="module")
def higgs():
    (graph,) = read_graphs(HIGGS)
    return graph


def words(graph, positions):
    return " ".join(graph.tokens[position] for position in positions)


def as_json(path):
    """Writes the XML fixture's graph in the other notation."""
    sentence = ET.parse(path).getroot().find("sentence")

    def positions(element):
        return [int(child.get("id")[1:]) for child in element.findall("loc")]

    box = sentence.find("box")
    return {
        "tokens": [word.text for word in sentence.iter("w")],
        "tags": [word.get("pos") for word in sentence.iter("w")],
        "nodes": {
            node.get("sym"): {
                "positions": positions(node.find("span")),
                "predicates": [[predicate.get("sym"), positions(predicate)] for predicate in node.findall("pred")],
            }
            for node in box.findall("node")
        },
        "relations": {
            relation.get("sym"): {
                "predicate": relation.find("pred").get("sym"),
                "positions": positions(relation.find("span")),
            }
            for relation in box.findall("rel")
        },
        "edges": [[edge.get(name) for name in ("par", "dep", "lab")] for edge in box.findall("edge")],
    }


def test_the_events_and_their_roles_are_those_of_the_paper(higgs):
    assert {pair[:2]: pair[2] for pair in event_pairs(higgs)} == {
        ("X3", "X11"): (("agent", "in", "in", "patient"), ("agent", "patient")),
        ("X3", "X10"): (("agent", "in", "in", "patient"), ("agent", "for", "patient")),
        ("X11", "X10"): (("agent", "patient"), ("agent", "for", "patient")),
    }


def test_the_orphans_are_those_of_the_paper(higgs):
    assert words(higgs, higgs.orphans) == "which ."


def test_every_position_has_one_owner(higgs):
    owned = [position for part in (*higgs.nodes, *higgs.edges) for position in part.positions]
    assert sorted([*owned, *higgs.orphans]) == list(range(len(higgs.tokens)))


def test_the_relations_modifiers_and_orphans_of_the_paper_can_be_deleted(higgs):
    deletions = {(deletion.feature, words(higgs, deletion.positions)) for deletion in deletion_candidates(higgs)}
    assert deletions == {
        (("relation", "in", "0-2"), "In 1964"),
        (("relation", "in", "2-5"), "in Physical Review Letters"),
        (("relation", "for", "2-5"), "for the first time"),
        (("modifier", "second", ""), "second"),
        (("modifier", "new", ""), "new"),
        (("modifier", "massive", ""), "massive"),
        (("modifier", "spin-zero", ""), "spin-zero"),
        (("modifier", "first", ""), "first"),
        (("orphan", "which", "false"), "which"),
    }


def test_the_shared_entity_hangs_from_one_event_only(higgs):
    edges = [edge for edge in higgs.edges if edge.dependent == "X8"]
    assert [(edge.head, edge.label, edge.shared) for edge in edges] == [
        ("X11", "patient", False),
        ("X10", "agent", True),
    ]


def test_a_referent_with_the_same_words_is_the_same_entity(higgs):
    assert [edge.dependent for edge in higgs.edges if edge.head == "X11" and edge.label == "agent"] == ["X2"]


def test_json_lines_say_the_same(higgs, tmp_path):
    path = tmp_path / "graphs.jsonl"
    path.write_text(json.dumps(as_json(HIGGS)) + "\n\n" + json.dumps(as_json(HIGGS)) + "\n")
    assert list(read_graphs(path)) == [higgs, higgs]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('dep="X12"', 'dep="X99"', 3),
        ('lab="R11"/>', 'lab="R99"/>', 3),
        ('<loc id="w26"/></span>', '<loc id="w99"/></span>', 3),
        ('<node sym="X5">', "<node>", 19),
        ('<loc id="w2"/></span>', '<loc id="two"/></span>', 19),
        ("</box>", "", 50),
    ],
)
def test_a_broken_file_is_told_with_its_line(tmp_path, old, new, line):
    path = tmp_path / "broken.xml"
    text = HIGGS.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(FormatError) as caught:
        list(read_graphs(path))
    assert caught.value.line == line, str(caught.value)
    assert caught.value.path == path
    assert caught.value.remedy


@pytest.mark.parametrize(
    "text", ["{", '{"tokens": ["a"]}', '{"tokens": ["a"], "nodes": [], "relations": {}, "edges": []}']
)
def test_a_broken_line_of_json_is_told_with_its_number(tmp_path, text):
    path = tmp_path / "broken.jsonl"
    path.write_text(json.dumps(as_json(HIGGS)) + "\n" + text + "\n")
    with pytest.raises(FormatError) as caught:
        list(read_graphs(path))
    assert caught.value.line == 2


@pytest.mark.parametrize("text", ["", "no graph at all"])
def test_a_file_without_graphs_is_an_error(tmp_path, text):
    path = tmp_path / "empty"
    path.write_text(text)
    with pytest.raises(FormatError):
        list(read_graphs(path))


@pytest.mark.parametrize("kind", ["tags", "tokens", "positions", "predicates", "relations", "edges"])
@pytest.mark.parametrize("value", [7, None, 1.5, [2], True, -1])
def test_values_of_another_kind_in_json_are_refused(tmp_path, kind, value):
    graph = as_json(HIGGS)
    node, relation = next(iter(graph["nodes"].values())), next(iter(graph["relations"].values()))
    place, key = {
        "tags": (graph["tags"], 0),
        "tokens": (graph["tokens"], 0),
        "positions": (node["positions"], 0),
        "predicates": (node["predicates"][0], 0),
        "relations": (relation, "predicate"),
        "edges": (graph["edges"][0], 2),
    }[kind]
    place[key] = "x" if kind == "positions" and value == 7 else value
    path = tmp_path / "graphs.jsonl"
    path.write_text(json.dumps(graph) + "\n")
    with pytest.raises(FormatError, match="invalid graph: expected a list of"):
        list(read_graphs(path))
