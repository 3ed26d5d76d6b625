"""What all strategies of a decoder share: the lattices of a sentence's translations under rules and language models."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from lattice_simp.core.arguments import instance, instances, mapping, real
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Bools
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.engines import ENGINES
from lattice_simp.errors import EmptyLatticeError, GrammarError
from lattice_simp.lm import LanguageModel
from lattice_simp.ops.apply_lm import Models
from lattice_simp.translate.costs import Costs
from lattice_simp.translate.derivation import LENGTH_FEATURE, StepLattice
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.items import Excerpt
from lattice_simp.translate.openfst_lattice import openfst_lattice
from lattice_simp.translate.parse import WHOLE, SourceParse, parse_sentence
from lattice_simp.translate.path_features import path_features
from lattice_simp.translate.result import DECODER_FEATURES
from lattice_simp.translate.search.cubes.item_pruning import kept_items
from lattice_simp.translate.settings import DecoderSettings
from lattice_simp.translate.skeleton_scores import PREFIX, SkeletonScores
from lattice_simp.translate.source import INPUT_FEATURE, Sentence, Source, as_source

FIRST_BEAM = 4.0
"""The first beam (nats) in the search for an n-best list."""

LAST_BEAM = 64.0
"""Above this beam, the search keeps all paths as soon as doubling the beam does not lengthen the n-best list: few
strings are left, or they cost much more, for example those with words to which a language model without `<unk>` gives
almost no probability."""


@dataclass(frozen=True, eq=False)
class LatticeDecoder:
    """Makes lattices of translations with a grammar, language models, weights and settings; see `Decoder`."""

    grammar: Grammar
    language_models: Mapping[str, LanguageModel]
    weights: Mapping[str, float]
    settings: DecoderSettings = field(default_factory=DecoderSettings)

    def __post_init__(self) -> None:
        instance(self.grammar, Grammar, "the grammar", "Decoder.load(folder).grammar")
        models = mapping(self.language_models, "the language models").values()
        instances(models, LanguageModel, "a language model", "LanguageModel.read(path)")
        mapping(self.weights, "the weights")
        _check_names(self.grammar.feature_names, self.language_models)
        _check_weights(self.language_models, self.weights)
        _ = self.costs  # refuses weights that do not fit

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

    def lattice(self, sentence: Sentence, beam: float | None = None) -> Lattice:
        """Returns the lattice of the sentence's translations within a beam (nats; by default that of the settings).

        >>> from lattice_simp import Decoder
        >>> from lattice_simp.support.tables import grammar_path
        >>> decoder = Decoder.load(grammar_path("demo/data/weights.tsv").parent)
        >>> decoder.lattice("the old petition .", beam=1.0).num_arcs < decoder.lattice("the old petition .").num_arcs
        True

        Raises:
            EmptyLatticeError: the sentence has no translation.
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

    def with_models(self, lattice: Lattice, beam: float | None) -> Lattice:
        """Adds language models and word penalty, within a beam (nats; None keeps all paths).

        Raises:
            EmptyLatticeError: the lattice is empty.
        """
        require_lattice("with_models", lattice)
        if lattice.empty:
            raise EmptyLatticeError("the grammar gives no translation of this sentence")
        return self.operations.apply_lm(lattice, self.models, beam=beam, word_penalty=self.word_penalty, ignore=())

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

        >>> from lattice_simp import Decoder
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
    """Raises GrammarError unless at least one language model is given, and each has a finite weight from 0 up."""
    missing = [name for name in models if name not in weights]
    if missing:
        raise GrammarError(f"no weight for {', '.join(missing)}; add it to the weights")
    negative = [f"{name} has {weights[name]}" for name in models if not 0 <= real(weights[name], name) < math.inf]
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
