"""Derivations: which rules a path of a decoder's lattice used, and where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lattice_simp.core.kernel import Bools, Floats, Ints
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.translate.grammar import Grammar

COPY_RULE = -1
"""The rule number of a token that is passed through."""

GAP_RULE = -2
"""The rule number of a token that stands for itself at no cost: an unexpanded gap."""

GLUE_FEATURE, COPY_FEATURE, LENGTH_FEATURE = "Glue", "OOV", "WordPenalty"


@dataclass(frozen=True)
class RuleUse:
    """A rule (or COPY_RULE, GAP_RULE) on the source tokens `start:end`."""

    rule: int
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Derivations:
    """The table behind a decoder lattice's input labels (steps).

    Attributes:
        step_item, step_next: step s completes the item `step_item[s]`, then those of the step `step_next[s]`, until 0.
        item_rule: (items,) int32 rule, or COPY_RULE or GAP_RULE.
        item_span: (items, 2) int32 source tokens.
        item_glued: (items,) whether the item stands at the top behind another one (one glue step).
    """

    step_item: Ints
    step_next: Ints
    item_rule: Ints
    item_span: Ints
    item_glued: Bools

    def items(self, steps: Iterable[int]) -> list[int]:
        """Returns the items that the steps of a path complete, in the order of the target side."""
        found = []
        for step in steps:
            while step:
                found.append(int(self.step_item[step]))
                step = int(self.step_next[step])
        return found

    def label(self, step: int, offset: int = 0) -> str:
        """Names the rules that a step completes; `parse_label` reads the name."""
        parts = []
        for item in self.items([step]):
            rule, (start, end) = int(self.item_rule[item]), self.item_span[item].tolist()
            parts += [GLUE_LABEL] * bool(self.item_glued[item])
            parts.append(f"{_RULE_LABELS.get(rule, rule)}@{start + offset}-{end + offset}")
        return "+".join(parts)


GLUE_LABEL = "glue"
_RULE_LABELS = {COPY_RULE: "copy", GAP_RULE: "gap"}
_LABEL_RULES = {label: rule for rule, label in _RULE_LABELS.items()}


class StepTable(SymbolTable):
    """The input labels of a decoder's lattice: names are made when they are asked for, there are so many.

    A label names the rules its arc completes: `[glue+]rule@start-end`, joined by `+`; `parse_label` reads it. Several
    derivation tables may stand one behind the other (for lattices that were put together).
    """

    __slots__ = ("parts",)

    def __init__(self, parts: Iterable[tuple[Derivations, int]] = ()) -> None:
        """Takes derivation tables, each with a number to add to its tokens."""
        super().__init__()
        self.parts = list(parts)

    def __len__(self) -> int:
        return 1 + sum(len(derivations.step_item) - 1 for derivations, _ in self.parts)

    def __getitem__(self, label: int) -> str:
        if label == 0:
            return super().__getitem__(0)
        step = label
        for derivations, offset in self.parts:
            if step < len(derivations.step_item):
                return derivations.label(step, offset)
            step -= len(derivations.step_item) - 1
        return super().__getitem__(label)  # raises the error for labels outside

    def copy(self) -> StepTable:
        return StepTable(self.parts)

    def mapping_to(self, other: SymbolTable) -> Ints:
        """Returns the labels behind those of `other`, which takes this table's parts in."""
        if not isinstance(other, StepTable):
            return super().mapping_to(other)
        shift = len(other) - 1
        other.parts += self.parts
        labels = np.arange(len(self), dtype=np.int32) + np.int32(shift)
        labels[0] = 0
        return labels

    @property
    def words(self) -> Sequence[str]:
        return [self[label] for label in range(len(self))]


def name_steps(lattice: Lattice) -> Lattice:
    """Returns the lattice with its input labels numbered by those in use, and their names in a plain table."""
    assert lattice.isymbols is not None
    used = np.flatnonzero(np.bincount(lattice.ilabels, minlength=1))
    table = SymbolTable()
    names = np.zeros(int(used.max(initial=0)) + 1, dtype=np.int32)
    for label in used[used > 0].tolist():
        names[label] = table.add(lattice.isymbols[label])
    return replace(lattice, ilabels=names[lattice.ilabels], isymbols=table)


def parse_label(label: str) -> tuple[list[RuleUse], int]:
    """Returns the rules that an input label names, and its number of glue steps.

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
        uses.append(RuleUse(_LABEL_RULES[rule] if rule in _LABEL_RULES else int(rule), int(start), int(end)))
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
