"""The stage that makes skeletons of the test sets automatically, by methods that use only the development set.

The method `tapped` simulates a person who chooses one of these skeletons, so it reads the hand-made ones, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from operator import ne
from pathlib import Path
from typing import Any

from experiments.files import write_lines
from experiments.study.config import DIVERSE, TAPPED, Study
from experiments.study.sentences import DEVELOPMENT, HAND_MADE, set_names, test_names, test_set
from lattice_simp.lm import LanguageModel
from lattice_simp.pipeline.shards import read_shard, shard_paths
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.skeleton import SkeletonRecord, read_skeletons, write_skeletons
from lattice_simp.skeleton.automatic import (
    DeletionTagger,
    Parse,
    dependency_skeletons,
    optimal_skeletons,
    parse_sentences,
    parser_name,
)
from lattice_simp.skeleton.automatic.diverse import diverse_skeletons
from lattice_simp.skeleton.automatic.methods import Made, record_of
from lattice_simp.train.config import Config
from lattice_simp.train.ngrams.estimate import estimate

Make = Callable[[Parse], Made]

MADE = "made-skeletons"
"""The name of the stage."""

MODEL, TAGGER = "lm.arpa", "tagger"

ORDER = 3
"""The order of the source-language model: skeletons are short, and the model judges words adjacent across a gap."""


def made_stage(study: Study, config: Config) -> Stage:
    """Returns the stage that writes a skeleton file for each method."""
    paths = [_skeleton_file(config, name) for name in set_names(config)]
    settings = [study.automatic, study.rate, study.candidates, parser_name()]
    settings += [study.diverse.masks, study.diverse.temperature] if DIVERSE in study.automatic else []
    settings += [study.skeleton] if TAPPED in study.automatic else []
    return Stage(MADE, ("prepare",), settings, paths, partial(_make, study, config))


def made_files(study: Study, folder: Path) -> dict[str, Path]:
    """Returns the files of a complete stage, by method."""
    return {method: folder / f"{method}.jsonl" for method in study.automatic}


def _skeleton_file(config: Config, name: str) -> Path:
    path = test_set(config, name).skeletons
    assert path is not None
    return config.path(path)


def _make(study: Study, config: Config, run: Run, folder: Path) -> dict[str, Any]:
    methods = _methods(study, config, run, folder)
    sources = [_skeleton_file(config, name) for name in test_names(set_names(config))]
    records = [record for source in sources for record in read_skeletons(source)]
    parses = list(parse_sentences(record.tokens for record in records))
    files = made_files(study, folder)
    made: dict[str, list[SkeletonRecord]] = {}
    for method in sorted(files, key=lambda method: method == TAPPED):  # it chooses from the others
        if method == TAPPED:
            made[method] = tapped_skeletons(records, list(made.values()), study.skeleton)
        else:
            make, pairs = methods[method], zip(records, parses, strict=True)
            made[method] = [record_of(make(parse), record.id, record.line) for record, parse in pairs]
        write_skeletons(files[method], made[method])
        run.say(f"made-skeletons: {method}")
    return {"sentences": len(records)}


def tapped_skeletons(
    records: Sequence[SkeletonRecord], made: Sequence[Sequence[SkeletonRecord]], kind: str
) -> list[SkeletonRecord]:
    """Returns the automatic skeleton of each sentence whose mask is closest to that of the hand-made one."""
    chosen = []
    for record, *methods in zip(records, *made, strict=True):
        wanted = record.skeletons[HAND_MADE.index(kind)].mask
        options = [skeleton for method in methods for skeleton in method.skeletons]
        distances = [(not skeleton.is_strict, sum(map(ne, skeleton.mask, wanted))) for skeleton in options]
        closest = options[distances.index(min(distances))]
        chosen.append(record_of([closest], record.id, record.line))
    return chosen


def _methods(study: Study, config: Config, run: Run, folder: Path) -> dict[str, Make]:
    """Returns the methods of the study; trains tagger and language model only if needed."""
    rate, candidates = study.rate, study.candidates
    makers: dict[str, Make] = {"dependency": lambda parse: dependency_skeletons(parse, rate, candidates)}
    if {"tagger", "optimal", DIVERSE} & set(study.automatic):
        tagger = trained_tagger(list(read_skeletons(_skeleton_file(config, DEVELOPMENT))), folder / TAGGER)
        makers["tagger"] = lambda parse: tagger.skeletons(parse, rate, candidates)
    if {"optimal", DIVERSE} & set(study.automatic):
        model = source_language_model(run, folder)
        makers[DIVERSE] = lambda parse: diverse_skeletons(
            parse, tagger, model, rate=rate, candidates=study.diverse.masks, temperature=study.diverse.temperature
        )
        makers["optimal"] = lambda parse: optimal_skeletons(
            parse, model, tagger=tagger, rate=rate, candidates=candidates
        )
    return makers


def trained_tagger(records: Sequence[SkeletonRecord], folder: Path) -> DeletionTagger:
    """Trains a tagger on all skeletons of some sentences."""
    parses = parse_sentences(record.tokens for record in records)
    pairs = [(parse, skeleton) for record, parse in zip(records, parses, strict=True) for skeleton in record.skeletons]
    return DeletionTagger.train(folder, pairs)


def source_language_model(run: Run, folder: Path) -> LanguageModel:
    """Estimates a model of the source language from the training corpus."""
    shards = (read_shard(path, ["source"])["source"].to_pylist() for path in shard_paths(run.folders["prepare"]))
    text = write_lines(folder / "text", chain.from_iterable(shards))
    estimate(text, folder / MODEL, order=ORDER, prune=(0, 1, 1), discount_fallback=True, temporary=folder)
    text.unlink()
    return LanguageModel.read(folder / MODEL)
