"""The training of the experiment, and the halves of the development set that it is tuned and tested on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from experiments.files import write_lines
from experiments.study.config import Study, read_study
from lattice_simp.skeleton import read_skeletons, write_skeletons
from lattice_simp.support.textio import read_lines
from lattice_simp.train.config import Config, Corpus, TestSet
from lattice_simp.train.tuning import evenly_spread

NAMES = ("half0", "half1")


def study_of(settings: Mapping[str, Any], every: int) -> tuple[Study, Config]:
    """Returns the study, trained on every n-th pair with the first half as development set, and its training.

    The halves' skeletons are written into the work folder, and so are the corpora unless all pairs are used.
    """
    work = Path(settings["work"]).absolute()
    overrides = [f"data={json.dumps(settings['data'])}", f"work={json.dumps(str(work))}"]
    _, config = read_study(Path(settings["study"]), overrides)
    development = config.tune.development
    assert development is not None
    tuned, tested = write_halves(config, development, settings["sentences"], work)
    work = work if every == 1 else work / f"every{every}"
    values = {
        "work": work,
        "corpora": tuple(thinned(config, corpus, every, work) for corpus in config.corpora),
        "rules": config.rules.model_copy(update={"only_for": (tuned.skeletons, tested.skeletons)}),
        "tune": config.tune.model_copy(update={"development": tuned}),
        "test": (tested,),
    }
    study = Study.model_validate({**settings["protocol"], "test_sets": {tested.name: "seen"}})
    return study, config.model_copy(update=values)


def write_halves(config: Config, development: TestSet, sentences: int, work: Path) -> list[TestSet]:
    """Writes the skeletons of evenly spread sentences of a set, every other one for each half."""
    assert development.skeletons is not None
    chosen = evenly_spread(list(read_skeletons(config.path(development.skeletons))), sentences)
    work.mkdir(parents=True, exist_ok=True)
    halves = []
    for number, name in enumerate(NAMES):
        path = work / f"{name}.jsonl"
        write_skeletons(path, chosen[number :: len(NAMES)])
        halves.append(development.model_copy(update={"name": name, "skeletons": path}))
    return halves


def thinned(config: Config, corpus: Corpus, every: int, work: Path) -> Corpus:
    """Writes every n-th pair of a corpus."""
    if every == 1:
        return corpus
    work.mkdir(parents=True, exist_ok=True)
    paths = {}
    for side, path in (("source", corpus.source), ("target", corpus.target)):
        paths[side] = work / f"{corpus.name}.{side}"
        write_lines(paths[side], islice(read_lines(config.path(path)), 0, None, every))
    return corpus.model_copy(update=paths)
