"""`python -m experiments.simplify`: measures systems of text simplification on PWKP and TurkCorpus."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from experiments.report import STAGES, versions
from experiments.simplify.corpora import corpora_stage
from experiments.simplify.data import Config, TestSet, read_sets
from experiments.simplify.measure import measured_stage, read_scores
from experiments.simplify.report import OURS, costs, figures, page, read_published
from experiments.simplify.systems import file_name, outputs_stage, read_counts, systems_of, trained
from lattice_simp.pipeline.experiment import Experiment, Results, options, run_experiment, stage_costs
from lattice_simp.pipeline.runner import run_stages


def simplify(experiment: Experiment) -> Results:
    """Trains and tunes our models, runs all systems on all sets, and measures what is not measured yet."""
    config = experiment.settings()
    work = Path(config["work"])
    made = run_stages([corpora_stage(config)] if config.get("models") else [], work, experiment.run)
    records = dict(made.records)
    sets, counts = [], {}
    for one in read_sets(config, made.folders.get("corpora", work)):
        if one.model:
            folder, more = _outputs(config, one, made.folders["corpora"], experiment)
            records |= more
            counts[one.name] = read_counts(folder)
            ours = {OURS + system: folder / file_name(system) for system in systems_of(one)}
            one = replace(one, outputs={**one.outputs, **ours})
        sets.append(one)
    stages = {one.name: measured_stage(one, config["samples"]) for one in sets}
    measured = run_stages(list(stages.values()), work, experiment.run)
    documents = {name: read_scores(measured.folders[stage.name]) for name, stage in stages.items()}
    found = {
        **figures(documents, read_published()),
        **costs(counts, records),
        "operations": counts,
        STAGES: stage_costs({**records, **measured.records}),
    }
    return Results("Text simplification", found, page(found, config), versions("sacrebleu"))


def _outputs(
    config: Config, one: TestSet, corpora: Path, experiment: Experiment
) -> tuple[Path, dict[str, dict[str, Any]]]:
    """Returns the folder of our systems' outputs, and the records of the stages that made them."""
    models, records = {}, {}
    for swaps in sorted({system.swaps for system in systems_of(one).values()}):
        models[swaps], done = trained(config, one.model, corpora, experiment.run, swaps=swaps)
        title = f"{one.model}, swaps" if swaps else one.model
        records |= {f"{name} ({title})": record for name, record in done.records.items()}
    stage = outputs_stage(one, models)
    written = run_stages([stage], Path(config["work"]), experiment.run)
    return written.folders[stage.name], {**records, **written.records}


main = partial(run_experiment, options("experiments.simplify", __doc__, Path(__file__).parent), simplify)

if __name__ == "__main__":
    main()
