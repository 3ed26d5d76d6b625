"""Splits the development set: most of it is added to the training data, the rest is for tuning."""

from __future__ import annotations

from pathlib import Path

from experiments.files import write_lines
from lattice_simp.errors import LatticeSimpError
from lattice_simp.train.config import Config, Corpus, TestSet
from lattice_simp.train.tuning import read_texts

TUNED_EVERY = 3
"""Every third line of the development set is for tuning."""


def with_split_development(config: Config) -> Config:
    """Returns the config whose corpora hold two thirds of the development set, once for each reference.

    The files are written into the work folder.

    Raises:
        FormatError: a file of the set is broken.
        LatticeSimpError: the config has no development set.
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
