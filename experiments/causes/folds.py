"""The two folds: systems are tuned on one half of the sentences, and translate the other.

Both share the model, its weights, and what is decoded with them: these are for all systems of a fold, the plain one
among them, whose weights are tuned on the fold's half.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from experiments.study.config import Study
from experiments.study.decoding import Sentences, skeletons_stage, spaces_stage
from experiments.study.measuring import read_variants
from experiments.study.rescoring import rescored_stage
from experiments.study.scoring import scorers_stage, scores_stage
from experiments.study.sentences import DEVELOPMENT, StudySentence, read_sentences, set_files, set_names, test_names
from experiments.study.translating import Output, read_outputs, translations_stage
from experiments.study.tuning import weights_stage
from experiments.study.variant_stages import hand_variants_stage
from lattice_simp.pipeline.runner import Done, run_stages
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.train.config import Config
from lattice_simp.train.model import link_or_copy
from lattice_simp.train.pipeline import train


@dataclass(frozen=True)
class Fold:
    """A fold that is done: its stages, and the sentences that were translated."""

    done: Done
    name: str
    sentences: list[StudySentence]

    def outputs(self, systems: Sequence[str]) -> dict[str, list[Output]]:
        """Returns the translations of systems and of variants."""
        folders = self.done.folders
        outputs = {system: read_outputs(folders[f"translated-{system}"] / f"{self.name}.jsonl") for system in systems}
        return outputs | read_variants(folders, self.name)


def run_folds(study: Study, config: Config, names: tuple[str, str], run: Run) -> list[Fold]:
    """Trains, decodes, and runs both folds.

    Args:
        study: its systems are tuned and translate.
        config: of the training run; tuned on the first half, and the second one is its test set.
        names: of the halves.
        run: jobs and log.
    """
    done = train(config, run, last="tune")
    sets = set_names(config)
    sentences = {name: read_sentences(config, name, done.folders["model"], {}) for name in sets}
    inputs = set_files(config, sets)
    shared = [
        spaces_stage(study, sentences, inputs),
        skeletons_stage(study, sentences, inputs),
        scorers_stage(study),
        scores_stage(study, sentences),
    ]
    done = run_stages(shared, config.work, run, done=done)
    other = dict(zip((names[0], DEVELOPMENT), sentences.values(), strict=True))
    return [
        _fold(study, config.work, sentences, done, run),
        _fold(study, config.work, other, run_stages([_swapped(names)], config.work, run, done=done), run),
    ]


def _fold(study: Study, work: Path, sentences: Sentences, done: Done, run: Run) -> Fold:
    (name,) = test_names(sentences)
    tested = {name: sentences[name]}
    stages = []
    for system in study.chosen:
        is_plain = system.name == "plain"  # whose rescored lists make the stronger model one score
        stages.append(weights_stage(study, system, sentences))
        stages.append(translations_stage(study, system, sentences if is_plain else tested))
        stages += [rescored_stage(study, system, sentences)] if is_plain else []
    stages.append(hand_variants_stage(study, tested))
    return Fold(run_stages(stages, work, run, done=done), name, sentences[name])


def _swapped(names: tuple[str, str]) -> Stage:
    """Returns the stage that gives the spaces the names of the other fold."""
    work = partial(_rename, {DEVELOPMENT: names[0], names[1]: DEVELOPMENT})
    return Stage("spaces", ("spaces",), ["the other fold", names], (), work)


def _rename(names: Mapping[str, str], run: Run, folder: Path) -> dict[str, Any]:
    for path in run.folders["spaces"].glob("*.arrays"):
        name, ending = path.name.split(".", 1)
        link_or_copy(path, folder / f"{names[name]}.{ending}")
    return {}
