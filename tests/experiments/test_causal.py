"""The experiment with a causal language model, with a stand-in for the model."""

from __future__ import annotations

import numpy as np

from experiments.causal import stages
from experiments.causal.model import PROMPTED, scorer_settings, translation_prompt
from experiments.causal.report import ALONE, BOTH, HIERO, outputs, page, set_figures
from experiments.experiment import stage_costs
from experiments.report import signatures_of
from experiments.transformer.sets import SentenceSet
from experiments.transformer.stages import Entry
from lattice_simp.metrics import Lines
from lattice_simp.pipeline.runner import Done, run_stages
from lattice_simp.pipeline.stage import Run
from lattice_simp.text.tokeniser import Tokeniser

SENTENCES = SentenceSet("toy", ("the cat slept", "the cat"), Lines(("le chat dormait", "le chat"), ("A", "B")))
RULES = """[X] ||| the cat ||| le chat ||| P=-0.1 ||| 0-0 1-1
[X] ||| the cat ||| un chat noir ||| P=-0.3 ||| 0-0 1-1
[X] ||| slept ||| dormait ||| P=-0.6 ||| 0-0
"""
ARPA = "\\data\\\nngram 1=4\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\n-1\t</s>\n-1\tle\n\n\\end\\\n"
TUNED = "feature\tweight\nP\t1.0\nLM\t0.01\nOOV\t1.0\nGlue\t0.0\nWordPenalty\t0.0\n"


def test_the_prompt_shows_the_first_short_pairs(tmp_path):
    german = "Ein Hund .\nEin sehr langer Satz steht hier .\nEine Katze .\nUnd so .\n"
    (tmp_path / "de").write_text(german, encoding="utf-8")
    (tmp_path / "en").write_text("A dog .\nA very long sentence is here .\nA cat .\nAnd so .\n", encoding="utf-8")
    prompt = translation_prompt((tmp_path / "de", tmp_path / "en"), ("de", "en"), 2, 4)
    shown = "German: Ein Hund .\nEnglish: A dog .\nGerman: Eine Katze .\nEnglish: A cat .\n"
    assert prompt == shown + "German: {source}\nEnglish:"
    settings = scorer_settings(prompt, ("de", "en"))
    assert settings.needs_source
    assert (settings.between, settings.end, settings.detokenise) == (" ", "\n", {"source": "de", "target": "en"})
    assert scorer_settings("", ("de", "en")).between == ""


def test_rows_choose_by_the_weighted_costs():
    entries = (Entry("a", 1.0, 5.0), Entry("b", 2.0, 1.0), Entry("c", 9.0, 0.5))
    rows = outputs({PROMPTED: [(entries, 0.1)]}, {PROMPTED: 0.5})
    assert rows == {HIERO: ["a"], ALONE[PROMPTED]: ["c"], BOTH[PROMPTED]: ["b"]}
    assert outputs({PROMPTED: [(entries, 0.1)]}, {PROMPTED: 0.1})[BOTH[PROMPTED]] == ["a"]


class Length:
    """A scorer that prefers short hypotheses."""

    def score(self, source, hypotheses):
        return np.array([float(len(words)) for words in hypotheses])


def test_lists_are_scored_measured_and_laid_out(tmp_path, monkeypatch):
    hiero = tmp_path / "hiero"
    hiero.mkdir()
    for name, text in (("rules", RULES), ("lm.arpa", ARPA), ("weights.tsv", TUNED)):
        (hiero / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(stages, "read_scorer", lambda settings, dtype: Length())
    values = {"beam": 8.0, "max_arcs": 200, "nbest": 5, "dtype": "float32"}
    values |= {"weights": {PROMPTED: 0.5}, "tests": {"toy": "made up"}}
    settings = {PROMPTED: scorer_settings("{source}:", ("en", "en"))}
    decoded, scored = stages.stages_of(SENTENCES, hiero, values, settings)
    before = Done({"tune": hiero}, {"tune": {"key": "toy"}})
    done = run_stages([decoded], tmp_path / "work", Run(), done=before)
    score = stages._scorer(settings[PROMPTED], "float32", values["nbest"], done.folders[decoded.name], tmp_path)
    for number, line in enumerate(SENTENCES.sources):
        score((number, tuple(line.split())))
    lists = {PROMPTED: stages.read_lists({scored.name: tmp_path}, SENTENCES, PROMPTED)}
    assert all(entry.model_cost == len(entry.words.split()) for entries, _ in lists[PROMPTED] for entry in entries)
    measurements = SENTENCES.measured(outputs(lists, values["weights"]), Tokeniser("en"))
    figures = {
        "choices": {"sentences": 2, "hiero": 1.0, "weights": {PROMPTED: {"weight": 0.5, "before": 1.0, "after": 2.0}}},
        "sets": {"toy": set_figures(measurements, lists)},
        "signatures": signatures_of(measurements.metrics),
        "stages": stage_costs(done.records | {"tune": done.records[decoded.name]}),
    }
    text = "\n".join(page(figures, values))
    assert "made up; n = 2" in text
    assert BOTH[PROMPTED] in text
    assert "The experiment uses 0.5" in text
