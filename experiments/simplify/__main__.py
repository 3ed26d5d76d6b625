"""`python -m experiments.simplify`: measures systems of text simplification on PWKP and TurkCorpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from experiments.simplify.corpora import corpora_stage
from experiments.simplify.data import read_sets
from experiments.simplify.measure import measured_stage, read_scores
from experiments.simplify.report import figures, page, programs, read_published
from experiments.simplify.systems import SYSTEMS, file_name, outputs_stage, trained
from lattice_simp.pipeline.experiment import Experiment, Results, options, run_experiment, stage_table
from lattice_simp.pipeline.runner import run_stages


def simplify(experiment: Experiment) -> Results:
    """Trains and tunes our models, runs all systems on all sets, and measures what is not measured yet."""
    config = experiment.settings()
    work = Path(config["work"])
    done = run_stages([corpora_stage(config)], work, experiment.run)
    records = dict(done.records)
    sets = []
    for one in read_sets(config, done.folders["corpora"]):
        trained_config, model = trained(config, one.model, done.folders["corpora"], experiment.run)
        stage = outputs_stage(one.name, one.given, trained_config.model_folder, model.folders["simplifier"])
        written = run_stages([stage], work, experiment.run)
        records |= {**model.records, **written.records}
        own = {f"ours: {name}": written.folders[stage.name] / file_name(name) for name in SYSTEMS}
        sets.append(replace(one, outputs={**one.outputs, **own}))
    stages = {one.name: measured_stage(one, config["samples"]) for one in sets}
    measured = run_stages(list(stages.values()), work, experiment.run)
    documents = {name: read_scores(measured.folders[stage.name]) for name, stage in stages.items()}
    published = read_published()
    found = figures(documents, published)
    return Results("Text simplification", found, [*page(found, sets, published), stage_table(records)], programs())


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    run_experiment(options("experiments.simplify", __doc__, Path(__file__).parent), arguments, simplify)


if __name__ == "__main__":
    main()
