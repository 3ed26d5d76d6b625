"""Combines the systems of a translation study: all choices on its development set, then its test set once."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from experiments.files import finished_stages, sentence_file
from experiments.report import RANDOMISATION, Figures, measured, plain_table, read_references
from experiments.study.nbest import Nbest
from experiments.study.scoring import DECODER
from experiments.study.sentences import DEVELOPMENT, SETS, TEST
from experiments.study.systems import RESCORED, SYSTEMS
from experiments.timing import cpu_time
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.lm.model import LanguageModel
from lattice_simp.metrics import Comparison, Lines, bleu_13a, bleu_tok, compare
from lattice_simp.ops.nbest import nbest
from lattice_simp.ops.prune import prune
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.support.threads import in_threads
from lattice_simp.systems.combination.combine import CombinationSettings, combine, default_weights
from lattice_simp.systems.combination.methods import METHODS
from lattice_simp.text.tokeniser import Tokeniser, tokenisers
from lattice_simp.train.config import read_config
from lattice_simp.translate.model_files import WEIGHTS, read_weights
from lattice_simp.tune.feature_lattice import tuning_lattice
from lattice_simp.tune.mert import MertOptions
from lattice_simp.tune.rounds import SEARCH, TuningOptions, tune_with

STRINGS = 100
"""The number of hypotheses of each system for a sentence."""

MAX_ARCS = 1500
"""The most arcs of a lattice for tuning weights."""

ROUNDS = 3
"""The rounds of combining and optimising."""

RANK = 9
"""The costs of hypotheses 0 and `RANK` define a common scale of costs for different systems."""

SHARPNESS = (1.0, 3.0, 10.0)
"""The values of sharpness to try; the middle one while other choices are made."""

COMBINED = "combined"

FIGURES = "figures.json"

FIGURE_NAMES = ("combination_gain_bleu", "combination_gain_p", "combination")
"""The figures of the stage."""

Lists: TypeAlias = Sequence[Sequence[Hypothesis]]
"""The n-best lists of a set's sentences."""


@dataclass(frozen=True)
class StudySet:
    """A set: the n-best lists of each system, the tokens of all references, and the lines of the first ones."""

    lists: Mapping[str, Lists]
    references: Sequence[Sequence[Sequence[str]]]
    lines: Lines

    @property
    def best_texts(self) -> dict[str, list[str]]:
        """The best hypotheses of each system."""
        return {name: [hypotheses[0].text for hypotheses in lists] for name, lists in self.lists.items()}

    def only(self, numbers: Sequence[int]) -> StudySet:
        """Returns some of the sentences."""
        lists = {name: [hypotheses[number] for number in numbers] for name, hypotheses in self.lists.items()}
        tokens = [(self.lines.tokens or ())[number] for number in numbers]
        return StudySet(lists, [self.references[number] for number in numbers], Lines(tokens))


@dataclass(frozen=True)
class Choice:
    """The choice of systems and of options.

    Attributes:
        method: a name in `METHODS`.
        systems: the names of the systems.
        lm: whether to use a language model as a feature.
        sharpness: the factor of the costs on their common scale; larger values give more weight to each system's best
            hypotheses.
    """

    method: str
    systems: tuple[str, ...]
    lm: bool = True
    sharpness: float = SHARPNESS[1]


@dataclass(frozen=True)
class Combiner:
    """Combines the sentences of a set according to a choice, with the scales of the systems' costs."""

    lm: LanguageModel | None
    scales: Mapping[str, float]
    tokeniser: Tokeniser
    run: Run = field(default_factory=Run)

    def lattices(self, choice: Choice, study_set: StudySet, weights: Mapping[str, float]) -> list[Lattice]:
        """Returns the lattice of each sentence."""
        settings = self._settings(choice)
        work = partial(combine, settings=settings, lm=self.lm if choice.lm else None, weights=weights)
        outputs = list(zip(*(study_set.lists[name] for name in choice.systems), strict=True))
        results = []
        for _, lattice, error in in_threads(work, outputs, self.run.jobs):
            if error is not None:
                raise error
            assert lattice is not None
            results.append(lattice)
            self.run.progress(len(results), len(outputs))
        return results

    def translate(self, choice: Choice, study_set: StudySet, weights: Mapping[str, float]) -> list[str]:
        """Returns the best string of each sentence."""
        return [nbest(lattice)[0].text for lattice in self.lattices(choice, study_set, weights)]

    def tuned(self, choice: Choice, study_set: StudySet) -> dict[str, float]:
        """Returns the weights tuned for BLEU by MERT."""
        start = default_weights(len(choice.systems), self._settings(choice), lm=choice.lm)

        def decode(weights: Mapping[str, float], symbols: SymbolTable) -> list[Lattice]:
            current = {name: weights[name] for name in start}
            return [_tuning(lattice, symbols, tuple(start)) for lattice in self.lattices(choice, study_set, current)]

        mert: MertOptions = replace(SEARCH, jobs=self.run.jobs, random_directions=8)
        return tune_with(decode, study_set.references, start, TuningOptions(mert, ROUNDS), say=self.run.say).weights

    def cross_validated(self, choice: Choice, study_set: StudySet) -> list[str]:
        """Returns the best strings with weights tuned on the other half of the sentences (even or odd ones)."""
        count = len(study_set.references)
        words = [""] * count
        for half in (0, 1):
            tuning, testing = (study_set.only(range(start, count, 2)) for start in (1 - half, half))
            words[half::2] = self.translate(choice, testing, self.tuned(choice, tuning))
        return words

    def _settings(self, choice: Choice) -> CombinationSettings:
        scales = tuple(choice.sharpness * self.scales[name] for name in choice.systems)
        return CombinationSettings(choice.method, strings=STRINGS, scales=scales)


def _tuning(lattice: Lattice, symbols: SymbolTable, names: tuple[str, ...]) -> Lattice:
    pruned = prune(lattice, max_arcs=MAX_ARCS)
    features = pruned.features.select(names)
    return tuning_lattice(pruned, names, features.arcs, features.finals).with_symbols(symbols)


def scales_of(study_set: StudySet) -> dict[str, float]:
    """Returns the factor of each system's costs that makes hypothesis `RANK` cost a nat more than the best one."""
    scales = {}
    for name, lists in study_set.lists.items():
        gaps = [hypotheses[min(RANK, len(hypotheses) - 1)].cost - hypotheses[0].cost for hypotheses in lists]
        scales[name] = 1.0 / max(float(np.mean(gaps)), 1e-3)
    return scales


def system_sets(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Returns the sets of systems to choose from: all, those of one kind, all but one.

    >>> system_sets(["plain", "gc", "plain+rescored"])
    [('plain', 'gc', 'plain+rescored'), ('plain', 'gc')]
    """
    rescored = tuple(name for name in names if name.endswith(RESCORED))
    others = tuple(name for name in names if name not in rescored)
    sets = [tuple(names), others, rescored]
    return [subset for subset in dict.fromkeys(sets) if len(subset) > 1]


def choose(combiner: Combiner, study_set: StudySet) -> tuple[Choice, list[dict[str, Any]]]:
    """Returns the best choice of method, systems, sharpness and language model by twofold cross-validation."""
    rows: list[dict[str, Any]] = []

    def best(choices: Sequence[Choice]) -> Choice:
        scored = []
        for choice in choices:
            known = next((row for row in rows if row["choice"] == choice), None)
            if known is None:
                combiner.run.say(f"combination: {choice}")
                score = bleu(combiner.cross_validated(choice, study_set), study_set)
                known = {"choice": choice, "bleu": score}
                rows.append(known)
            scored.append((known["bleu"], choice))
        return max(scored, key=lambda pair: pair[0])[1]

    every = tuple(study_set.lists)
    chosen = best([Choice(method, every, combiner.lm is not None) for method in METHODS])
    chosen = best([replace(chosen, systems=value) for value in [chosen.systems, *system_sets(every)]])
    chosen = best([replace(chosen, sharpness=value) for value in SHARPNESS])
    if combiner.lm is not None:
        chosen = best([chosen, replace(chosen, lm=False)])
    return chosen, [
        {**vars(row["choice"]), "systems": list(row["choice"].systems), "bleu": row["bleu"]} for row in rows
    ]


def bleu(words: Sequence[str], study_set: StudySet) -> float:
    """Returns corpus BLEU on tokens."""
    return bleu_tok().corpus_score(words, [study_set.lines.tokens or ()])


def combination(sets: Mapping[str, StudySet], combiner: Combiner) -> dict[str, Any]:
    """Chooses and tunes on the development set; compares on the test set with the best system of the former."""
    begin = time.perf_counter()
    development, test = sets[DEVELOPMENT], sets[TEST]
    singles = {name: bleu(texts, development) for name, texts in development.best_texts.items()}
    baseline = max(singles, key=lambda name: singles[name])
    choice, choices = choose(combiner, development)
    weights = combiner.tuned(choice, development)
    start = time.perf_counter()
    with cpu_time() as timer:
        words = combiner.translate(choice, test, weights)
    costs = {"seconds": time.perf_counter() - start, "cpu_seconds": timer.seconds, "sentences": len(words)}
    outputs = test.best_texts | {COMBINED: words}
    compared = _compared(outputs, test, baseline, combiner.tokeniser)
    gain = compared.scores[COMBINED]["BLEU-tok"]
    return {
        "combination_gain_bleu": gain.gain,
        "combination_gain_p": gain.p,
        "combination": {
            "baseline": baseline,
            "choice": {**vars(choice), "systems": list(choice.systems)},
            "choices": choices,
            "development_singles": singles,
            "weights": weights,
            "scales": dict(combiner.scales),
            "test": {
                name: {metric: vars(score) for metric, score in row.items()} for name, row in compared.scores.items()
            },
            "combining": costs,
            "seconds": time.perf_counter() - begin,
        },
    }


def _compared(
    outputs: Mapping[str, Sequence[str]], study_set: StudySet, baseline: str, tokeniser: Tokeniser
) -> Comparison:
    metrics = [bleu_tok(), bleu_13a(lowercase=True)]
    return compare(measured(outputs, [study_set.lines], tokeniser, metrics), baseline, RANDOMISATION)


# ---------------------------------------------------------------- the study's files


def combination_stage(study: Path, data: str) -> Stage:
    """Returns the stage that combines the systems in a study's work folder."""
    folders = system_folders(study)
    work = partial(_combine, study, folders, data)
    return Stage("combination", (), [folder.name for folder in folders.values()], (), work)


def read_combination(folder: Path) -> dict[str, Any]:
    """Returns the figures of the stage."""
    return read_json(folder / FIGURES)


def _combine(study: Path, folders: Mapping[str, Path], data: str, run: Run, folder: Path) -> dict[str, Any]:
    config = read_config(study / "config.yaml", [f"data={json.dumps(data)}"])
    model = finished_stages(study, "model")[-1]
    sets = {}
    tokeniser = tokenisers(config.text)[1]
    for name in SETS:
        test_set = config.tune.development if name == DEVELOPMENT else config.test[0]
        assert test_set is not None
        every = read_references(config, test_set, model)
        key = DEVELOPMENT if name == DEVELOPMENT else test_set.name
        lists = {system: read_lists(folder, key, every[0].count) for system, folder in folders.items()}
        references = [
            [line.split() for line in row] for row in zip(*(lines.tokens or () for lines in every), strict=True)
        ]
        sets[name] = StudySet(lists, references, every[0])
    lm = LanguageModel.read(next(model.glob("lm.*")))
    figures = combination(sets, Combiner(lm, scales_of(sets[DEVELOPMENT]), tokeniser, run))
    write_json(folder / FIGURES, figures)
    return {"gain": figures["combination_gain_bleu"], "p": figures["combination_gain_p"]}


def system_folders(work: Path) -> dict[str, Path]:
    """Returns the folders with the n-best lists of a study's systems, at least two, and of the rescored ones."""
    folders: dict[str, Path] = {}
    for suffix, stage in (("", "translated"), (RESCORED, "rescored")):
        for system in SYSTEMS:
            if finished := finished_stages(work, f"{stage}-{system.name}"):
                folders[system.name + suffix] = finished[-1]
    if len(folders) < 2 or not finished_stages(work, "model"):
        raise LatticeSimpError(f"{work}: there are no outputs of two systems; make them with: make study-en-fr")
    return folders


def read_lists(folder: Path, name: str, count: int) -> list[list[Hypothesis]]:
    """Returns the n-best lists of a set, sorted by the weights of the folder, if it has any."""
    weights = read_weights(folder / WEIGHTS) if (folder / WEIGHTS).exists() else None
    lists = []
    for number in range(count):
        path = sentence_file(folder, number, name)
        if not path.exists():
            raise LatticeSimpError(f"{path}: is missing; finish the study with: make study-en-fr")
        hypotheses = Nbest.read(path)
        lists.append(hypotheses.best(weights or {DECODER: 1.0}, STRINGS))
    return lists


# ---------------------------------------------------------------- the page


COMBINATION = "## Combination of systems"

_ABOUT = f"""The outputs of a study's systems for English-French (up to {STRINGS} hypotheses a sentence) become one \
lattice. The translation is its best path by n-gram agreement, length and a language model (`lattice-simp combine`). \
All choices are made on newstest2012 by twofold cross-validation, and the combination is tuned there; newstest2013 is \
translated once. The single systems were tuned on all of newstest2012, and their own experiment had measured them on \
newstest2013. So this set is not unseen, but no choice here was made on it."""


def combination_parts(figures: Figures) -> list[str]:
    """Returns the paragraphs and tables of the page."""
    choice, combining = figures["choice"], figures["combining"]
    choices = ["| method | systems | sharpness | language model | BLEU, cross-validated |", "|---|---|---:|---|---:|"]
    for setting in figures["choices"]:
        cells = (setting["method"], ", ".join(setting["systems"]), f"{setting['sharpness']:g}")
        choices.append(f"| {' | '.join(cells)} | {'yes' if setting['lm'] else 'no'} | {setting['bleu']:.2f} |")
    choices += [f"| single | {name} | | | {bleu:.2f} |" for name, bleu in figures["development_singles"].items()]
    tail = (
        f"Chosen: {choice['method']} of {', '.join(choice['systems'])}, sharpness {choice['sharpness']:g}"
        f"{', with the language model' if choice['lm'] else ', without a language model'}; p by approximate "
        f"randomisation against {figures['baseline']}, the best single system of the development set. "
        f"{combining['sentences']:,} sentences took {combining['cpu_seconds']:.0f} CPU seconds."
    )
    return [COMBINATION, _ABOUT, "\n".join(choices), _compared_table(figures["test"]), tail]


def _compared_table(systems: Figures) -> str:
    metrics = list(next(iter(systems.values())))
    rows = []
    for system, scores in systems.items():
        cells = ((f"{scores[name]['value']:.2f}", _p(scores[name]["p"])) for name in metrics)
        rows.append((system, *chain.from_iterable(cells)))
    return plain_table(("newstest2013", *chain.from_iterable((name, "p") for name in metrics)), rows)


def _p(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
