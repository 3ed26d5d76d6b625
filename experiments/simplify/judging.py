"""Judging by reading: a shuffled sheet of outputs that does not say whose they are, and the table of its ratings.

`python -m experiments.simplify.judging sheet SET OUTPUTS...` writes the sheet; `table SHEET SET OUTPUTS...` reads it.
OUTPUTS are NAME=FILE, one line a sentence; the first one is the source. The same seed makes the same order.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.simplify.data import normalise
from lattice_simp.errors import FormatError
from lattice_simp.support.tables import read_table
from lattice_simp.support.textio import open_text, read_lines, write_text

SEED, SENTENCES = 7, 25

RATINGS = ("grammar", "meaning", "simplicity")
"""From 0 to 4 each; for simplicity, 2 is as simple as the source."""

JUDGED = "judged.tsv"

CAUTIOUS = "judged_cautious.tsv"
"""Sentences that no rule was written on, whether cautious mode changes them, and what was read of the changed ones."""

JUDGEMENTS = ("grammatical", "meaning", "simpler")
"""0 or 1 for each changed output of cautious mode; empty for a sentence that stays as it is."""


def sheet_rows(outputs: Mapping[str, Sequence[str]]) -> list[tuple[int, str]]:
    """Returns the (line, system) of each row of the sheet, in its order.

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
    """Writes the rows with empty ratings; equal outputs stay apart, since they must not tell whose they are."""
    source = next(iter(outputs))
    with open_text(path, "w") as file:
        file.write("\t".join(("row", "source", "output", *RATINGS)) + "\n")
        for number, (line, system) in enumerate(sheet_rows(outputs), start=1):
            texts = (normalise(outputs[source][line]), normalise(outputs[system][line]))
            file.write("\t".join((str(number), *texts, "", "", "")) + "\n")


def read_sheet(outputs: Mapping[str, Sequence[str]], path: Path) -> list[tuple[int, str, tuple[int, ...]]]:
    """Returns the (line, system, ratings) of a sheet that was filled in.

    Raises:
        FormatError: a row has no rating from 0 to 4.
    """
    judgements = []
    rows = sheet_rows(outputs)
    for number, row in enumerate(read_lines(path)):
        if number == 0:
            continue
        ratings = row.split("\t")[3:]
        if len(ratings) != len(RATINGS) or any(rating not in ("0", "1", "2", "3", "4") for rating in ratings):
            raise FormatError("a row without its ratings", path=path, line=number + 1, remedy="give each 0 to 4")
        judgements.append((*rows[number - 1], tuple(map(int, ratings))))
    return judgements


def cautious_figures(rows: Iterable[Mapping[str, str]]) -> dict[str, Any]:
    """Returns percentages of what cautious mode changed, and of those outputs that are grammatical, and so on.

    >>> row = {"domain": "news", "changed": "1", "grammatical": "1", "meaning": "1", "simpler": "0"}
    >>> figures = cautious_figures([row, {**row, "changed": "0"}])
    >>> figures["changed_pct"], figures["grammatical_pct"], figures["simpler_pct"], figures["all_three_pct"]
    (50.0, 100.0, 0.0, 0.0)
    >>> figures["cautious_by_domain"]["news"]["sentences"]
    2

    Args:
        rows: of `judged_cautious.tsv`; none before anything was read.
    """
    read = list(rows)
    domains = {
        name: [row for row in read if row["domain"] == name] for name in dict.fromkeys(r["domain"] for r in read)
    }
    by_domain = {name: {"sentences": len(chosen), **_percentages(chosen)} for name, chosen in domains.items()}
    return {**_percentages(read), "cautious_by_domain": by_domain} if read else {}


def read_cautious() -> list[Mapping[str, str]]:
    """Returns the rows of `judged_cautious.tsv`."""
    path = Path(__file__).with_name(CAUTIOUS)
    columns = ("domain", "file", "line", "changed", *JUDGEMENTS)
    return [row.cells for row in read_table(path, columns, full=True)] if path.exists() else []


def _percentages(rows: Sequence[Mapping[str, str]]) -> dict[str, float]:
    changed = [row for row in rows if row["changed"] == "1"]
    counts = {f"{name}_pct": sum(row[name] == "1" for row in changed) for name in JUDGEMENTS}
    counts["all_three_pct"] = sum(all(row[name] == "1" for name in JUDGEMENTS) for row in changed)
    shares = {name: round(100 * count / max(1, len(changed)), 1) for name, count in counts.items()}
    return {"changed_pct": round(100 * len(changed) / len(rows), 1), **shares}


def main(arguments: Sequence[str]) -> None:
    """Writes a sheet to stdout, or appends what was read from one to `judged.tsv`."""
    what, *rest = arguments
    sheet = Path(rest.pop(0)) if what == "table" else None
    name = rest.pop(0)
    outputs = {argument.partition("=")[0]: list(read_lines(argument.partition("=")[2])) for argument in rest}
    if sheet is None:
        write_sheet(outputs, "-")
        return
    path = Path(__file__).with_name(JUDGED)
    known = path.read_text(encoding="utf-8") if path.exists() else "\t".join(("set", "line", "system", *RATINGS)) + "\n"
    rows = ["\t".join(map(str, (name, line, system, *ratings))) for line, system, ratings in read_sheet(outputs, sheet)]
    write_text(path, known + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
