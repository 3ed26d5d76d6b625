"""The experiment with expanded references."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from experiments.paraphrase.references import (
    CONDITIONS,
    GIVEN,
    RECOMBINED,
    SYSTEMS,
    Case,
    Scores,
    agreement,
    correlations,
    damaged,
    edit_scores,
    human_cases,
    kendall,
    metric_scores,
    paired_tau,
    references_parts,
    system_folders,
)
from lattice_simp import Hypothesis, LatticeSimpError, Tree, recombine
from lattice_simp.metrics import chrf
from lattice_simp.pipeline.stage import Run


def tree(text):
    return Tree.from_brackets(f"(S {' '.join(f'(NN {word})' for word in text.split())})")


def test_kendall_by_pairs():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        first, other = (rng.integers(0, 4, 7).astype(float) for _ in range(2))
        signs = [
            (np.sign(first[i] - first[j]), np.sign(other[i] - other[j])) for i, j in itertools.combinations(range(7), 2)
        ]
        below = np.sqrt(sum(a != 0 for a, _ in signs) * sum(b != 0 for _, b in signs))
        assert kendall(first, other) == pytest.approx(sum(a * b for a, b in signs) / below), seed


def test_a_perfect_judge_agrees_with_itself():
    rng = np.random.default_rng(0)
    scores = Scores(rng.random((3, 20)), rng.random(3))
    assert list(agreement(scores, scores).values()) == pytest.approx([1.0] * 4)
    flipped = Scores(-scores.sentences, -scores.systems)
    assert list(agreement(scores, flipped).values()) == pytest.approx([-1.0] * 4)
    assert paired_tau(scores.sentences, np.ones((3, 20))) == 0.0


def test_scores_of_systems_are_those_of_each_by_itself():
    outputs = {"one": ["a b", "c d e"], "two": ["a x", "c d y"]}
    references, result = [["a b", "c d f"]], {"one": ["a b", "c d e"], "two": ["q", "q"]}
    actual = metric_scores(chrf(2), outputs, references, result)
    for row, (name, lines) in enumerate(outputs.items()):
        expected = metric_scores(chrf(2), {name: lines}, references, {name: result[name]})
        assert actual.sentences[row].tolist() == expected.sentences[0].tolist()
        assert actual.systems[row] == expected.systems[0]
    assert edit_scores(outputs, ["a b", "c d"]).sentences.tolist() == [[0.0, -0.5], [-0.5, -0.5]]


WORDS = list("abcdefgh")


def random_sets(seed, count):
    rng = np.random.default_rng(seed)
    texts = [[" ".join(rng.choice(WORDS, 5).tolist()) for _ in range(4)] for _ in range(count)]
    return texts, [[tree(text) for text in string] for string in texts]


def test_large_expansions_are_counted_and_conditions_differ():
    texts, sets = random_sets(3, 12)
    outputs = {name: [" ".join(text[0].split()[start:]) for text in texts] for start, name in enumerate(("one", "two"))}

    def expand(trees):
        if trees[0].tokens == tuple(texts[0][0].split()):
            raise LatticeSimpError("too large")
        return recombine(Hypothesis(tree.tokens) for tree in trees)

    cases = [Case(outputs, (0, 1, 2), 3), Case(outputs, (0, 1, 3), 2), Case(outputs, (1, 2, 3), 0)]
    result = correlations(cases, sets, expand, Run())
    assert (result["sentences"], result["cases"], result["failed"]) == (12, 3, 2)
    by_condition = {name: [row for row in result["rows"] if row["references"] == name] for name in CONDITIONS}
    assert {len(rows) for rows in by_condition.values()} == {4}
    assert all(len(row["by_case"]) == 3 for row in result["rows"])
    assert by_condition[GIVEN] != by_condition[RECOMBINED]
    assert {row["better"] for row in by_condition[GIVEN]} == {0}
    page = "\n".join(references_parts({SYSTEMS: result}))
    assert "2 expansions were too large" in page
    assert "means of 3\ncases" in page


def test_no_case_gives_what_judges_or_is_judged():
    texts, _ = random_sets(4, 3)
    cases = human_cases(texts, 1)
    assert len(cases) == 12
    for case in cases:
        human = next(number for number in range(4) if case.outputs["0% damaged"] == [text[number] for text in texts])
        assert sorted([human, case.judge, *case.known]) == [0, 1, 2, 3]


def test_damage_is_of_the_share_and_keeps_no_other_words():
    lines = [" ".join(np.random.default_rng(n).choice(WORDS, 50).tolist()) for n in range(50)]
    for share in (0.1, 0.3):
        result = damaged(lines, share, 5)
        assert result == damaged(lines, share, 5)
        lost = sum(len(line.split()) - len(other.split()) for line, other in zip(lines, result, strict=True))
        assert lost / 2500 == pytest.approx(share / 2, abs=0.02)
        assert not any(
            Counter(other.split()) - Counter(line.split()) for line, other in zip(lines, result, strict=True)
        )


def test_translations_count_where_there_are_two(tmp_path):
    assert system_folders(tmp_path) == {}
    for name in ("plain.a", "plain.b", "gappy.a", "simplified.c.partial"):
        folder = tmp_path / f"translated-{name}"
        folder.mkdir()
        (folder / "stage.json").write_text("{}")
    assert set(system_folders(tmp_path)) == {"plain", "gappy"}
