"""The decoder: a sentence or a word lattice, perhaps skeletons, in; a lattice of translations out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lattice_simp.core.arguments import choice, instances, mapping, reals
from lattice_simp.core.hypothesis import Strings, as_hypotheses
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import GrammarError, LatticeSimpError, SkeletonError
from lattice_simp.ops.mbr import mbr
from lattice_simp.skeleton import Skeleton
from lattice_simp.support.plurals import counted
from lattice_simp.translate.lattice_decoder import LatticeDecoder
from lattice_simp.translate.model_files import WEIGHTS, read_model
from lattice_simp.translate.result import SKELETON_FEATURE, Translation
from lattice_simp.translate.settings import DecoderSettings
from lattice_simp.translate.source import as_source
from lattice_simp.translate.strategies import STRATEGIES
from lattice_simp.translate.strategies.task import Task


@dataclass(frozen=True, eq=False)
class Decoder(LatticeDecoder):
    """Translates with a synchronous grammar and language models, with or without skeletons.

    >>> from lattice_simp.support.tables import grammar_path
    >>> decoder = Decoder.load(grammar_path("demo/data/weights.tsv").parent)
    >>> decoder.translate("the librarians published the old petition .").best.text
    'die bibliothekarinnen veröffentlichten die alte petition .'

    A hypothesis costs minus the weighted sum of its features: the rules' own scores, `LM` (`LM2`, ...: log
    probabilities), `WordPenalty`, `Glue` and `OOV` (minus the number of words, glue steps, passed-through tokens), and
    `Input` (minus the costs of an input lattice; further scores of it are `Input:NAME`).

    Attributes:
        grammar: the rules; their target words are numbered by the table of all lattices.
        language_models: by feature name.
        weights: the features' weights; those of `WordPenalty`, `Glue`, `OOV` and `Input:NAME` are 0 if they are
            missing, that of `Input` is 1. `load` and `with_weights` move a weight `Skeleton` into the settings.
        settings: see `DecoderSettings`.
    """

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
        """Returns the decoder with other weights; `Skeleton`, if it is among them, goes into the settings.

        >>> from lattice_simp.support.tables import grammar_path
        >>> decoder = Decoder.load(grammar_path("demo/data/weights.tsv").parent)
        >>> decoder.with_weights({**decoder.weights, "Skeleton": 0.7}).settings.skeleton.weight
        0.7
        """
        weights = dict(mapping(weights, "the weights"))
        return replace(self, weights=weights, settings=_with_skeleton_weight(self.settings, weights))

    def with_settings(self, values: Mapping[str, Any]) -> Decoder:
        """Returns the decoder with other settings, given as nested dicts; see `DecoderSettings.updated`.

        >>> from lattice_simp.support.tables import grammar_path
        >>> decoder = Decoder.load(grammar_path("demo/data/weights.tsv").parent)
        >>> decoder.with_settings({"beam": 2.5, "skeleton": {"hypotheses": 5}}).settings.skeleton.hypotheses
        5
        """
        return replace(self, settings=self.settings.updated(values))

    def translate(
        self,
        sentence: str | Sequence[str] | Lattice,
        skeleton: Skeleton | str | Sequence[Skeleton] | None = None,
        *,
        strategy: str | None = None,
        skeleton_hypotheses: Strings | None = None,
        probabilities: Sequence[float] = (),
        terms: Sequence[Sequence[str]] = (),
    ) -> Translation:
        """Translates one sentence.

        >>> from lattice_simp.support.tables import grammar_path
        >>> decoder = Decoder.load(grammar_path("demo/data/weights.tsv").parent)
        >>> translation = decoder.translate("the librarians published the old petition .", "1111011")
        >>> translation.strategy, translation.reachable, translation.skeleton_hypotheses[0].text
        ('gappy', True, 'die bibliothekarinnen veröffentlichten die petition .')

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
            terms: the forms of each term that translations must hold, in order, as `term_acceptor` takes them. If no
                translation within the beam does, terms are ignored, and `Translation.has_terms` is False.

        Raises:
            SkeletonError: the skeleton does not fit, or the strategy needs one.
            LatticeSimpError: the sentence cannot be translated, or an unknown strategy.
        """
        source = as_source(sentence)
        if isinstance(sentence, Lattice) and skeleton is not None:
            raise SkeletonError("a word lattice has no tokens to delete; give skeleton_hypotheses, or a sentence")
        skeletons = _as_skeletons(source.best_words, skeleton)
        hypotheses = None if skeleton_hypotheses is None else tuple(as_hypotheses(skeleton_hypotheses))
        task = Task(source, skeletons, hypotheses, _checked(probabilities, skeletons))
        name = strategy or ("gappy" if task.skeletons or task.hypotheses else "plain")
        choice(name, STRATEGIES, "strategy")
        chosen = STRATEGIES[name]
        if chosen.needs and not any(getattr(task, need) for need in chosen.needs):
            raise SkeletonError(f"the strategy {name!r} needs a skeleton")
        result = chosen.translate(self, task)
        if terms:
            result = result.with_terms(terms, self.settings.beam)
        if self.settings.mbr is None:
            return result
        return replace(result, mbr=mbr(result.lattice, self.settings.mbr, ignore=()))


def _with_skeleton_weight(settings: DecoderSettings, weights: Mapping[str, float]) -> DecoderSettings:
    if SKELETON_FEATURE not in weights:
        return settings
    return replace(settings, skeleton=replace(settings.skeleton, weight=weights[SKELETON_FEATURE]))


def _checked(probabilities: Sequence[float], skeletons: tuple[Skeleton, ...]) -> tuple[float, ...]:
    """Returns the probabilities; raises SkeletonError where they do not fit the skeletons."""
    probabilities = reals(probabilities, "the probabilities")
    if len(probabilities) not in (0, len(skeletons)):
        raise SkeletonError(
            f"{counted(len(probabilities), 'probability', 'probabilities')}, but {counted(len(skeletons), 'skeleton')}"
        )
    if not all(0 < probability < math.inf for probability in probabilities):
        raise SkeletonError(f"the probabilities are {probabilities}; give numbers above 0")
    return tuple(probabilities)


def _as_skeletons(words: tuple[str, ...], skeleton: Skeleton | str | Iterable[Skeleton] | None) -> tuple[Skeleton, ...]:
    if isinstance(skeleton, str):
        skeleton = Skeleton.from_mask(skeleton, words)
    if skeleton is None:
        return ()
    several = [skeleton] if isinstance(skeleton, Skeleton) else skeleton
    skeletons = instances(several, Skeleton, "a skeleton", "Skeleton.from_words(sentence, words)")
    for skeleton in skeletons:
        if skeleton.tokens != words:
            raise SkeletonError("the skeleton's tokens are not those of the sentence; tokenise both in the same way")
    return tuple(skeletons)
