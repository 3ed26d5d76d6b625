"""`python -m experiments.simplify_translate`: simplifies the sentences of a study, and translates them."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from experiments.experiment import Experiment, Results, program, require_made, stage_costs
from experiments.report import STAGES
from experiments.simplify_translate.report import figures, page
from experiments.simplify_translate.translating import (
    KINDS,
    Search,
    simplified_file,
    simplified_stage,
    translated_stage,
    weights_stage,
)
from experiments.study.config import read_study
from experiments.study.decoding import spaces_stage
from experiments.study.pipeline import model_for, trained
from experiments.study.sentences import DEVELOPMENT, SETS, TEST, read_sentences, set_files, test_set
from lattice_simp.pipeline.runner import run_stages


def simplify_translate(experiment: Experiment) -> Results:
    """Does the missing training, simplifies, translates and measures."""
    simplifier: Path = experiment.options["simplifier"]
    require_made(simplifier, "simplification model", "simplify")
    values = experiment.settings()
    overrides = [override for override in experiment.overrides if override.partition("=")[0] in ("data", "work")]
    study, config = read_study(Path(values["study"]), overrides)
    search = Search(**{field.name: _frozen(values[field.name]) for field in fields(Search)})
    run = experiment.run
    config, done = trained(study, config, run)
    done = run_stages([simplified_stage(config, simplifier)], config.work, run, done=done)
    files = [simplified_file(done.folders["simplified"], name, kind) for name in SETS for kind in KINDS]
    model, done = model_for(files, config, done, run)
    sentences = {name: read_sentences(config, name, done.folders["model"], {}) for name in SETS}
    inputs = set_files(config, SETS)
    stages = [
        spaces_stage(study, sentences, inputs),
        weights_stage(search, sentences[DEVELOPMENT], model),
        translated_stage(search, model),
    ]
    done = run_stages(stages, config.work, run, done=done)
    summary = {
        "test_set": test_set(config, TEST).name,
        **figures(config, sentences[TEST], done),
        STAGES: stage_costs({stage: done.records[stage] for stage in _OWN}),
    }
    return Results("English simplified, then translated to French", summary, page(summary, values))


_OWN = ("simplified", "simplified-weights", "simplified-translated")


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


main = program(
    __file__,
    __doc__,
    simplify_translate,
    simplifier={"type": Path, "default": Path("build/simplify/model-turk"), "help": "(%(default)s)"},
)

if __name__ == "__main__":
    main()
