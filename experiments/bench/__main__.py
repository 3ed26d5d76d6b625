"""`python -m experiments.bench`: runs each measurement in its own process, prints a table, writes a JSON file."""

from __future__ import annotations

import argparse
import json
import math
import re
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from experiments.bench import (
    batches,
    confidence,
    constrained,
    engines,
    gappy,
    growth,
    hiero,
    hindi,
    language_model,
    masks,
    mbrs_lists,
    mert,
    minimum_bayes_risk,
    peers,
    serve,
    startup,
)
from experiments.bench.figures import Figure, Figures, figure
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.stage import read_json
from lattice_simp.support.textio import check_writable, decode, read_bytes, write_text

MEASUREMENTS = {
    "hiero_shallow1": hiero.measure_multi30k,
    "hiero_europarl": hiero.measure_europarl,
    "hiero_europarl_skeletons": hiero.measure_europarl_skeletons,
    "hiero_full": hiero.measure_full,
    "hiero_full_exact": hiero.measure_full_exact,
    "lm": language_model.measure,
    "gappy": gappy.measure,
    "engines": engines.measure,
    "mert": mert.measure,
    "mbr": minimum_bayes_risk.measure,
    "confidence": confidence.measure,
    "constrained": constrained.measure,
    "masks": masks.measure,
    "peers": peers.measure,
    "mbrs": mbrs_lists.measure,
    "batches": batches.measure,
    "growth": growth.measure,
    "hindi": hindi.measure,
    "serve": serve.measure,
    "startup": startup.measure,
    "demo_new_machine": startup.measure_new_machine,
}

ON_REQUEST = ("demo_new_machine", "mbrs")
"""Measurements that are run when they are named: they need the network, or packages of an environment of their own."""

SHARED = Path(__file__).resolve().parents[3] / "shared"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the chosen measurements; with `--inside`, one of them in this process."""
    try:
        return _run(_options(arguments))
    except LatticeSimpError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m experiments.bench", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        default=[name for name in MEASUREMENTS if name not in ON_REQUEST],
        help=", ".join(MEASUREMENTS),
    )
    parser.add_argument("--shared", type=Path, default=SHARED, help="folder of the reference data")
    parser.add_argument("--output", type=Path, default=Path("build/bench.json"))
    parser.add_argument(
        "--page", type=Path, action="append", default=[], help="a Markdown file with a table of figures"
    )
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.names if name not in MEASUREMENTS]:
        parser.error(f"there is no measurement {unknown[0]!r}; known are {', '.join(MEASUREMENTS)}")
    return options


def _run(options: argparse.Namespace) -> int:
    if not options.shared.is_dir():
        raise LatticeSimpError(
            f"{options.shared}: the folder does not exist; give that of the reference data to --shared"
        )
    if options.inside:
        print(json.dumps(_inside(options.names[0], options.shared)))
        return 0
    for page in options.page:  # before hours of measurements
        check_writable(page)
        _table_of(page)
    figures: Figures = read_json(options.output) if options.output.exists() else {}
    for name in options.names:
        command = [sys.executable, "-m", "experiments.bench", name, "--inside", "--shared", str(options.shared)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise LatticeSimpError(f"{name}: the measurement failed; its error is above")
        figures.update(json.loads(done.stdout.splitlines()[-1]))
        options.output.parent.mkdir(parents=True, exist_ok=True)
        write_text(options.output, json.dumps(figures, indent=1) + "\n")
    Console().print(_table(figures))
    for page in options.page:
        write_page(page, figures)
    return 0


def _inside(name: str, shared: Path) -> Figures:
    figures = dict(MEASUREMENTS[name](shared))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures[f"{name}_peak_mb"] = figure(round(peak, 1), "MB")
    return figures


def write_page(path: Path, figures: Figures) -> None:
    """Writes figures into the table between a Markdown file's marks.

    First cells, and the rows of unmeasured figures, stay unchanged.
    """
    table_match = _table_of(path)
    rows = {first[1]: line for line in table_match["rows"].splitlines() if (first := _NAME.search(line))}
    for name, entry in figures.items():
        value, baseline, ratio = _texts(entry)
        recorded = "; ".join(f"{who.replace('no K; lattice beam 9', 'exact')} {v:g}" for who, v in _recorded(entry))
        title = rows[name].split("|")[1].strip() if name in rows else f"`{name}`"
        rows[name] = f"| {title} | {value} {entry['unit']} | {baseline} | {ratio} | {recorded} |"
    table = "<!-- figures: begin -->\n" + "\n".join((_HEAD, *rows.values())) + "\n<!-- figures: end -->"
    write_text(path, table_match.string[: table_match.start()] + table + table_match.string[table_match.end() :])


def _table_of(path: Path) -> re.Match[str]:
    match = _TABLE.search(decode(read_bytes(path), path))
    if match is None:
        raise LatticeSimpError(f"{path}: no table of figures (put <!-- figures: begin --> and end around one)")
    return match


_TABLE = re.compile(r"<!-- figures: begin -->\n(?P<rows>.*?)<!-- figures: end -->", re.DOTALL)
_NAME = re.compile(r"^\| *`(\w+)`")
_HEAD = "| figure | value | baseline, same run | ratio | other programs, recorded |\n|---|---|---|---|---|"


def _recorded(entry: Figure) -> list[tuple[str, float]]:
    return [(who, value) for who, value in entry.get("recorded", {}).items() if "K=30" not in who]


def _texts(entry: Figure) -> tuple[str, str, str]:
    value, baseline, ratio = entry["value"], entry.get("baseline"), entry.get("ratio")
    return (
        _number(value),
        "" if baseline is None else f"{baseline:,.{3 if baseline >= 0.01 else 4}f}",
        "" if ratio is None else f"{ratio:,.{1 if ratio >= 0.1 else 2}f}",
    )


def _number(value: float) -> str:
    """Returns a number with up to six digits.

    >>> _number(2617150.2), _number(1074.0265), _number(0.5)
    ('2,617,150', '1,074.03', '0.5')
    """
    text = f"{value:,.{4 if value < 100 else max(0, 5 - int(math.log10(value)))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _table(figures: Figures) -> Table:
    """Returns the table of this run's figures; those of other programs are only in the file."""
    table = Table("figure", "value", "unit", "baseline (same run)", "ratio")
    for name, entry in figures.items():
        value, baseline, ratio = _texts(entry)
        table.add_row(name, value, entry["unit"], baseline, ratio)
    return table


if __name__ == "__main__":
    sys.exit(main())
