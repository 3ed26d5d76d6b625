"""`python -m experiments.simplify`: measures systems of text simplification on PWKP and TurkCorpus."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from experiments.experiment import Experiment, Results, program, stage_costs
from experiments.files import output_file
from experiments.report import STAGES, versions
from experiments.simplify.corpora import corpora_stage
from experiments.simplify.data import Config, TestSet, read_sets
from experiments.simplify.measure import measured_stage, read_scores
from experiments.simplify.report import OURS, costs, figures, page, read_published
from experiments.simplify.systems import Model, outputs_stage, read_counts, systems_of, trained
from lattice_simp.pipeline.runner import run_stages


def simplify(experiment: Experiment) -> Results:
    """Does the missing training and tuning of our models, runs all systems on all sets, and measures them."""
    config = experiment.settings()
    work = Path(config["work"])
    prepared = run_stages([corpora_stage(config)] if config.get("models") else [], work, experiment.run)
    records = dict(prepared.records)
    sets, counts = [], {}
    for test_set in read_sets(config, prepared.folders.get("corpora", work)):
        if test_set.model:
            folder, more = _outputs(config, test_set, prepared.folders["corpora"], experiment)
            records |= more
            counts[test_set.name] = read_counts(folder)
            ours = {OURS + system: output_file(folder, system) for system in systems_of(test_set)}
            test_set = replace(test_set, outputs={**test_set.outputs, **ours})
        sets.append(test_set)
    stages = {test_set.name: measured_stage(test_set, config["samples"]) for test_set in sets}
    measured = run_stages(list(stages.values()), work, experiment.run)
    documents = {name: read_scores(measured.folders[stage.name]) for name, stage in stages.items()}
    results = {
        **figures(documents, read_published()),
        **costs(counts, records),
        "operations": counts,
        STAGES: stage_costs({**records, **measured.records}),
    }
    return Results("Text simplification", results, page(results, config), versions("sacrebleu"))


def _outputs(
    config: Config, test_set: TestSet, corpora: Path, experiment: Experiment
) -> tuple[Path, dict[str, dict[str, Any]]]:
    """Returns the folder of our systems' outputs, and the records of the stages that made them."""
    models: dict[bool, Model] = {}
    records: dict[str, dict[str, Any]] = {}
    for swaps in sorted({system.swaps for system in systems_of(test_set).values()}):
        models[swaps], done = trained(config, test_set.model, corpora, experiment.run, swaps=swaps)
        title = f"{test_set.model}, swaps" if swaps else test_set.model
        records |= {f"{name} ({title})": record for name, record in done.records.items()}
    stage = outputs_stage(test_set, models)
    written = run_stages([stage], Path(config["work"]), experiment.run)
    return written.folders[stage.name], {**records, **written.records}


main = program(__file__, __doc__, simplify)

if __name__ == "__main__":
    main()
