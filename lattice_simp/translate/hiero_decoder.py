"""Sentences into lattices: a grammar and language models, nothing of skeletons."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Bools, Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.engines import ENGINES
from lattice_simp.errors import EmptyLatticeError, GrammarError
from lattice_simp.lm import LanguageModel
from lattice_simp.ops.apply_lm import Models
from lattice_simp.translate.derivation import COPY_FEATURE, GLUE_FEATURE, LENGTH_FEATURE, StepLattice
from lattice_simp.translate.exact.decode import lower_bound, optimal_rules
from lattice_simp.translate.exact.limits import ExactSearch, GapBound
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.hiero import HieroChart, HieroOptions, hiero_chart
from lattice_simp.translate.openfst_lattice import openfst_lattice
from lattice_simp.translate.pruned.kept import kept_items
from lattice_simp.translate.result import DECODER_FEATURES
from lattice_simp.translate.settings import DecoderSettings
from lattice_simp.translate.source import INPUT_FEATURE, Source, as_source

Words: TypeAlias = Sequence[str] | Source
"""What is translated: tokens, or a word lattice."""

FIRST_BEAM = 4.0
"""The beam (nats) in which an n-best list is looked for first."""

LAST_BEAM = 64.0
"""If a longer n-best list is not found with more than this beam, all paths are looked at: few strings are left, or they
are far from the others, as those with words that a language model without an unknown word gives next to no
probability."""

ONE_OF_ARCS = 20
"""One of so many arcs is enough where the best translation is all that a lattice is made for."""


@dataclass(frozen=True, eq=False)
class HieroDecoder:
    """A synchronous grammar and language models.

    A hypothesis costs minus the weighted sum of its features: the rules' own scores, `LM` (`LM2`, ...: log
    probabilities), `WordPenalty`, `Glue` and `OOV` (minus the number of words, glue steps, passed-through tokens), and
    `Input` (minus the costs of an input lattice; further scores of it are `Input:NAME`).

    Attributes:
        grammar: the rules; their target words are numbered by the table of all lattices.
        language_models: by feature name.
        weights: the features' weights; those of `WordPenalty`, `Glue`, `OOV` and `Input:NAME` are 0 if they are
            missing, that of `Input` is 1.
        settings: those of the search (`top`, `max_span`, `cubes`).
    """

    grammar: Grammar
    language_models: Mapping[str, LanguageModel]
    weights: Mapping[str, float]
    settings: DecoderSettings = field(default_factory=DecoderSettings)

    def __post_init__(self) -> None:
        taken = {*DECODER_FEATURES, *self.language_models}
        twice = [name for name in self.grammar.feature_names if name in taken or name.startswith(f"{INPUT_FEATURE}:")]
        twice += [name for name in self.language_models if name in DECODER_FEATURES]
        if twice:
            raise GrammarError(
                f"{', '.join(twice)}: features of the rules or language models with the name of another one; "
                f"rename them (the decoder's own are {', '.join(DECODER_FEATURES)})"
            )
        missing = [name for name in self.language_models if name not in self.weights]
        if missing:
            raise GrammarError(f"no weight for {', '.join(missing)}; add it to the weights")
        negative = [name for name in self.language_models if not 0 <= self.weights[name] < math.inf]
        if negative:
            found = ", ".join(f"{name} has {self.weights[name]}" for name in negative)
            raise GrammarError(f"weights of language models are finite numbers from 0 up; {found}")
        if not self.language_models:
            raise GrammarError("a decoder needs a language model; give one at least")
        _ = self.rule_costs  # refuses weights that do not fit

    @cached_property
    def rule_costs(self) -> Floats:
        """(rules,) float64, what each rule costs."""
        return self.grammar.costs(self.weights)

    @property
    def models(self) -> Models:
        """The language models with their weights."""
        return {name: (model, self.weights[name]) for name, model in self.language_models.items()}

    @property
    def operations(self) -> Any:
        """The operations of the settings' engine, by name."""
        return ENGINES[self.settings.engine]

    @property
    def word_penalty(self) -> float:
        """The cost of a word."""
        return self.weights.get(LENGTH_FEATURE, 0.0)

    @property
    def options(self) -> HieroOptions:
        """The options of the chart decoder."""
        return HieroOptions(
            top=self.settings.top,
            max_span=self.settings.max_span,
            glue_cost=self.weights.get(GLUE_FEATURE, 0.0),
            copy_cost=self.weights.get(COPY_FEATURE, 0.0),
            copies=self.settings.copies,
            word_arcs=self.settings.word_arcs,
        )

    def rules(self, words: Words, tokens: Sequence[int] | None = None) -> StepLattice:
        """Returns the lattice of the rules alone: of all, or, in a nested grammar, of those that the search keeps.

        Args:
            words: the source tokens, or a word lattice.
            tokens: where each word (and the end) is in a larger sentence, for the names of the rules.
        """
        if self.settings.engine == "openfst":
            source = as_source(words)
            return StepLattice(openfst_lattice(*self._given(source), self._input_costs(source)), None)
        return self.chart(words, tokens).lattice(self.kept_items)

    def chart(self, words: Words, tokens: Sequence[int] | None = None) -> HieroChart:
        """Returns the items from which `rules` builds the lattice."""
        source = as_source(words)
        return hiero_chart(*self._given(source), input_costs=self._input_costs(source), tokens=tokens)

    def _given(self, source: Source) -> tuple[Grammar, Floats, Source, HieroOptions]:
        return self.grammar, self.rule_costs, source, self.options

    def _input_costs(self, source: Source) -> Floats | None:
        return None if source.scores is None else source.costs(self.weights)

    def rules_lattice(self, words: Words) -> Lattice:
        """Returns the lattice of the rules alone; input labels name the rules (see `derivation.parse_label`)."""
        return self.rules(words).named()

    def lattice(self, words: Words, beam: float) -> Lattice:
        """Returns the lattice of translations, language models and word penalty included, within a beam (nats)."""
        rules = self.rules(words)
        return replace(rules, lattice=self.with_models(rules.lattice, beam)).named()

    def certified(self, words: Words, limits: ExactSearch) -> tuple[Lattice, float]:
        """Returns the lattice of translations and how much more its best one may cost than the best of all (nats).

        Where that is 0, the best translation is in the lattice for certain. In a nested grammar, every translation
        within the beam of `limits` is, too; if its limits are reached before, the lattice is that of the pruned
        search. Other grammars are decoded exactly.

        Raises:
            EmptyLatticeError: there is no translation.
        """
        chart = self.chart(words)
        if not self.grammar.nests:
            return self._pruned(chart)[0].named(), 0.0
        found, lower = optimal_rules(chart, self.models, self.word_penalty, self._known_cost(chart), limits)
        if found is None:
            rules, upper = self._pruned(chart)
            return rules.named(), max(upper - lower, 0.0)
        return replace(found, lattice=self.with_models(found.lattice, limits.beam)).named(), 0.0

    def bounded(self, words: Words, bound: GapBound) -> tuple[Lattice, float]:
        """Returns what `lattice` does, and how much more its best translation may cost than the best of all (nats).

        The bound is that of a relaxation of the language models; grammars that do not nest are decoded exactly.

        Raises:
            EmptyLatticeError: there is no translation.
        """
        chart = self.chart(words)
        rules, upper = self._pruned(chart)
        gap = 0.0
        if self.grammar.nests:
            gap = upper - lower_bound(chart, self.models, self.word_penalty, upper, bound)
        return rules.named(), gap

    def _pruned(self, chart: HieroChart) -> tuple[StepLattice, float]:
        """Returns the pruned search's lattice, language models included, and its best translation's cost."""
        rules = chart.lattice(self.kept_items)
        scored = self.with_models(rules.lattice, self.settings.beam)
        return replace(rules, lattice=scored), self.operations.nbest(scored, 1)[0].cost

    def _known_cost(self, chart: HieroChart) -> float:
        """Returns what the pruned search's best translation costs: no lattice is needed but for that one."""
        cubes = replace(self.settings.cubes, max_arcs=max(self.settings.cubes.max_arcs // ONE_OF_ARCS, 1))
        rules = chart.lattice(lambda chart: kept_items(chart, self.models, self.word_penalty, cubes))
        return self.operations.nbest(self.with_models(rules.lattice, 0.0), 1)[0].cost

    def with_models(self, lattice: Lattice, beam: float | None, invisible: Collection[str] = ()) -> Lattice:
        """Adds language models and word penalty, within a beam (nats; None keeps all paths).

        They do not see the words `invisible`.

        Raises:
            EmptyLatticeError: the lattice is empty.
        """
        if lattice.empty:
            raise EmptyLatticeError("the grammar gives no translation of this sentence")
        return self.operations.apply_lm(
            lattice, self.models, beam=beam, word_penalty=self.word_penalty, ignore=invisible
        )

    def exact_nbest(self, words: Words, count: int) -> tuple[Lattice, list[Hypothesis]]:
        """Returns exactly the `count` best strings of `rules`: the beam grows until it holds them, or all of them.

        Returns:
            The lattice within the last beam, and its hypotheses, cheapest first; fewer if there are no more strings.
        """
        rules = self.rules(words)
        beam: float | None = FIRST_BEAM
        previous = -1
        while True:
            scored = self.with_models(rules.lattice, beam)
            found = self.operations.nbest(scored, count)
            if beam is None or (len(found) == count and found[-1].cost <= found[0].cost + beam):
                named = replace(rules, lattice=scored).named()
                return named, [_relabelled(hypothesis, named) for hypothesis in found]
            beam = 2 * beam if beam <= LAST_BEAM or len(found) > previous else None
            previous = len(found)

    def kept_items(self, chart: HieroChart, invisible: Collection[str] = ()) -> Bools:
        """Returns the items of a nested grammar's chart that the pruned search keeps, (items,) bool.

        Args:
            chart: of a sentence.
            invisible: words that the language models do not see.
        """
        return kept_items(chart, self.models, self.word_penalty, self.settings.cubes, invisible)


def _relabelled(hypothesis: Hypothesis, named: Lattice) -> Hypothesis:
    """Returns the hypothesis with the input labels of `named`, whose arcs are the same (if it names any rules)."""
    if named.isymbols is None:
        return hypothesis
    inputs = named.ilabels[hypothesis.arcs]
    return replace(hypothesis, inputs=tuple(inputs[np.flatnonzero(inputs)].tolist()))
