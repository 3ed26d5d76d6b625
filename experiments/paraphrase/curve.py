"""The curve of precision against yield, for conditions from the paper's to the strictest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import exp, log
from pathlib import Path
from statistics import mean
from typing import Any

from experiments.files import read_records, write_records
from experiments.paraphrase import probable as fluency
from experiments.paraphrase.data import CODE, Config, read_sets, thesaurus
from experiments.paraphrase.expanding import COUNTS, counted, summary
from experiments.paraphrase.probable import SLACK, probable, read_model
from lattice_simp import (
    AlignmentSettings,
    Expansion,
    LanguageModel,
    Lattice,
    Paraphraser,
    ParaphraseSettings,
    Tree,
    count_paths,
    nbest,
)
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.systems.paraphrase.alignment import PAPER
from lattice_simp.systems.paraphrase.conditions import CONDITIONS

MAX_LISTED = 100_000
"""The most sentences of a set to list for counting the probable ones."""

MAX_SUBSTITUTIONS = 2
"""The most substitutions in a probable sentence."""


@dataclass(frozen=True)
class Condition:
    """A point of the curve.

    Attributes:
        about: the difference from the previous condition.
        settings: the settings of the expansion.
        is_probable: whether sentences must also be as probable as their originals (`probable`).
    """

    about: str
    settings: ParaphraseSettings
    is_probable: bool = False

    def lattice(
        self, paraphraser: Paraphraser, trees: Sequence[Tree], model: LanguageModel
    ) -> tuple[Expansion, Lattice]:
        """Returns the expansion of a set, and its sentences that meet the condition, as the paths of cost 0 or less."""
        expansion = paraphraser.expand_trees(trees)
        if not self.is_probable or expansion.new <= 0:
            return expansion, expansion.lattice
        return expansion, probable(paraphraser.expand_each(trees), model)


UNFILTERED, FILTERED = "unfiltered", "filtered"

CURVE: Mapping[str, Condition] = {
    "paper": Condition(
        "no link leaves either phrase: the condition of the paper", ParaphraseSettings(PAPER, filters=())
    ),
    "linked": Condition(
        "at least half of the content words are linked, and all but one",
        ParaphraseSettings(AlignmentSettings(conditions=()), filters=()),
    ),
    "pairs": Condition(
        "the conditions on two phrases (`conditions.py`)",
        ParaphraseSettings(AlignmentSettings(conditions=tuple(CONDITIONS)), filters=()),
    ),
    UNFILTERED: Condition("the conditions on the whole set (`evidence.py`)", ParaphraseSettings(filters=())),
    FILTERED: Condition("all filters: the default", ParaphraseSettings()),
    "probable": Condition(
        f"at most {MAX_SUBSTITUTIONS} substitutions, and as probable as its original",
        ParaphraseSettings(max_substitutions=MAX_SUBSTITUTIONS),
        is_probable=True,
    ),
}
"""The conditions by name; each is stricter than the previous one."""

DRAWN = ("paper", "linked", FILTERED)
"""The conditions whose sets are points of the plot of sentences by phrases."""


def curve_stage(config: Config, name: str) -> Stage:
    """Returns the stage that counts phrases and sentences of some sets under each condition."""
    values = [str(CURVE), config["some_sets"], config["senses"]]
    code = [*CODE, Path(fluency.__file__)]
    return Stage(f"curve {name}", (f"parse {name}", "model"), values, code, partial(_count, config, name))


def _count(config: Config, name: str, run: Run, folder: Path) -> dict[str, Any]:
    words, model = thesaurus(config), read_model(run.folders["model"])
    sets = list(islice(read_sets(run.folders[f"parse {name}"]), config["some_sets"]))
    rows = []
    for title, condition in CURVE.items():
        paraphraser = Paraphraser(condition.settings, words)
        for trees in run.each(sets):
            rows.append({"condition": title, **condition_counts(condition, paraphraser, trees, model)})
    write_records(folder / COUNTS, rows)
    return {"sets": len(sets)}


def condition_counts(
    condition: Condition, paraphraser: Paraphraser, trees: Sequence[Tree], model: LanguageModel
) -> dict[str, Any]:
    """Returns the counts of a set (`counted`), for the sentences that meet the condition."""
    row = counted(paraphraser, trees)
    if row["failed"]:
        return row
    if condition.is_probable:
        row["sentences"] = _number_of_probable(*condition.lattice(paraphraser, trees, model))
    return {**row, "all": row["sentences"]}


def _number_of_probable(expansion: Expansion, lattice: Lattice) -> int:
    paths = nbest(lattice, min(count_paths(lattice), MAX_LISTED))
    return sum(path.cost <= SLACK for path in paths)


def curve_figures(folders: Mapping[str, Path], judged: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Returns the points of the curve: the yield of each condition, and the share of right sentences.

    Args:
        folders: the folders of the stages by collection.
        judged: the shares of the judged sample by condition.
    """
    rows = {name: read_records(folder / COUNTS) for name, folder in folders.items()}
    points: dict[str, dict[str, Any]] = {}
    for title, condition in CURVE.items():
        chosen = {name: [row for row in every if row["condition"] == title] for name, every in rows.items()}
        pooled = [row for every in chosen.values() for row in every]
        points[title] = {
            "about": condition.about,
            "collections": {name: summary(every) for name, every in chosen.items()},
            "all": summary(pooled),
            "growth": round(growth(pooled), 2),
        }
        if title in DRAWN:
            points[title]["sets"] = [[row["phrases"], row["sentences"]] for row in pooled if not row["failed"]]
        if title in judged:
            points[title]["judged"] = judged[title]
    return points


def growth(rows: Sequence[Mapping[str, Any]]) -> float:
    """Returns the geometric mean of the number of sentences per original sentence.

    >>> row = {"failed": False, "sentences": 8, "originals": 2}
    >>> growth([row, {**row, "sentences": 2}, {"failed": True}])
    2.0
    """
    return exp(mean(log(row["sentences"] / row["originals"]) for row in rows if not row["failed"]))
