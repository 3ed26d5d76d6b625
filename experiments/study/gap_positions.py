"""The stage that finds the places of gaps in the translations of skeletons: beside words aligned to the gaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from experiments.files import sentence_file
from experiments.study.config import Study
from experiments.study.decoding import Sentences
from experiments.study.sentences import test_names
from lattice_simp.pipeline.shards import over_shards, run_all
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.skeleton import Skeleton
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.model_files import WEIGHTS, read_weights
from lattice_simp.translate.strategies.gappy import hypotheses_with_positions

ALIGNED = 100
"""The number of the decoder's best hypotheses of a skeleton to align; aligning takes longer than decoding."""

Positions = dict[str, list[int]]
"""For each hypothesis, the numbers of its words that may precede a gap."""


def gap_positions_stage(study: Study, sentences: Sentences) -> Stage:
    """Returns the stage that aligns the best hypotheses of the test sets' skeletons."""
    work = partial(_find, study, sentences)
    settings = [ALIGNED, study.skeleton, {name: len(sentences[name]) for name in test_names(sentences)}]
    return Stage("gap-positions", ("model", "tune", "spaces"), settings, (), work, version=3)


def read_positions(folder: Path, name: str, number: int) -> Positions:
    """Reads the positions of a sentence of a test set; none if it has no skeleton."""
    path = sentence_file(folder, number, name, "json")
    return read_json(path) if path.exists() else {}


def _find(study: Study, sentences: Sentences, run: Run, folder: Path) -> dict[str, Any]:
    weights = read_weights(run.folders["tune"] / WEIGHTS)
    tasks = [
        (name, number, sentence.skeletons[study.skeleton][0])
        for name in test_names(sentences)
        for number, sentence in enumerate(sentences[name])
        if study.skeleton in sentence.skeletons
    ]
    factory = partial(_aligner, run.folders["model"], weights, folder)
    run_all(over_shards(run, factory, tasks, lambda task: sentence_file(folder, task[1], task[0], "json").exists()))
    return {"skeletons": len(tasks)}


def _aligner(model: Path, weights: dict[str, float], folder: Path) -> Callable[[tuple[str, int, Skeleton]], None]:
    decoder = Decoder.load(model).with_weights(weights)
    settings = replace(decoder.settings, skeleton=replace(decoder.settings.skeleton, hypotheses=ALIGNED))
    decoder = replace(decoder, settings=settings)

    def align(task: tuple[str, int, Skeleton]) -> None:
        name, number, skeleton = task
        hypotheses, positions = hypotheses_with_positions(decoder, skeleton)
        aligned = {hypothesis.text: sorted(places) for hypothesis, places in zip(hypotheses, positions, strict=True)}
        write_json(sentence_file(folder, number, name, "json"), aligned)

    return align
