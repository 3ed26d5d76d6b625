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

import numpy as np

import lattice_simp as ls
from experiments.files import read_records, write_records
from experiments.paraphrase.expanding import CODE, COUNTS, Config, counted, read_sets, summary, thesaurus
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.textio import open_text, read_lines
from lattice_simp.systems.paraphrase.alignment import PAPER
from lattice_simp.systems.paraphrase.conditions import CONDITIONS
from lattice_simp.train.ngrams.estimate import estimate

MODEL = "model.arpa.gz"

SLACK = 1e-6
"""Costs that differ by fewer nats count as equal."""


def model_stage(config: Config) -> Stage:
    """Returns the stage that estimates the language model."""
    settings = config["language_model"]
    files = [Path(config["data"], text["file"]) for text in settings["texts"]]
    return Stage("model", (), settings, files, partial(_estimate, settings, files))


def _estimate(settings: Config, files: Sequence[Path], run: Run, folder: Path) -> dict[str, Any]:
    import spacy

    tokenizer = spacy.blank("en").tokenizer
    text = folder / "text.txt.gz"
    count = 0
    with open_text(text, "w") as file:
        for path, part in zip(files, settings["texts"], strict=True):
            for line in islice(read_lines(path), part.get("from", 0), part.get("to")):
                words = [token.text for token in tokenizer(line.strip()) if not token.is_space]
                file.write(" ".join(words) + "\n")
                count += bool(words)
    estimate(text, folder / MODEL, order=settings["order"], memory=500, discount_fallback=True)
    return {"sentences": count}


def read_model(folder: Path) -> ls.LanguageModel:
    """Reads the model of the stage."""
    return ls.LanguageModel.read(folder / MODEL)


def probable(expansions: Sequence[ls.Expansion], model: ls.LanguageModel) -> ls.Lattice:
    """Returns the sentences that are as probable as their originals, as the paths of cost 0 or less.

    Each sentence is compared with its original rather than with a typical sentence of the set: paraphrases of plain
    sentences would always be probable enough, and those of difficult ones never. A sentence shorter than the original
    is charged the set's mean cost of a word for each missing word, so that leaving words out does not pay; a longer one
    gets no credit, so that adding frequent words does not pay.
    """
    sentences = [expansion.sentences[0] for expansion in expansions]
    costs = [-model.score(list(words)) for words in sentences]
    word = sum(costs) / sum(map(len, sentences))
    lattices, most = [], []
    for expansion, cost, sentence in zip(expansions, costs, sentences, strict=True):
        short, long = _by_length(expansion.lattice, len(sentence))
        for lattice, penalty in ((short, -word), (long, 0.0)):
            if lattice.num_states:
                most.append(cost + penalty * len(sentence))
                lattices.append(_within(lattice, model, penalty, most[-1]))
    return ls.determinize(ls.union(*lattices, costs=[-probability for probability in most]))


def _within(lattice: ls.Lattice, model: ls.LanguageModel, penalty: float, most: float) -> ls.Lattice:
    """Returns the lattice under a model, without arcs that are only on paths above a bound; the best path stays."""
    models = {"LM": (model, 1.0)}
    best = ls.nbest(ls.apply_lm(lattice, models, beam=0.0, word_penalty=penalty))[0]
    return ls.apply_lm(lattice, models, beam=max(most - best.cost, 0.0) + SLACK, word_penalty=penalty)


def _by_length(lattice: ls.Lattice, most: int) -> tuple[ls.Lattice, ls.Lattice]:
    """Returns the sentences with at most this many words, and the longer ones."""
    words, levels = len(lattice.symbols) - 1, np.arange(most + 2)
    sources = np.repeat(levels, words)
    labels, goals = np.tile(np.arange(1, words + 1), most + 2), np.minimum(sources + 1, most + 1)
    parts = []
    for ends in (levels <= most, levels > most):
        finals = np.where(ends, 0.0, np.inf)
        counting = ls.Lattice.from_arcs(sources, labels, np.zeros(len(labels)), goals, finals, lattice.symbols)
        parts.append(ls.intersect(lattice, counting))
    return parts[0], parts[1]


MAX_LISTED = 100_000
"""The most sentences of a set to list for counting the probable ones."""

MAX_SUBSTITUTIONS = 2
"""The most substitutions in a probable sentence."""


@dataclass(frozen=True)
class Condition:
    """A point of the curve; `is_probable`: sentences must also be as probable as their originals (`probable`)."""

    about: str
    settings: ls.ParaphraseSettings
    is_probable: bool = False

    def lattice(
        self, paraphraser: ls.Paraphraser, trees: Sequence[ls.Tree], model: ls.LanguageModel
    ) -> tuple[ls.Expansion, ls.Lattice]:
        """Returns the expansion of a set, and its sentences that meet the condition, as the paths of cost 0 or less."""
        expansion = paraphraser.expand_trees(trees)
        if not self.is_probable or expansion.new <= 0:
            return expansion, expansion.lattice
        return expansion, probable(paraphraser.expand_each(trees), model)


UNFILTERED, FILTERED = "unfiltered", "filtered"

CURVE: Mapping[str, Condition] = {
    "paper": Condition(
        "no link leaves either phrase: the condition of the paper", ls.ParaphraseSettings(PAPER, filters=())
    ),
    "linked": Condition(
        "at least half of the content words are linked, and all but one",
        ls.ParaphraseSettings(ls.AlignmentSettings(conditions=()), filters=()),
    ),
    "pairs": Condition(
        "the conditions on two phrases (`conditions.py`)",
        ls.ParaphraseSettings(ls.AlignmentSettings(conditions=tuple(CONDITIONS)), filters=()),
    ),
    UNFILTERED: Condition("the conditions on the whole set (`evidence.py`)", ls.ParaphraseSettings(filters=())),
    FILTERED: Condition("all filters: the default", ls.ParaphraseSettings()),
    "probable": Condition(
        f"at most {MAX_SUBSTITUTIONS} substitutions, and as probable as its original",
        ls.ParaphraseSettings(max_substitutions=MAX_SUBSTITUTIONS),
        is_probable=True,
    ),
}
"""The conditions by name; each is stricter than the previous one."""

DRAWN = ("paper", "linked", FILTERED)
"""The conditions whose sets are points of the plot of sentences by phrases."""


def curve_stage(config: Config, name: str) -> Stage:
    """Returns the stage that counts phrases and sentences of some sets under each condition."""
    values = [str(CURVE), config["some_sets"], config["senses"]]
    return Stage(
        f"curve {name}", (f"parse {name}", "model"), values, [*CODE, Path(__file__)], partial(_count, config, name)
    )


def _count(config: Config, name: str, run: Run, folder: Path) -> dict[str, Any]:
    words, model = thesaurus(config), read_model(run.folders["model"])
    sets = list(islice(read_sets(run.folders[f"parse {name}"]), config["some_sets"]))
    rows = []
    for title, condition in CURVE.items():
        paraphraser = ls.Paraphraser(condition.settings, words)
        for trees in run.each(sets):
            rows.append({"condition": title, **condition_counts(condition, paraphraser, trees, model)})
    write_records(folder / COUNTS, rows)
    return {"sets": len(sets)}


def condition_counts(
    condition: Condition, paraphraser: ls.Paraphraser, trees: Sequence[ls.Tree], model: ls.LanguageModel
) -> dict[str, Any]:
    """Returns the counts of a set (`counted`), for the sentences that meet the condition."""
    row = counted(paraphraser, trees)
    if row["failed"]:
        return row
    if condition.is_probable:
        row["sentences"] = _number_of_probable(*condition.lattice(paraphraser, trees, model))
    return {**row, "all": row["sentences"]}


def _number_of_probable(expansion: ls.Expansion, lattice: ls.Lattice) -> int:
    paths = ls.nbest(lattice, min(ls.count_paths(lattice), MAX_LISTED))
    return sum(path.cost <= SLACK for path in paths)


def curve_figures(folders: Mapping[str, Path], judged: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Returns the points of the curve: the yield of each condition, and the share of right sentences."""
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
