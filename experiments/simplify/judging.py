"""Ratings of outputs by readers who did not know the systems, and judgements of the outputs of cautious mode."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from experiments.report import rows_by
from lattice_simp.metrics import krippendorff_alpha
from lattice_simp.support.tables import read_table
from lattice_simp.systems.judging import share

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
    by_domain = {name: _percentages(chosen) for name, chosen in rows_by(outputs, "domain").items()}
    every = _percentages(outputs)
    every["changed_pct"] = round(mean(part["changed_pct"] for part in by_domain.values()), 1)
    controls = rows_by((row for row in last if row["text"] != OUTPUT), "text")
    return {
        **{name: value for name, value in every.items() if name.endswith("_pct")},
        "cautious_all": every,
        "cautious_by_domain": by_domain,
        "cautious_controls": {name: _percentages(chosen) for name, chosen in controls.items()},
        "cautious_agreement": _agreement(read),
    }


def read_cautious() -> list[Mapping[str, str]]:
    """Returns the rows of `judged_cautious.tsv`."""
    return [row.cells for row in read_table(Path(__file__).with_name(CAUTIOUS), CAUTIOUS_COLUMNS, full=True)]


def _sentence(row: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(row[column] for column in ("sample", "text", "file", "line"))


def _percentages(rows: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """Returns percentages of judgements, with Wilson's intervals for the number of sentences read."""
    changed = [row for row in rows if row["changed"] == "1"]
    shares = [
        len({_sentence(row) for row in corpus if row["changed"] == "1"}) / len({_sentence(row) for row in corpus})
        for corpus in rows_by(rows, "corpus").values()
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
    sentences = [_sentence(row) for row in read]
    alphas = {name: krippendorff_alpha(sentences, [row[name] == "1" for row in read]) for name in JUDGEMENTS}
    return {name: None if alpha is None else round(alpha, 2) for name, alpha in alphas.items()}
