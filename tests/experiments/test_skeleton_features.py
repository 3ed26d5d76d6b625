"""The experiment on weights of skeletons: the choice of sentences, separate halves, and a toy run."""

from __future__ import annotations

import pytest
from train.toy import toy_results, toy_tokens, write_toy_experiment

from experiments.skeleton_features import __main__ as program
from experiments.skeleton_features.__main__ import chosen_skeletons, half_of, write_texts
from experiments.skeleton_features.systems import stages_of, starting_weights, weights_name
from lattice_simp.skeleton import Skeleton, SkeletonRecord, write_skeletons
from lattice_simp.support.textio import read_lines

SETTINGS = {
    "pairs": {"toy": 150},
    "development": {"name": "dev", "source": "dev.fr", "references": ["dev.en"], "skeletons": "dev.jsonl"},
    "judgement": 1,
    "max_words": 8,
    "sentences": 6,
    "systems": {
        "plain": {},
        "one weight": {"start": "plain"},
        "LM": {"start": "one weight", "features": ["LM"]},
        "all features": {"start": "one weight", "features": "all"},
    },
    "baseline": "plain",
    "scalar": "one weight",
    "tune": {"beam": 4, "max_arcs": 500, "max_rounds": 2, "random_directions": 2},
    "decoder": {"skeleton": {"hypotheses": 50}},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("skeleton-features")
    settings = write_toy_experiment(folder, SETTINGS)
    write_skeletons(folder / "dev.jsonl", list(records(folder)))
    write_texts(settings, folder, folder / "work")
    return folder


def records(folder):
    """Yields two judgements of each sentence: without the end, and without the words before the last but one."""
    for line, text in enumerate(read_lines(folder / "dev.fr")):
        words = tuple(toy_tokens(text).split())
        masks = ([True] * (len(words) - 1) + [False], [False] * 2 + [True] * (len(words) - 2))
        yield SkeletonRecord(f"dev.{line}", line, tuple(Skeleton(words, tuple(mask)) for mask in masks))


def lines(path):
    return list(read_lines(path))


def test_sentences_of_moderate_length_are_halved_with_their_skeletons(folder):
    work, sources, references = folder / "work", lines(folder / "dev.fr"), lines(folder / "dev.en")
    short = [line for line, text in enumerate(sources) if len(toy_tokens(text).split()) <= SETTINGS["max_words"]]
    assert 6 < len(short) < len(sources)
    chosen = [short[place * len(short) // 6] for place in range(6)]
    for half in (0, 1):
        part = chosen[half::2]
        assert lines(work / f"half{half}.source") == [sources[line] for line in part]
        assert lines(work / f"half{half}.reference") == [references[line] for line in part]
        masks = lines(work / f"half{half}.masks")
        assert masks == ["00" + "1" * (len(toy_tokens(sources[line]).split()) - 2) for line in part]


def test_sentences_whose_skeleton_is_the_whole_sentence_or_missing_are_left_out(tmp_path):
    words = ("a", "b", "c")
    whole, part = Skeleton.from_mask("111", words), Skeleton.from_mask("101", words)
    kept = [(part, whole), (whole, part), (part,), (whole, part)]
    write_skeletons(tmp_path / "dev.jsonl", [SkeletonRecord(str(n), n, both) for n, both in enumerate(kept)])
    assert chosen_skeletons(SETTINGS, tmp_path / "dev.jsonl") == [(1, part), (3, part)]


def test_a_half_is_translated_with_what_was_tuned_on_the_other_one(folder):
    for number in (0, 1):
        half = half_of(SETTINGS, folder, folder / "work", number)
        assert half.config.tune.development.source.name == half.tuned.source.name == f"half{number}.source"
        assert half.translated.references[0].name == f"half{1 - number}.reference"
        files = {stage.name: {path.name for path in stage.inputs} for stage in stages_of(half)}
        assert files["weights-LM"] == {f"half{number}.{kind}" for kind in ("source", "reference", "masks")}
        assert files["translated-LM"] == {f"half{1 - number}.{kind}" for kind in ("source", "reference", "masks")}
        needs = {stage.name: stage.needs for stage in stages_of(half)}
        assert needs["weights-one-weight"] == ("decoder", "tune")
        assert needs["weights-all-features"] == ("decoder", "weights-one-weight")


def test_weights_begin_with_those_of_the_system_before():
    weights = {"LM": 1.0, "WordPenalty": -0.5, "Skeleton": 0.2}
    assert starting_weights(weights, ()) == weights
    assert starting_weights(weights, ["LM"]) == {**weights, "Skeleton:LM": 0.0}
    assert starting_weights(weights, "all") == {**weights, "Skeleton:LM": 0.0, "Skeleton:WordPenalty": 0.0}
    assert starting_weights({"LM": 1.0}, ()) == {"LM": 1.0, "Skeleton": 0.5}
    assert weights_name("plain", {}) == "tune"


@pytest.mark.slow
@pytest.mark.usefixtures("lmplz")
def test_the_experiment_on_a_toy_pair(folder, capsys):
    figures, page = toy_results(program.main, folder, capsys)
    assert figures["sentences"] == 6
    systems = figures["systems"]
    assert list(systems) == list(SETTINGS["systems"])
    assert systems["plain"]["scores"]["BLEU-tok"]["gain"] is None
    assert systems["one weight"]["over_scalar"]["BLEU-tok"]["gain"] is None
    for half in (0, 1):
        plain, scalar, less, every = (system["halves"][half] for system in systems.values())
        assert plain["skeleton"] == {}
        assert plain["contained"] == 0
        assert list(scalar["skeleton"]) == ["Skeleton"]
        assert set(less["skeleton"]) == {"Skeleton", "Skeleton:LM"}
        assert every["features"] == plain["features"] * 2 + 1
        assert less["tune"]["bleu_before"] == every["tune"]["bleu_before"] == scalar["tune"]["bleu_after"]
        assert every["contained"] > 0
    assert "6 sentences of the development set" in page
