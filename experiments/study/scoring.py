"""Stages of the stronger model: its parts are trained, and score the hypotheses of the skeletons and of the systems."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments.network import write_pairs
from experiments.study.config import Study, joint_settings, transformer_settings
from experiments.study.decoding import Sentences, all_skeletons, other_kinds, skeleton_path
from experiments.study.nbest import Nbest
from experiments.study.sentences import DEVELOPMENT, HAND_MADE, StudySentence
from experiments.study.systems import ALONE
from lattice_simp.pipeline.shards import over_shards, results_in_order, run_all
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.rescore import JointScorer, read_scorers
from lattice_simp.skeleton import Skeleton
from lattice_simp.train.scorers import StageCorpus, train_scorer
from lattice_simp.translate.model_files import read_weights

DECODER = "Decoder"
"""The feature for minus the decoder's cost."""

COST = "Cost"
"""The feature for minus the scorer's cost of a skeleton's hypothesis."""

STRONG = "rescored-plain"
"""The stage whose weights turn the stronger model into one score."""

STRONG_WEIGHTS = "strong.tsv"
"""The file of that stage with the weights of the decoder's cost and of the parts of the stronger model."""

JOINT = "joint"
"""The part that torch trains, which reads skeletons within their sentences."""

TRANSFORMER = ALONE.name
"""The part that torch trains as a translator of its own."""

WITHOUT_ENDS = ("model1",)
"""The parts without a probability for the end of a sentence, whose perplexity does not cover whole sentences."""

LEAST_UNIT = 0.05
"""The least weight of the decoder that serves as the unit of the others."""


def scorers_stage(study: Study) -> Stage:
    """Returns the stage that trains the stronger model's parts on the parallel corpus."""
    chosen = {JOINT: study.joint, TRANSFORMER: study.transformer}
    training = [settings for name, settings in chosen.items() if name in study.scorers]
    needs = ("number", "align", "lexical", *(["prepare"] if TRANSFORMER in study.scorers else []))
    settings = [study.scorers, *training] if training else study.scorers
    return Stage("scorers", needs, settings, (), partial(_train, study))


def _train(study: Study, run: Run, folder: Path) -> dict[str, Any]:
    for name in study.scorers:
        if not (folder / name).exists():
            if name in (JOINT, TRANSFORMER):
                _train_apart(name, study, run, folder)
            else:
                train_scorer(name, run.folders).write(folder / name)
            run.say(f"scorers: {name}")
    return {}


def _train_apart(name: str, study: Study, run: Run, folder: Path) -> None:
    """Trains a part with torch in a separate folder, in which a stopped run resumes."""
    output = folder / f"{name}.run"
    train = _joint if name == JOINT else _transformer
    train(study, run, output).rename(folder / name)
    shutil.rmtree(output)


def _joint(study: Study, run: Run, output: Path) -> Path:
    from lattice_simp.rescore.joint.training import train  # needs torch

    settings = joint_settings(study.joint, run.folders["align"].parent, output)
    return train(settings, StageCorpus(run.folders), run.say)


def _transformer(study: Study, run: Run, output: Path) -> Path:
    from lattice_simp.rescore.neural.training import train  # needs torch

    write_pairs(run.folders["prepare"], ("source", "target"), output)
    return train(transformer_settings(study.transformer, output), run.say)


def perplexities_stage(study: Study, sentences: Sentences, inputs: Iterable[Path]) -> Stage:
    """Returns the stage that measures the stronger model's parts on the development set's references."""
    settings = {"sentences": len(sentences[DEVELOPMENT])}
    work = partial(_perplexities, study, sentences[DEVELOPMENT])
    return Stage("perplexities", ("scorers", "model"), settings, list(inputs), work)


def _perplexities(study: Study, sentences: list[StudySentence], run: Run, folder: Path) -> dict[str, Any]:
    """Returns the perplexity, on tokens and ends of the references, of each part that models ends of sentences."""
    parts = [name for name in study.scorers if name not in WITHOUT_ENDS]
    tokens = sum(len(sentence.references[0].split()) + 1 for sentence in sentences)
    factory = partial(_reference_scorer, run.folders["scorers"], parts)
    nats: dict[str, float] = {}
    for costs in results_in_order(run, factory, sentences, "sentence"):
        for feature, cost in costs.items():
            nats[feature] = nats.get(feature, 0.0) + cost
    return {"perplexities": {name: round(math.exp(cost / tokens), 3) for name, cost in nats.items()}, "tokens": tokens}


def _reference_scorer(models: Path, names: Iterable[str]) -> Callable[[StudySentence], dict[str, float]]:
    """Returns the function that computes the costs of a sentence's first reference by each feature of the parts."""
    scorers = {feature: scorer for name in names for feature, scorer in read_scorers(models / name).items()}

    def work(sentence: StudySentence) -> dict[str, float]:
        reference = [sentence.references[0].split()]
        return {name: float(scorer.score(sentence.words, reference)[0]) for name, scorer in scorers.items()}

    return work


def scores_stage(study: Study, sentences: Sentences) -> Stage:
    """Returns the stage that scores the n-best lists of the hand-made skeletons."""
    work = partial(_score, study, all_skeletons(sentences, HAND_MADE), "skeletons")
    return Stage("scores", ("scorers", "skeletons"), None, (), work)


def automatic_scores_stage(study: Study, sentences: Sentences) -> Stage:
    """Returns the stage that scores the n-best lists of the other skeletons."""
    work = partial(_score, study, all_skeletons(sentences, other_kinds(sentences)), "automatic")
    return Stage("automatic-scores", ("scorers", "automatic"), None, (), work)


def _score(study: Study, skeletons: list[Skeleton], lists: str, run: Run, folder: Path) -> dict[str, Any]:
    factory = partial(_scorer, study, run.folders["scorers"], run.folders[lists], folder)
    run_all(over_shards(run, factory, skeletons, lambda skeleton: skeleton_path(folder, skeleton).exists()))
    return {}


def _scorer(study: Study, models: Path, lists: Path, folder: Path) -> Callable[[Skeleton], None]:
    score = scoring(models, study.scorers, within=study.joint_source == "sentence")

    def work(skeleton: Skeleton) -> None:
        score(skeleton, Nbest.read(skeleton_path(lists, skeleton)).words).write(skeleton_path(folder, skeleton))

    return work


def scoring(models: Path, names: Iterable[str], *, within: bool = True) -> Callable[[Skeleton, list[str]], Nbest]:
    """Returns the function that scores translations (token lines) of a skeleton; the features are minus the costs.

    With `within`, models that support it read the skeleton's words within their sentence.
    """
    scorers = {feature: scorer for name in names for feature, scorer in read_scorers(models / name).items()}

    def score(skeleton: Skeleton, hypotheses: list[str]) -> Nbest:
        split = [words.split() for words in hypotheses]
        columns = [
            -scorer.score_part(skeleton.tokens, np.array(skeleton.mask, dtype=bool), split)
            if within and isinstance(scorer, JointScorer)
            else -scorer.score(skeleton.words, split)
            for scorer in scorers.values()
        ]
        return Nbest(hypotheses, np.column_stack(columns), tuple(scorers))

    return score


def skeleton_nbest(
    folders: Mapping[str, Path],
    skeleton: Skeleton,
    scorer: str,
    weights: Mapping[str, float],
    *,
    with_features: bool = False,
) -> Nbest:
    """Reads a skeleton's hypotheses with the costs of a scorer, the decoder or the `strong` model, sorted by them.

    Usually there is one feature, so that a single weight controls the skeleton's influence: weights for each part of
    the scorer, tuned on a few hundred sentences, gain half a BLEU point there and lose it elsewhere. With
    `with_features`, the cost has beside it what it is made of.
    """
    lists, scores = ("skeletons", "scores")
    if not skeleton_path(folders[lists], skeleton).exists():
        lists, scores = ("automatic", "automatic-scores")
    features = Nbest.read(skeleton_path(folders[lists], skeleton))
    costs = features.costs(weights)
    if scorer == "strong":
        parts = Nbest.read(skeleton_path(folders[scores], skeleton))
        decoder = Nbest(features.words, -costs[:, None], (DECODER,))
        costs = decoder.with_features(parts).costs(strong_weights(folders))
        features = features.with_features(parts)
    ranked = Nbest(features.words, -costs[:, None], (COST,))
    return (ranked.with_features(features) if with_features else ranked).sorted({COST: 1.0})


def strong_weights(folders: Mapping[str, Path]) -> dict[str, float]:
    """Returns the weights that turn the stronger model into one score; the unit is the decoder's cost, if it counts."""
    weights = read_weights(folders[STRONG] / STRONG_WEIGHTS)
    unit = weights[DECODER] if weights[DECODER] > LEAST_UNIT else sum(map(abs, weights.values())) or 1.0
    return {name: weight / unit for name, weight in weights.items()}
