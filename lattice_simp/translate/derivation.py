"""Derivations: which rules a path of a decoder's lattice used, and where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

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

    def label(self, step: int, offset: int = 0) -> str:
        """Names the rules that a step completes; `parse_label` reads the name."""
        parts = []
        for item in self.items([step]):
            rule, (start, end) = int(self.item_rule[item]), self.item_span[item].tolist()
            parts += [GLUE_LABEL] * bool(self.item_glued[item])
            parts.append(f"{COPY_LABEL if rule == COPY_RULE else rule}@{start + offset}-{end + offset}")
        return "+".join(parts)

    def features(self, steps: Iterable[int], grammar: Grammar) -> dict[str, float]:
        """Sums the rules' scores, and counts glue steps and passed-through tokens (as negative scores)."""
        items = self.items(steps)
        rules = self.item_rule[items] if items else np.zeros(0, dtype=np.int32)
        totals: Floats = grammar.features[rules[rules >= 0]].sum(axis=0)
        named = dict(zip(grammar.feature_names, totals.tolist(), strict=True))
        named[GLUE_FEATURE] = -float(self.item_glued[items].sum()) if items else 0.0
        named[COPY_FEATURE] = -float((rules == COPY_RULE).sum())
        return named


GLUE_LABEL, COPY_LABEL = "glue", "copy"


def name_steps(lattice: Lattice, derivations: Derivations, offset: int = 0) -> Lattice:
    """Gives the lattice with readable input labels: the rules an arc completes, `[glue+]rule@start-end`, joined by `+`.

    The labels are numbered by those in use; `offset` is added to the token numbers.
    """
    used, renumbered = np.unique(lattice.ilabels, return_inverse=True)
    table = SymbolTable()
    names = np.zeros(len(used), dtype=np.int32)
    for place, step in enumerate(used.tolist()):
        if step:
            names[place] = table.add(derivations.label(step, offset))
    return replace(lattice, ilabels=names[renumbered].astype(np.int32), isymbols=table)


def parse_label(label: str) -> tuple[list[RuleUse], int]:
    """Gives the rules that an input label names, and its number of glue steps.

    >>> parse_label("glue+17@3-5+copy@4-5")
    ([RuleUse(rule=17, start=3, end=5), RuleUse(rule=-1, start=4, end=5)], 1)
    """
    uses, glue = [], 0
    for part in label.split("+"):
        if part == GLUE_LABEL:
            glue += 1
            continue
        rule, _, span = part.partition("@")
        start, _, end = span.partition("-")
        uses.append(RuleUse(COPY_RULE if rule == COPY_LABEL else int(rule), int(start), int(end)))
    return uses, glue


def label_features(labels: Iterable[str], grammar: Grammar) -> dict[str, float]:
    """Sums the features of the rules that a path's input labels name: scores, higher is better.

    Glue steps and passed-through tokens count as -1 each.
    """
    parsed = [parse_label(label) for label in labels]
    rules = np.array([use.rule for uses, _ in parsed for use in uses], dtype=np.int64)
    totals: Floats = grammar.features[rules[rules >= 0]].sum(axis=0)
    named = dict(zip(grammar.feature_names, totals.tolist(), strict=True))
    named[GLUE_FEATURE] = -float(sum(glue for _, glue in parsed))
    named[COPY_FEATURE] = -float((rules == COPY_RULE).sum())
    return named
