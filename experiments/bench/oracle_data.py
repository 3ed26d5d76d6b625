"""The reference tasks: sentences, grammars, language models, and results of other decoders."""

from __future__ import annotations

import csv
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import kenlm
import numpy as np

from lattice_simp import LanguageModel, Lattice, read
from lattice_simp.support.textio import read_bytes, read_lines
from lattice_simp.translate.grammar import Grammar


@dataclass(frozen=True)
class Task:
    """A decoding task: its files below the folder of reference data."""

    folder: str
    grammar: str
    source: str
    best: str
    runs: str
    model: str


MULTI30K = Task("hiero-multi30k", "grammar.shallow1.gz", "source.de", "best.tsv", "runs.tsv", "lm4.arpa.gz")
MULTI30K_FULL = replace(MULTI30K, grammar="grammar.full.gz")
EUROPARL = Task(
    "hiero-europarl", "grammar.shallow1.sent.gz", "source.en", "best.sent.tsv", "runs.sent.tsv", "lm4.filtered.arpa.gz"
)
EUROPARL_FULL = replace(EUROPARL, grammar="grammar.full.sent.gz")
EUROPARL_SKELETONS = replace(
    EUROPARL, grammar="grammar.shallow1.skel.gz", source="skeleton.en", best="best.skel.tsv", runs="runs.skel.tsv"
)

WEIGHTS = {"RS": 1.0, "LM": 1.0, "Glue": 0.2}


def load(shared: Path, task: Task) -> tuple[Grammar, LanguageModel, list[list[str]]]:
    """Loads a task's models and sentences."""
    folder = shared / "data" / "oracles" / task.folder
    sentences = [line.split() for line in read_lines(folder / task.source)]
    return Grammar.read(folder / task.grammar), LanguageModel.read(folder / task.model), sentences


def read_without_marks(path: Path) -> Lattice:
    """Reads a reference lattice; its sentence marks become epsilons."""
    lattice = read(path).connected()
    marks = [mark for mark in map(lattice.symbols.find, ("<s>", "</s>")) if mark]
    labels = np.where(np.isin(lattice.olabels, marks), 0, lattice.olabels).astype(np.int32)
    return replace(lattice, ilabels=labels, olabels=labels)


def read_by_kenlm(path: Path) -> kenlm.Model:
    """Reads a compressed language model with KenLM."""
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder, "lm.arpa")
        plain.write_bytes(read_bytes(path))
        return kenlm.Model(str(plain))


def exact_results(shared: Path, task: Task) -> list[tuple[float, str]]:
    """Returns the exact decoder's (cost, string) of each sentence of a shallow task."""
    rows = _rows(shared / "data" / "oracles" / task.folder / task.best)
    exact = {int(r["id"]): r for r in rows if r["grammar"] == "shallow1" and r["system"].startswith("hifst-exact")}
    return [(float(row["exact_cost"]), row["string"]) for _, row in sorted(exact.items())]


def recorded_seconds(shared: Path, task: Task, grammar: str) -> dict[str, float]:
    """Returns the recorded CPU seconds of other decoders by their settings."""
    rows = _recorded(shared, task, grammar)
    return {name: float(row["cpu_s"]) for name, row in rows.items() if "50-best" not in row["setting"]}


def recorded_totals(shared: Path, task: Task, grammar: str) -> dict[str, float]:
    """Returns the recorded total costs of other decoders by their settings."""
    rows = _recorded(shared, task, grammar)
    return {name: float(row["sum_exact_cost"]) for name, row in rows.items() if row["sum_exact_cost"]}


def _recorded(shared: Path, task: Task, grammar: str) -> dict[str, dict[str, str]]:
    rows = _rows(shared / "data" / "oracles" / task.folder / task.runs)
    return {f"{row['system']} {row['setting']}": row for row in rows if row["grammar"] == grammar}


def _rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(read_lines(path), delimiter="\t", quoting=csv.QUOTE_NONE))
