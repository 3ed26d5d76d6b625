"""Stages that decode: the spaces of the full sentences, composed later, and the n-best lists of their skeletons."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments.files import sentence_file
from experiments.study.config import DIVERSE, Study
from experiments.study.nbest import Nbest
from experiments.study.sentences import HAND_MADE, StudySentence
from lattice_simp.core.features import Features
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.ops.prune import prune
from lattice_simp.pipeline.shards import over_shards, run_all
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.skeleton import Skeleton
from lattice_simp.support.array_cache import pack_words, read_arrays, unpack_words, write_arrays
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.model_files import WEIGHTS, read_weights
from lattice_simp.translate.path_features import path_features
from lattice_simp.tune.arc_features import feature_lattice


def write_space(space: Lattice, path: Path) -> None:
    """Writes the translations of a sentence, a lattice with features, to a file for `read_space`."""
    arrays = {
        "offsets": space.offsets,
        "words": space.olabels,
        "nextstates": space.nextstates,
        "features": space.features.arcs.T,
        "final": np.isfinite(space.finals),
        "final_features": space.features.finals.T,
        "names": pack_words(list(space.features)),
        "symbols": pack_words(list(space.symbols)[1:]),
    }
    write_arrays(path, arrays)


def read_space(path: Path) -> Lattice:
    """Reads a file."""
    arrays = read_arrays(path)
    features, finals = (np.array(arrays[name].T, order="C") for name in ("features", "final_features"))
    lattice = Lattice.from_arcs(
        np.repeat(np.arange(len(arrays["final"])), np.diff(arrays["offsets"])),
        arrays["words"],
        np.zeros(len(arrays["words"])),
        arrays["nextstates"],
        np.where(arrays["final"], 0.0, np.inf),
        SymbolTable(unpack_words(arrays["symbols"])),
    )
    return replace(lattice, features=Features(tuple(unpack_words(arrays["names"])), features, finals))


def make_space(decoder: Decoder, words: tuple[str, ...], max_arcs: int) -> Lattice:
    """Decodes a sentence without its skeleton."""
    result = decoder.translate(words, strategy="plain")
    return feature_lattice(replace(result, lattice=prune(result.lattice, max_arcs=max_arcs)))


def space_maker(
    model: Path, weights: dict[str, float], beam: float, max_arcs: int, folder: Path
) -> Callable[[tuple[str, tuple[str, ...]]], int]:
    """Makes the function that decodes a sentence, (name, words), and writes its space."""
    decoder = Decoder.load(model).with_weights(weights)
    decoder = replace(decoder, settings=replace(decoder.settings, beam=beam, mbr=None))

    def make(task: tuple[str, tuple[str, ...]]) -> int:
        name, words = task
        space = make_space(decoder, words, max_arcs)
        write_space(space, folder / name)
        return space.num_arcs

    return make


Sentences = dict[str, list[StudySentence]]
"""The sentences of each set."""


def skeleton_path(folder: Path, skeleton: Skeleton) -> Path:
    """Returns the file of a skeleton's n-best list, shared by equal skeletons."""
    key = hashlib.blake2b(" ".join(skeleton.words).encode(), digest_size=12).hexdigest()
    return folder / f"{key}.arrays"


def _lines(sentences: Sentences) -> dict[str, int]:
    """Returns the number of sentences of each set, on which the files' numbers depend."""
    return {name: len(entries) for name, entries in sentences.items()}


def other_kinds(sentences: Sentences) -> tuple[str, ...]:
    """Returns the kinds of automatic skeletons."""
    kinds = dict.fromkeys(kind for entries in sentences.values() for sentence in entries for kind in sentence.skeletons)
    return tuple(kind for kind in kinds if kind not in HAND_MADE)


def all_skeletons(sentences: Sentences, kinds: Iterable[str]) -> list[Skeleton]:
    """Returns the distinct skeletons of some kinds, by their words."""
    lists = [sentence.skeletons.get(kind, ()) for kind in kinds for rows in sentences.values() for sentence in rows]
    return list({skeleton.words: skeleton for skeletons in lists for skeleton in skeletons}.values())


def spaces_stage(study: Study, sentences: Sentences, inputs: Iterable[Path]) -> Stage:
    """Returns the stage that decodes the full sentences under the model's weights."""
    settings = {"beam": study.beam, "max_arcs": study.max_arcs, "lines": _lines(sentences)}
    return Stage("spaces", ("model", "tune"), settings, list(inputs), partial(_spaces, study, sentences))


def _spaces(study: Study, sentences: Sentences, run: Run, folder: Path) -> dict[str, Any]:
    weights = read_weights(run.folders["tune"] / WEIGHTS)
    factory = partial(space_maker, run.folders["model"], weights, study.beam, study.max_arcs, folder)
    tasks = [
        (sentence_file(folder, number, name).name, sentence.words)
        for name, entries in sentences.items()
        for number, sentence in enumerate(entries)
    ]
    arcs = [arcs for _, arcs in over_shards(run, factory, tasks, lambda task: (folder / task[0]).exists())]
    return {"sentences": len(tasks), "arcs": sum(arcs)}


def skeletons_stage(study: Study, sentences: Sentences, inputs: Iterable[Path]) -> Stage:
    """Returns the stage that decodes the hand-made skeletons under the model's weights."""
    tasks = [(skeleton, study.hypotheses) for skeleton in all_skeletons(sentences, HAND_MADE)]
    settings = {"hypotheses": study.hypotheses, "lines": _lines(sentences)}
    return Stage("skeletons", ("model", "tune"), settings, list(inputs), partial(_skeletons, tasks, None))


def automatic_stage(study: Study, sentences: Sentences, inputs: Iterable[Path], model: Path) -> Stage:
    """Returns the stage that decodes the other skeletons, with a model that has their rules."""
    kinds = other_kinds(sentences)
    counts = {skeleton.words: study.diverse.hypotheses for skeleton in all_skeletons(sentences, kinds)}
    alone = all_skeletons(sentences, [kind for kind in kinds if kind != DIVERSE])
    counts |= {skeleton.words: study.hypotheses for skeleton in alone}
    tasks = [(skeleton, counts[skeleton.words]) for skeleton in all_skeletons(sentences, kinds)]
    settings = {"hypotheses": sorted(set(counts.values())), "model": model.name, "kinds": kinds}
    return Stage("automatic", ("model", "tune"), settings, list(inputs), partial(_skeletons, tasks, model))


Counted = tuple[Skeleton, int]
"""A skeleton, and the required number of its hypotheses."""


def _skeletons(tasks: Sequence[Counted], model: Path | None, run: Run, folder: Path) -> dict[str, Any]:
    weights = read_weights(run.folders["tune"] / WEIGHTS)
    factory = partial(_nbest_maker, model or run.folders["model"], weights, folder)
    run_all(over_shards(run, factory, tasks, lambda task: skeleton_path(folder, task[0]).exists()))
    return {"skeletons": len(tasks)}


def _nbest_maker(model: Path, weights: dict[str, float], folder: Path) -> Callable[[Counted], None]:
    decoder = Decoder.load(model).with_weights(weights)

    def make(task: Counted) -> None:
        skeleton, count = task
        lattice, paths = decoder.exact_nbest(skeleton.words, count)
        features, names = path_features(lattice, paths, decoder.grammar)
        Nbest([path.text for path in paths], features, names).write(skeleton_path(folder, skeleton))

    return make
