"""`python -m experiments.transformer`: combines a Transformer with a Hiero system, in n-best lists and in lattices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

from experiments.experiment import Experiment, Results, program, stage_costs
from experiments.report import STAGES, signatures_of
from experiments.study.pipeline import model_for
from experiments.transformer.report import LATTICE_ALONE, LATTICE_BOTH, outputs, page, search_spaces, set_figures
from experiments.transformer.sets import VALIDATION, SentenceSet, read_set, set_files, set_sizes, write_training_text
from experiments.transformer.stages import (
    LatticeSearch,
    Search,
    beam_figures,
    network_settings,
    read_scored,
    read_searched,
    stages_of,
    trained_network,
    tuned_weight,
)
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.runner import Done, run_stages
from lattice_simp.pipeline.stage import Stage
from lattice_simp.text.tokeniser import tokenisers
from lattice_simp.train.config import Config, read_config
from lattice_simp.train.pipeline import train


@dataclass(frozen=True)
class Systems:
    """Both systems, and the sets to translate.

    Attributes:
        config: the config of the Hiero system's training run.
        done: its stages.
        model: its model with the rules for all sets.
        network: the folder of the Transformer.
        sets: the sets, the validation set first.
    """

    config: Config
    done: Done
    model: Path
    network: Path
    sets: tuple[SentenceSet, ...]


def trained_systems(experiment: Experiment, values: Mapping[str, Any]) -> Systems:
    """Does the missing training, and reads the sets."""
    run, data = experiment.run, [override for override in experiment.overrides if override.startswith("data=")]
    config = read_config(values["hiero"], data)
    done = train(config, run)
    tests = [set_files(config, name, size) for name, size in set_sizes(values).items()]
    model, done = model_for([config.path(test.source) for test in tests], config, done, run)
    sets = tuple(read_set(config, test, model) for test in tests)
    work, languages = Path(values["work"]), (config.text.source_language, config.text.target_language)
    watched = read_set(config, set_files(config, VALIDATION, None), model)
    write_training_text(done.folders["prepare"], watched, languages, work / "text")
    network = trained_network(network_settings(Path(values["training"]), languages, work), run)
    return Systems(config, done, model, network, sets)


def transformer(experiment: Experiment) -> Results:
    """Does the missing training, translates, and measures; with `--choose`, on the validation set only."""
    values = experiment.settings()
    choose = experiment.options["choose"]
    if not choose and values["model_weight"] is None:
        raise LatticeSimpError(f"{experiment.config}: no model_weight; find it with --choose, and write it there")
    systems = trained_systems(experiment, values)
    sets = systems.sets[:1] if choose else systems.sets
    stages = _stages(systems, values, sets)
    done = run_stages(stages, Path(values["work"]), experiment.run, done=systems.done)
    chosen = _chosen(values, systems.sets[0], done)
    figures: dict[str, Any] = {"choices": chosen, "sets": {}, "signatures": {}}
    for test_set in sets[1:]:
        scores, metrics = _measured_set(test_set, values, systems, done)
        figures["sets"][test_set.name], figures["signatures"] = scores, metrics
    figures[STAGES] = stage_costs({stage.name: done.records[stage.name] for stage in stages})
    programs = [f"CTranslate2 {version('ctranslate2')}"]
    return Results("A Transformer and the lattices of a Hiero system", figures, page(figures, values), programs)


def _stages(systems: Systems, values: Mapping[str, Any], sets: Sequence[SentenceSet]) -> list[Stage]:
    search = Search(**{field.name: values[field.name] for field in fields(Search)})
    every = [stages_of(each, systems.model, systems.network, search, _searches(values, each.name)) for each in sets]
    return [stage for stages in every for stage in stages]


def _searches(values: Mapping[str, Any], name: str) -> list[LatticeSearch]:
    """Returns the searches of a set: all beams for the validation set, if there is a weight; both for test sets."""
    weight = values["model_weight"]
    if name != VALIDATION:
        searches = {LATTICE_ALONE: (0.0, 1.0), LATTICE_BOTH: (1.0, weight)}
        return [LatticeSearch(width, values["prefixes"], *weights) for width, weights in searches.items()]
    beams = [] if weight is None else values["prefixes_tried"]
    return [LatticeSearch(f"{beam} prefixes", beam, 1.0, weight) for beam in beams]


def _chosen(values: Mapping[str, Any], validation: SentenceSet, done: Done) -> dict[str, Any]:
    """Returns the figures of the validation set for the weight and the beam."""
    scored = read_scored(done.folders, validation)
    searched = read_searched(done.folders, validation)
    searches = _searches(values, VALIDATION)
    return {
        "sentences": len(scored),
        "model_weight": tuned_weight([sentence.entries for sentence in scored], validation),
        "beams": beam_figures(searches, searched, validation),
        "spaces": search_spaces(scored, searched, searches),
    }


def _measured_set(
    sentence_set: SentenceSet, values: Mapping[str, Any], systems: Systems, done: Done
) -> tuple[dict[str, Any], dict[str, str]]:
    """Returns the figures of a test set, and the signatures of its metrics."""
    scored, searched = read_scored(done.folders, sentence_set), read_searched(done.folders, sentence_set)
    searches = _searches(values, sentence_set.name)
    rows = outputs(scored, searched, searches)
    lines = {name: output.lines for name, output in rows.items()}
    measurements = sentence_set.measured(lines, tokenisers(systems.config.text)[1])
    figures = set_figures(rows, measurements, search_spaces(scored, searched, searches))
    return figures, signatures_of(measurements.metrics)


main = program(
    __file__,
    __doc__,
    transformer,
    choose={"action": "store_true", "help": "the validation set alone: what to write into config.yaml"},
)

if __name__ == "__main__":
    main()
