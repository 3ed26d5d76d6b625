"""Stages that find the weights of the systems on the development set.

The plain system's weights are tuned together; the others keep them, and tune the skeleton's weight, so that their gains
come from the skeleton. Systems that follow the paper start from the plain system's weights and tune all together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from experiments.files import sentence_file
from experiments.study.composing import SKELETON, Composed, compose
from experiments.study.config import Study
from experiments.study.decoding import Sentences, read_space
from experiments.study.scoring import COST, DECODER, STRONG, skeleton_nbest, strong_weights
from experiments.study.sentences import DEVELOPMENT, StudySentence
from experiments.study.systems import System
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.pipeline.shards import results_in_order
from lattice_simp.pipeline.stage import Run, Stage, write_json
from lattice_simp.train.tuning import evenly_spread
from lattice_simp.translate.model_files import WEIGHTS, read_weights, write_weights
from lattice_simp.translate.result import SKELETON_FEATURE
from lattice_simp.tune.decode import DecodeOptions, TuningSentence
from lattice_simp.tune.feature_lattice import same_features
from lattice_simp.tune.mert import MertOptions
from lattice_simp.tune.rounds import REACH, SEARCH_GAIN, TuningOptions, TuningResult, tune, tune_with

START = 1.0
"""The start weight of the skeleton, which then counts as much as the full sentence."""

MIN_GAIN = 5e-4
"""The expected gain in BLEU (0 to 1) below which tuning ends."""

PLAIN = "weights-plain"
"""The stage whose weights the other systems keep."""

DECODING_ROUNDS = 2
"""The rounds of tuning if each round decodes anew."""


def needs(system: System) -> tuple[str, ...]:
    """Returns the stages on which a system's weights and translations depend."""
    every: tuple[str, ...] = ("model", "tune", "spaces", "skeletons")
    every += (PLAIN,) if system.skeleton else ()
    return (*every, "scores", STRONG) if system.scorer == "strong" else every


def weights_stage(study: Study, system: System, sentences: Sentences) -> Stage:
    """Returns the stage that tunes a system."""
    settings = [system.__dict__, study.tuning_hypotheses, study.tuning_rounds, study.hypotheses, study.seed]
    settings += [study.skeleton_first_sentences] if system.decodes_anew else []
    work = partial(_tune, study, system, sentences[DEVELOPMENT])
    return Stage(f"weights-{system.name}", needs(system), settings, (), work)


def _tune(study: Study, system: System, sentences: list[StudySentence], run: Run, folder: Path) -> Any:
    start = starting_weights(system, run.folders)
    mert = MertOptions(seed=study.seed, restarts=1, min_gain=SEARCH_GAIN, reach=REACH, jobs=run.jobs)
    if system.skeleton is not None:
        feature = _skeleton_feature(system)
        mert = replace(mert, signs={feature: 1})
        if system.tuned == "skeleton":
            mert = replace(mert, restarts=0, random_directions=0, fixed=frozenset(start) - {feature})
    if system.decodes_anew:
        result = _tune_decoding(study, system, sentences, start, mert, run)
    else:
        decode = partial(_composed, study, system, sentences, run)
        references = [[line.split() for line in sentence.references] for sentence in sentences]
        options = TuningOptions(mert, study.tuning_rounds, MIN_GAIN)
        result = tune_with(decode, references, start, options, say=run.say)
    write_weights(folder / WEIGHTS, result.weights)
    rounds = [{"weights": entry.weights, "bleu": entry.score, "expected": entry.expected} for entry in result.rounds]
    write_json(folder / "rounds.json", rounds)
    return {"rounds": len(rounds), "bleu_before": rounds[0]["bleu"], "bleu_after": result.score}


def starting_weights(system: System, folders: Mapping[str, Path]) -> dict[str, float]:
    """Returns the decoder's weights for the plain system, and the plain system's for the others."""
    if system.skeleton is None:
        return read_weights(folders["tune"] / WEIGHTS)
    weights = {**read_weights(folders[PLAIN] / WEIGHTS), _skeleton_feature(system): START}
    if system.tuned == "all of both":
        parts = [*read_weights(folders["tune"] / WEIGHTS)]
        parts += strong_weights(folders) if system.scorer == "strong" else ()
        weights |= {SKELETON + part: 0.0 for part in parts if part != DECODER}
    return weights


def _skeleton_feature(system: System) -> str:
    return SKELETON_FEATURE if system.decodes_anew else SKELETON + COST


# ---------------------------------------------------------------- compositions of stored spaces


def _composed(
    study: Study,
    system: System,
    sentences: list[StudySentence],
    run: Run,
    weights: Mapping[str, float],
    symbols: SymbolTable,
) -> list[Lattice]:
    """Composes the development set under given weights."""
    tasks = [(DEVELOPMENT, number, sentence) for number, sentence in enumerate(sentences)]
    factory = partial(composer, study, system, dict(run.folders), dict(weights), study.tuning_hypotheses)
    every = results_in_order(run, factory, tasks, "sentence")
    return same_features([composed.nbest.lattice(symbols) for composed in every])


Task = tuple[str, int, StudySentence]
"""A sentence, with its set and number."""


def composer(
    study: Study, system: System, folders: Mapping[str, Path], weights: Mapping[str, float], count: int
) -> Callable[[Task], Composed]:
    """Returns the function that finds the `count` best translations of a sentence of a composing system."""
    plain = read_weights(folders["tune"] / WEIGHTS)
    how = replace(study.composition, loops=system.loops)

    def work(task: Task) -> Composed:
        name, number, sentence = task
        space = read_space(sentence_file(folders["spaces"], number, name))
        kind = sentence.skeletons.get(system.skeleton or "", ())
        lists = [
            skeleton_nbest(folders, skeleton, system.scorer or "", plain, with_features=system.tuned == "all of both")
            for skeleton in kind[:1]
        ]
        return compose(space, lists, weights, count, how)

    return work


# ---------------------------------------------------------------- decoding anew


def _tune_decoding(
    study: Study, system: System, sentences: list[StudySentence], start: dict[str, float], mert: MertOptions, run: Run
) -> TuningResult:
    folders = dict(run.folders)
    tuning_sentences = [
        TuningSentence(
            sentence.words,
            tuple(tuple(line.split()) for line in sentence.references),
            tuple(skeleton.to_mask() for skeleton in sentence.skeletons[system.skeleton or ""][:1]),
            tuple(skeleton_costs(study, system, folders, sentence)),
        )
        for sentence in evenly_spread(sentences, study.skeleton_first_sentences)
        if system.skeleton in sentence.skeletons
    ]
    decoding = DecodeOptions(folders["model"], system.strategy, beam=5.0, max_arcs=1000, jobs=run.jobs)
    return tune(tuning_sentences, start, decoding, TuningOptions(mert, DECODING_ROUNDS, MIN_GAIN), say=run.say)


def skeleton_costs(
    study: Study, system: System, folders: Mapping[str, Path], sentence: StudySentence
) -> list[Hypothesis]:
    """Returns a sentence's skeleton hypotheses with one cost each: the decoder's, or the stronger model's."""
    plain = read_weights(folders["tune"] / WEIGHTS)
    skeleton = sentence.skeletons[system.skeleton or ""][0]
    return skeleton_nbest(folders, skeleton, system.scorer or "", plain).best({COST: 1.0}, study.hypotheses)
