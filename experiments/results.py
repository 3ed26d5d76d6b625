"""Writes RESULTS.md and results.json of an experiment from the records of its training run.

python -m experiments.results experiments/multi30k --command "make train-multi30k"
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lattice_simp import __version__
from lattice_simp.train.config import Config, read_config
from lattice_simp.train.pipeline import RESULTS, STAGES

TUNED, START = "tuned", "start"
_TUNING = ("rounds", "bleu_before", "bleu_after")


def collect(records: dict[str, Any], config: Config) -> dict[str, Any]:
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
        "stages": {name: {key: records[name][key] for key in ("seconds", "cpu_seconds", "peak_mb")} for name in STAGES},
        "pairs": records["prepare"]["pairs"],
        "rules": records["rules"]["rules"],
        "patterns": records["rules"]["patterns"],
        "tune": {key: value for key, value in records["tune"].items() if key in _TUNING},
        "scores": scores,
        "samples": {one.name: one.lines for one in (*config.test, config.tune.development) if one and one.lines},
    }


def markdown(title: str, command: str, figures: dict[str, Any], date: str, note: str = "") -> str:
    """Lays the figures out as a page."""
    lines = [
        f"# {title}",
        "",
        f"`{command}`, {date}, lattice_simp {__version__}, Python {platform.python_version()}.",
        "",
        "| test set | weights | BLEU (tokens, lower case) | BLEU (13a) |",
        "|---|---|---:|---:|",
    ]
    for name, score in figures["scores"].items():
        test, _, weights = name.rpartition(".")
        lines.append(f"| {test} | {weights} | {score['bleu_tok_lc']:.2f} | {score['bleu_13a']:.2f} |")
    score = next(iter(figures["scores"].values()))
    lines += ["", f"Signatures: `{score['signature_tok_lc']}` and `{score['signature_13a']}`.", ""]
    lines += [f"{figures['pairs']:,} sentence pairs, {figures['rules']:,} rules, {figures['patterns']:,} source sides."]
    if figures["tune"]:
        tuning = figures["tune"]
        lines += [
            f"Tuning took {tuning['rounds']} rounds of decoding; BLEU on the development set (tokens): "
            f"{100 * tuning['bleu_before']:.2f} before, {100 * tuning['bleu_after']:.2f} after."
        ]
    lines += [
        f"Of {name}, {count:,} lines were taken, evenly spread over the file."
        for name, count in figures["samples"].items()
    ]
    lines += [note] if note else []
    lines += ["", "| stage | seconds | CPU seconds | peak MB |", "|---|---:|---:|---:|"]
    for name, record in figures["stages"].items():
        lines.append(f"| {name} | {record['seconds']:.0f} | {record['cpu_seconds']:.0f} | {record['peak_mb']:,} |")
    lines += [f"| all | {figures['seconds']:.0f} | | {figures['peak_mb']:,} |", ""]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the run's records from the config's work folder, and writes both files into the experiment's folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the experiment's folder, which holds config.yaml")
    parser.add_argument("--command", required=True, help="what the figures were made with")
    parser.add_argument("--set", action="append", default=[], dest="overrides", help="as for `lattice-simp train`")
    parser.add_argument("--note", default="", help="a sentence for the page")
    given = parser.parse_args(arguments)
    config = read_config(given.folder / "config.yaml", given.overrides)
    records = json.loads((config.work / RESULTS).read_text(encoding="utf-8"))
    figures = collect(records, config)
    date = datetime.date.today().isoformat()
    text = json.dumps({"date": date, "command": given.command, **figures}, indent=1)
    (given.folder / "results.json").write_text(text + "\n", encoding="utf-8")
    page = markdown(given.folder.name, given.command, figures, date, given.note)
    (given.folder / "RESULTS.md").write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
