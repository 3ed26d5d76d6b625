"""`python -m experiments.compression`: compares automatic skeletons with human compressions by deletion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.compression import stages
from experiments.compression.report import page, programs
from experiments.experiment import Experiment, Results, program
from lattice_simp import LanguageModel
from lattice_simp.pipeline.runner import Done, run_stages
from lattice_simp.skeleton.automatic import DeletionTagger


def compression(experiment: Experiment) -> Results:
    """Does the missing parsing, training and measurements."""
    config, run = experiment.settings(), experiment.run
    work = Path(config["work"])
    done = run_stages([stages.parses_stage(entry, config) for entry in config["sets"]], work, run)
    domains = stages.load_domains(config, done.folders)
    done = run_stages([stages.language_model_stage(config), *stages.tagger_stages(domains)], work, run, done=done)
    model = LanguageModel.read(done.folders[stages.LANGUAGE_MODEL] / stages.ARPA)
    names = [*(domain.name for domain in domains), stages.ALL]
    taggers = {name: DeletionTagger.load(done.folders[stages.tagger_name(name)]) for name in names}
    done = run_stages(stages.measured_stages(config, domains, taggers, model), work, run, done=done)
    figures = _figures(done, domains, names, model)
    return Results("Automatic skeletons", figures, page(figures, config), programs())


def _figures(
    done: Done, domains: Sequence[stages.Domain], taggers: Sequence[str], model: LanguageModel
) -> dict[str, Any]:
    across = stages.read_rows(done.folders[stages.ACROSS])
    return {
        "domains": {domain.name: _domain(done, domain, model) for domain in domains},
        "matrix": {name: {tested.name: across[f"{name} on {tested.name}"] for tested in domains} for name in taggers},
        "seconds": round(sum(record["cpu_seconds"] for record in done.records.values()), 1),
    }


def _domain(done: Done, domain: stages.Domain, model: LanguageModel) -> Mapping[str, Any]:
    rows = stages.read_rows(done.folders[f"measured-{domain.name}"])
    if (row := stages.people(domain.test, model)) is not None:
        rows["first person, against the others"] = row
    return {
        "train": len(domain.train),
        "test": len(domain.test),
        "compressions": domain.compressions,
        "skipped": domain.skipped,
        "wanted_rate": round(domain.rate, 4),
        "methods": rows,
    }


main = program(__file__, __doc__, compression)

if __name__ == "__main__":
    main()
