"""`python -m experiments.confidence`: measures whether words with high confidence are right."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.confidence.measure import bins, calibrated, calibration, cross_entropy, measured, right_words
from experiments.confidence.report import page
from experiments.experiment import Experiment, Results, program
from experiments.files import read_records, write_lines
from lattice_simp import Hypothesis, Lattice, ngram_posteriors, read_nbest, word_confidences
from lattice_simp.core.kernel import Bools, Floats
from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.textio import read_lines
from lattice_simp.text.tokeniser import model_tokenisers
from lattice_simp.train.tuning import evenly_spread

PLACE, ANYWHERE = "at its place", "anywhere"


@dataclass(frozen=True)
class Sentence:
    """The n-best list of a sentence, its best hypothesis, and which of its words are right."""

    lattice: Lattice
    best: Hypothesis
    right: Bools

    def confidences(self, kind: str, scale: float) -> Floats:
        """Returns the confidence in each word of the best hypothesis."""
        if kind == PLACE:
            return word_confidences(self.lattice, self.best.tokens, scale)
        shares = ngram_posteriors(self.lattice, 1, scale).to_dict()
        return np.array([shares[word,] for word in self.best.tokens])


def confidence(experiment: Experiment) -> Results:
    """Does the missing translation, and measures."""
    config = experiment.settings()
    sentences = list(_sentences(config))
    chosen, others = sentences[: config["chosen_on"]], sentences[config["chosen_on"] :]
    right = np.concatenate([sentence.right for sentence in others])
    kinds = {}
    for kind in (PLACE, ANYWHERE):
        scale = min(config["scales"], key=lambda scale: cross_entropy(*_together(chosen, kind, scale)))
        confidences, _ = _together(others, kind, scale)
        means = [float(sentence.confidences(kind, scale).mean()) for sentence in others]
        correlation = float(np.corrcoef(means, [sentence.right.mean() for sentence in others])[0, 1])
        line = calibration(*_together(chosen, kind, scale))
        row = {"scale": scale, **measured(confidences, right), "sentence_correlation": round(correlation, 4)}
        row["calibrated_cross_entropy"] = round(cross_entropy(calibrated(confidences, *line), right), 4)
        kinds[kind] = {**row, "bins": bins(confidences, right)}
    constant = np.full(len(right), np.concatenate([sentence.right for sentence in chosen]).mean())
    figures = {
        "sentences": len(others),
        "words": len(right),
        "right": round(float(right.mean()), 4),
        "kinds": kinds,
        "constant_cross_entropy": round(cross_entropy(constant, right), 4),
    }
    return Results("Confidence in words", figures, page(figures, config))


def _together(sentences: Sequence[Sentence], kind: str, scale: float) -> tuple[Floats, Bools]:
    """Returns the confidences in the words of some sentences, and whether they are right."""
    confidences = np.concatenate([sentence.confidences(kind, scale) for sentence in sentences])
    return confidences, np.concatenate([sentence.right for sentence in sentences])


def _sentences(config: Mapping[str, Any]) -> Sequence[Sentence]:
    data, work, model = (Path(config[name]) for name in ("data", "work", "model"))
    rows = read_records(data / config["sentences"])
    seen = set(evenly_spread(range(len(rows)), config["tested_on"]))
    rows = evenly_spread([row for number, row in enumerate(rows) if number not in seen], config["count"])
    texts = {name: list(read_lines(data / config[name])) for name in ("source", "reference")}
    work.mkdir(parents=True, exist_ok=True)
    nbest = work / "full.nbest"
    if not nbest.exists():
        write_lines(work / "source.txt", [texts["source"][row["line"]] for row in rows])
        words = ["translate", model, "--input", work / "source.txt", "--output", work / "best.txt"]
        words += ["--nbest", config["nbest"], "--nbest-output", nbest, "--resume"]
        if subprocess.run([sys.executable, "-m", "lattice_simp", *map(str, words)], check=False).returncode:
            raise LatticeSimpError(f"{model} did not translate (train it first: make study-en-fr)")
    target = model_tokenisers(model)[1]
    sentences = []
    for row, entries in zip(rows, read_nbest(nbest), strict=True):
        best = min(entries, key=lambda entry: entry.cost)
        reference = target.tokens(texts["reference"][row["line"]]).split()
        sentences.append(Sentence(Lattice.from_nbest(entries), best, right_words(best.tokens, reference)))
    return sentences


main = program(__file__, __doc__, confidence)

if __name__ == "__main__":
    main()
