"""From graphs in files to simpler sentences, through the library."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from higgs_model import write_model

import lattice_simp as ls
from lattice_simp.pipeline.runner import run_stages
from lattice_simp.pipeline.stage import Run
from lattice_simp.systems.simplify import SemanticGraph, dependency_graph
from lattice_simp.systems.simplify.operations import OperationModel
from lattice_simp.systems.simplify.stages import operations_stage
from lattice_simp.train.config import Config

HIGGS = Path(__file__).parent / "higgs.xml"

SIMPLE = (
    "In 1964 Peter Higgs wrote his paper explaining Higgs mechanism . "
    "Higgs mechanism predicted a new elementary particle ."
)


@pytest.fixture(scope="module")
def simplifier(tmp_path_factory):
    return replace(ls.Simplifier.load(write_model(tmp_path_factory.mktemp("higgs"))), mode="bold")


@pytest.fixture(scope="module")
def higgs():
    (graph,) = ls.read_graphs(HIGGS)
    return graph


@pytest.mark.parametrize("search", ["greedy", "joint"])
def test_the_sentence_of_the_paper(simplifier, higgs, search):
    best = replace(simplifier, search=search).simplify(higgs)[0]
    assert best.text == SIMPLE
    assert [(split.kind, split.roles) for split in best.splits] == [
        ("event", (("agent", "in", "in", "patient"), ("agent", "for", "patient")))
    ]
    deleted = [" ".join(best.source[position] for position in deletion.positions) for deletion in best.deletions]
    assert sorted(deleted) == ["for the first time", "in Physical Review Letters", "massive", "second", "spin-zero"]
    assert not best.note
    assert not best.problem


def test_the_date_moves_to_the_end_as_in_the_paper(tmp_path, higgs):
    model = ls.Simplifier.load(write_model(tmp_path, swaps=True))
    best = replace(model, mode="bold", search="greedy").simplify(higgs)[0]
    assert best.text == (
        "Peter Higgs wrote his paper explaining Higgs mechanism in 1964 . "
        "Higgs mechanism predicted a new elementary particle ."
    )
    assert [reordering.first for reordering in best.reorderings] == [("in", "1964")]


def test_steps_of_the_paper(simplifier, higgs):
    texts = {
        stages: replace(simplifier, search="greedy", stages=stages).simplify(higgs)[0].text
        for stages in (("split",), ("split", "delete"))
    }
    assert texts == {
        ("split",): (
            "In 1964 Peter Higgs published his second paper in Physical Review Letters describing Higgs mechanism . "
            "Higgs mechanism predicted a new massive spin-zero boson for the first time ."
        ),
        ("split", "delete"): (
            "In 1964 Peter Higgs published his paper describing Higgs mechanism . "
            "Higgs mechanism predicted a new boson ."
        ),
    }


def test_a_graph_without_nodes_leaves_substitution(simplifier):
    words = tuple("He quickly published the old paper , which was long .".split())
    (best,) = simplifier.simplify(SemanticGraph(words, (), ()))
    assert best.text == "He quickly wrote the old paper , which was long ."
    assert (best.note, best.problem, best.splits, best.deletions) == ("no semantic graph", "", (), ())


def test_too_long_to_parse_leaves_substitution(simplifier):
    long = ["published"] * 101
    (best,) = simplifier.simplify(long)
    assert [word.lower() for word in best.tokens] == ["wrote"] * 101
    assert "101 tokens, more than the 100" in best.note
    alone = replace(simplifier, stages=("split", "delete")).simplify(long)[0]
    assert (alone.tokens, alone.note) == (tuple(long), "")
    assert "101 tokens" in alone.problem


def test_graphs_and_text_in_one_stream(simplifier, higgs, parsed):
    plain = parsed("He published a paper .")
    simplifications = simplifier.simplify_all([higgs, plain, higgs.tokens[:0], "He published a paper ."])
    assert [nbest[0].text for nbest in simplifications] == [
        SIMPLE,
        "He wrote a paper .",
        "",
        "He wrote a paper .",
    ]


def test_cautious_mode_also_parses_the_sentence_of_a_graph(higgs, parsed):
    graph = dependency_graph(parsed("The old painter , who lived in Rome for ten years , sold his house ."))
    best = ls.Simplifier.untrained().simplify(graph)[0]
    assert best.text == "The old painter sold his house . The old painter lived in Rome for ten years ."
    assert [split.kind for split in best.splits] == ["event"]
    best = ls.Simplifier.untrained().simplify(higgs)[0]
    assert best.text == (  # the clause with "which" says which mechanism it was
        "In 1964 Peter Higgs published his second paper in Physical Review Letters . His second paper described Higgs "
        "mechanism which predicted a new massive spin-zero boson for the first time ."
    )


def test_operations_are_learned_from_graphs(tmp_path, higgs):
    """The second sentence has no graph, so it teaches nothing."""
    simple = "In 1964 Higgs published his paper describing Higgs mechanism . Higgs mechanism predicted a new boson ."
    files = {
        "complex": (" ".join(higgs.tokens), "He came , and she left ."),
        "simple": (simple, "He came . She left ."),
    }
    for name, lines in files.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    values = {
        "work": tmp_path / "work",
        "data": tmp_path,
        "corpora": [{"name": "pairs", "source": "complex", "target": "simple"}],
        "text": {"source_language": "en", "target_language": "en", "tokenise": False, "normalise": False},
        "simplify": {"graphs": [HIGGS], "iterations": 5},
    }
    stage = operations_stage(Config.model_validate(values))
    done = run_stages([stage], tmp_path / "work", Run())
    model = OperationModel.read(done.folders["operations"] / "operations.tsv")
    assert {feature[:2] for feature in model.counts if feature[0] == "split"} == {("split", "event")}
    assert model.counts["relation", "2-5", "for"] == (1.0, 1.0)
    assert model.counts["relation", "0-2", "in"] == (0.0, 1.0)
    assert ("orphan", "false", "which") not in model.counts  # the split drops it
