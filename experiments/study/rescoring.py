"""Stages that rescore the n-best lists of systems with the stronger model, and tune its weights.

The weights are found by batch MIRA on the development set. The other choices, the features beside the stronger model's
and the size of the steps, are made there too, by cross-validation on the plain system's lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from experiments.files import sentence_file
from experiments.study.composing import SKELETON
from experiments.study.config import Study
from experiments.study.decoding import Sentences
from experiments.study.nbest import Nbest
from experiments.study.scoring import COST, DECODER, STRONG, STRONG_WEIGHTS, scoring, strong_weights
from experiments.study.sentences import DEVELOPMENT, StudySentence
from experiments.study.systems import System
from experiments.study.translating import Output, read_outputs, write_outputs
from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.shards import over_shards, run_all
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.skeleton import Skeleton
from lattice_simp.translate.model_files import WEIGHTS, read_weights, write_weights
from lattice_simp.tune.metrics import BLEU
from lattice_simp.tune.mira import HypothesisList, MiraOptions, corpus_score, learn_margins_of_lists

CHOICE = "cross_validation.json"
"""The file with the settings tried on the development set, and the chosen ones."""

FOLDS = 2
"""The folds of the development set: even and odd sentences."""

Weights = dict[str, float]


@dataclass(frozen=True)
class LearningSettings:
    """The features beside the stronger model's (the system's cost, or all), and the largest step (`MiraOptions`)."""

    features: Literal["cost", "features"]
    step: float


TRIED = (
    LearningSettings("cost", 0.05),
    LearningSettings("cost", 0.01),
    LearningSettings("features", 0.05),
    LearningSettings("features", 0.01),
)
"""The settings to try; the first of equally good ones wins."""


@dataclass(frozen=True, eq=False)
class TuningSet:
    """The lists of the development set with the features `names`, among them `scorers`, those of the stronger model."""

    lists: tuple[HypothesisList, ...]
    names: tuple[str, ...]
    scorers: tuple[str, ...]

    @classmethod
    def of(cls, lists: Sequence[Nbest], sentences: Sequence[StudySentence], scorers: tuple[str, ...]) -> TuningSet:
        """Counts the lists' n-grams that occur in the references."""
        names = tuple(dict.fromkeys(name for ranked in lists for name in ranked.names))
        symbols = SymbolTable()
        references = [[symbols.encode(line.split()) for line in sentence.references] for sentence in sentences]
        tuning_lists = []
        for ranked, prepared in zip(lists, BLEU.prepared(references), strict=True):
            words = [symbols.encode(line.split()) for line in ranked.words]
            offsets = prefix_sums([len(labels) for labels in words])
            tuning_lists.append(HypothesisList(ranked.columns(names), prepared.rows(np.concatenate(words), offsets)))
        return cls(tuple(tuning_lists), names, scorers)

    def chosen(self, features: str) -> tuple[str, ...]:
        """Returns the names of the features for learning."""
        if features == "cost":
            return (DECODER, *self.scorers)
        return tuple(name for name in self.names if name != DECODER)

    def only(self, names: Sequence[str]) -> TuningSet:
        """Returns the lists with some of the features."""
        columns = [self.names.index(name) for name in names]
        lists = tuple(HypothesisList(part.features[:, columns], part.statistics) for part in self.lists)
        return TuningSet(lists, tuple(names), self.scorers)

    def fold(self, number: int) -> tuple[TuningSet, TuningSet]:
        """Returns the sentences outside one of the folds, and those inside."""
        inside, outside = list[HypothesisList](), list[HypothesisList]()
        for index, part in enumerate(self.lists):
            (inside if index % FOLDS == number else outside).append(part)
        return TuningSet(tuple(outside), self.names, self.scorers), TuningSet(tuple(inside), self.names, self.scorers)

    def learned(self, start: Mapping[str, float], step: float, seed: int) -> Weights:
        """Returns learned weights for the features, which rank good hypotheses first."""
        signs = {name: 1 for name in (DECODER, SKELETON + COST) if name in self.names}
        begin = {name: start.get(name, 0.0) for name in self.names}
        options = MiraOptions(seed=seed, step=step, signs=signs)
        return learn_margins_of_lists(self.lists, self.names, begin, options).weights

    def bleu(self, weights: Mapping[str, float]) -> float:
        """Returns the BLEU (0 to 1) of the best hypotheses under weights."""
        return corpus_score(self.lists, np.array([weights.get(name, 0.0) for name in self.names]), BLEU)

    def cross_validated(self, start: Mapping[str, float], step: float, seed: int) -> list[float]:
        """Returns the BLEU of each fold under weights learned on the others."""
        pairs = [self.fold(number) for number in range(FOLDS)]
        return [inside.bleu(outside.learned(start, step, seed)) for outside, inside in pairs]


# ---------------------------------------------------------------- the stage


def rescored_stage(study: Study, system: System, sentences: Sentences) -> Stage:
    """Returns the stage that scores a system's n-best lists with the stronger model, and tunes its weights."""
    before = ["scorers", f"weights-{system.name}", f"translated-{system.name}"]
    before += [STRONG] if system.name != "plain" else []
    tried = [asdict(learning) for learning in TRIED]
    work = partial(_rescore, study, system, sentences)
    return Stage(f"rescored-{system.name}", tuple(before), [study.seed, tried], (), work)


def _rescore(study: Study, system: System, sentences: Sentences, run: Run, folder: Path) -> dict[str, Any]:
    translated = run.folders[f"translated-{system.name}"]
    lists = _scored(study, sentences, translated, run, folder)
    first = sentence_file(translated, 0, DEVELOPMENT)
    scorers = tuple(name for name in lists[DEVELOPMENT][0].names if name not in Nbest.read(first).names)
    tuning_set = TuningSet.of(lists[DEVELOPMENT], sentences[DEVELOPMENT], scorers)
    starts = {"cost": {DECODER: 1.0}, "features": read_weights(run.folders[f"weights-{system.name}"] / WEIGHTS)}
    if system.name == "plain":
        learning = choose_learning(tuning_set, starts, study.seed, folder)
        write_weights(folder / STRONG_WEIGHTS, _cost_weights(tuning_set, starts, study.seed, folder))
        _rescore_alone(tuning_set, best_step(folder), study.seed, lists, translated, folder)
    else:
        learning = chosen_learning(run.folders[STRONG])
        starts["cost"] = strong_weights(run.folders)  # the settings chosen for the plain system
    if system.decodes_anew:  # its lists have only costs
        learning = LearningSettings("cost", best_step(run.folders[STRONG]))
    subset = tuning_set.only(tuning_set.chosen(learning.features))
    start = starts[learning.features]
    weights = subset.learned(start, learning.step, study.seed)
    write_best(weights, lists, translated, folder)
    held_out = subset.cross_validated(start, learning.step, study.seed)
    return {"bleu_before": subset.bleu(start), "bleu_after": subset.bleu(weights), "bleu_held_out": held_out}


def choose_learning(tuning_set: TuningSet, starts: Mapping[str, Weights], seed: int, folder: Path) -> LearningSettings:
    """Tries all settings on the development set, and writes their scores; cross-validation needs two sentences."""
    if len(tuning_set.lists) < FOLDS:
        raise LatticeSimpError(f"rescoring is chosen by cross-validation; give a development set of {FOLDS} sentences")
    rows = []
    for learning in TRIED:
        subset = tuning_set.only(tuning_set.chosen(learning.features))
        scores = subset.cross_validated(starts[learning.features], learning.step, seed)
        rows.append({**asdict(learning), "bleu": scores})
    best = max(range(len(rows)), key=lambda index: (_mean(rows[index]["bleu"]), -index))
    before = [tuning_set.fold(number)[1].bleu({DECODER: 1.0}) for number in range(FOLDS)]
    write_json(folder / CHOICE, {"before": before, "tried": rows, "chosen": asdict(TRIED[best])})
    return TRIED[best]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(1, len(values))


def chosen_learning(folder: Path) -> LearningSettings:
    """Returns the settings chosen for the plain system's lists."""
    return LearningSettings(**read_choice(folder)["chosen"])


def read_choice(folder: Path) -> dict[str, Any]:
    """Reads the tried settings: `before` and `tried` have the BLEU (0 to 1) of each fold."""
    return read_json(folder / CHOICE)


def _cost_weights(tuning_set: TuningSet, starts: Mapping[str, Weights], seed: int, folder: Path) -> Weights:
    """Returns weights of the decoder's cost and of the scorers, which turn the stronger model into one score."""
    return tuning_set.only(tuning_set.chosen("cost")).learned(starts["cost"], best_step(folder), seed)


def best_step(folder: Path) -> float:
    """Returns the best step among the settings with the system's cost."""
    tried = [row for row in read_choice(folder)["tried"] if row["features"] == "cost"]
    return float(max(tried, key=lambda row: _mean(row["bleu"]))["step"])


def _scored(study: Study, sentences: Sentences, translated: Path, run: Run, folder: Path) -> dict[str, list[Nbest]]:
    """Returns the lists of all sets with the features of the stronger model, and writes them."""
    factory = partial(_rescorer, run.folders["scorers"], study.scorers, translated, folder)
    tasks = list_tasks(sentences)
    run_all(over_shards(run, factory, tasks, lambda task: sentence_file(folder, task[1], task[0]).exists()))
    return read_lists(folder, sentences)


ListTask = tuple[str, int, tuple[str, ...]]
"""A list to score: its set, number and source words."""


def list_tasks(sentences: Sentences) -> list[ListTask]:
    """Returns the lists of all sets."""
    return [(name, number, sentence.words) for name in sentences for number, sentence in enumerate(sentences[name])]


def read_lists(folder: Path, sentences: Sentences) -> dict[str, list[Nbest]]:
    """Reads the lists of all sets from a stage's folder."""
    return {
        name: [Nbest.read(sentence_file(folder, number, name)) for number in range(len(entries))]
        for name, entries in sentences.items()
    }


def _rescorer(models: Path, names: Iterable[str], translated: Path, folder: Path) -> Callable[[ListTask], None]:
    score = scoring(models, names)

    def work(task: ListTask) -> None:
        name, number, words = task
        ranked = Nbest.read(sentence_file(translated, number, name))
        every = Skeleton(words, (True,) * len(words))
        ranked.with_features(score(every, ranked.words)).write(sentence_file(folder, number, name))

    return work


def write_best(weights: Weights, lists: Mapping[str, Sequence[Nbest]], translated: Path, folder: Path) -> None:
    """Writes weights, and the best outputs of each set's lists under them; `translated` holds those before."""
    write_weights(folder / WEIGHTS, weights)
    for name, entries in lists.items():
        write_outputs(folder / f"{name}.jsonl", best_outputs(weights, entries, translated / f"{name}.jsonl"))


def best_outputs(weights: Mapping[str, float], lists: Sequence[Nbest], before: Path) -> list[Output]:
    """Returns the best hypotheses under weights, which replace the earlier outputs."""
    chosen = [nbest.words[int(nbest.costs(weights).argmin())] for nbest in lists]
    return [Output(words, old.reachable) for words, old in zip(chosen, read_outputs(before), strict=True)]


# ---------------------------------------------------------------- one part of the stronger model alone

ALONE = "alone.json"
"""The file with the BLEU (0 to 1) of each fold, for each part of the stronger model alone."""


def _rescore_alone(
    tuning_set: TuningSet, step: float, seed: int, lists: Mapping[str, Sequence[Nbest]], translated: Path, folder: Path
) -> None:
    """Rescores with the decoder's cost and each single part of the stronger model."""
    write_json(folder / ALONE, alone_scores(tuning_set, step, seed))
    for scorer in tuning_set.scorers:
        weights = _with_one(tuning_set, scorer).learned({DECODER: 1.0}, step, seed)
        for name, entries in lists.items():
            outputs = best_outputs(weights, entries, translated / f"{name}.jsonl")
            write_outputs(alone_path(folder, scorer, name), outputs)


def alone_scores(tuning_set: TuningSet, step: float, seed: int) -> dict[str, list[float]]:
    """Returns the BLEU (0 to 1) of each fold with the decoder's cost and each single part of the stronger model."""
    parts = {scorer: _with_one(tuning_set, scorer) for scorer in tuning_set.scorers}
    return {scorer: part.cross_validated({DECODER: 1.0}, step, seed) for scorer, part in parts.items()}


def _with_one(tuning_set: TuningSet, scorer: str) -> TuningSet:
    return tuning_set.only((DECODER, scorer))


def alone_path(folder: Path, scorer: str, name: str) -> Path:
    """Returns the file of a set's translations, rescored with one part of the stronger model."""
    return folder / f"{scorer}.{name}.jsonl"


def read_alone(folder: Path) -> dict[str, list[float]]:
    """Reads the BLEU (0 to 1) of each fold of the development set for each part of the stronger model."""
    return read_json(folder / ALONE)
