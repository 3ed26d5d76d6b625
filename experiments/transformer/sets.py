"""The sets of sentences, and the Transformer's training text, in the tokens of the Hiero system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.experiment import Experiment
from experiments.files import write_lines
from experiments.network import write_pairs
from experiments.report import measured, read_references
from experiments.study.pipeline import model_for
from lattice_simp.metrics import Lines, Measurements, bleu_13a, bleu_tok, chrf
from lattice_simp.pipeline.runner import Done
from lattice_simp.text.tokeniser import Tokeniser
from lattice_simp.train.config import Config, TestSet, read_config
from lattice_simp.train.pipeline import train
from lattice_simp.train.tuning import read_test_set

VALIDATION = "val"


@dataclass(frozen=True)
class SentenceSet:
    """Sentences as token lines, with one reference each, as tokens and as text."""

    name: str
    sources: tuple[str, ...]
    references: Lines

    @property
    def references_as_words(self) -> list[list[str]]:
        """The tokens of each reference."""
        return [line.split() for line in self.references.tokens or ()]

    def measured(self, outputs: Mapping[str, Sequence[str]], tokeniser: Tokeniser) -> Measurements:
        """Measures translations of the set by BLEU on tokens and on text, and chrF."""
        metrics = [bleu_tok(), bleu_13a(lowercase=True), chrf(lowercase=True)]
        return measured(outputs, [self.references], tokeniser, metrics)


def set_files(config: Config, name: str, lines: int | None) -> TestSet:
    """Returns the files of a set, and the number of its lines to use, evenly spread."""
    source, target = config.text.source_language, config.text.target_language
    files = [Path(f"{config.corpora[0].name}/{name}.{language}.xz") for language in (source, target)]
    return TestSet(name=name, source=files[0], references=(files[1],), lines=lines)


def read_set(config: Config, test: TestSet, model: Path) -> SentenceSet:
    """Reads a set with the tokenisers of a model."""
    (references,) = read_references(config, test, model)
    return SentenceSet(test.name, tuple(read_test_set(config, test, model)[0]), references)


def hiero_system(
    experiment: Experiment, values: Mapping[str, Any], sizes: Mapping[str, int | None]
) -> tuple[Config, Done, Path, list[SentenceSet]]:
    """Trains the Hiero system; returns its config, its stages, its model with the rules for some sets, and these."""
    config = read_config(values["hiero"], [override for override in experiment.overrides if override[:5] == "data="])
    done = train(config, experiment.run)
    files = [set_files(config, name, size) for name, size in sizes.items()]
    model, done = model_for([config.path(file.source) for file in files], config, done, experiment.run)
    return config, done, model, [read_set(config, file, model) for file in files]


def set_sizes(values: Mapping[str, Any]) -> dict[str, int | None]:
    """Returns the number of lines of each set to use (None: all), the validation set first."""
    return {VALIDATION: values["validation_lines"], **dict.fromkeys(values["tests"], values["lines"])}


def write_training_text(prepared: Path, validation: SentenceSet, languages: tuple[str, str], folder: Path) -> None:
    """Writes the Hiero system's training pairs (`train.LANGUAGE`) and the validation set, as token lines."""
    source, target = (f"train.{language}" for language in languages)
    write_pairs(prepared, (source, target), folder)
    for language, lines in zip(languages, (validation.sources, validation.references.tokens or ()), strict=True):
        write_lines(folder / f"{VALIDATION}.{language}", lines)
