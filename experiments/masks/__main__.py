"""`python -m experiments.masks`: several automatic skeletons of a sentence at once, with settings for held-out news."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from experiments.experiment import Experiment, Results, program, stage_costs
from experiments.masks.choosing import (
    Candidates,
    Setting,
    bleu,
    choose_setting,
    cross_validated,
    score,
    sentence_oracle,
)
from experiments.masks.report import PLAIN, page
from experiments.masks.stages import COSTS, MASKS, POOL, costs_stage, pool_stage, read_costs, read_pool, skeletons_stage
from experiments.report import RANDOMISATION
from experiments.study.config import read_study
from experiments.study.pipeline import with_rules_for
from experiments.study.scoring import scorers_stage
from experiments.study.sentences import DEVELOPMENT, test_set
from lattice_simp.metrics import Lines, bleu_tok, compare, measure
from lattice_simp.pipeline.runner import Done, run_stages
from lattice_simp.train.config import Config
from lattice_simp.train.pipeline import train

ONE, CHOSEN, VALIDATED = "the tagger's most probable", "several", "several, cross-validated"
ORACLE, ALL_ORACLE = "the best one of the chosen (oracle)", "the best one of the pool (oracle)"
"""The names of the rows."""


def masks(experiment: Experiment) -> Results:
    """Does the missing training, decodes, and chooses settings."""
    config = experiment.settings()
    overrides = [f"{name}={json.dumps(config[name])}" for name in ("data", "work")]
    study, training = read_study(Path(config["study"]), overrides)
    done = train(training, experiment.run, last="lexical")
    skeletons = test_set(training, DEVELOPMENT).skeletons
    assert skeletons is not None
    languages = (training.text.source_language, training.text.target_language)
    pool = pool_stage(config, training.path(skeletons), languages)
    done = run_stages([pool], training.work, experiment.run, done=done)
    tuning_config = _with_development(training, done, config["development_lines"])
    tuned = train(tuning_config, experiment.run, last="tune")
    done = Done({**done.folders, **tuned.folders}, {**done.records, **tuned.records})
    stages = [scorers_stage(study), skeletons_stage(config), costs_stage(config)]
    done = run_stages(stages, training.work, experiment.run, done=done)
    sentences = read_pool(done.folders[POOL])
    candidates = [Candidates(entry, *read_costs(done.folders[COSTS], number)) for number, entry in enumerate(sentences)]
    figures = _figures(candidates, config["tried"])
    figures["stages"] = stage_costs(done.records)
    return Results("Several automatic skeletons at once", figures, page(figures, config))


def _with_development(training: Config, done: Done, lines: int) -> Config:
    """Returns the training run with rules for the pool, and for some sentences of the development set."""
    development = test_set(training, DEVELOPMENT)
    assert development.skeletons is not None
    tuning = training.tune.model_copy(update={"development": development.model_copy(update={"lines": lines})})
    rules = training.rules.model_copy(update={"only_for": (development.skeletons,)})
    return with_rules_for(training.model_copy(update={"tune": tuning, "rules": rules}), [done.folders[POOL] / MASKS])


def _figures(candidates: Sequence[Candidates], tried: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    one_mask = choose_setting(candidates, {"weight": tried["weight"]}, Setting(masks=1))
    setting = choose_setting(candidates, tried)
    rows = {
        PLAIN: [int(np.argmin(entry.full)) for entry in candidates],
        ONE: [entry.best(one_mask) for entry in candidates],
        CHOSEN: [entry.best(setting) for entry in candidates],
        VALIDATED: cross_validated(candidates, tried),
        ORACLE: [_oracle(entry, setting, one_mask.weight) for entry in candidates],
        ALL_ORACLE: [sentence_oracle(entry, entry.alone(one_mask.weight)) for entry in candidates],
    }
    outputs = {
        name: Lines([entry.words[index] for entry, index in zip(candidates, row, strict=True)])
        for name, row in rows.items()
    }
    references = [Lines([entry.sentence.reference for entry in candidates])]
    compared = compare(measure(outputs, references, [bleu_tok()]), PLAIN, RANDOMISATION)
    p_values = {name: by_metric[bleu_tok().name].p for name, by_metric in compared.scores.items()}
    return {
        "sentences": len(candidates),
        "skeletons": round(float(np.mean([len(entry.skeletons) for entry in candidates])), 2),
        "one": asdict(one_mask),
        "setting": asdict(setting),
        "bleu": {name: round(bleu(candidates, row), 3) for name, row in rows.items()},
        "p": p_values,
        "tried": {
            name: {str(value): round(score(candidates, replace(setting, **{name: value})), 3) for value in values}
            for name, values in tried.items()
        },
        "signature": bleu_tok().signature,
    }


def _oracle(entry: Candidates, setting: Setting, weight: float) -> int:
    is_used = setting.shares(entry.sentence) > 0
    return sentence_oracle(entry, entry.alone(weight)[is_used])


main = program(__file__, __doc__, masks)

if __name__ == "__main__":
    main()
