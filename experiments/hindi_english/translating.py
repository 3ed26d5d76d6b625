"""Splits the development set, analyses lines with the Hindi tools, and translates them with all systems."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from experiments.files import read_records, write_lines, write_records
from lattice_simp.errors import LatticeSimpError
from lattice_simp.grammars.hindi.romanisation import romanise
from lattice_simp.pipeline.shards import results_in_order
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.skeleton import Skeleton
from lattice_simp.systems.hindi.model import HindiModel, load_what_works
from lattice_simp.systems.hindi.simplify import simplify
from lattice_simp.systems.hindi.skeletons import line_skeleton
from lattice_simp.systems.hindi.text import tokenised_sentences
from lattice_simp.text.tokeniser import tokenisers
from lattice_simp.train.config import Config, Corpus, TestSet
from lattice_simp.train.tuning import bleu, read_test_set, read_texts
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.model_files import WEIGHTS, read_weights

TUNED_EVERY = 3
"""Every third line of the development set is for tuning."""


def with_split_development(config: Config) -> Config:
    """Returns the config whose corpora hold two thirds of the development set, once for each reference.

    The files are written into the work folder.
    """
    whole = config.tune.development
    if whole is None:
        raise LatticeSimpError("the config has no tune.development; name the set that is split")
    source, references = read_texts(config, whole)
    folder = config.work.absolute() / "text"
    folder.mkdir(parents=True, exist_ok=True)
    corpora = list(config.corpora)
    tuned: list[Path] = []
    for position, lines in enumerate([source, *references]):
        name = "source" if position == 0 else f"reference.{position - 1}"
        training = [line for number, line in enumerate(lines) if number % TUNED_EVERY]
        tuned.append(write_lines(folder / f"tuned.{name}", lines[::TUNED_EVERY]))
        other = write_lines(folder / f"training.{name}", training)
        if position:
            corpus = Corpus(name=f"{whole.name}.{position - 1}", source=folder / "training.source", target=other)
            corpora.append(corpus)
    development = TestSet(name=whole.name, source=tuned[0], references=tuple(tuned[1:]))
    tune = config.tune.model_copy(update={"development": development})
    return config.model_copy(update={"corpora": tuple(corpora), "tune": tune})


@dataclass(frozen=True)
class Analysed:
    """A line: its tokens, whether the skeleton keeps each (all, if it deletes none), and its simple sentences."""

    words: tuple[str, ...]
    kept: tuple[bool, ...]
    simple: tuple[str, ...]

    @property
    def skeleton(self) -> Skeleton | None:
        """The skeleton; None if nothing can be deleted."""
        return None if all(self.kept) else Skeleton(self.words, self.kept)

    @property
    def is_changed(self) -> bool:
        """Whether simplification changes the line."""
        return " ".join(self.simple) != " ".join(self.words)


def analyse(model: HindiModel, tokens: str) -> Analysed:
    """Analyses a line of tokens, sentence by sentence."""
    sentences = list(model.parsed(model.analyser.analyse(words) for words in tokenised_sentences(tokens)))
    parts = [(sentence, model.clauses.clauses(sentence)) for sentence in sentences]
    skeleton = line_skeleton(parts)
    words = tuple(tokens.split())
    kept = (True,) * len(words) if skeleton is None else skeleton.mask
    simple = tuple(str(result) for part in parts for result in simplify(*part, every_clause=True).sentences)
    return Analysed(words, kept, simple)


def write_analysed(path: Path, lines: Iterable[Analysed]) -> None:
    """Writes one JSON object a line."""
    write_records(
        path,
        (
            {"words": " ".join(line.words), "kept": "".join("01"[kept] for kept in line.kept), "simple": line.simple}
            for line in lines
        ),
    )


def read_analysed(path: Path) -> list[Analysed]:
    """Reads a file of `write_analysed`."""
    return [
        Analysed(
            tuple(values["words"].split()), tuple(digit == "1" for digit in values["kept"]), tuple(values["simple"])
        )
        for values in read_records(path)
    ]


DEVELOPMENT, TEST = "development", "test"

SKELETON_WEIGHTS = (0.1, 0.25, 0.5, 1.0)
"""The weights to try on the development lines with a skeleton."""

WEIGHT, OUTPUT = "weight.json", "output.txt"

_DEVANAGARI = re.compile("[\u0900-\u097f]")


@dataclass(frozen=True)
class System:
    """A way to translate a line.

    Attributes:
        name: the name of its files.
        title: the title of its row.
        strategy: the strategy for lines with a skeleton; others are translated plainly.
        simplify: whether to translate the line's simple sentences one by one.
        romanise: whether to write words unknown to the rules in Latin letters.
    """

    name: str
    title: str
    strategy: str = "plain"
    simplify: bool = False
    romanise: bool = True


SYSTEMS = (
    System("plain", "Hiero"),
    System("devanagari", "Hiero, unknown words in Devanagari", romanise=False),
    System("gappy", "Gappy composition, skeletons without subordinate clauses", "gappy"),
    System("skeleton-first", "Skeleton-first, skeletons without subordinate clauses", "skeleton-first"),
    System("simplified", "Hiero, simplified sentences", simplify=True),
)


def analysed_stage(config: Config, hindi: Path) -> Stage:
    """Returns the stage that finds skeletons and simple sentences."""
    sets = _sets(config)
    inputs = [config.path(test_set.source) for test_set in sets.values()]
    inputs += sorted(path for path in hindi.rglob("*") if path.is_file())
    return Stage("analysed", ("model",), None, inputs, partial(_analyse, config, hindi))


def weight_stage(config: Config) -> Stage:
    """Returns the stage that finds the factor of the skeleton's costs."""
    return Stage("weight", ("model", "tune", "analysed"), SKELETON_WEIGHTS, (), partial(_find_weight, config))


def translated_stage(system: System) -> Stage:
    """Returns the stage that translates the test set."""
    settings = [system.strategy, system.simplify, system.romanise]
    before = ("model", "tune", "analysed", "weight")
    return Stage(f"translated-{system.name}", before, settings, (), partial(_translate_test, system))


def _sets(config: Config) -> dict[str, TestSet]:
    assert config.tune.development is not None
    return {DEVELOPMENT: config.tune.development, TEST: config.test[0]}


def _analyse(config: Config, hindi: Path, run: Run, folder: Path) -> dict[str, Any]:
    model = load_what_works(hindi)
    counts: dict[str, Any] = {}
    for name, test_set in _sets(config).items():
        analysed = [analyse(model, tokens) for tokens in read_test_set(config, test_set, run.folders["model"])[0]]
        write_analysed(folder / f"{name}.jsonl", analysed)
        counts[name] = {
            "lines": len(analysed),
            "skeletons": sum(sentence.skeleton is not None for sentence in analysed),
            "simplified": sum(sentence.is_changed for sentence in analysed),
        }
    return counts


def _find_weight(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    test_set = _sets(config)[DEVELOPMENT]
    lines = read_analysed(run.folders["analysed"] / f"{DEVELOPMENT}.jsonl")
    chosen = [number for number, line in enumerate(lines) if line.skeleton is not None]
    references = read_test_set(config, test_set, run.folders["model"])[1]
    originals = read_texts(config, test_set)[1]
    tokeniser = tokenisers(config.text)[1]
    system = next(candidate for candidate in SYSTEMS if candidate.strategy == "gappy")
    scores = {}
    for weight in SKELETON_WEIGHTS:
        output = translate(system, [lines[number] for number in chosen], run, weight)
        picked, picked_originals = (
            [[text[number] for number in chosen] for text in texts] for texts in (references, originals)
        )
        scores[weight] = bleu([words for words, _ in output], picked, picked_originals, tokeniser).bleu_tok_lc
        run.say(f"weight: {weight}: BLEU {scores[weight]:.2f}")
    best = max(scores, key=lambda weight: scores[weight])
    write_json(folder / WEIGHT, best)
    return {"weight": best, "bleu": scores}


def _translate_test(system: System, run: Run, folder: Path) -> dict[str, Any]:
    lines = read_analysed(run.folders["analysed"] / f"{TEST}.jsonl")
    weight = read_json(run.folders["weight"] / WEIGHT)
    output = translate(system, lines, run, weight)
    write_lines(folder / OUTPUT, [words for words, _ in output])
    return {"failed": sum(reachable is False for _, reachable in output)}


def translate(system: System, lines: Sequence[Analysed], run: Run, weight: float) -> list[tuple[str, bool | None]]:
    """Translates lines; returns the tokens, and whether a translation of the skeleton was contained."""
    factory = partial(_translator, system, run.folders["model"], run.folders["tune"], weight)
    return results_in_order(run, factory, lines, "line")


def _translator(
    system: System, model: Path, tuned: Path, weight: float
) -> Callable[[Analysed], tuple[str, bool | None]]:
    decoder = Decoder.load(model).with_weights(read_weights(tuned / WEIGHTS))
    skeletons = replace(decoder.settings.skeleton, weight=weight)
    decoder = replace(decoder, settings=replace(decoder.settings, skeleton=skeletons))

    def work(line: Analysed) -> tuple[str, bool | None]:
        parts = line.simple if system.simplify and line.is_changed else (" ".join(line.words),)
        skeleton = line.skeleton if system.strategy != "plain" else None
        results = [
            decoder.translate(part, skeleton, strategy=system.strategy if skeleton else "plain") for part in parts
        ]
        words = " ".join(result.best.text for result in results)
        return _in_latin(words) if system.romanise else words, results[0].reachable

    return work


def _in_latin(words: str) -> str:
    """Romanises Devanagari words, which are names unknown to the rules."""
    return " ".join(romanise(word) if _DEVANAGARI.search(word) else word for word in words.split())
