"""Automatic skeletons of the test sets of a study: their sources."""

from __future__ import annotations

import json

import pytest
from toy_study import LATE, NEWS, STUDY, toy_config

from experiments.study import making
from experiments.study.making import made_files, made_stage, tapped_skeletons
from experiments.study.sentences import read_sentences
from lattice_simp.pipeline.stage import Run
from lattice_simp.skeleton import Skeleton, SkeletonRecord, read_skeletons

TEXTS = {"dev": ["a b c .", "d e f ."], NEWS: ["g h i ."], LATE: ["j k l .", "m n o ."]}


class Tagger:
    """Records its training sentences, and deletes the word at its own position."""

    trained: list[tuple[str, str]]

    @classmethod
    def train(cls, folder, pairs):
        cls.trained = [(" ".join(parse), skeleton.to_mask()) for parse, skeleton in pairs]
        return cls()

    def skeletons(self, parse, rate, candidates):
        assert (rate, candidates) == (0.5, 2)
        return [Skeleton.from_mask("0111", parse)]


@pytest.fixture
def config(tmp_path, monkeypatch):
    """A config of sets with skeleton files; a parse is the tokens themselves."""
    for name, lines in TEXTS.items():
        records = [{"line": n, "tokens": line.split(), "keep": ["1011", "1101"]} for n, line in enumerate(lines)]
        text = "".join(json.dumps(record) + "\n" for record in records)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    monkeypatch.setattr(making, "parse_sentences", lambda sentences: [tuple(sentence) for sentence in sentences])
    monkeypatch.setattr(making, "parser_name", lambda: "none")
    monkeypatch.setattr(making, "DeletionTagger", Tagger)
    monkeypatch.setattr(
        making, "dependency_skeletons", lambda parse, rate, count: [Skeleton.from_mask("1101", parse)] * count
    )
    result = toy_config(tmp_path)
    development = result.tune.development.model_copy(update={"skeletons": tmp_path / "dev.jsonl"})
    tests = tuple(entry.model_copy(update={"skeletons": tmp_path / f"{entry.name}.jsonl"}) for entry in result.test)
    return result.model_copy(
        update={"tune": result.tune.model_copy(update={"development": development}), "test": tests}
    )


def test_methods_learn_from_the_development_set_and_are_run_on_all_test_sets(config, tmp_path):
    study = STUDY.model_copy(update={"automatic": ("dependency", "tagger"), "rate": 0.5, "candidates": 2})
    stage = made_stage(study, config)
    assert [path.name for path in stage.inputs] == ["dev.jsonl", "news.jsonl", "late.jsonl"]
    folder = tmp_path / "made"
    folder.mkdir()
    assert stage.work(Run(), folder) == {"sentences": 3}
    assert Tagger.trained == [(text, mask) for text in TEXTS["dev"] for mask in ("1011", "1101")]
    values = {
        method: [
            (" ".join(outcome.tokens), [skeleton.to_mask() for skeleton in outcome.skeletons])
            for outcome in read_skeletons(path)
        ]
        for method, path in made_files(study, folder).items()
    }
    texts = [*TEXTS[NEWS], *TEXTS[LATE]]
    assert values["tagger"] == [(text, ["0111"]) for text in texts]
    assert values["dependency"][0][1][0] == "1101"
    assert [text for text, _ in values["dependency"]] == texts


def test_skeletons_made_of_the_file_s_tokens_are_found_by_them(tmp_path):
    """The model's tokens have other quotation marks than the tokens of the skeletons."""
    text = "He said “go” now."
    tokens = "He said “ go ” now .".split()
    for name, content in {
        "source": text + "\n",
        "reference": "x .\n",
        "hand.jsonl": json.dumps({"line": 0, "tokens": tokens, "keep": ["1101111"]}) + "\n",
        "made.jsonl": json.dumps(
            {"line": 0, "tokens": tokens, "keep": ["1111101", "1100011"], "probabilities": [0.75, 0.25]}
        )
        + "\n",
        "text.json": json.dumps({"source_language": "en", "target_language": "fr"}),
    }.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    values = {"name": NEWS, "source": tmp_path / "source", "references": (tmp_path / "reference",)}
    result = toy_config(tmp_path)
    test = result.test[0].model_copy(update={**values, "skeletons": tmp_path / "hand.jsonl"})
    config = result.model_copy(update={"test": (test,)})
    (sentence,) = read_sentences(config, NEWS, tmp_path, {"diverse": tmp_path / "made.jsonl"})
    assert sentence.words == ("he", "said", '"', "go", '"', "now", ".")
    assert [entry.to_mask() for entry in sentence.skeletons["diverse"]] == ["1111101", "1100011"]
    assert sentence.probabilities == {"diverse": (0.75, 0.25)}
    assert sentence.skeletons["hand"][0].words == ("he", "said", "go", '"', "now", ".")


@pytest.mark.parametrize(("kind", "chosen"), [("hand", "1001"), ("hand-long", "1110")])
def test_a_person_taps_on_the_skeleton_that_is_closest_to_the_hand_made_one(kind, chosen):
    words = "the dog barked loudly".split()

    def record(*masks):
        return SkeletonRecord("1", 1, tuple(Skeleton.from_mask(mask, words) for mask in masks))

    made = [[record("0110", "1111")], [record("1001", "1110")]]
    # A skeleton that keeps all words is none.
    assert tapped_skeletons([record("1011", "1111")], made, kind) == [record(chosen)]


def test_the_tapped_skeletons_are_made_after_those_of_all_other_methods(config, tmp_path):
    methods = ("tapped", "dependency", "tagger")
    study = STUDY.model_copy(update={"automatic": methods, "rate": 0.5, "candidates": 2, "skeleton": "hand-long"})
    folder = tmp_path / "made"
    folder.mkdir()
    made_stage(study, config).work(Run(), folder)
    rows = read_skeletons(made_files(study, folder)["tapped"])
    assert [[skeleton.to_mask() for skeleton in row.skeletons] for row in rows] == [["1101"]] * 3
