"""The experiment that combines a study's systems, on a made-up study."""

from __future__ import annotations

import json

import numpy as np
import pytest

from experiments.files import sentence_file
from experiments.paraphrase.combination import (
    COMBINED,
    SHARPNESS,
    Choice,
    Combiner,
    StudySet,
    choose,
    combination_parts,
    combination_stage,
    read_combination,
    read_lists,
    scales_of,
    system_folders,
)
from experiments.study.nbest import Nbest
from lattice_simp import Hypothesis, LatticeSimpError
from lattice_simp.metrics import Lines
from lattice_simp.pipeline.runner import run_stages
from lattice_simp.pipeline.stage import Run
from lattice_simp.systems.combination.methods import METHODS
from lattice_simp.text.tokeniser import Tokeniser
from lattice_simp.translate.model_files import write_weights

WORDS = "the cat saw a dog in this small old house today and left".split()
COUNT = 24
LM = "\\data\\\nngram 1=4\n\\1-grams:\n-1 <unk>\n0 <s> 0\n-1 the\n-0.5 </s>\n\\end\\\n"


def sentences(seed):
    rng = np.random.default_rng(seed)
    return [[str(word) for word in rng.choice(WORDS, int(rng.integers(6, 10)))] for _ in range(COUNT)]


def damaged(line, rng):
    """Returns a line with one changed word, at a different place for each system."""
    results = list(line)
    results[int(rng.integers(len(results)))] = "x"
    return results


@pytest.fixture
def study(tmp_path):
    """A study whose systems make one error each, in different places."""
    data, work = tmp_path / "data", tmp_path / "build"
    data.mkdir()
    model = work / "model.1"
    model.mkdir(parents=True)
    (model / "lm.arpa").write_text(LM)
    (model / "text.json").write_text(json.dumps({"source_language": "en", "target_language": "fr", "case": "lower"}))
    config = {
        "data": "nowhere",
        "work": str(work),
        "corpora": [{"name": "none", "source": "a", "target": "b"}],
        "text": {"source_language": "en"},
    }
    config["text"] |= {"target_language": "fr", "case": "lower"}
    sets = {"development": sentences(1), "test": sentences(2)}
    for name, lines in sets.items():
        for language in ("en", "fr"):
            (data / f"{name}.{language}").write_text("".join(" ".join(line) + "\n" for line in lines))
    files = {name: {"name": name, "source": f"{name}.en", "references": [f"{name}.fr"]} for name in sets}
    config |= {"tune": {"development": files["development"]}, "test": [files["test"]]}
    (work / "config.yaml").write_text(json.dumps(config))
    for seed, stage in enumerate(("translated-plain.a", "translated-gc-strong.a", "rescored-plain.b"), 10):
        folder, rng = work / stage, np.random.default_rng(seed)
        folder.mkdir()
        if stage.startswith("rescored"):
            write_weights(folder / "weights.tsv", {"Decoder": 0.5, "Strong": 1.0})
        for name, lines in sets.items():
            for number, line in enumerate(lines):
                results = [" ".join(damaged(line, rng)) for _ in range(2)]
                nbest = Nbest(
                    list(dict.fromkeys(results)),
                    np.array([[-1.0, 0.0], [-2.0, 0.0]])[: len(set(results))],
                    ("Decoder", "Strong"),
                )
                nbest = (
                    nbest if stage.startswith("rescored") else Nbest(nbest.words, nbest.features[:, :1], ("Decoder",))
                )
                nbest.write(sentence_file(folder, number, name))
    for folder in work.iterdir():
        if folder.is_dir():
            (folder / "stage.json").write_text("{}")
    return work


@pytest.mark.slow
def test_systems_that_err_in_different_places_gain_together(study, tmp_path):
    stage = combination_stage(study, str(tmp_path / "data"))
    done = run_stages([stage], tmp_path / "work", Run())
    figures = read_combination(done.folders["combination"])
    assert figures["combination_gain_bleu"] > 10
    assert figures["combination_gain_p"] < 0.05
    result = figures["combination"]
    assert list(result["test"]) == ["plain", "gc-strong", "plain+rescored", COMBINED]
    assert result["baseline"] == max(result["development_singles"], key=result["development_singles"].get)
    assert result["test"][result["baseline"]]["BLEU-tok"]["gain"] is None
    best = max(row["bleu"] for row in result["choices"])
    assert next(row for row in result["choices"] if row["bleu"] == best)["method"] == result["choice"]["method"]
    page = "\n\n".join(combination_parts(result))
    assert f"| combined | {result['test'][COMBINED]['BLEU-tok']['value']:.2f} |" in page


def test_a_study_without_outputs_is_reported(tmp_path):
    with pytest.raises(LatticeSimpError, match="make study-en-fr"):
        system_folders(tmp_path)


def test_only_what_is_done_counts_and_the_last_of_it(study):
    (study / "translated-plain.z.partial").mkdir()
    (study / "translated-plain.z.partial" / "stage.json").write_text("{}")
    assert system_folders(study)["plain"].name == "translated-plain.a"
    sentence_file(study / "translated-plain.a", 3, "test").unlink()
    with pytest.raises(LatticeSimpError, match="is missing"):
        read_lists(study / "translated-plain.a", "test", COUNT)


def test_lists_are_in_the_order_of_the_tuned_weights(study):
    folder = study / "rescored-plain.b"
    write_weights(folder / "weights.tsv", {"Decoder": -1.0, "Strong": 0.0})
    result = read_lists(folder, "test", COUNT)[0]
    assert [entry.cost for entry in result] == sorted(entry.cost for entry in result)
    assert result[0].cost == -2.0


def test_scales_make_lists_alike():
    lists = {"one": [[Hypothesis(("a",), 0.0), Hypothesis(("b",), 4.0)]], "two": [[Hypothesis(("a",), 1.0)]]}
    scales = scales_of(StudySet(lists, [[["a"]]], Lines(["a"])))
    assert scales["one"] == 0.25
    assert np.isfinite(scales["two"])


def test_cross_validation_never_sees_the_half_it_translates(monkeypatch):
    lists = {name: [[Hypothesis((f"{name}{number}",))] for number in range(6)] for name in ("one", "two")}
    lines = [str(number) for number in range(6)]
    arguments = StudySet(lists, [[[line]] for line in lines], Lines(lines))
    seen = []

    def tuned(self, choice, part):
        seen.append({entries[0].text[3:] for entries in part.lists["one"]})
        return {"Words": 0.0}

    def translate(self, choice, part, weights):
        numbers = [entries[0].text[3:] for entries in part.lists["one"]]
        assert not seen[-1] & set(numbers)
        return numbers

    monkeypatch.setattr(Combiner, "tuned", tuned)
    monkeypatch.setattr(Combiner, "translate", translate)
    combiner = Combiner(None, {"one": 1.0, "two": 1.0}, Tokeniser("en"))
    assert combiner.cross_validated(Choice("union", ("one", "two"), False), arguments) == lines
    choice, rows = choose(combiner, arguments)
    assert not choice.lm
    assert len(rows) == len(METHODS) + len(SHARPNESS) - 1
