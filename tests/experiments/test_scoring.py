"""The stronger model's scores of skeletons and sentences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from rescore.joint.conftest import random_model

from experiments.study.config import Study
from experiments.study.scoring import JOINT, TRANSFORMER, perplexities_stage, scorers_stage, scoring
from experiments.study.sentences import DEVELOPMENT, StudySentence
from lattice_simp.pipeline.shards import write_shard
from lattice_simp.pipeline.stage import Run
from lattice_simp.rescore import JointScorer
from lattice_simp.rescore.neural import training
from lattice_simp.skeleton import Skeleton

HYPOTHESES = ["a c", "b", "g e a"]


@pytest.fixture
def models(tmp_path):
    random_model(4).write(tmp_path / JOINT)
    return tmp_path


def test_the_joint_model_reads_a_skeleton_within_its_sentence(models):
    scorer, skeleton = JointScorer(random_model(4)), Skeleton.from_mask("101", ("s0", "s1", "s2"))
    split = [words.split() for words in HYPOTHESES]
    within = scoring(models, [JOINT])(skeleton, HYPOTHESES)
    assert within.names == ("Joint",)
    expected = scorer.score_part(["s0", "s1", "s2"], np.array([True, False, True]), split)
    assert within.features[:, 0] == pytest.approx(-expected)
    alone = scoring(models, [JOINT], within=False)(skeleton, HYPOTHESES)
    assert alone.features[:, 0] == pytest.approx(-scorer.score(["s0", "s2"], split))
    assert np.abs(alone.features - within.features).max() > 0.01


def test_a_whole_sentence_is_scored_alike_either_way(models):
    sentence = Skeleton.from_mask("11", ("s0", "s3"))
    both = [scoring(models, [JOINT], within=within)(sentence, HYPOTHESES).features for within in (True, False)]
    assert both[0] == pytest.approx(both[1])


def test_settings_of_the_joint_model():
    assert Study(joint={"epochs": 0.5, "precision": "bf16"}).joint["epochs"] == 0.5
    with pytest.raises(ValueError, match="epoch"):
        Study(joint={"epoch": 1})
    with_it = [scorers_stage(Study(scorers=("model1", JOINT), joint={"epochs": epochs})).settings for epochs in (1, 2)]
    without = [scorers_stage(Study(scorers=("model1",), joint={"epochs": epochs})).settings for epochs in (1, 2)]
    assert with_it[0] != with_it[1]
    assert without[0] == without[1]


def test_the_transformer_is_trained_on_the_pairs_of_the_study(tmp_path, monkeypatch):
    settings = {"vocabulary": 100, "layers": 2, "schedule": "cosine"}
    study = Study(scorers=(TRANSFORMER,), transformer=settings)
    with pytest.raises(ValueError, match="layer"):
        Study(transformer={"layer": 2})
    columns = {"source": ["a b", "c"], "target": ["x", "y z"]}
    write_shard(tmp_path / "prepare" / "000000.parquet", columns)
    seen = []

    def train(chosen, say):
        seen.append((chosen.vocabulary, chosen.schedule))
        seen.extend(Path(file).read_text(encoding="utf-8").splitlines() for file in (chosen.source, chosen.target))
        model = Path(chosen.output) / "model"
        model.mkdir()
        return model

    monkeypatch.setattr(training, "train", train)
    stage = scorers_stage(study)
    assert "prepare" in stage.needs
    assert "prepare" not in scorers_stage(Study()).needs
    folder = tmp_path / "scorers"
    folder.mkdir()
    stage.work(Run(folders={"prepare": tmp_path / "prepare"}), folder)
    assert seen == [(100, "cosine"), columns["source"], columns["target"]]
    assert [path.name for path in folder.iterdir()] == [TRANSFORMER]
    assert stage.settings != scorers_stage(Study(scorers=(TRANSFORMER,), transformer={"layers": 3})).settings


def test_perplexities_are_of_the_references_and_their_ends(models, tmp_path):
    scorer = JointScorer(random_model(4))
    texts = [("s0 s1", "a c"), ("s2 s3 s1", "g e a b")]
    sentences = [StudySentence(tuple(source.split()), (text, "h"), (text, "h"), {}) for source, text in texts]
    stage = perplexities_stage(Study(scorers=(JOINT, "model1")), {DEVELOPMENT: sentences, "other": sentences[:1]}, [])
    result = stage.work(Run(folders={"scorers": models}), tmp_path)
    costs = [scorer.score(source.split(), [text.split()])[0] for source, text in texts]
    assert result["perplexities"] == {"Joint": pytest.approx(np.exp(sum(costs) / 8), abs=1e-3)}
    assert result["tokens"] == 8
