"""The systems, and the stages that tune them and translate with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from experiments.files import write_lines
from lattice_simp.core.symbols import as_tokens
from lattice_simp.pipeline.shards import results_in_order
from lattice_simp.pipeline.stage import RECORD, Run, Stage
from lattice_simp.support.textio import read_lines
from lattice_simp.train.config import Config, TestSet
from lattice_simp.train.model import link_or_copy
from lattice_simp.train.tuning import read_test_set
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.model_files import WEIGHTS, read_weights, update_settings, write_weights
from lattice_simp.translate.result import SKELETON_FEATURE
from lattice_simp.translate.skeleton_scores import PREFIX, with_feature_weights
from lattice_simp.tune.decode import DecodeOptions, TuningSentence
from lattice_simp.tune.mert import MertOptions
from lattice_simp.tune.rounds import REACH, SEARCH_GAIN, TuningOptions, tune

OUTPUT = "output.txt"
TUNE: Final = "tune"
"""The stage of the plain system's weights."""

DECODER: Final = "decoder"
"""The stage that makes the model directory of all systems."""


@dataclass(frozen=True)
class Half:
    """The systems of a half: their training, which tunes the plain one on it, and the sentences of both halves."""

    settings: Mapping[str, Any]
    config: Config
    tuned: TestSet
    translated: TestSet


# ---------------------------------------------------------------- stages


def weights_name(name: str, system: Mapping[str, Any]) -> str:
    """Returns the stage that tunes a system."""
    return "weights-" + name.replace(" ", "-") if system else TUNE


def translated_name(name: str) -> str:
    """Returns the stage that translates with a system."""
    return "translated-" + name.replace(" ", "-")


def stages_of(half: Half) -> list[Stage]:
    """Returns the stages after training: those that tune the gappy systems, and those that translate with all."""
    systems = half.settings["systems"]
    stages = [Stage(DECODER, ("model",), half.settings["decoder"], (), partial(_decoder, half))]
    for name, system in systems.items():
        weights = weights_name(name, system)
        if system:
            needs = (DECODER, weights_name(system["start"], systems[system["start"]]))
            stages.append(_stage(half, weights, needs, system, half.tuned, partial(_tune, half, system, needs[1])))
        work = partial(_translate, half, bool(system), weights)
        stages.append(_stage(half, translated_name(name), (DECODER, weights), system, half.translated, work))
    return stages


def _stage(
    half: Half,
    name: str,
    needs: tuple[str, ...],
    system: Mapping[str, Any],
    texts: TestSet,
    work: Callable[[Run, Path], dict[str, Any]],
) -> Stage:
    settings = [dict(system), half.settings["tune"]]
    files = [texts.source, *texts.references, masks_file(texts.source)]
    return Stage(name, needs, settings, files, work)


def _decoder(half: Half, run: Run, folder: Path) -> dict[str, Any]:
    for path in sorted(run.folders["model"].iterdir()):
        if path.is_file() and path.name != RECORD:
            link_or_copy(path, folder / path.name)
    update_settings(folder, half.settings["decoder"])
    return {}


# ---------------------------------------------------------------- tuning


def _tune(half: Half, system: Mapping[str, Any], before: str, run: Run, folder: Path) -> dict[str, Any]:
    settings, model = half.settings["tune"], run.folders[DECODER]
    start = starting_weights(read_weights(run.folders[before] / WEIGHTS), system.get("features", ()))
    sources, references = read_test_set(half.config, half.tuned, model)
    masks = read_lines(masks_file(half.tuned.source))
    sentences = [
        TuningSentence(as_tokens(source), (as_tokens(reference),), (mask,))
        for source, reference, mask in zip(sources, references[0], masks, strict=True)
    ]
    decoding = DecodeOptions(model, "gappy", settings["beam"], settings["max_arcs"], run.jobs)
    mert = MertOptions(random_directions=settings["random_directions"], restarts=0, min_gain=SEARCH_GAIN, reach=REACH)
    result = tune(sentences, start, decoding, TuningOptions(mert, settings["max_rounds"]), say=run.say)
    write_weights(folder / WEIGHTS, result.weights)
    return {"rounds": len(result.rounds), "bleu_before": result.rounds[0].score, "bleu_after": result.score}


def starting_weights(weights: Mapping[str, float], features: Sequence[str]) -> dict[str, float]:
    """Returns weights with the start weight of the skeleton's cost, and 0 for its named features (`all`: all of them).

    >>> starting_weights({"LM": 1.0, "WordPenalty": -0.5}, ["LM"])
    {'Skeleton': 0.5, 'LM': 1.0, 'WordPenalty': -0.5, 'Skeleton:LM': 0.0}
    """
    start = {SKELETON_FEATURE: START, **weights}
    if features == "all":
        return with_feature_weights(start)
    return {**start, **{PREFIX + feature: 0.0 for feature in features}}


START = 0.5
"""The start weight of the skeleton's cost, the library's default."""


# ---------------------------------------------------------------- translating


def _translate(half: Half, gappy: bool, weights: str, run: Run, folder: Path) -> dict[str, Any]:
    sources, _ = read_test_set(half.config, half.translated, run.folders[DECODER])
    masks = list(read_lines(masks_file(half.translated.source)))
    factory = partial(_translator, gappy, run.folders[DECODER], read_weights(run.folders[weights] / WEIGHTS))
    results = results_in_order(run, factory, zip(sources, masks, strict=True), "sentence")
    write_lines(folder / OUTPUT, (line for line, _ in results))
    return {"sentences": len(sources), "contained": sum(contained is True for _, contained in results)}


def _translator(
    gappy: bool, model: Path, weights: dict[str, float]
) -> Callable[[tuple[str, str]], tuple[str, bool | None]]:
    decoder = Decoder.load(model).with_weights(weights)
    # Only the cheapest hypothesis matters, so a narrow beam saves the rest of the lattice.
    narrow = replace(decoder, settings=replace(decoder.settings, beam=0.5))

    def work(task: tuple[str, str]) -> tuple[str, bool | None]:
        words, mask = task[0].split(), task[1]
        result = narrow.translate(words, mask if gappy else None, strategy="gappy" if gappy else "plain")
        return result.best.text, result.reachable

    return work


def masks_file(source: Path) -> Path:
    """Returns the file with the mask of each line's skeleton."""
    return source.with_suffix(".masks")
