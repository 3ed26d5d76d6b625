"""The protocol of a study: a YAML file beside the training run's config, which is frozen before the study runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from pydantic import Field, field_validator

from experiments.experiment import CONFIG
from experiments.study.sentences import DEVELOPMENT, HAND, set_names, test_names
from experiments.study.systems import ALONE, BETWEEN, SYSTEMS, System, systems_with
from lattice_simp.errors import FormatError
from lattice_simp.rescore.joint.settings import JointSettings
from lattice_simp.rescore.neural.settings import TrainingSettings
from lattice_simp.support.settings_file import checked_settings, read_settings
from lattice_simp.support.strict_model import StrictModel
from lattice_simp.train.config import Config, TestSet, read_config
from lattice_simp.translate.settings import SkeletonSettings

PROTOCOL = "protocol.yaml"

Method = Literal["dependency", "tagger", "optimal", "diverse", "tapped"]
"""The methods of making skeletons; `diverse` makes several for a sentence, with probabilities."""

DIVERSE: Final = "diverse"
"""The method that makes several skeletons for a sentence."""

TAPPED: Final = "tapped"
"""The method that takes the skeleton of the other methods that is closest to the hand-made one, as a person would."""

State = Literal["seen", "new"]
"""The state of a test set: its figures were known during development, or it is run once, under the protocol."""

ALWAYS = {"plain", "gc-strong"}
"""The systems that always run: the baseline, and the system of the variants."""

HEADLINE = {
    "gc": "gc-strong",
    "sfd": "sfd-strong",
    "gc_decoder": "gc",
    "sfd_decoder": "sfd",
    "gc_paper": "gc-strong-paper",
}


class Diverse(StrictModel):
    """Settings of composition with several automatic skeletons of a sentence, chosen by `experiments/masks`.

    Attributes:
        masks: the maximum number of skeletons of a sentence.
        temperature: the temperature of their probabilities.
        weight: the factor of the expected costs over the skeletons, in addition to the tuned weight of a skeleton.
        hypotheses: the number of scored hypotheses of each skeleton.
        taken: the number of best hypotheses to use.
    """

    masks: int = Field(default=8, ge=1)
    temperature: float = Field(default=4.0, gt=0)
    weight: float = Field(default=1.0, gt=0)
    hypotheses: int = Field(default=100, ge=1)
    taken: int = Field(default=30, ge=1)


class Causal(StrictModel):
    """Settings of rescoring with a pretrained causal language model (`causal.py`).

    Attributes:
        hypotheses: the number of best hypotheses of a rescored list to score.
        examples_of: the corpus whose first short pairs are the examples of the prompt.
        examples: the number of pairs.
        longest_example: the maximum number of words of a side.
        dtype: the number type of the network.
    """

    hypotheses: int = Field(default=50, ge=1)
    examples_of: str
    examples: int = Field(default=6, ge=0)
    longest_example: int = Field(default=14, ge=1)
    dtype: Literal["float32", "bfloat16"] = "bfloat16"


class Study(StrictModel):
    """A study.

    Attributes:
        test_sets: the state of each test set of the config, new or seen.
        held_out: the names of corpora of the config that the training leaves out.
        hypotheses: the length n of the skeletons' n-best lists.
        rescored_hypotheses: the length of the systems' n-best lists for rescoring.
        beam: the beam of a full lattice, in nats.
        max_arcs: the maximum number of arcs of a full lattice; the beam shrinks until it fits.
        tuning_hypotheses: the number of hypotheses of a sentence in each round of tuning.
        tuning_rounds: the number of rounds of composing and optimising.
        systems: the names of the systems to run, from `SYSTEMS` and `BETWEEN` (`systems.py`); must include plain.
        rescored: the systems whose n-best lists are rescored; None for all.
        skeleton: the kind of hand-made skeletons for tuning and running the systems: `hand` is the first
            judgement of a sentence, `hand-long` the second.
        scorers: the parts of the stronger model.
        joint: settings of the joint model's training, if it is one of the parts (`rescore/joint/settings.py`).
        transformer: settings of a Transformer's training, if it is one of the parts (`rescore/neural/settings.py`).
        joint_source: the source that the joint model reads for a translation of a skeleton: the whole sentence, or the
            skeleton alone.
        causal: settings of additional rescoring with a pretrained model, for lists of the plain system and `gc-strong`;
            None for none.
        automatic: the methods of automatic skeletons for the test sets: dependency, tagger, optimal, diverse, tapped.
        translated: those of these methods whose skeletons are used in translation; None for all.
        rate: the target compression rate of automatic skeletons.
        candidates: the maximum number of skeletons of a sentence by each method.
        diverse: the settings of the method diverse.
        variants: the names of the variants to run (`variants.py`); None for all.
        skeleton_first_sentences: the number of development sentences, evenly spread, for tuning systems that decode
            each sentence again.
        seed: the seed of tuning and of significance tests.
        headline: the system behind each headline figure: `gc: gc-strong` makes `NAME_gc_gain_bleu` of test set NAME.
        automatic_headline: the kinds of k automatic skeletons to compare with k hand-made ones, for k = 1 and 2.
        paper: the numbers of the paper's tables of systems and of gap types, to compare with.
    """

    test_sets: dict[str, State] = Field(default_factory=dict)
    held_out: tuple[str, ...] = ()
    hypotheses: int = Field(default=1000, ge=1)
    rescored_hypotheses: int = Field(default=1000, ge=1)
    beam: float = Field(default=8.0, gt=0)
    max_arcs: int = Field(default=4000, ge=1)
    tuning_hypotheses: int = Field(default=150, ge=1)
    tuning_rounds: int = Field(default=5, ge=1)
    systems: tuple[str, ...] = tuple(system.name for system in SYSTEMS)
    rescored: tuple[str, ...] | None = None
    skeleton: Literal["hand", "hand-long"] = HAND
    scorers: tuple[str, ...] = ("bilingual", "model1", "class")
    joint: dict[str, float | str] = Field(default_factory=dict)
    transformer: dict[str, int | float | str] = Field(default_factory=dict)
    joint_source: Literal["sentence", "skeleton"] = "sentence"
    causal: Causal | None = None
    automatic: tuple[Method, ...] = ("dependency", "tagger", "optimal")
    translated: tuple[Method, ...] | None = None
    rate: float = Field(default=0.6, gt=0, lt=1)
    candidates: int = Field(default=3, ge=1)
    diverse: Diverse = Diverse()
    variants: tuple[str, ...] | None = None
    skeleton_first_sentences: int = Field(default=200, ge=1)
    seed: int = 1
    headline: dict[str, str] = HEADLINE
    automatic_headline: dict[int, tuple[str, ...]] = Field(default_factory=dict)
    paper: tuple[str, str] = ("", "")

    @field_validator("systems", "rescored")
    @classmethod
    def _are_known(cls, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if names is None:
            return None
        _check_known(names)
        if missing := sorted(ALWAYS - set(names)):
            raise ValueError(f"the system {missing[0]!r} is missing: tables and other systems need it")
        return names

    @field_validator("automatic")
    @classmethod
    def _tapped_has_others(cls, methods: tuple[str, ...]) -> tuple[str, ...]:
        if set(methods) == {TAPPED}:
            raise ValueError(f"{TAPPED} chooses from the skeletons of other methods; name one of them, too")
        return methods

    @field_validator("joint")
    @classmethod
    def _are_settings(cls, settings: dict[str, float | str]) -> dict[str, float | str]:
        joint_settings(settings, Path(), Path())
        return settings

    @field_validator("transformer")
    @classmethod
    def _are_settings_of_training(cls, settings: dict[str, int | float | str]) -> dict[str, int | float | str]:
        transformer_settings(settings, Path())
        return settings

    @field_validator("headline")
    @classmethod
    def _are_systems(cls, headline: dict[str, str]) -> dict[str, str]:
        _check_known(headline.values())
        return headline

    @field_validator("automatic_headline")
    @classmethod
    def _are_as_many(cls, kinds: dict[int, tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
        for count, names in kinds.items():
            if count not in (1, 2) or len(set(names)) != count:
                raise ValueError(f"{count}: {list(names)}; give one kind for 1, and two for 2: so many are hand-made")
        return kinds

    @property
    def chosen(self) -> tuple[System, ...]:
        """The systems."""
        return tuple(system for system in systems_with(self.skeleton) if system.name in self.systems)

    @property
    def measured(self) -> tuple[System, ...]:
        """The systems, and the Transformer alone, if it is a part of the stronger model."""
        return (*self.chosen, ALONE) if ALONE.name in self.scorers else self.chosen

    @property
    def composition(self) -> SkeletonSettings:
        """The settings of composition; the weight is tuned."""
        return SkeletonSettings(hypotheses=self.hypotheses, weight=1.0, beam=self.beam)

    def translates(self, kind: str) -> bool:
        """Returns whether automatic skeletons of a kind are used in translation."""
        return self.translated is None or kind in self.translated

    def rescores(self, system: System) -> bool:
        """Returns whether a system's n-best lists are rescored."""
        return self.rescored is None or system.name in self.rescored

    def system(self, name: str) -> System:
        """Returns a system by its name."""
        return next(system for system in self.chosen if system.name == name)


def joint_settings(values: Mapping[str, float | str], work: Path, output: Path) -> JointSettings:
    """Returns the settings of a joint model's training on the `work` folder of a training run."""
    return JointSettings.model_validate({**values, "work": str(work), "output": str(output)})


def transformer_settings(values: Mapping[str, int | float | str], folder: Path) -> TrainingSettings:
    """Returns the settings of a Transformer's training in a folder, on its files `source` and `target`."""
    files = {name: str(folder / name) for name in ("source", "target")}
    return TrainingSettings.model_validate({**values, **files, "output": str(folder)})


def _check_known(names: Iterable[str]) -> None:
    known = [system.name for system in (*SYSTEMS, *BETWEEN)]
    if unknown := sorted(set(names) - set(known)):
        raise ValueError(f"no system {unknown[0]!r}; there are {', '.join(known)}")


def read_study(folder: Path, overrides: Sequence[str]) -> tuple[Study, Config]:
    """Reads an experiment's `protocol.yaml`, and its `config.yaml` with overrides and without the held-out corpora.

    Raises:
        FormatError: a file is broken, the training run has no development or test set with skeletons, the protocol
            names other test sets than the config, or a set is among the training corpora.
    """
    path = folder / PROTOCOL
    study = checked_settings(Study, read_settings(path), path)
    config = read_config(folder / CONFIG, overrides)
    if study.automatic and config.text.source_language != "en":
        message = f"skeletons are made of English, not of {config.text.source_language}"
        raise FormatError(message, path=path, remedy="write `automatic: []`, and give skeleton files if there are some")
    test_sets = [config.tune.development, *config.test]
    if len(test_sets) < 2 or any(test is None or test.skeletons is None for test in test_sets):
        raise FormatError(
            "a study needs a development set and test sets, all with skeletons",
            path=folder / CONFIG,
            remedy="give tune.development and test with `skeletons`",
        )
    _check_test_sets(study, config, path)
    config = _without(config, study.held_out, path)
    _check_apart(config, [test for test in test_sets if test is not None], folder / CONFIG)
    return study, config


def _check_test_sets(study: Study, config: Config, path: Path) -> None:
    names = test_names(set_names(config))
    if len(names) < len(config.test):
        raise FormatError(f"a test set has the name {DEVELOPMENT!r}", path=path, remedy="give it another one")
    if set(study.test_sets) != set(names):
        message = f"test_sets names {', '.join(study.test_sets) or 'none'}; the config has {', '.join(names)}"
        raise FormatError(message, path=path, remedy="write `NAME: seen` or `NAME: new` for each test set")


def _without(config: Config, held_out: Sequence[str], path: Path) -> Config:
    known = [corpus.name for corpus in config.corpora]
    if unknown := sorted(set(held_out) - set(known)):
        message = f"held_out: no corpus {unknown[0]!r}; there are {', '.join(known)}"
        raise FormatError(message, path=path, remedy="give names of the config's corpora")
    kept = tuple(corpus for corpus in config.corpora if corpus.name not in held_out)
    if not kept:
        raise FormatError("held_out: no corpus is left", path=path, remedy="leave one to train on")
    return config.model_copy(update={"corpora": kept})


def _check_apart(config: Config, sets: Sequence[TestSet], path: Path) -> None:
    """Raises FormatError if the text of a set is training data."""
    texts = {config.path(text).resolve() for corpus in config.corpora for text in (corpus.source, corpus.target)}
    texts |= {config.path(text).resolve() for text in config.language_model.texts}
    for test in sets:
        for text in (test.source, *test.references):
            if config.path(text).resolve() in texts:
                message = f"{text} of {test.name} is trained on"
                raise FormatError(message, path=path, remedy="hold the corpus out, or measure on another set")
