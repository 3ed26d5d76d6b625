"""`python -m experiments.agreement`: measures the agreement of the two hand-made judgements of each sentence."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from experiments.agreement.measure import TwoJudgements
from experiments.agreement.report import page
from experiments.experiment import Experiment, Results, options, run_experiment
from experiments.report import versions
from lattice_simp.skeleton import read_skeletons


def agreement(experiment: Experiment) -> Results:
    """Measures each set."""
    config = experiment.settings()
    folder = Path(config["data"])
    sets = {
        name: TwoJudgements.of(list(read_skeletons(folder / file))).figures() for name, file in config["sets"].items()
    }
    figures = {"sets": sets}
    return Results("Agreement of two judgements", figures, page(figures, config), versions("crowd-kit", "nltk"))


main = partial(run_experiment, options("experiments.agreement", __doc__, Path(__file__).parent), agreement)

if __name__ == "__main__":
    main()
