"""`python -m experiments.simplify`: measures systems of text simplification on PWKP and TurkCorpus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.simplify.data import read_sets
from experiments.simplify.measure import measured_stage, read_scores
from experiments.simplify.report import figures, page, programs, read_published
from lattice_simp.pipeline.experiment import Experiment, Results, options, run_experiment
from lattice_simp.pipeline.runner import run_stages


def simplify(experiment: Experiment) -> Results:
    """Measures what is not measured yet."""
    config = experiment.settings()
    sets = read_sets(config)
    stages = {one.name: measured_stage(one, config["samples"]) for one in sets}
    done = run_stages(list(stages.values()), Path(config["work"]), experiment.run)
    documents = {name: read_scores(done.folders[stage.name]) for name, stage in stages.items()}
    published = read_published()
    found = figures(documents, published)
    return Results("Text simplification", found, page(found, sets, published), programs())


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    run_experiment(options("experiments.simplify", __doc__, Path(__file__).parent), arguments, simplify)


if __name__ == "__main__":
    main()
