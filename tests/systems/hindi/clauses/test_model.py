"""Clause models on constructed sentences: training, n-best lists, files."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.systems.hindi.clause import Clause, ClauseType, are_nested
from lattice_simp.systems.hindi.clauses import bracket_lattice
from lattice_simp.systems.hindi.clauses.crf import CrfSettings
from lattice_simp.systems.hindi.clauses.features import phrase_features, rule_features, word_features
from lattice_simp.systems.hindi.clauses.labels import clauses_of, is_balanced
from lattice_simp.systems.hindi.clauses.model import ClauseModel, bare, with_punctuation
from lattice_simp.systems.hindi.clauses.scoring import evaluate
from lattice_simp.systems.hindi.rules import rule_clauses
from tests.systems.hindi.clauses.small_sentences import examples_of, sentence_of

pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed (the extra 'hindi')")


@pytest.fixture(scope="module")
def examples():
    return examples_of(1, 60)


@pytest.fixture(scope="module", params=[word_features, phrase_features, rule_features])
def model(request, examples):
    return ClauseModel.train(examples, CrfSettings(max_iterations=40), request.param)


def test_models_learn_what_they_saw(model, examples):
    result = evaluate((model.brackets(sentence), clauses) for sentence, clauses in examples)
    assert result.scores["types"].f1 == 100
    assert result.well_formed == 100


def test_bracketings_are_always_well_formed(model):
    rng = np.random.default_rng(2)
    words = {"NP": ["raam ne", "khaanaa"], "VGF": ["gayaa"], "VGNF": ["khaakar"], "CCP": ["ki", "aur"], "BLK": [","]}
    for _ in range(25):
        tags = rng.choice(list(words), size=rng.integers(1, 9))
        sentence = sentence_of([(str(tag), str(rng.choice(words[tag]))) for tag in tags])
        hypotheses = model.nbest(sentence, 3)
        assert hypotheses
        assert [cost for _, cost in hypotheses] == sorted(cost for _, cost in hypotheses)
        assert len({str(brackets) for brackets, _ in hypotheses}) == len(hypotheses)
        for brackets, _ in hypotheses:
            assert is_balanced(brackets)
        assert are_nested(model.clauses(sentence))


def test_what_no_lattice_has_room_for_is_left_to_the_rules(model, examples, monkeypatch):
    monkeypatch.setattr(bracket_lattice, "MAX_ARCS", 1)
    for sentence, _ in examples[:10]:
        assert model.nbest(sentence, 1) == []
        assert clauses_of(model.brackets(sentence)) == bare(sentence, rule_clauses(sentence))


def test_what_the_automaton_has_forgotten_is_found_again(model, examples, monkeypatch):
    wanted = [model.nbest(sentence, 3) for sentence, _ in examples[:10]]
    monkeypatch.setattr(bracket_lattice, "MAX_KNOWN", 0)
    assert [model.nbest(sentence, 3) for sentence, _ in examples[:10]] == wanted


def test_a_model_reads_as_it_was_written(model, examples, tmp_path):
    model.write(tmp_path / "model")
    again = ClauseModel.read(tmp_path / "model", model.template)
    for sentence, _ in examples[:10]:
        (brackets, cost), (others, other_cost) = model.nbest(sentence, 1)[0], again.nbest(sentence, 1)[0]
        assert brackets == others
        assert cost == pytest.approx(other_cost)


@pytest.mark.parametrize("broken", ["model.json", "merged.crf"])
def test_broken_model_files_are_named(examples, tmp_path, broken):
    model = ClauseModel.train(examples[:20], CrfSettings(max_iterations=2), word_features)
    model.write(tmp_path)
    path = tmp_path / broken
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(FormatError, match=broken):
        ClauseModel.read(tmp_path)
    path.unlink()
    with pytest.raises(FormatError, match=broken):
        ClauseModel.read(tmp_path)


def test_without_examples_nothing_is_trained():
    with pytest.raises(LatticeSimpError, match="no examples"):
        ClauseModel.train([])


def test_each_attribute_stands_once_and_says_where_it_is_from():
    sentence = sentence_of([("NP", "raam ne"), ("VGF", "khaayaa")])
    for template in (word_features, phrase_features):
        assert [len(set(entry)) == len(entry) for entry in template(sentence)] == [True] * 3
    assert "word+2=khaayaa" in word_features(sentence)[0]
    assert "word-2=raam" in word_features(sentence)[2]


def test_models_of_other_features_are_refused(examples, tmp_path):
    model = ClauseModel.train(examples[:20], CrfSettings(max_iterations=2), word_features)
    model.write(tmp_path)
    text = (tmp_path / "model.json").read_text(encoding="utf-8")
    (tmp_path / "model.json").write_text(text.replace('"features": ', '"features": 9'), encoding="utf-8")
    with pytest.raises(FormatError, match=r"model\.json: the model has features of version 91.*train the model again"):
        ClauseModel.read(tmp_path)


def test_the_last_punctuation_goes_to_the_outermost_clause():
    sentence = sentence_of([("NP", "raam"), ("VGF", "soyaa"), ("BLK", "|")])
    clauses = [Clause(0, 2, ClauseType.MAIN), Clause(1, 2, ClauseType.COMPLEMENT)]
    assert with_punctuation(sentence, clauses) == [Clause(0, 3, ClauseType.MAIN), clauses[1]]
    assert bare(sentence, with_punctuation(sentence, clauses)) == clauses
