"""The stages of the variants, which compose under the weights of one system.

They are not tuned separately, so that differences come from the variants alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from experiments.files import sentence_file
from experiments.study.composing import SKELETON, Composed, compose
from experiments.study.config import Study
from experiments.study.decoding import Sentences, other_kinds, read_space
from experiments.study.nbest import Nbest, joined
from experiments.study.scoring import skeleton_nbest
from experiments.study.sentences import StudySentence, test_names
from experiments.study.systems import System
from experiments.study.translating import Output, write_outputs
from experiments.study.tuning import Task, needs
from experiments.study.variants import (
    ALIGNED,
    BASE,
    Variant,
    automatic_variants,
    chosen_variants,
    gap_variants,
    hand_variants,
)
from experiments.timing import cpu_time
from lattice_simp.core.lattice import Lattice
from lattice_simp.pipeline.shards import over_shards, run_all
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.skeleton import Skeleton
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.model_files import WEIGHTS, read_weights
from lattice_simp.translate.strategies.gappy import hypotheses_with_positions

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


RELATIVE = "Relative"
"""The feature of pooled lists."""

VARIANT_STAGES = ("variants", "gap-variants", "automatic-variants")


def hand_variants_stage(study: Study, sentences: Sentences) -> Stage:
    """Returns the stage that translates all sets with the variants of the hand-made skeletons."""
    return _stage("variants", study, hand_variants(study), sentences, (), tuple(sentences))


def gap_variants_stage(study: Study, sentences: Sentences) -> Stage:
    """Returns the stage that translates the test sets with loops only at the gaps."""
    return _stage("gap-variants", study, gap_variants(study), sentences, ("gap-positions",), test_names(sentences))


def automatic_variants_stage(study: Study, sentences: Sentences) -> Stage:
    """Returns the stage that translates the test sets with automatic skeletons."""
    every = automatic_variants(study, other_kinds(sentences))
    return _stage("automatic-variants", study, every, sentences, ("automatic-scores",), test_names(sentences))


def row_name(variant: str) -> str:
    """Returns the name of a variant's row and file: the name of its system, and its own."""
    return f"{BASE}, {variant}".replace("/", "-")


def _stage(
    name: str, study: Study, every: list[Variant], sentences: Sentences, more: tuple[str, ...], sets: tuple[str, ...]
) -> Stage:
    base, every = study.system(BASE), chosen_variants(study, every)
    before = (*needs(base), f"weights-{BASE}", *more)
    work = partial(_run, base, every, sentences, sets)
    return Stage(name, before, [variant.settings for variant in every], (), work)


def _run(
    base: System, every: list[Variant], sentences: Sentences, sets: tuple[str, ...], run: Run, folder: Path
) -> dict[str, Any]:
    tasks = [(name, number, sentence) for name in sets for number, sentence in enumerate(sentences[name])]
    factory = partial(_worker, base, every, dict(run.folders), folder)
    run_all(over_shards(run, factory, tasks, lambda task: sentence_file(folder, task[1], task[0], "json").exists()))
    seconds: dict[str, float] = {}
    for name in sets:
        files = [read_json(sentence_file(folder, number, name, "json")) for number in range(len(sentences[name]))]
        for row in files[0]:
            write_outputs(folder / f"{name}.{row}.jsonl", [Output(*rows[row][:3]) for rows in files])
            seconds[row] = seconds.get(row, 0.0) + sum(rows[row][3] for rows in files)
    return {"seconds_by_variant": seconds}


def _worker(base: System, every: list[Variant], folders: Mapping[str, Path], folder: Path) -> Callable[[Task], None]:
    plain = read_weights(folders["tune"] / WEIGHTS)
    weights = read_weights(folders[f"weights-{BASE}"] / WEIGHTS)
    positioned = any(variant.aligned for variant in every)

    def work(task: Task) -> None:
        name, number, sentence = task
        space = read_space(sentence_file(folders["spaces"], number, name))
        positions = read_positions(folders["gap-positions"], name, number) if positioned else {}
        outputs = {}
        for variant in every:
            with cpu_time() as timer:
                lists = _lists(variant, sentence, base, folders, plain)
                shares = sentence.probabilities.get(variant.kinds[0]) if variant.several == "expected" else None
                composed = _compose(variant, space, lists, positions, weights, shares)
            best = (composed.nbest.words[0], composed.reachable, composed.skeletons[0], timer.seconds)
            outputs[row_name(variant.name)] = best
        write_json(sentence_file(folder, number, name, "json"), outputs)

    return work


def _lists(
    variant: Variant, sentence: StudySentence, base: System, folders: Mapping[str, Path], plain: Mapping[str, float]
) -> list[Nbest]:
    skeletons = [entry for kind in variant.kinds for entry in sentence.skeletons.get(kind, ())[: variant.candidates]]
    return [skeleton_nbest(folders, skeleton, base.scorer or "", plain) for skeleton in skeletons]


def _compose(
    variant: Variant,
    space: Lattice,
    lists: Sequence[Nbest],
    positions: Positions,
    weights: Mapping[str, float],
    shares: Sequence[float] | None = None,
) -> Composed:
    how = variant.how
    if lists and shares is not None:
        parts = [relative(ranked, weights) for ranked in lists]
        return compose(space, parts, {**weights, SKELETON + RELATIVE: 1.0}, 1, how, shares=shares)
    if lists and variant.aligned:
        parts = [lists[0].only(positions)]
        return compose(space, parts, weights, 1, how, positions if variant.at_gaps else None)
    if len(lists) < 2:
        return compose(space, lists, weights, 1, how)
    firsts = [relative(part.first(how.hypotheses), weights) for part in lists]
    pooling = {**weights, SKELETON + RELATIVE: 1.0}
    if variant.several == "all":
        return compose(space, firsts, pooling, 1, how)
    pooled = joined(firsts)
    return compose(space, [pooled], pooling, 1, replace(how, hypotheses=len(pooled.words)))


def relative(nbest: Nbest, weights: Mapping[str, float]) -> Nbest:
    """Returns a list whose only feature is minus the cost of each hypothesis above the best, for pooling lists.

    Skeletons have different lengths, so their costs are not comparable, but the distances from each skeleton's best
    are.
    """
    costs = nbest.costs(weights, SKELETON)
    return Nbest(nbest.words, (costs.min() - costs)[:, None], (RELATIVE,))
