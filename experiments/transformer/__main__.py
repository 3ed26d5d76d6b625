"""`python -m experiments.transformer`: combines a Transformer with a Hiero system, in n-best lists and in lattices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

from experiments.experiment import CHOOSE, Experiment, Results, program, stage_costs
from experiments.report import STAGES, signatures_of
from experiments.transformer.report import LATTICE_ALONE, LATTICE_BOTH, outputs, page, search_spaces, set_figures
from experiments.transformer.sets import (
    VALIDATION,
    SentenceSet,
    hiero_system,
    read_set,
    set_files,
    set_sizes,
    write_training_text,
)
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
from lattice_simp.text.tokeniser import Tokeniser, tokenisers


def transformer(experiment: Experiment) -> Results:
    """Does the missing training, translates, and measures; with `--choose`, on the validation set only."""
    values, run, choose = experiment.settings(), experiment.run, experiment.options["choose"]
    if not choose and values["model_weight"] is None:
        raise LatticeSimpError(f"{experiment.config}: no model_weight; find it with --choose, and write it there")
    config, done, model, sets = hiero_system(experiment, values, set_sizes(values))
    work, languages = Path(values["work"]), (config.text.source_language, config.text.target_language)
    watched = read_set(config, set_files(config, VALIDATION, None), model)
    write_training_text(done.folders["prepare"], watched, languages, work / "text")
    network = trained_network(network_settings(Path(values["training"]), languages, work), run)
    search = Search(**{field.name: values[field.name] for field in fields(Search)})
    sets = sets[:1] if choose else sets
    every = [stages_of(each, model, network, search, _searches(values, each.name)) for each in sets]
    stages = [stage for stages in every for stage in stages]
    done = run_stages(stages, work, run, done=done)
    figures: dict[str, Any] = {"choices": _chosen(values, sets[0], done), "sets": {}, "signatures": {}}
    for test_set in sets[1:]:
        scores, metrics = _measured_set(test_set, values, tokenisers(config.text)[1], done)
        figures["sets"][test_set.name], figures["signatures"] = scores, metrics
    figures[STAGES] = stage_costs({stage.name: done.records[stage.name] for stage in stages})
    title = "A Transformer and the lattices of a Hiero system"
    return Results(title, figures, page(figures, values), [f"CTranslate2 {version('ctranslate2')}"])


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
    sentence_set: SentenceSet, values: Mapping[str, Any], tokeniser: Tokeniser, done: Done
) -> tuple[dict[str, Any], dict[str, str]]:
    """Returns the figures of a test set, and the signatures of its metrics."""
    scored, searched = read_scored(done.folders, sentence_set), read_searched(done.folders, sentence_set)
    searches = _searches(values, sentence_set.name)
    rows = outputs(scored, searched, searches)
    lines = {name: output.lines for name, output in rows.items()}
    measurements = sentence_set.measured(lines, tokeniser)
    figures = set_figures(rows, measurements, search_spaces(scored, searched, searches))
    return figures, signatures_of(measurements.metrics)


main = program(__file__, __doc__, transformer, choose=CHOOSE)

if __name__ == "__main__":
    main()
