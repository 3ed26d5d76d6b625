"""The decoder: a sentence or a word lattice, perhaps skeletons, in; a lattice of translations out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice, Strings, as_hypotheses
from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import GrammarError, LatticeSimpError, SkeletonError
from lattice_simp.lm import LanguageModel
from lattice_simp.ops.mbr import mbr
from lattice_simp.skeleton import Skeleton
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.hiero_decoder import HieroDecoder
from lattice_simp.translate.model_files import WEIGHTS, read_model
from lattice_simp.translate.result import SKELETON_FEATURE, Translation
from lattice_simp.translate.settings import DecoderSettings
from lattice_simp.translate.source import Source
from lattice_simp.translate.strategies import STRATEGIES
from lattice_simp.translate.strategies.task import Task


@dataclass(frozen=True, eq=False)
class Decoder:
    """Translates with a synchronous grammar and language models, with or without skeletons.

    Attributes:
        grammar, language_models, weights: see `HieroDecoder`. A weight `Skeleton` goes over into the settings.
        settings: see `DecoderSettings`.
    """

    grammar: Grammar
    language_models: Mapping[str, LanguageModel]
    weights: Mapping[str, float]
    settings: DecoderSettings = field(default_factory=DecoderSettings)

    def __post_init__(self) -> None:
        _ = self.hiero  # refuses weights that do not fit

    @cached_property
    def hiero(self) -> HieroDecoder:
        """What decodes without skeletons."""
        return HieroDecoder(self.grammar, self.language_models, self.weights, self.settings)

    @classmethod
    def load(cls, folder: str | Path) -> Decoder:
        """Loads a model directory (see `model_files.py`).

        Raises:
            FormatError, GrammarError: a file is missing or broken, or a weight is missing or out of range.
        """
        grammar, models, weights, settings = read_model(folder)
        try:
            return cls(grammar, models, weights, _with_skeleton_weight(settings, weights))
        except LatticeSimpError as error:
            raise GrammarError(f"{Path(folder) / WEIGHTS}: {error}") from None

    def with_weights(self, weights: Mapping[str, float]) -> Decoder:
        """Returns the decoder with other weights; `Skeleton`, if it is among them, goes into the settings."""
        return replace(self, weights=dict(weights), settings=_with_skeleton_weight(self.settings, weights))

    def with_settings(self, values: Mapping[str, Any]) -> Decoder:
        """Returns the decoder with other settings, given as nested dicts; see `DecoderSettings.updated`."""
        return replace(self, settings=self.settings.updated(values))

    def translate(
        self,
        sentence: str | Sequence[str] | Lattice,
        skeleton: Skeleton | str | Sequence[Skeleton] | None = None,
        *,
        strategy: str | None = None,
        skeleton_hypotheses: Strings | None = None,
        probabilities: Sequence[float] = (),
    ) -> Translation:
        """Translates one sentence.

        Text becomes tokens with the tokenisers of a trained model, and tokens text, as `lattice-simp translate` does:

            from lattice_simp.text.tokeniser import model_tokenisers
            source, target = model_tokenisers("model")
            target.text(decoder.translate(source.tokens("The law was published.")).best.text)

        Args:
            sentence: tokens, a string of tokens separated by blanks, or an acyclic word lattice (of a speech
                recogniser, or of several segmentations), whose costs become the feature `Input`.
            skeleton: a skeleton, a mask such as `"11011"`, or several skeletons.
            strategy: a name of `STRATEGIES`; by default `gappy` with a skeleton, else `plain`.
            skeleton_hypotheses: translations of the skeleton from elsewhere, instead of our own.
            probabilities: of several skeletons, for the aggregation `expected`; equal ones by default.

        Raises:
            SkeletonError: the skeleton does not fit, or the strategy needs one.
            LatticeSimpError: the sentence cannot be translated, or an unknown strategy.
        """
        source = _as_source(sentence)
        if isinstance(sentence, Lattice) and skeleton is not None:
            raise SkeletonError("a word lattice has no tokens to delete; give skeleton_hypotheses, or a sentence")
        skeletons = _as_skeletons(source.best_words, skeleton)
        task = Task(source, skeletons, _as_hypotheses(skeleton_hypotheses), _checked(probabilities, skeletons))
        name = strategy or ("gappy" if task.skeletons or task.hypotheses else "plain")
        if name not in STRATEGIES:
            raise LatticeSimpError(f"unknown strategy {name!r}; known are {', '.join(STRATEGIES)}")
        chosen = STRATEGIES[name]
        if chosen.needs and not any(getattr(task, need) for need in chosen.needs):
            raise SkeletonError(f"the strategy {name!r} needs a skeleton")
        result = chosen.translate(self.hiero, task)
        return result if self.settings.mbr is None else replace(result, mbr=mbr(result.lattice, self.settings.mbr))

    def lattice(self, sentence: str | Sequence[str] | Lattice, beam: float | None = None) -> Lattice:
        """Returns the lattice of the sentence's translations within a beam (nats; by default that of the settings)."""
        return self.hiero.lattice(_as_source(sentence), self.settings.beam if beam is None else beam)

    def rules_lattice(self, sentence: str | Sequence[str] | Lattice) -> Lattice:
        """Returns the lattice of the rules alone; input labels name the rules (see `derivation.parse_label`)."""
        return self.hiero.rules_lattice(_as_source(sentence))


def _as_source(given: str | Sequence[str] | Lattice) -> Source:
    return Source.from_lattice(given) if isinstance(given, Lattice) else Source.from_words(as_tokens(given))


def _with_skeleton_weight(settings: DecoderSettings, weights: Mapping[str, float]) -> DecoderSettings:
    if SKELETON_FEATURE not in weights:
        return settings
    return replace(settings, skeleton=replace(settings.skeleton, weight=weights[SKELETON_FEATURE]))


def _as_hypotheses(given: Strings | None) -> tuple[Hypothesis, ...] | None:
    return None if given is None else tuple(as_hypotheses(given))


def _checked(probabilities: Sequence[float], skeletons: tuple[Skeleton, ...]) -> tuple[float, ...]:
    """Returns the probabilities; raises SkeletonError where they do not fit the skeletons."""
    if len(probabilities) not in (0, len(skeletons)):
        raise SkeletonError(f"{len(probabilities)} probabilities, but {len(skeletons)} skeletons")
    if not all(0 < own < math.inf for own in probabilities):
        raise SkeletonError(f"the probabilities are {list(probabilities)}; give numbers above 0")
    return tuple(probabilities)


def _as_skeletons(words: tuple[str, ...], given: Skeleton | str | Iterable[Skeleton] | None) -> tuple[Skeleton, ...]:
    if isinstance(given, str):
        given = Skeleton.from_mask(given, words)
    skeletons = () if given is None else (given,) if isinstance(given, Skeleton) else tuple(given)
    for skeleton in skeletons:
        if skeleton.tokens != words:
            raise SkeletonError("the skeleton's tokens are not those of the sentence; tokenise both alike")
    return skeletons
