"""Ratings by readers: a shuffled sheet of outputs that hides their systems, and the table of its ratings.

`python -m experiments.simplify.judging sheet SET OUTPUTS...` writes the sheet; `table SHEET SET OUTPUTS...` reads it.
OUTPUTS are NAME=FILE with one sentence a line; the first one is the source. The order depends only on the seed.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from experiments.simplify.data import normalise
from lattice_simp.errors import FormatError
from lattice_simp.metrics import krippendorff_alpha
from lattice_simp.support.tables import read_table
from lattice_simp.support.textio import open_text, read_lines, write_text
from lattice_simp.systems.judging import share

SEED, SENTENCES = 7, 25

RATINGS = ("grammar", "meaning", "simplicity")
"""The ratings, each from 0 to 4; for simplicity, 2 means as simple as the source."""

JUDGED = "judged.tsv"

CAUTIOUS = "judged_cautious.tsv"
"""Sentences on which no rule was developed, whether cautious mode changes them, and judgements of the changed ones.

A row is the judgement of one output of a sample by one reader. An unchanged sentence has one row without a reader.
"""

JUDGEMENTS = ("grammatical", "meaning", "simpler")
"""0 or 1 for each changed output of cautious mode; empty for an unchanged sentence."""

CAUTIOUS_COLUMNS = ("sample", "reader", "text", "domain", "corpus", "file", "line", "changed", *JUDGEMENTS)

OUTPUT = "output"
"""The kind of text of cautious mode; the other kinds, simplifications by people and broken outputs, are controls."""


def sheet_rows(outputs: Mapping[str, Sequence[str]]) -> list[tuple[int, str]]:
    """Returns the (line, system) of each row of the sheet, in order.

    >>> rows = sheet_rows({"source": ["a"] * 40, "one": ["b"] * 40, "two": ["c"] * 40})
    >>> len(rows), sorted({system for _, system in rows})
    (50, ['one', 'two'])
    """
    source, *systems = outputs
    chance = random.Random(SEED)
    lines = sorted(chance.sample(range(len(outputs[source])), SENTENCES))
    rows = []
    for line in lines:
        order = list(systems)
        chance.shuffle(order)
        rows += [(line, system) for system in order]
    return rows


def write_sheet(outputs: Mapping[str, Sequence[str]], path: str) -> None:
    """Writes the rows with empty ratings; equal outputs have separate rows, so they do not reveal their systems."""
    source = next(iter(outputs))
    with open_text(path, "w") as file:
        file.write("\t".join(("row", "source", "output", *RATINGS)) + "\n")
        for number, (line, system) in enumerate(sheet_rows(outputs), start=1):
            texts = (normalise(outputs[source][line]), normalise(outputs[system][line]))
            file.write("\t".join((str(number), *texts, "", "", "")) + "\n")


def read_sheet(outputs: Mapping[str, Sequence[str]], path: Path) -> list[tuple[int, str, tuple[int, ...]]]:
    """Returns the (line, system, ratings) of a completed sheet."""
    judgements = []
    rows = sheet_rows(outputs)
    for number, row in enumerate(read_lines(path)):
        if number == 0:
            continue
        ratings = row.split("\t")[3:]
        if len(ratings) != len(RATINGS) or any(rating not in ("0", "1", "2", "3", "4") for rating in ratings):
            raise FormatError(
                "a rating is missing or not from 0 to 4", path=path, line=number + 1, remedy="rate each row"
            )
        judgements.append((*rows[number - 1], tuple(map(int, ratings))))
    return judgements


def cautious_figures(rows: Iterable[Mapping[str, str]]) -> dict[str, Any]:
    """Returns the percentages of changed sentences, and of grammatical outputs and the other judgements among them.

    They are of the last sample. Readers have equal weights. For changed sentences, so do domains and the corpora of a
    domain.

    >>> row = {"sample": "1", "reader": "a", "text": "output", "domain": "news", "corpus": "c", "file": "f"}
    >>> row |= {"line": "1", "changed": "1", "grammatical": "1", "meaning": "1", "simpler": "0"}
    >>> rows = [row, {**row, "reader": "b", "simpler": "1"}, {**row, "line": "2", "reader": "", "changed": "0"}]
    >>> table = cautious_figures(rows)
    >>> table["changed_pct"], table["grammatical_pct"], table["simpler_pct"], table["all_three_pct"]
    (50.0, 100.0, 50.0, 50.0)
    >>> table["cautious_by_domain"]["news"]["sentences"]
    2
    """
    read = list(rows)
    if not read:
        return {}
    last = [row for row in read if row["sample"] == read[-1]["sample"]]
    outputs = [row for row in last if row["text"] == OUTPUT]
    by_domain = {name: _percentages(chosen) for name, chosen in _by(outputs, "domain").items()}
    every = _percentages(outputs)
    every["changed_pct"] = round(mean(part["changed_pct"] for part in by_domain.values()), 1)
    controls = _by((row for row in last if row["text"] != OUTPUT), "text")
    return {
        **{name: value for name, value in every.items() if name.endswith("_pct")},
        "cautious_all": every,
        "cautious_by_domain": by_domain,
        "cautious_controls": {name: _percentages(chosen) for name, chosen in controls.items()},
        "cautious_agreement": _agreement(read),
    }


def read_cautious() -> list[Mapping[str, str]]:
    """Returns the rows of `judged_cautious.tsv`."""
    path = Path(__file__).with_name(CAUTIOUS)
    return [row.cells for row in read_table(path, CAUTIOUS_COLUMNS, full=True)] if path.exists() else []


def _by(rows: Iterable[Mapping[str, str]], column: str) -> dict[str, list[Mapping[str, str]]]:
    groups: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        groups.setdefault(row[column], []).append(row)
    return groups


def _sentence(row: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(row[column] for column in ("sample", "text", "file", "line"))


def _percentages(rows: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """Returns percentages of judgements, with Wilson's intervals for the number of sentences read."""
    changed = [row for row in rows if row["changed"] == "1"]
    shares = [
        len({_sentence(row) for row in corpus if row["changed"] == "1"}) / len({_sentence(row) for row in corpus})
        for corpus in _by(rows, "corpus").values()
    ]
    figures: dict[str, Any] = {
        "sentences": len({_sentence(row) for row in rows}),
        "read": len({_sentence(row) for row in changed}),
        "changed_pct": round(100 * mean(shares), 1),
    }
    for name in (*JUDGEMENTS, "all_three"):
        names = (name,) if name in JUDGEMENTS else JUDGEMENTS
        value = mean(float(all(row[each] == "1" for each in names)) for row in changed)
        bounds = share(round(value * figures["read"]), figures["read"])
        figures[f"{name}_pct"] = round(100 * value, 1)
        figures[f"{name}_interval"] = [round(100 * bounds.low, 1), round(100 * bounds.high, 1)]
    return figures


def _agreement(rows: Sequence[Mapping[str, str]]) -> dict[str, float | None]:
    """Returns Krippendorff's alpha over all texts that were read, including controls."""
    read = [row for row in rows if row["reader"]]
    number = {key: index for index, key in enumerate(dict.fromkeys(map(_sentence, read)))}
    units = np.array([number[_sentence(row)] for row in read], np.int64)
    alphas = {name: krippendorff_alpha(units, np.array([row[name] == "1" for row in read])) for name in JUDGEMENTS}
    return {name: None if alpha is None else round(alpha, 2) for name, alpha in alphas.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes a sheet to stdout, or appends the ratings of one to `judged.tsv`."""
    parser = argparse.ArgumentParser(prog="python -m experiments.simplify.judging")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("sheet", help="write a sheet")
    commands.add_parser("table", help="read a completed sheet").add_argument("sheet", type=Path)
    for command in commands.choices.values():
        command.add_argument("set", help="the name of the set")
        command.add_argument("outputs", nargs="+", metavar="NAME=FILE", help="the source first")
    options = parser.parse_args(arguments)
    files = dict(output.split("=", 1) for output in options.outputs if "=" in output)
    if len(files) < len(options.outputs):
        parser.error("write each output as NAME=FILE, with a name of its own")
    outputs = {name: list(read_lines(path)) for name, path in files.items()}
    if options.command == "sheet":
        write_sheet(outputs, "-")
        return
    path = Path(__file__).with_name(JUDGED)
    known = path.read_text(encoding="utf-8") if path.exists() else "\t".join(("set", "line", "system", *RATINGS)) + "\n"
    rows = ["\t".join(map(str, (options.set, *row[:2], *row[2]))) for row in read_sheet(outputs, options.sheet)]
    write_text(path, known + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
