"""What a study does: a YAML file beside the training run's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from experiments.study.sentences import HAND
from experiments.study.systems import SYSTEMS, System, systems_with
from lattice_simp.errors import FormatError
from lattice_simp.support.settings_file import checked_settings, read_settings
from lattice_simp.train.config import Config, read_config
from lattice_simp.translate.settings import SkeletonSettings

Method = Literal["dependency", "tagger", "optimal"]
"""Of making skeletons."""

ALWAYS = {"plain", "gc-strong"}
"""The baseline, and the system that the variants are run with."""


class Study(BaseModel):
    """A study.

    Attributes:
        hypotheses: the n of the skeletons' n-best lists, and of the lists that are rescored.
        beam: nats that a full lattice keeps.
        max_arcs: of a full lattice; the beam shrinks until it fits.
        tuning_hypotheses: of a sentence, in each round of tuning.
        tuning_rounds: of composing and optimising.
        systems: which of `SYSTEMS` (`systems.py`) are run, the plain one among them.
        rescored: those whose n-best lists are rescored; None for all.
        skeleton: the kind of hand-made skeletons that the systems are tuned and run with: `hand` is the first
            judgement of a sentence, `hand-long` the second.
        scorers: the parts of the stronger model.
        automatic: methods that make skeletons of the test set: dependency, tagger, optimal.
        translated: those of these methods whose skeletons are translated with; None for all.
        rate: the compression rate that they aim at.
        candidates: skeletons that each of them makes of a sentence, at most.
        skeleton_first_sentences: of the development set, evenly spread, that systems are tuned on which decode each
            sentence anew.
        seed: of tuning and of the tests of significance.
        paper: the numbers of the paper's tables of systems and of gap types, to stand beside ours.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    hypotheses: int = Field(default=1000, ge=1)
    beam: float = Field(default=8.0, gt=0)
    max_arcs: int = Field(default=4000, ge=1)
    tuning_hypotheses: int = Field(default=150, ge=1)
    tuning_rounds: int = Field(default=5, ge=1)
    systems: tuple[str, ...] = tuple(system.name for system in SYSTEMS)
    rescored: tuple[str, ...] | None = None
    skeleton: Literal["hand", "hand-long"] = HAND
    scorers: tuple[str, ...] = ("bilingual", "model1", "class")
    automatic: tuple[Method, ...] = ("dependency", "tagger", "optimal")
    translated: tuple[Method, ...] | None = None
    rate: float = Field(default=0.6, gt=0, lt=1)
    candidates: int = Field(default=3, ge=1)
    skeleton_first_sentences: int = Field(default=200, ge=1)
    seed: int = 1
    paper: tuple[str, str] = ("", "")

    @field_validator("systems", "rescored")
    @classmethod
    def _are_known(cls, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if names is None:
            return None
        known = [system.name for system in SYSTEMS]
        if unknown := sorted(set(names) - set(known)):
            raise ValueError(f"no system {unknown[0]!r}; there are {', '.join(known)}")
        if missing := sorted(ALWAYS - set(names)):
            raise ValueError(f"the system {missing[0]!r} is missing: tables and other systems need it")
        return names

    @property
    def chosen(self) -> tuple[System, ...]:
        """The systems."""
        return tuple(system for system in systems_with(self.skeleton) if system.name in self.systems)

    @property
    def composition(self) -> SkeletonSettings:
        """How the systems compose; the weight is among those that are tuned."""
        return SkeletonSettings(hypotheses=self.hypotheses, weight=1.0, beam=self.beam)

    def system(self, name: str) -> System:
        """Returns a system by its name."""
        return next(system for system in self.chosen if system.name == name)


def read_study(folder: Path, overrides: Sequence[str]) -> tuple[Study, Config]:
    """Reads an experiment's `study.yaml`, and its `config.yaml` with overrides.

    Raises:
        FormatError: a file is broken, or the training run has no development or test set with skeletons.
    """
    path = folder / "study.yaml"
    study = checked_settings(Study, read_settings(path), path)
    config = read_config(folder / "config.yaml", overrides)
    if study.automatic and config.text.source_language != "en":
        message = f"skeletons are made of English, not of {config.text.source_language}"
        raise FormatError(message, path=path, remedy="write `automatic: []`, and give skeleton files if there are some")
    sets = [config.tune.development, *config.test[:1]]
    if len(sets) < 2 or any(one is None or one.skeletons is None for one in sets):
        raise FormatError(
            "a study needs a development set and a test set with skeletons",
            path=folder / "config.yaml",
            remedy="give tune.development and test with `skeletons`",
        )
    return study, config
