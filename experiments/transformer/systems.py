"""The systems: the Hiero system with rules for all sets, and the Transformer trained on the same text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.experiment import Experiment
from experiments.study.pipeline import model_for
from experiments.transformer.network import network_settings, trained_network
from experiments.transformer.sets import VALIDATION, SentenceSet, read_set, set_files, set_sizes, write_training_text
from lattice_simp.pipeline.runner import Done
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
    """Does the missing training, and reads the sets.

    Args:
        experiment: the workers, the reports, and the overrides of settings.
        values: the values of the experiment's config.
    """
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
