"""The decoder: a sentence or a word lattice, perhaps skeletons, in; a lattice of translations out."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Bools
from lattice_simp.core.lattice import Lattice, Strings, as_hypotheses
from lattice_simp.engines import ENGINES
from lattice_simp.errors import EmptyLatticeError, GrammarError, LatticeSimpError, SkeletonError
from lattice_simp.lm import LanguageModel
from lattice_simp.ops.apply_lm import Models
from lattice_simp.ops.mbr import mbr
from lattice_simp.skeleton import Skeleton
from lattice_simp.support.plurals import counted
from lattice_simp.translate.costs import Costs
from lattice_simp.translate.derivation import LENGTH_FEATURE, StepLattice
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.items import Excerpt
from lattice_simp.translate.model_files import WEIGHTS, read_model
from lattice_simp.translate.openfst_lattice import openfst_lattice
from lattice_simp.translate.parse import WHOLE, SourceParse, parse_sentence
from lattice_simp.translate.path_features import path_features
from lattice_simp.translate.result import DECODER_FEATURES, SKELETON_FEATURE, Translation
from lattice_simp.translate.search.cubes.item_pruning import kept_items
from lattice_simp.translate.settings import DecoderSettings
from lattice_simp.translate.skeleton_scores import PREFIX, SkeletonScores
from lattice_simp.translate.source import INPUT_FEATURE, Sentence, Source, as_source
from lattice_simp.translate.strategies import STRATEGIES
from lattice_simp.translate.strategies.task import Task

FIRST_BEAM = 4.0
"""The first beam (nats) in the search for an n-best list."""

LAST_BEAM = 64.0
"""Above this beam, the search keeps all paths as soon as doubling the beam does not lengthen the n-best list: few
strings are left, or they cost much more, for example those with words to which a language model without `<unk>` gives
almost no probability."""


@dataclass(frozen=True, eq=False)
class Decoder:
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

    grammar: Grammar
    language_models: Mapping[str, LanguageModel]
    weights: Mapping[str, float]
    settings: DecoderSettings = field(default_factory=DecoderSettings)

    def __post_init__(self) -> None:
        _check_names(self.grammar.feature_names, self.language_models)
        _check_weights(self.language_models, self.weights)
        _ = self.costs  # refuses weights that do not fit

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
        return replace(self, weights=dict(weights), settings=_with_skeleton_weight(self.settings, weights))

    def with_settings(self, values: Mapping[str, Any]) -> Decoder:
        """Returns the decoder with other settings, given as nested dicts; see `DecoderSettings.updated`.

        >>> from lattice_simp.support.tables import grammar_path
        >>> decoder = Decoder.load(grammar_path("demo/data/weights.tsv").parent)
        >>> decoder.with_settings({"beam": 2.5, "skeleton": {"hypotheses": 5}}).settings.skeleton.hypotheses
        5
        """
        return replace(self, settings=self.settings.updated(values))

    @cached_property
    def costs(self) -> Costs:
        """The costs of rules, glue steps and copied tokens."""
        return Costs.weighted(self.grammar, self.weights)

    @property
    def models(self) -> Models:
        """The language models with their weights."""
        return {name: (model, self.weights[name]) for name, model in self.language_models.items()}

    @property
    def skeleton_scores(self) -> SkeletonScores:
        """The weights for the scores of a skeleton's translations."""
        return SkeletonScores.of(self.settings.skeleton.weight, self.weights)

    @property
    def operations(self) -> Any:
        """The operations of the settings' engine, by name."""
        return ENGINES[self.settings.engine]

    @property
    def word_penalty(self) -> float:
        """The cost of a word."""
        return self.weights.get(LENGTH_FEATURE, 0.0)

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
        task = Task(source, skeletons, _as_hypotheses(skeleton_hypotheses), _checked(probabilities, skeletons))
        name = strategy or ("gappy" if task.skeletons or task.hypotheses else "plain")
        if name not in STRATEGIES:
            raise LatticeSimpError(f"unknown strategy {name!r}; known are {', '.join(STRATEGIES)}")
        chosen = STRATEGIES[name]
        if chosen.needs and not any(getattr(task, need) for need in chosen.needs):
            raise SkeletonError(f"the strategy {name!r} needs a skeleton")
        result = chosen.translate(self, task)
        if terms:
            result = result.with_terms(terms, self.settings.beam)
        return (
            result
            if self.settings.mbr is None
            else replace(result, mbr=mbr(result.lattice, self.settings.mbr, ignore=()))
        )

    def lattice(self, sentence: Sentence, beam: float | None = None) -> Lattice:
        """Returns the lattice of the sentence's translations within a beam (nats; by default that of the settings).

        >>> from lattice_simp.support.tables import grammar_path
        >>> decoder = Decoder.load(grammar_path("demo/data/weights.tsv").parent)
        >>> decoder.lattice("the old petition .", beam=1.0).num_arcs < decoder.lattice("the old petition .").num_arcs
        True

        Raises:
            EmptyLatticeError: there is no translation.
        """
        return self.scored(self.rules(sentence), self.settings.beam if beam is None else beam).named()

    def rules_lattice(self, sentence: Sentence) -> Lattice:
        """Returns the lattice of the rules alone; input labels name the rules (see `derivation.RuleLabels`)."""
        return self.rules(sentence).named()

    def rules(self, sentence: Sentence, excerpt: Excerpt = WHOLE) -> StepLattice:
        """Returns the lattice of the rules alone: of all, or, in a nested grammar, of those that the search keeps.

        Args:
            sentence: tokens, or a word lattice.
            excerpt: the context of words that are part of a larger sentence.
        """
        if self.settings.engine == "openfst":
            return StepLattice(openfst_lattice(*self._chart_arguments(sentence)), None)
        return self.parse(sentence, excerpt).lattice(self.kept_items)

    def parse(self, sentence: Sentence, excerpt: Excerpt = WHOLE) -> SourceParse:
        """Returns the items from which `rules` builds the lattice."""
        return parse_sentence(*self._chart_arguments(sentence), excerpt)

    def _chart_arguments(self, sentence: Sentence) -> tuple[Grammar, Costs, Source, DecoderSettings]:
        source = as_source(sentence)
        return self.grammar, self.costs.of_source(source, self.weights), source, self.settings

    def kept_items(self, parse: SourceParse, invisible: Collection[str] = ()) -> Bools:
        """Returns the items of a nested grammar's parse that the pruned search keeps, (items,) bool.

        Args:
            parse: the items of a sentence.
            invisible: words that the language models skip.
        """
        return kept_items(parse, self.models, self.word_penalty, self.settings.cubes, invisible)

    def scored(self, rules: StepLattice, beam: float | None) -> StepLattice:
        """Returns a lattice of rules with language models and word penalty; see `with_models`."""
        return replace(rules, lattice=self.with_models(rules.lattice, beam))

    def with_models(self, lattice: Lattice, beam: float | None, invisible: Collection[str] = ()) -> Lattice:
        """Adds language models and word penalty, within a beam (nats; None keeps all paths).

        They skip the words `invisible`.

        Raises:
            EmptyLatticeError: the lattice is empty.
        """
        if lattice.empty:
            raise EmptyLatticeError("the grammar gives no translation of this sentence")
        return self.operations.apply_lm(
            lattice, self.models, beam=beam, word_penalty=self.word_penalty, ignore=invisible
        )

    def skeleton_nbest(self, sentence: Sentence, count: int) -> tuple[Lattice, list[Hypothesis]]:
        """Returns `exact_nbest` of a skeleton, with all features if any feature has its own weight."""
        lattice, paths = self.exact_nbest(sentence, count)
        if self.skeleton_scores.features:
            matrix, names = path_features(lattice, paths, self.grammar)
            rows = (dict(zip(names, row, strict=True)) for row in matrix.tolist())
            paths = [replace(path, features=row) for path, row in zip(paths, rows, strict=True)]
        return lattice, paths

    def exact_nbest(self, sentence: Sentence, count: int) -> tuple[Lattice, list[Hypothesis]]:
        """Returns exactly the `count` best strings of `rules`: the beam grows until it holds them or all strings.

        >>> from lattice_simp.support.tables import grammar_path
        >>> decoder = Decoder.load(grammar_path("demo/data/weights.tsv").parent)
        >>> lattice, paths = decoder.exact_nbest("the old petition .", 2)
        >>> [path.text for path in paths]
        ['die alte petition .', 'der alte petition .']

        Returns:
            The lattice within the last beam, and its hypotheses, cheapest first; fewer if there are no more strings.
        """
        rules = self.rules(sentence)
        beam: float | None = FIRST_BEAM
        previous = -1
        while True:
            scored = self.scored(rules, beam)
            paths = self.operations.nbest(scored.lattice, count, ignore=())
            if beam is None or (len(paths) == count and paths[-1].cost <= paths[0].cost + beam):
                named = scored.named()
                return named, [_relabelled(path, named) for path in paths]
            beam = 2 * beam if beam <= LAST_BEAM or len(paths) > previous else None
            previous = len(paths)


def _check_names(rule_features: Sequence[str], models: Iterable[str]) -> None:
    """Raises GrammarError if features of different origins have the same name."""
    reserved = {*DECODER_FEATURES, *models}
    twice = [name for name in rule_features if name in reserved or name.startswith((f"{INPUT_FEATURE}:", PREFIX))]
    twice += [name for name in models if name in DECODER_FEATURES]
    if twice:
        raise GrammarError(
            f"{', '.join(twice)}: features of the rules or language models with the name of another one; "
            f"rename them (the decoder's own are {', '.join(DECODER_FEATURES)})"
        )


def _check_weights(models: Collection[str], weights: Mapping[str, float]) -> None:
    """Raises GrammarError if there is no language model, or one without a non-negative, finite weight."""
    missing = [name for name in models if name not in weights]
    if missing:
        raise GrammarError(f"no weight for {', '.join(missing)}; add it to the weights")
    negative = [f"{name} has {weights[name]}" for name in models if not 0 <= weights[name] < math.inf]
    if negative:
        raise GrammarError(f"weights of language models must be finite numbers from 0 up; {', '.join(negative)}")
    if not models:
        raise GrammarError("a decoder needs a language model; give at least one")


def _relabelled(hypothesis: Hypothesis, named: Lattice) -> Hypothesis:
    """Returns the hypothesis with the input labels of `named`, whose arcs are the same (if it names any rules)."""
    if named.isymbols is None:
        return hypothesis
    inputs = named.ilabels[hypothesis.arcs]
    return replace(hypothesis, inputs=tuple(inputs[np.flatnonzero(inputs)].tolist()))


def _with_skeleton_weight(settings: DecoderSettings, weights: Mapping[str, float]) -> DecoderSettings:
    if SKELETON_FEATURE not in weights:
        return settings
    return replace(settings, skeleton=replace(settings.skeleton, weight=weights[SKELETON_FEATURE]))


def _as_hypotheses(strings: Strings | None) -> tuple[Hypothesis, ...] | None:
    return None if strings is None else tuple(as_hypotheses(strings))


def _checked(probabilities: Sequence[float], skeletons: tuple[Skeleton, ...]) -> tuple[float, ...]:
    """Returns the probabilities; raises SkeletonError where they do not fit the skeletons."""
    if len(probabilities) not in (0, len(skeletons)):
        raise SkeletonError(
            f"{counted(len(probabilities), 'probability', 'probabilities')}, but {counted(len(skeletons), 'skeleton')}"
        )
    if not all(0 < probability < math.inf for probability in probabilities):
        raise SkeletonError(f"the probabilities are {list(probabilities)}; give numbers above 0")
    return tuple(probabilities)


def _as_skeletons(words: tuple[str, ...], skeleton: Skeleton | str | Iterable[Skeleton] | None) -> tuple[Skeleton, ...]:
    if isinstance(skeleton, str):
        skeleton = Skeleton.from_mask(skeleton, words)
    skeletons = () if skeleton is None else (skeleton,) if isinstance(skeleton, Skeleton) else tuple(skeleton)
    for skeleton in skeletons:
        if skeleton.tokens != words:
            raise SkeletonError("the skeleton's tokens are not those of the sentence; tokenise both in the same way")
    return skeletons
