"""The figures and the tables of the experiment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.hindi.scoring import PLAIN as PLAIN_TEXT
from experiments.hindi.systems import BEST, PAPER_STEPS, PARSED, PLAIN, WORDS
from experiments.report import Figures
from lattice_simp.metrics.table import Cell, Table, as_markdown
from lattice_simp.support.tables import read_table
from lattice_simp.systems.hindi.clauses.scoring import MEASURES, Evaluation, Score
from lattice_simp.systems.hindi.parsing.scoring import Attachment


@dataclass(frozen=True)
class Both:
    """A system's scores on all clauses, on finite ones only, and on words that begin or end clauses."""

    every: Evaluation
    finite: Evaluation
    words: Mapping[str, Score]


Scores = dict[str, dict[str, Both]]
"""The scores by set and system."""

HEADLINES = {"starts": "starts", "ends": "ends", "clauses": "clauses", "types": "types", "nonfinite": "nonfin"}

BOUNDARIES = ("starts", "ends")
"""The measures of words that begin or end clauses."""

PAPER = "paper"

FINITE = ("clauses", "types")
"""The measures of finite clauses."""

VALUES = ("precision", "recall", "f1")


def figures(results: Scores, attachments: Mapping[str, Attachment], seconds: dict[str, float]) -> dict[str, Any]:
    """Returns everything as plain values: the best system's figures on each set, then all."""
    plain = attachments[PLAIN_TEXT]
    values: dict[str, Any] = {"best_system": BEST, "las": plain.las, "uas": plain.uas}
    values["attachment"] = {
        name: {"las": score.las, "uas": score.uas, "chunks": score.chunks} for name, score in attachments.items()
    }
    for name, systems in results.items():
        best = systems[BEST].every
        types = {
            key: systems[system].every.scores["types"].f1 for key, system in (("before", PLAIN), ("after", PARSED))
        }
        steps = systems[PAPER_STEPS].every.scores
        values[name] = {
            **{f"{key}_f1": best.scores[measure].f1 for key, measure in HEADLINES.items()},
            "well_formed_pct": best.well_formed,
            "sentences": best.sentences,
            "types_f1_plain": types,
            **{f"paper_steps_{key}_f1": steps[key].f1 for key in BOUNDARIES},
        }
    values["seconds"] = seconds
    values["wanted"] = {
        name: {measure: score.wanted for measure, score in systems[BEST].every.scores.items()}
        for name, systems in results.items()
    }
    values["systems"] = {
        name: {system: _system(system, both) for system, both in systems.items()} for name, systems in results.items()
    }
    return values


def _system(name: str, both: Both) -> dict[str, Any]:
    return {
        "well_formed_pct": both.every.well_formed,
        **_values(both.every.scores, both.every.scores),
        "finite": _values(both.finite.scores, FINITE),
        **({"words": _values(both.words, BOUNDARIES)} if WORDS in name else {}),
    }


def _values(scores: Mapping[str, Score], measures: Iterable[str]) -> dict[str, dict[str, float]]:
    return {measure: {name: getattr(scores[measure], name) for name in VALUES} for measure in measures}


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    sets, wanted = figures["systems"], figures["wanted"]
    titles = {name: f"{name} ({figures[name]['sentences']} sentences)" for name in sets}
    tables = [_table(titles[name], systems, wanted[name]) for name, systems in sets.items()]
    tables += [_finite(name, systems) for name, systems in sets.items()]
    by_words = {
        name: {key: values for key, values in systems.items() if "words" in values} for name, systems in sets.items()
    }
    tables += [_words(name, systems) for name, systems in by_words.items() if systems]
    tables += [_detail(f"{BEST}: {name}", systems[BEST], wanted[name]) for name, systems in sets.items()]
    tables += [_attachment(figures["attachment"]), _seconds(figures["seconds"])]
    return [as_markdown(table) for table in tables]


def _table(title: str, systems: Figures, wanted: Figures) -> Table:
    paper = _paper()
    rows = []
    for system, values in systems.items():
        f1 = [Cell(values[measure]["f1"], 1) for measure in MEASURES]
        rows.append((Cell(system), *f1, Cell(values["well_formed_pct"], 1)))
        if system in paper:
            published = [Cell(paper[system].get(measure), 1) for measure in MEASURES]
            rows.append((Cell(f"{system} ({PAPER})"), *published, Cell(None)))
    rows.append((Cell("clauses that are wanted"), *(Cell(wanted[measure]) for measure in MEASURES), Cell(None)))
    notes = (
        "F1, per cent; a clause counts if both of its ends are right, and from `types` on if its type is, too. Rows of "
        "the papers are of their own test sets",
        "none: best labels by themselves; counts: the paper's rules, 1c as its text has it or with ends (see the "
        "notes); lattice: the best well-formed bracketing; acceptors: the same with each of the papers' rules and of "
        "others as an acceptor; participle starts: its non-finite clauses start where a regression over the phrases "
        "before says",
    )
    return Table(title, ("system", *MEASURES, "well-formed %"), tuple(rows), notes)


def _finite(name: str, systems: Figures) -> Table:
    """Returns the table of finite clauses alone, and of the share of non-finite ones that are found."""
    paper, columns = _paper(), [(measure, value) for measure in FINITE for value in VALUES]
    rows = []
    for system, values in systems.items():
        cells = [Cell(values["finite"][measure][value], 1) for measure, value in columns]
        rows.append((Cell(system), *cells, Cell(values["nonfin"]["recall"], 1)))
        if published := paper.get(f"{system}, finite"):
            names = (*map(" ".join, columns), "nonfin recall")
            rows.append((Cell(f"{system} ({PAPER})"), *(Cell(published.get(name), 1) for name in names)))
    notes = ("finite clauses alone, per cent; nonfin found: of the non-finite clauses, how many are found whole",)
    return Table(f"{name}, finite clauses alone", ("system", *_headings(columns), "nonfin found"), tuple(rows), notes)


def _words(name: str, systems: Figures) -> Table:
    """Returns the table of the systems with the paper's labels: words that begin or end clauses, each counted once."""
    paper, columns = _paper(), [(measure, value) for measure in BOUNDARIES for value in VALUES]
    rows = []
    for system, values in systems.items():
        rows.append((Cell(system), *(Cell(values["words"][measure][value], 1) for measure, value in columns)))
        if system in paper:
            published = [paper[system].get(measure) if value == "f1" else None for measure, value in columns]
            rows.append((Cell(f"{system} ({PAPER})"), *(Cell(value, 1) for value in published)))
    notes = ("per cent; a word counts once, however many clauses begin or end with it",)
    return Table(f"{name}, words that begin or end clauses", ("system", *_headings(columns)), tuple(rows), notes)


def _headings(columns: Iterable[tuple[str, str]]) -> list[str]:
    return [" ".join(column).replace("f1", "F1") for column in columns]


def _detail(title: str, best: Figures, wanted: Figures) -> Table:
    rows = [
        (Cell(measure), *(Cell(best[measure][value], 1) for value in VALUES), Cell(count))
        for measure, count in wanted.items()
    ]
    return Table(title, ("measure", "precision", "recall", "F1", "wanted"), tuple(rows))


def _attachment(scores: Figures) -> Table:
    rows = tuple(
        (Cell(name), Cell(score["uas"], 1), Cell(score["las"], 1), Cell(score["chunks"]))
        for name, score in scores.items()
    )
    notes = (
        "per cent of the treebank's chunks without punctuation: right heads (UAS), right heads and relations (LAS); "
        "in plain text a chunk is right only if its head word is the head of a chunk there, too",
    )
    return Table("Dependencies of the parser, derived", ("tags and chunks", "UAS", "LAS", "chunks"), rows, notes)


def _seconds(seconds: Figures) -> Table:
    rows = tuple((Cell(what), Cell(value, 1)) for what, value in seconds.items())
    return Table("CPU seconds", ("what", "seconds"), rows)


def _paper() -> dict[str, dict[str, float]]:
    published: dict[str, dict[str, float]] = {}
    for row in read_table(Path(__file__).with_name("paper.tsv"), ("system", "measure", "value"), full=True):
        published.setdefault(row["system"], {})[row["measure"]] = float(row["value"])
    return published
