"""`python -m experiments.causes`: finds why gappy composition as in the paper gains less than with one weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from experiments.causes.failures import failure_figures
from experiments.causes.folds import Fold, run_folds
from experiments.causes.halves import NAMES, study_of
from experiments.causes.report import BLEU, page
from experiments.experiment import Experiment, Results, options, run_experiment
from experiments.halving import by_key, summed_costs
from experiments.report import scores_of
from experiments.study.config import Study
from experiments.study.measuring import compare_by_bleu
from experiments.study.tables import failure_rate
from lattice_simp.train.config import Config

PARTS = ("value", "gain", "p", "gain_interval")
SYSTEM = "gc-strong"


def causes(experiment: Experiment) -> Results:
    """Runs the unfinished stages of training, tuning and translation, and measures."""
    settings = experiment.settings()
    sizes: dict[str, Any] = {}
    records: dict[str, Mapping[str, Any]] = {}
    for name, every in settings["sizes"].items():
        study, config = study_of(settings, every)
        folds = run_folds(study, config, NAMES, experiment.run)
        sizes[name] = size_figures(study, config, folds)
        for fold in folds:
            records |= by_key(fold.done.records)
    figures = {"sizes": sizes, "stages": summed_costs(records)}
    return Results("Gappy composition: what makes the difference", figures, page(figures, settings))


def size_figures(study: Study, config: Config, folds: Sequence[Fold]) -> dict[str, Any]:
    """Returns the figures of the systems of a training."""
    systems = [system.name for system in study.chosen]
    outputs = [fold.outputs(systems) for fold in folds]
    both = {row: [output for fold in outputs for output in fold[row]] for row in outputs[0]}
    sentences = [sentence for fold in folds for sentence in fold.sentences]
    together = scores_of(compare_by_bleu(both, sentences, config), PARTS)
    alone = [
        scores_of(compare_by_bleu(rows, fold.sentences, config)) for rows, fold in zip(outputs, folds, strict=True)
    ]
    rows = {
        row: {
            "score": together[row][BLEU],
            "gains": [scores[row][BLEU]["gain"] for scores in alone],
            "failed": failure_rate(both[row]) if any(output.reachable is not None for output in both[row]) else None,
        }
        for row in both
    }
    pairs = folds[0].done.records["prepare"]["pairs"]
    failures = failure_figures(study, folds, SYSTEM)
    return {"pairs": pairs, "sentences": len(sentences), "rows": rows, "failures": failures}


main = partial(run_experiment, options("experiments.causes", __doc__, Path(__file__).parent), causes)

if __name__ == "__main__":
    main()
