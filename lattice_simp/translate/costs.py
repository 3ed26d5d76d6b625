"""The costs of the parts of a derivation, without language models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lattice_simp.core.kernel import Floats
from lattice_simp.translate.derivation import COPY_FEATURE, GLUE_FEATURE
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.source import Source


@dataclass(frozen=True, eq=False)
class Costs:
    """The costs of rules, glue steps, copied tokens and source words.

    Attributes:
        rules: (rules,) float64, the costs of the rules.
        glue: the cost of each constituent at the top after the first.
        copy: the cost of a copied token.
        reading: (arcs,) float64, the costs of the words of a word lattice; None for a sentence.
    """

    rules: Floats
    glue: float = 0.0
    copy: float = 10.0
    reading: Floats | None = None

    @classmethod
    def weighted(cls, grammar: Grammar, weights: Mapping[str, float]) -> Costs:
        """Returns minus the weighted scores; the weights of `Glue` and `OOV` are 0 where they are missing.

        Raises:
            GrammarError: a weight of the rules is missing or not finite.
        """
        return cls(grammar.costs(weights), weights.get(GLUE_FEATURE, 0.0), weights.get(COPY_FEATURE, 0.0))

    def of_source(self, source: Source, weights: Mapping[str, float]) -> Costs:
        """Adds the costs of the words of a word lattice."""
        return self if source.scores is None else replace(self, reading=source.costs(weights))
