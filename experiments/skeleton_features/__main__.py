"""`python -m experiments.skeleton_features`: compares one weight for skeletons with one for each of their features."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments import halving
from experiments.experiment import Experiment, Results, program
from experiments.files import write_lines
from experiments.report import read_references
from experiments.skeleton_features import systems
from experiments.skeleton_features.report import page
from lattice_simp.pipeline.runner import Done, run_stages
from lattice_simp.skeleton import Skeleton, read_skeletons
from lattice_simp.support.textio import read_lines
from lattice_simp.train.config import TestSet
from lattice_simp.train.pipeline import train
from lattice_simp.train.tuning import evenly_spread, read_texts
from lattice_simp.translate.model_files import WEIGHTS, read_weights
from lattice_simp.translate.result import SKELETON_FEATURE
from lattice_simp.translate.skeleton_scores import PREFIX


def skeleton_features(experiment: Experiment) -> Results:
    """Does the missing training, tuning and translation, and measures."""
    settings = experiment.settings()
    work = Path(settings["work"]).absolute()
    write_texts(settings, experiment.folder, work)
    outputs: dict[str, list[str]] = {name: [] for name in settings["systems"]}
    figures: dict[str, Any] = {"systems": {name: {"halves": []} for name in outputs}}
    records: dict[str, Mapping[str, Any]] = {}
    halves = []
    for number in halving.HALVES:
        half = half_of(settings, experiment.folder, work, number)
        done = train(half.config, experiment.run, last=systems.TUNE)
        done = run_stages(systems.stages_of(half), half.config.work, experiment.run, done=done)
        records |= halving.by_key(done.records)
        for name in outputs:
            figures["systems"][name]["halves"].append(half_figures(done, name, settings["systems"][name]))
            outputs[name] += read_lines(done.folders[systems.translated_name(name)] / systems.OUTPUT)
        halves += read_references(half.config, half.translated, done.folders["model"])
    references, baselines = halving.joined(halves), {"scores": settings["baseline"], "over_scalar": settings["scalar"]}
    halving.add_scores(figures["systems"], outputs, references, baselines, done.folders["model"])
    figures |= {"sentences": references.count, "stages": halving.summed_costs(records)}
    return Results("One weight for skeletons, or one for each feature", figures, page(figures, settings))


def half_figures(done: Done, name: str, system: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the scores of tuning on a half, the skeleton's weights, and the number of contained skeletons."""
    stage = systems.weights_name(name, system)
    record = done.records[stage]
    weights = read_weights(done.folders[stage] / WEIGHTS)
    return {
        "tune": {key: record[key] for key in ("rounds", "bleu_before", "bleu_after")},
        "features": len(weights),
        "skeleton": {key: weight for key, weight in weights.items() if is_of_skeleton(key)},
        "cpu_seconds": record["cpu_seconds"],
        "contained": done.records[systems.translated_name(name)]["contained"],
    }


def is_of_skeleton(feature: str) -> bool:
    """Returns whether a feature belongs to the skeleton's translation.

    >>> [is_of_skeleton(name) for name in ("LM", "Skeleton", "Skeleton:LM")]
    [False, True, True]
    """
    return feature == SKELETON_FEATURE or feature.startswith(PREFIX)


# ---------------------------------------------------------------- texts and settings


def write_texts(settings: Mapping[str, Any], folder: Path, work: Path) -> None:
    """Writes the first pairs of each corpus, and the halves of the development set with their skeletons' masks."""
    config = halving.write_corpora(settings, folder, work)
    development = TestSet(**settings["development"])
    assert development.skeletons is not None
    chosen = chosen_skeletons(settings, config.path(development.skeletons))
    source, references = read_texts(config, development.model_copy(update={"skeletons": None}))
    for half in halving.HALVES:
        part = chosen[half::2]
        halving.write_half(work, half, (source[line] for line, _ in part), (references[0][line] for line, _ in part))
        write_lines(systems.masks_file(work / f"half{half}.source"), [skeleton.to_mask() for _, skeleton in part])


def chosen_skeletons(settings: Mapping[str, Any], path: Path) -> list[tuple[int, Skeleton]]:
    """Returns the lines of the measured sentences, evenly spread, with the skeleton of each."""
    judgement = settings["judgement"]
    usable = [
        (record.line, record.skeletons[judgement])
        for record in read_skeletons(path)
        if len(record.skeletons) > judgement
        and record.skeletons[judgement].is_strict
        and len(record.tokens) <= settings["max_words"]
    ]
    return evenly_spread(usable, settings["sentences"])


def half_of(settings: Mapping[str, Any], folder: Path, work: Path, number: int) -> systems.Half:
    """Returns the systems tuned on a half of the development set."""
    tuned, translated = halving.half_set(work, number), halving.half_set(work, 1 - number)
    values = {"tune.development": tuned.model_dump(mode="json")}
    config = halving.read_training(settings, folder, work, str(number), values, ())
    return systems.Half(settings, config, tuned, translated)


main = program(__file__, __doc__, skeleton_features)

if __name__ == "__main__":
    main()
