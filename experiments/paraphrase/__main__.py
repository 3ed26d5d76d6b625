"""`python -m experiments.paraphrase`: expands sets of translations, simplifications and captions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.experiment import FIGURES, Experiment, Results, program, stage_costs
from experiments.files import read_records
from experiments.paraphrase.combination import FIGURE_NAMES, combination_stage, read_combination
from experiments.paraphrase.curve import FILTERED, UNFILTERED, curve_figures, curve_stage, model_stage
from experiments.paraphrase.expanding import COUNTS, alone_stage, expanded_stage, parsed_stage, summary, unread_stage
from experiments.paraphrase.judging import ORIGINAL, read_judged, sample_stage, shares
from experiments.paraphrase.references import read_correlations, references_stage
from experiments.paraphrase.report import PLOTS, draw, page
from experiments.report import STAGES, versions
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.runner import Done, run_stages
from lattice_simp.pipeline.stage import read_json


def paraphrase(experiment: Experiment) -> Results:
    """Does the missing expansions and counts, and draws the sample to judge."""
    config = experiment.settings()
    names = list(config["collections"])
    stages = [parsed_stage(config, name) for name in names]
    stages.append(model_stage(config))
    stages += [unread_stage(config, name) for name in config["sample"]["sets"]]
    stages.append(sample_stage(config))
    stages += [curve_stage(config, name) for name in names]
    stages += [expanded_stage(config, name) for name in names]
    stages += [alone_stage(config, name) for name in names]
    stages.append(references_stage(config))
    try:
        stages.append(combination_stage(Path(config["study"]), config["data"]))
        missing = ""
    except LatticeSimpError as error:
        missing = str(error)
    done = run_stages(stages, Path(config["work"]), experiment.run)
    collections = {name: summary(read_records(done.folders[f"expand {name}"] / COUNTS)) for name in names}
    judged = shares(read_judged())
    curve = curve_figures({name: done.folders[f"curve {name}"] for name in names}, judged)
    figures = {
        "phrases_per_set": {name: row["phrases"] for name, row in collections.items()},
        "sentences_per_set": {
            name: {"mean": row["sentences"], "median": row["sentences_median"]} for name, row in collections.items()
        },
        "thousand_sets_cpu_s": round(done.records[f"expand {config['thousand']}"]["cpu_seconds"], 1),
        **{
            f"{share}_{name}_pct": judged[name][share]["value"]
            for share in ("right", "forgiven")
            for name in (UNFILTERED, FILTERED)
            if name in judged
        },
        "collections": collections,
        "curve": curve,
        "originals": judged.get(ORIGINAL),
        "alone": {name: summary(read_records(done.folders[f"alone {name}"] / COUNTS)) for name in names},
        "thousand": _costs(done, config["thousand"]),
        "references": read_correlations(done.folders["references"]),
    }
    if missing:
        figures["combination_missing"] = missing
        figures |= earlier(experiment.output / FIGURES, FIGURE_NAMES)
    else:
        figures |= read_combination(done.folders["combination"])
    figures[STAGES] = stage_costs(done.records)
    draw(curve, experiment.output / PLOTS)
    return Results("Expansion of sets of equivalent sentences", figures, page(figures, config), versions("spacy"))


def earlier(path: Path, names: Sequence[str]) -> dict[str, Any]:
    """Returns figures of earlier results, with their date as `combination_date`; none if there are no results."""
    figures = read_json(path) if path.exists() else {}
    known = {name: figures[name] for name in names if name in figures}
    return {**known, "combination_date": figures.get("combination_date", figures["date"])} if known else {}


def _costs(done: Done, name: str) -> dict[str, Any]:
    parse, expand = done.records[f"parse {name}"], done.records[f"expand {name}"]
    return {
        "collection": name,
        "sentences": parse["sentences"],
        "parse": parse["cpu_seconds"],
        "expand": expand["cpu_seconds"],
        "memory": expand["peak_mb"],
    }


main = program(__file__, __doc__, paraphrase)

if __name__ == "__main__":
    main()
