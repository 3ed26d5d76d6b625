"""`python -m experiments.paraphrase`: expands sets of translations, simplifications and captions."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from experiments.paraphrase.combination import combination_stage, read_combination
from experiments.paraphrase.data import parsed_stage
from experiments.paraphrase.expanding import (
    alone_stage,
    expanded_stage,
    paper_stage,
    read_counts,
    summary,
)
from experiments.paraphrase.judging import FILTERED, UNFILTERED, model_stage, read_judged, right, sample_stage
from experiments.paraphrase.references import read_correlations, references_stage
from experiments.paraphrase.report import page
from experiments.report import STAGES, versions
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.experiment import Experiment, Results, options, run_experiment, stage_costs
from lattice_simp.pipeline.runner import Done, run_stages


def paraphrase(experiment: Experiment) -> Results:
    """Expands and counts what is not there, and draws the sample to be judged."""
    config = experiment.settings()
    names = list(config["collections"])
    stages = [parsed_stage(config, name) for name in names]
    stages += [expanded_stage(config, name) for name in names]
    stages += [paper_stage(config, name) for name in names]
    stages += [alone_stage(config, name) for name in names]
    stages += [model_stage(config), sample_stage(config)]
    stages.append(references_stage(config))
    try:
        stages.append(combination_stage(Path(config["study"]), config["data"]))
        missing = ""
    except LatticeSimpError as error:
        missing = str(error)
    done = run_stages(stages, Path(config["work"]), experiment.run)
    collections = {name: summary(read_counts(done.folders[f"expand {name}"])) for name in names}
    judged = right(read_judged())
    figures = {
        "phrases_per_set": {name: row["phrases"] for name, row in collections.items()},
        "sentences_per_set": {
            name: {"mean": row["sentences"], "median": row["sentences_median"]} for name, row in collections.items()
        },
        "thousand_sets_cpu_s": round(done.records[f"expand {config['thousand']}"]["cpu_seconds"], 1),
        **{f"right_{name}_pct": judged[name]["right"] for name in (UNFILTERED, FILTERED) if name in judged},
        "collections": collections,
        "paper": {name: summary(read_counts(done.folders[f"paper {name}"])) for name in names},
        "alone": {name: summary(read_counts(done.folders[f"alone {name}"])) for name in names},
        "thousand": _costs(done, config["thousand"]),
        "right": judged,
        "references": read_correlations(done.folders["references"]),
    }
    if missing:
        figures["combination_missing"] = missing
    else:
        figures |= read_combination(done.folders["combination"])
    figures[STAGES] = stage_costs(done.records)
    return Results("Expansion of sets of equivalent sentences", figures, page(figures, config), versions("spacy"))


def _costs(done: Done, name: str) -> dict[str, Any]:
    parse, expand = done.records[f"parse {name}"], done.records[f"expand {name}"]
    return {
        "collection": name,
        "sentences": parse["sentences"],
        "parse": parse["cpu_seconds"],
        "expand": expand["cpu_seconds"],
        "memory": expand["peak_mb"],
    }


main = partial(run_experiment, options("experiments.paraphrase", __doc__, Path(__file__).parent), paraphrase)

if __name__ == "__main__":
    main()
