"""`python -m experiments.corpus`: parallel corpora of OneStop's articles and of a million made-up sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.corpus.judging import judged_figures
from experiments.corpus.onestop import ONESTOP, chosen, onestop_stage
from experiments.corpus.report import page
from experiments.corpus.simplifiers import CORPORA, HELD_OUT, SIMPLIFIERS, simplifiers
from experiments.corpus.synthetic import ARTICLES, KILLED, MILLION, synthetic_stages
from experiments.experiment import Experiment, Results, program
from experiments.report import versions
from lattice_simp.pipeline.runner import Done, run_stages
from lattice_simp.pipeline.stage import read_json
from lattice_simp.systems.corpus.pipeline import COUNTS


def corpus(experiment: Experiment) -> Results:
    """Does the missing alignments and measurements."""
    config = experiment.settings()
    stages = [onestop_stage(config), *synthetic_stages(config)]
    done = run_stages(stages, Path(config["work"]), experiment.run)
    trained, folder = simplifiers(config, experiment.run)
    figures = {
        ONESTOP: _onestop(done, config["precision"]),
        MILLION: _million(done),
        KILLED: {**config["killed"], **_only(done.records[KILLED], ("killed", "same_bytes"))},
        SIMPLIFIERS: trained,
        "judged": judged_figures(folder / HELD_OUT),
    }
    default = next(row for row in figures[ONESTOP]["rows"] if "kinds" in row)["all"]
    stages_of = figures[MILLION]["stages"].values()
    named = {
        "onestop_precision": default["precision"],
        "onestop_recall": default["recall"],
        "million_cpu_s": round(sum(record["cpu_seconds"] for record in stages_of), 1),
        "million_peak_mb": max(record["peak_mb"] for record in stages_of),
    }
    for name, prefix in zip(CORPORA, ("corpus", "published_pairs"), strict=True):
        for test, key in (("onestop", "sari"), ("turk", "turk_sari")):
            named[f"{prefix}_simplifier_{key}"] = round(trained[test]["scores"][name]["SARI-corpus"]["value"], 2)
    named["aligned_right_pct"] = figures["judged"]["right"]
    programs = versions("spacy", "duckdb", "pyarrow")
    figures = {**named, **figures}
    return Results("Parallel corpora of paired articles", figures, page(figures, config), programs)


def _onestop(done: Done, precision: float) -> dict[str, Any]:
    rows = read_json(done.folders[ONESTOP] / "rows.json")
    best = chosen(rows, precision)
    default = next(row for row in rows if "kinds" in row)
    choice = {
        "wanted": precision,
        **_only(best, ("paragraph_threshold", "sentence_threshold")),
        **_only(best["test"], ("precision", "recall")),
        "default_precision": default["test"]["precision"],
        "default_recall": default["test"]["recall"],
    }
    record = done.records[ONESTOP]
    return {"rows": rows, "chosen": choice, **_only(record, ("gold", "reachable", "several", "articles"))}


def _million(done: Done) -> dict[str, Any]:
    record = done.records[MILLION]
    counts = read_json(done.folders[MILLION] / COUNTS)
    return {
        "sentences": counts["sentences"]["complex"],
        "simple": counts["sentences"]["simple"],
        "articles": done.records[ARTICLES]["articles"],
        **_only(counts, ("paragraph_pairs", "sentence_pairs")),
        **_only(record, ("stages", "jobs")),
    }


def _only(record: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: record[name] for name in names}


main = program(__file__, __doc__, corpus)

if __name__ == "__main__":
    main()
