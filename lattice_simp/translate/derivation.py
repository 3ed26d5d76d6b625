"""Derivations: which rules a path of a decoder's lattice used, and where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lattice_simp.kernel import Bools, Floats, Ints
from lattice_simp.lattice import Lattice
from lattice_simp.symbols import SymbolTable
from lattice_simp.translate.grammar import Grammar

COPY_RULE = -1
"""The rule number of a token that is passed through."""

GLUE_FEATURE, COPY_FEATURE, LENGTH_FEATURE = "Glue", "OOV", "WordPenalty"


@dataclass(frozen=True)
class RuleUse:
    """A rule (or COPY_RULE) on the source tokens `start:end`."""

    rule: int
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Derivations:
    """The table behind a decoder lattice's input labels (steps).

    Attributes:
        step_item, step_next: step s completes the item `step_item[s]`, then those of the step `step_next[s]`, until 0.
        item_rule: (items,) int32 rule, or COPY_RULE.
        item_span: (items, 2) int32 source tokens.
        item_glued: (items,) whether the item stands at the top behind another one (one glue step).
    """

    step_item: Ints
    step_next: Ints
    item_rule: Ints
    item_span: Ints
    item_glued: Bools

    def items(self, steps: Iterable[int]) -> list[int]:
        """Gives the items that the steps of a path complete, in the order of the target side."""
        found = []
        for step in steps:
            while step:
                found.append(int(self.step_item[step]))
                step = int(self.step_next[step])
        return found

    def rules(self, steps: Iterable[int]) -> list[RuleUse]:
        """Gives the rules that a path used."""
        return [
            RuleUse(int(self.item_rule[item]), *(int(x) for x in self.item_span[item])) for item in self.items(steps)
        ]

    def features(self, steps: Iterable[int], grammar: Grammar) -> dict[str, float]:
        """Sums the rules' scores, and counts glue steps and passed-through tokens (as negative scores)."""
        items = self.items(steps)
        rules = self.item_rule[items] if items else np.zeros(0, dtype=np.int32)
        totals: Floats = grammar.features[rules[rules >= 0]].sum(axis=0)
        named = dict(zip(grammar.feature_names, totals.tolist(), strict=True))
        named[GLUE_FEATURE] = -float(self.item_glued[items].sum()) if items else 0.0
        named[COPY_FEATURE] = -float((rules == COPY_RULE).sum())
        return named


def name_steps(lattice: Lattice, derivations: Derivations) -> Lattice:
    """Gives the lattice with a symbol table for its input labels: `rule@start-end`, chained by `+`.

    The labels are renumbered to those in use.
    """
    from dataclasses import replace

    used, renumbered = np.unique(lattice.ilabels, return_inverse=True)
    table = SymbolTable()
    names = np.zeros(len(used), dtype=np.int32)
    for place, step in enumerate(used.tolist()):
        uses = derivations.rules([step])
        label = "+".join(f"{'copy' if use.rule == COPY_RULE else use.rule}@{use.start}-{use.end}" for use in uses)
        names[place] = table.add(label) if step else 0
    return replace(lattice, ilabels=names[renumbered].astype(np.int32), isymbols=table)
