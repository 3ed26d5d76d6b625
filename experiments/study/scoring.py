"""Stages of the stronger model: its parts are trained, and score the hypotheses of the skeletons and of the systems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments.study.config import Study
from experiments.study.decoding import Sentences, all_skeletons, other_kinds, skeleton_path
from experiments.study.nbest import Nbest
from experiments.study.sentences import HAND_MADE
from lattice_simp.pipeline.shards import over_shards, run_all
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.rescore import read_scorers
from lattice_simp.skeleton import Skeleton
from lattice_simp.train.scorers import train_scorer
from lattice_simp.translate.model_files import WEIGHTS, read_weights

DECODER = "Decoder"
"""The feature that holds minus the decoder's cost."""

COST = "Cost"
"""The feature that holds minus what a skeleton's hypothesis costs its scorer."""

STRONG = "rescored-plain"
"""The stage whose weights make the stronger model one score."""

LEAST_UNIT = 0.05
"""A decoder's weight below this is none to measure others by."""


def scorers_stage(study: Study) -> Stage:
    """Returns the stage that trains the stronger model's parts on the parallel corpus."""
    return Stage("scorers", ("number", "align", "lexical"), study.scorers, (), partial(_train, study))


def _train(study: Study, run: Run, folder: Path) -> dict[str, Any]:
    for name in study.scorers:
        if not (folder / name).exists():
            train_scorer(name, run.folders).write(folder / name)
            run.say(f"scorers: {name}")
    return {}


def scores_stage(study: Study, sentences: Sentences) -> Stage:
    """Returns the stage that scores the n-best lists of the hand-made skeletons."""
    work = partial(_score, study, all_skeletons(sentences, HAND_MADE), "skeletons")
    return Stage("scores", ("scorers", "skeletons"), None, (), work)


def automatic_scores_stage(study: Study, sentences: Sentences) -> Stage:
    """Returns the stage that scores the n-best lists of the other skeletons."""
    work = partial(_score, study, all_skeletons(sentences, other_kinds(sentences)), "automatic")
    return Stage("automatic-scores", ("scorers", "automatic"), None, (), work)


def _score(study: Study, skeletons: list[Skeleton], lists: str, run: Run, folder: Path) -> dict[str, Any]:
    factory = partial(_scorer, run.folders["scorers"], study.scorers, run.folders[lists], folder)
    run_all(over_shards(run, factory, skeletons, lambda skeleton: skeleton_path(folder, skeleton).exists()))
    return {}


def _scorer(models: Path, names: tuple[str, ...], lists: Path, folder: Path) -> Callable[[Skeleton], None]:
    score = scoring(models, names)

    def work(skeleton: Skeleton) -> None:
        score(skeleton.words, Nbest.read(skeleton_path(lists, skeleton)).words).write(skeleton_path(folder, skeleton))

    return work


def scoring(models: Path, names: Iterable[str]) -> Callable[[tuple[str, ...], list[str]], Nbest]:
    """Returns the function that scores hypotheses (token lines) of a source sentence: minus the costs are features."""
    scorers = {feature: scorer for name in names for feature, scorer in read_scorers(models / name).items()}

    def score(source: tuple[str, ...], hypotheses: list[str]) -> Nbest:
        split = [words.split() for words in hypotheses]
        columns = [-scorer.score(source, split) for scorer in scorers.values()]
        return Nbest(hypotheses, np.column_stack(columns), tuple(scorers))

    return score


def skeleton_nbest(folders: Mapping[str, Path], skeleton: Skeleton, scorer: str, weights: Mapping[str, float]) -> Nbest:
    """Reads a skeleton's hypotheses with what they cost a scorer, those first that it finds best.

    One feature, so that one weight says how much the skeleton counts: weights for each part of the scorer, tuned on a
    few hundred sentences, gain half a BLEU point there and lose it elsewhere.

    Args:
        folders: of the stages.
        skeleton: a skeleton.
        scorer: `decoder` for the decoder, `strong` for the stronger model, the decoder's cost among its parts.
        weights: of the decoder.
    """
    lists, scores = ("skeletons", "scores")
    if not skeleton_path(folders[lists], skeleton).exists():
        lists, scores = ("automatic", "automatic-scores")
    own = Nbest.read(skeleton_path(folders[lists], skeleton))
    costs = own.costs(weights)
    if scorer == "strong":
        decoder = Nbest(own.words, -costs[:, None], (DECODER,))
        scored = decoder.with_features(Nbest.read(skeleton_path(folders[scores], skeleton)))
        costs = scored.costs(strong_weights(folders))
    return Nbest(own.words, -costs[:, None], (COST,)).sorted({COST: 1.0})


def strong_weights(folders: Mapping[str, Path]) -> dict[str, float]:
    """Returns the weights that make the stronger model one score, with the decoder's cost as the unit if it counts."""
    weights = read_weights(folders[STRONG] / WEIGHTS)
    unit = weights[DECODER] if weights[DECODER] > LEAST_UNIT else sum(map(abs, weights.values()))
    return {name: weight / unit for name, weight in weights.items()}
