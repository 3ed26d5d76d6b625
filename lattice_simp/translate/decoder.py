"""The decoder: a sentence, perhaps its skeletons, in; a lattice of translations out."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath

import numpy as np

from lattice_simp.core.kernel import Ints
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import EmptyLatticeError, GrammarError, LatticeSimpError, SkeletonError
from lattice_simp.lm import LanguageModel
from lattice_simp.ops.lm_joint import WeightedModel, apply_lms
from lattice_simp.ops.mbr import mbr_lattice
from lattice_simp.ops.nbest import Path, nbest
from lattice_simp.skeleton import Skeleton
from lattice_simp.translate.cell_pruning import CellPruner
from lattice_simp.translate.derivation import COPY_FEATURE, GLUE_FEATURE, LENGTH_FEATURE, name_steps
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.hiero import HieroOptions, hiero_lattice
from lattice_simp.translate.model_files import read_model
from lattice_simp.translate.result import SKELETON_FEATURE, Translation
from lattice_simp.translate.settings import STRATEGIES, DecoderSettings, Strategy

Hypotheses = list[tuple[str, float]]


@dataclass(frozen=True, eq=False)
class Decoder:
    """Translates with a synchronous grammar and language models.

    A hypothesis costs minus the weighted sum of its features: the rules' own scores, `LM` (`LM2`, ...: log
    probabilities), `WordPenalty`, `Glue` and `OOV` (minus the number of words, glue steps, passed-through tokens).

    Attributes:
        grammar: the rules; their target words are numbered by the table of all lattices.
        models: language models by feature name.
        weights: the features' weights; those of `WordPenalty`, `Glue` and `OOV` are 0 if they are missing. `load` and
            `with_weights` take a weight `Skeleton` over into the settings.
        settings: see `DecoderSettings`.
    """

    grammar: Grammar
    models: Sequence[tuple[str, LanguageModel]]
    weights: Mapping[str, float]
    settings: DecoderSettings = field(default_factory=DecoderSettings)

    def __post_init__(self) -> None:
        missing = [name for name, _ in self.models if name not in self.weights]
        if missing:
            raise GrammarError(f"no weight for {', '.join(missing)}; add it to the weights")
        if not self.models:
            raise GrammarError("a decoder needs a language model; give one at least")
        object.__setattr__(self, "_rule_costs", self.grammar.costs(self.weights))

    @classmethod
    def load(cls, folder: str | FilePath) -> Decoder:
        """Loads a model directory (see `model_files.py`).

        Raises:
            FormatError, GrammarError: a file is missing or broken, or a weight is missing.
        """
        grammar, models, weights, values = read_model(folder)
        return cls(grammar, models, weights, _with_skeleton_weight(DecoderSettings.from_mapping(values), weights))

    def with_weights(self, weights: Mapping[str, float]) -> Decoder:
        """Returns the decoder with other weights; `Skeleton`, if it is among them, goes into the settings."""
        return replace(self, weights=dict(weights), settings=_with_skeleton_weight(self.settings, weights))

    def translate(
        self,
        sentence: str | Sequence[str],
        skeleton: Skeleton | str | Sequence[Skeleton] | None = None,
        *,
        strategy: Strategy | None = None,
        skeleton_hypotheses: Hypotheses | None = None,
    ) -> Translation:
        """Translates one sentence.

        Args:
            sentence: tokens, or a string of tokens separated by blanks.
            skeleton: a skeleton, a mask such as `"11011"`, or several skeletons.
            strategy: `plain`, `gappy` or `skeleton-first`; by default `gappy` with a skeleton, else `plain`.
            skeleton_hypotheses: translations of the skeleton from elsewhere, (words, cost), instead of our own.

        Raises:
            SkeletonError: the skeleton does not fit, or the strategy needs one.
            LatticeSimpError: the sentence cannot be translated, or an unknown strategy.
        """
        result = self._translate(sentence, skeleton, strategy, skeleton_hypotheses)
        mbr = self.settings.mbr
        return result if mbr is None else replace(result, mbr=mbr_lattice(result.lattice, mbr))

    def _translate(
        self,
        sentence: str | Sequence[str],
        skeleton: Skeleton | str | Sequence[Skeleton] | None,
        strategy: Strategy | None,
        skeleton_hypotheses: Hypotheses | None,
    ) -> Translation:
        """Translates one sentence; the cost decides."""
        if strategy is not None and strategy not in STRATEGIES:
            raise LatticeSimpError(f"unknown strategy {strategy!r}; known are {', '.join(STRATEGIES)}")
        words = tuple(split_tokens(sentence) if isinstance(sentence, str) else sentence)
        skeletons = _as_skeletons(words, skeleton)
        chosen: Strategy = strategy or ("gappy" if skeletons or skeleton_hypotheses else "plain")
        if chosen == "plain":
            return Translation(words, "plain", self.lattice(words, self.settings.beam), self.grammar)
        if not skeletons and not (skeleton_hypotheses and chosen == "gappy"):
            raise SkeletonError(f"the strategy {chosen!r} needs a skeleton")
        if chosen == "skeleton-first":
            from lattice_simp.translate.skeleton_first import translate_skeleton_first

            return translate_skeleton_first(self, words, skeletons[0], skeleton_hypotheses)
        from lattice_simp.translate.gappy import translate_gappy

        return translate_gappy(self, words, skeletons, skeleton_hypotheses)

    # ---------------------------------------------------------------- the parts of a translation

    def options(self) -> HieroOptions:
        """The options of the chart decoder."""
        settings = self.settings
        return HieroOptions(
            top=settings.top,
            max_span=settings.max_span,
            glue_cost=self.weights.get(GLUE_FEATURE, 0.0),
            copy_cost=self.weights.get(COPY_FEATURE, 0.0),
        )

    def rules_lattice(self, words: Sequence[str], tokens: Sequence[int] | None = None) -> Lattice:
        """Returns the lattice of the rules alone, unpruned but for nested cells; input labels name the rules."""
        options = self.options()
        return hiero_lattice(self.grammar, self.rule_costs, words, options, self.cell_pruner, tokens=tokens)

    def lattice(self, words: Sequence[str], beam: float) -> Lattice:
        """Returns the plain lattice, language models and word penalty included, within a beam."""
        return name_steps(self.with_models(self.rules_lattice(words), beam))

    def with_models(self, lattice: Lattice, beam: float, invisible: Collection[str] = ()) -> Lattice:
        """Adds language models and word penalty; they do not see the words `invisible`.

        Raises:
            EmptyLatticeError: the lattice is empty.
        """
        if lattice.empty:
            raise EmptyLatticeError("the grammar gives no translation of this sentence")
        models = [WeightedModel(name, model, self.weights[name]) for name, model in self.models]
        return apply_lms(lattice, models, beam=beam, word_penalty=self.word_penalty, invisible=invisible)

    def skeleton_nbest(self, skeletons: Sequence[Skeleton]) -> Hypotheses:
        """Returns the n best translations of the skeletons, pooled."""
        settings = self.settings.skeleton
        return pool_hypotheses(
            [self._hypotheses(skeleton.words, settings.hypotheses) for skeleton in skeletons],
            settings.aggregation,
            settings.hypotheses,
        )

    def _hypotheses(self, words: Sequence[str], count: int) -> Hypotheses:
        return [(path.words, path.cost) for path in self.exact_nbest(words, count)[1]]

    def exact_nbest(self, words: Sequence[str], count: int) -> tuple[Lattice, list[Path]]:
        """Returns exactly the `count` best strings: the beam grows until it holds them, or everything is in it.

        Returns:
            The lattice within the last beam, and its paths, cheapest first; fewer if there are no more strings.
        """
        lattice = self.rules_lattice(words)
        beam = FIRST_BEAM
        previous = -1
        while True:
            scored = self.with_models(lattice, beam)
            paths = nbest(scored, count)
            complete = len(paths) == count and paths[-1].cost <= paths[0].cost + beam
            if complete or (beam > LAST_BEAM and len(paths) == previous):
                return scored, paths
            previous = len(paths)
            beam *= 2

    @property
    def word_penalty(self) -> float:
        """The cost of a word."""
        return self.weights.get(LENGTH_FEATURE, 0.0)

    @property
    def rule_costs(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        costs: np.ndarray[tuple[int], np.dtype[np.float64]] = self.__dict__["_rule_costs"]
        return costs

    def cell_pruner(self, words: Ints) -> CellPruner:
        """Makes the pruner of a sentence's cells; it judges with the first language model."""
        name, model = self.models[0]
        return self.settings.cells.for_sentence(model, self.weights[name], self.grammar.target_words, words)


FIRST_BEAM = 4.0
"""The beam (nats) in which an n-best list is looked for first."""

LAST_BEAM = 64.0
"""A lattice whose n-best list does not grow beyond this beam has no more strings to give."""


def pool_hypotheses(lists: Iterable[Hypotheses], aggregation: str, count: int) -> Hypotheses:
    """Joins the n-best lists of several skeletons.

    >>> pool_hypotheses([[("a", 1.0)], [("a", 1.0), ("b", 3.0)]], "sum", 5)
    [('a', 0.3068528194400547), ('b', 3.0)]
    """
    pooled: dict[str, float] = {}
    for hypotheses in lists:
        for words, cost in hypotheses:
            known = pooled.get(words, math.inf)
            if aggregation == "sum" and known < math.inf:
                least = min(known, cost)
                pooled[words] = least - math.log1p(math.exp(-abs(known - cost)))
            else:
                pooled[words] = min(known, cost)
    return sorted(pooled.items(), key=lambda pair: (pair[1], pair[0]))[:count]


def _with_skeleton_weight(settings: DecoderSettings, weights: Mapping[str, float]) -> DecoderSettings:
    if SKELETON_FEATURE not in weights:
        return settings
    return replace(settings, skeleton=replace(settings.skeleton, weight=weights[SKELETON_FEATURE]))


def _as_skeletons(words: tuple[str, ...], given: Skeleton | str | Sequence[Skeleton] | None) -> list[Skeleton]:
    if given is None:
        return []
    if isinstance(given, str):
        given = Skeleton.from_mask(given, words)
    skeletons = [given] if isinstance(given, Skeleton) else list(given)
    for skeleton in skeletons:
        if skeleton.tokens != words:
            raise SkeletonError("the skeleton's tokens are not those of the sentence; tokenise both alike")
    return skeletons
