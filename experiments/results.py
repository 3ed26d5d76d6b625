"""Trains the system of an experiment's config if necessary, and writes its results.

python -m experiments.results experiments/multi30k --data ../shared/data
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.experiment import Experiment, Results, program, stage_costs
from experiments.report import Figures, plain_table, stages_part
from lattice_simp.train.config import Config, read_config
from lattice_simp.train.pipeline import train

TUNED, START = "tuned", "start"
_TUNING = ("rounds", "bleu_before", "bleu_after")


def trained(experiment: Experiment) -> Results:
    """Trains, tunes and tests."""
    config = read_config(experiment.config, experiment.overrides)
    records = train(config, experiment.run).records
    figures = collect(records, config)
    return Results(experiment.folder.name, figures, page(figures, {}))


def collect(records: Mapping[str, Any], config: Config) -> dict[str, Any]:
    """Returns the figures of a run: the first test set's scores, seconds a stage, peak memory, and the counts."""
    scores = records["test"]["scores"]
    first = next(iter(scores)).rpartition(".")[0]
    return {
        "test_set": first,
        "bleu_tok_lc": scores[f"{first}.{TUNED}"]["bleu_tok_lc"],
        "bleu_13a": scores[f"{first}.{TUNED}"]["bleu_13a"],
        "bleu_tok_lc_start": scores[f"{first}.{START}"]["bleu_tok_lc"],
        "bleu_13a_start": scores[f"{first}.{START}"]["bleu_13a"],
        "peak_mb": max(record["peak_mb"] for record in records.values()),
        "seconds": round(sum(record["seconds"] for record in records.values()), 1),
        "stages": stage_costs(records),
        "pairs": records["prepare"]["pairs"],
        "rules": records["rules"]["rules"],
        "patterns": records["rules"]["patterns"],
        "tune": {key: value for key, value in records["tune"].items() if key in _TUNING},
        "scores": scores,
        "samples": {test.name: test.lines for test in (*config.test, config.tune.development) if test and test.lines},
    }


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays the figures out."""
    rows = [
        (*name.rsplit(".", 1), f"{score['bleu_tok_lc']:.2f}", f"{score['bleu_13a']:.2f}")
        for name, score in figures["scores"].items()
    ]
    table = plain_table(("test set", "weights", "BLEU (tokens, lower case)", "BLEU (13a)"), rows, words=2)
    score = next(iter(figures["scores"].values()))
    lines = [f"{figures['pairs']:,} sentence pairs, {figures['rules']:,} rules, {figures['patterns']:,} source sides."]
    if tuning := figures["tune"]:
        lines.append(
            f"Tuning took {tuning['rounds']} rounds of decoding; BLEU on the development set (tokens): "
            f"{100 * tuning['bleu_before']:.2f} before, {100 * tuning['bleu_after']:.2f} after."
        )
    lines += [
        f"Of {name}, {count:,} lines were taken, evenly spread over the file."
        for name, count in figures["samples"].items()
    ]
    signatures = f"Signatures: `{score['signature_tok_lc']}` and `{score['signature_13a']}`."
    return [table, signatures, "\n".join(lines), *stages_part(figures)]


main = program(__file__, __doc__, trained)

if __name__ == "__main__":
    main()
