"""Stages that decode the sentences and their skeletons, and compute the cost of each hypothesis under each skeleton."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments.files import sentence_file
from experiments.masks.sentences import POOL, Sentence, read_pool
from experiments.study.decoding import skeleton_path
from experiments.study.nbest import Nbest
from experiments.study.scoring import DECODER, scoring
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Floats
from lattice_simp.ops.compose_gappy import EditCosts
from lattice_simp.pipeline.shards import over_shards, run_all
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.skeleton import Skeleton
from lattice_simp.support.array_cache import pack_words, read_arrays, unpack_words, write_arrays
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.gappy_composition import contained_costs
from lattice_simp.translate.model_files import WEIGHTS, read_weights
from lattice_simp.translate.settings import SkeletonSettings

SKELETONS, COSTS = "mask-skeletons", "mask-costs"
"""The names of the stages."""


def skeletons_stage(config: Mapping[str, Any]) -> Stage:
    """Returns the stage that decodes the skeletons, and scores their hypotheses."""
    settings = [config["hypotheses"], config["scorers"]]
    return Stage(SKELETONS, ("model", "tune", "scorers", POOL), settings, (), partial(_skeletons, config))


def _skeletons(config: Mapping[str, Any], run: Run, folder: Path) -> dict[str, Any]:
    every = (skeleton for sentence in read_pool(run.folders[POOL]) for skeleton in sentence.skeletons)
    skeletons = list({kept.words: kept for kept in every}.values())
    factory = partial(_skeleton_maker, dict(run.folders), config["hypotheses"], config["scorers"], folder)
    run_all(over_shards(run, factory, skeletons, lambda kept: skeleton_path(folder, kept).exists()))
    return {"skeletons": len(skeletons)}


def _skeleton_maker(
    folders: Mapping[str, Path], count: int, scorers: Iterable[str], folder: Path
) -> Callable[[Skeleton], None]:
    decoder = Decoder.load(folders["model"]).with_weights(read_weights(folders["tune"] / WEIGHTS))
    score = scoring(folders["scorers"], scorers)

    def make(skeleton: Skeleton) -> None:
        paths = decoder.exact_nbest(skeleton.words, count)[1]
        words = [path.text for path in paths]
        hypotheses = Nbest(words, -np.array([path.cost for path in paths])[:, None], (DECODER,))
        hypotheses.with_features(score(skeleton, words)).write(skeleton_path(folder, skeleton))

    return make


# ---------------------------------------------------------------- costs


def costs_stage(config: Mapping[str, Any]) -> Stage:
    """Returns the stage that decodes the sentences, and computes the cost of each hypothesis under each skeleton."""
    settings = [config["taken"], config["full"], config["beam"], config["edits"]]
    return Stage(COSTS, ("model", "tune", SKELETONS, POOL), settings, (), partial(_costs, config))


def read_costs(folder: Path, number: int) -> tuple[list[str], Floats, Floats]:
    """Returns a sentence's hypotheses, their costs, and their costs under each skeleton, (skeletons, hypotheses)."""
    arrays = read_arrays(sentence_file(folder, number))
    return unpack_words(arrays["words"]), arrays["full"], arrays["skeletons"]


def _costs(config: Mapping[str, Any], run: Run, folder: Path) -> dict[str, Any]:
    tasks = list(enumerate(read_pool(run.folders[POOL])))
    factory = partial(_costs_maker, dict(run.folders), config, folder)
    run_all(over_shards(run, factory, tasks, lambda task: sentence_file(folder, task[0]).exists()))
    return {}


def _costs_maker(
    folders: Mapping[str, Path], config: Mapping[str, Any], folder: Path
) -> Callable[[tuple[int, Sentence]], None]:
    decoder = Decoder.load(folders["model"]).with_weights(read_weights(folders["tune"] / WEIGHTS))
    decoder = replace(decoder, settings=replace(decoder.settings, beam=config["beam"], mbr=None))
    how = SkeletonSettings(weight=1.0, edits=EditCosts(**config["edits"]))

    def make(task: tuple[int, Sentence]) -> None:
        number, sentence = task
        paths = decoder.translate(sentence.words, strategy="plain").nbest(config["full"])
        words = [path.text for path in paths]
        lists = [Nbest.read(skeleton_path(folders[SKELETONS], skeleton)) for skeleton in sentence.skeletons]
        rows = [contained_costs(words, relative_hypotheses(nbest_list, config["taken"]), how) for nbest_list in lists]
        full = np.array([path.cost for path in paths])
        write_arrays(
            sentence_file(folder, number), {"words": pack_words(words), "full": full, "skeletons": np.vstack(rows)}
        )

    return make


def relative_hypotheses(nbest_list: Nbest, count: int) -> list[Hypothesis]:
    """Returns a skeleton's best hypotheses by decoder and scorers, with their costs above the first."""
    best = nbest_list.best(dict.fromkeys(nbest_list.names, 1.0), count)
    return [replace(path, cost=path.cost - best[0].cost) for path in best]
