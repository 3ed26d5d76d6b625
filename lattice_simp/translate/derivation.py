"""Derivations: which rules a path of a decoder's lattice used, and where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Bools, Floats, Ints, Records
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON, SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.translate.grammar import Grammar

COPY_RULE = -1
"""The rule number of a token that is passed through."""

GAP_RULE = -2
"""The rule number of a token that stands for itself at no cost: an unexpanded gap."""

GLUE_FEATURE, COPY_FEATURE, LENGTH_FEATURE = "Glue", "OOV", "WordPenalty"


@dataclass(frozen=True)
class RuleUse:
    """A rule (or COPY_RULE, GAP_RULE) on the source tokens `start:end`; of a word lattice, between these states."""

    rule: int
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Derivations:
    """The table that explains a decoder lattice's input labels (steps).

    Attributes:
        steps: records of `automaton.STEP`.
        item_rule: (items,) int32 rule, or COPY_RULE or GAP_RULE.
        item_span: (items, 2) int32 source tokens.
        item_glued: (items,) whether the item is at the top after another one (one glue step).
        item_scores: (features, items) scores of the input's words that the item reads.
        step_token: (steps,) int32 source token that the word of a step's arcs belongs to, -1 where that is not known;
            None if it never is.
    """

    steps: Records
    item_rule: Ints
    item_span: Ints
    item_glued: Bools
    item_scores: Floats
    step_token: Ints | None = None

    def with_words(self, steps: Ints, tokens: Ints) -> tuple[Ints, Derivations]:
        """Returns steps that also tell what the word of their arc belongs to, and what explains them.

        Args:
            steps: (arcs,) the step of each.
            tokens: (arcs,) the source token that its word belongs to, -1 for none.
        """
        size = int(tokens.max(initial=-1)) + 2
        pairs, numbers = np.unique(steps.astype(np.int64) * size + tokens + 1, return_inverse=True)
        step, token = pairs // size, pairs % size - 1
        is_new = token >= 0
        renamed = np.where(is_new, len(self.steps) + np.cumsum(is_new) - 1, step).astype(np.int32)
        explained = np.concatenate([self.steps, self.steps[step[is_new]]])
        known = np.concatenate([np.full(len(self.steps), -1), token[is_new]]).astype(np.int32)
        return renamed[numbers], replace(self, steps=explained, step_token=known)

    def step_scores(self) -> Floats:
        """Returns (features, steps) the input's scores of the items that a step completes."""
        total = np.zeros((len(self.item_scores), len(self.steps)))
        step = np.arange(len(self.steps))
        while len(total) and step.any():
            item = self.steps["item"][step]
            total += np.where((step > 0) & (item >= 0), self.item_scores[:, item], 0.0)
            step = np.where(step > 0, self.steps["next"][step], 0)
        return total

    def items(self, steps: Iterable[int]) -> list[int]:
        """Returns the items that the steps of a path complete, in the order of the target side."""
        found = []
        for step in steps:
            while step:
                item = int(self.steps["item"][step])
                found += [item] * (item >= 0)
                step = int(self.steps["next"][step])
        return found

    def label(self, step: int) -> str:
        """Names the rules that a step completes, and the token of its word; `parse_label` reads the name."""
        parts = []
        for item in self.items([step]):
            rule, (start, end) = int(self.item_rule[item]), self.item_span[item].tolist()
            parts += [GLUE_LABEL] * bool(self.item_glued[item])
            parts.append(f"{_RULE_LABELS.get(rule, rule)}@{start}-{end}")
        if self.step_token is not None and self.step_token[step] >= 0:
            parts.append(f"{WORD_LABEL}{self.step_token[step]}")
        return "+".join(parts)


GLUE_LABEL = "glue"
WORD_LABEL = "word@"
_RULE_LABELS = {COPY_RULE: "copy", GAP_RULE: "gap"}
_LABEL_RULES = {label: rule for rule, label in _RULE_LABELS.items()}


@dataclass(frozen=True, eq=False)
class StepLattice:
    """A lattice whose input labels are steps of `derivations`, too many to name them all; its `isymbols` are empty.

    Operations that hand input labels on may be applied to `lattice`; `named` is what others should see. Without
    derivations, the lattice is an acceptor.
    """

    lattice: Lattice
    derivations: Derivations | None

    def named(self) -> Lattice:
        """Returns the lattice with its input labels numbered by those in use, and their names in a table.

        A label names the rules its arc completes, `[glue+]rule@start-end`, joined by `+`, and, where that is known, the
        token that its word belongs to, `word@token`. `parse_label` and `affiliations` read it.
        """
        if self.derivations is None:
            return self.lattice
        used = np.flatnonzero(np.bincount(self.lattice.ilabels, minlength=1))
        table = SymbolTable()
        names = np.zeros(int(used.max(initial=0)) + 1, dtype=np.int32)
        for step in used[used > 0].tolist():
            names[step] = table.add(self.derivations.label(step))
        return replace(self.lattice, ilabels=names[self.lattice.ilabels], isymbols=table)


def parse_label(label: str) -> tuple[list[RuleUse], int]:
    """Returns the rules that an input label names, and its number of glue steps.

    >>> parse_label("glue+17@3-5+copy@4-5+word@4")
    ([RuleUse(rule=17, start=3, end=5), RuleUse(rule=-1, start=4, end=5)], 1)
    """
    uses, glue = [], 0
    for part in label.split("+"):
        if part == GLUE_LABEL:
            glue += 1
            continue
        if part.startswith(WORD_LABEL):
            continue
        rule, _, span = part.partition("@")
        start, _, end = span.partition("-")
        uses.append(RuleUse(_LABEL_RULES[rule] if rule in _LABEL_RULES else int(rule), int(start), int(end)))
    return uses, glue


def affiliations(lattice: Lattice) -> Ints:
    """Returns the source token that each arc's word belongs to, (arcs,); -1 for arcs without a word.

    >>> table = SymbolTable(["glue+17@3-5+word@4", "word@3"])
    >>> words = SymbolTable(["a", "cat"])
    >>> lattice = Lattice.from_arcs([0, 1], [1, 2], [0.5, 0.0], [1, 2], [np.inf, np.inf, 0.0], words,
    ...                             ilabels=[2, 1], isymbols=table)
    >>> affiliations(lattice).tolist()
    [3, 4]

    What keeps input labels keeps them, too: pruning, language models, composition with skeletons, OpenFst's files.

    Raises:
        LatticeSimpError: a word's arc does not tell.
    """
    is_word = lattice.olabels != EPSILON
    token_of = np.full(len(lattice.isymbols or lattice.symbols), -1, dtype=np.int32)
    if lattice.isymbols is not None:
        for label in np.unique(lattice.ilabels[is_word]).tolist():
            last = lattice.isymbols[label].rpartition("+")[2]
            if last.startswith(WORD_LABEL):
                token_of[label] = int(last.removeprefix(WORD_LABEL))
    found = np.where(is_word, token_of[lattice.ilabels], -1).astype(np.int32)
    silent = is_word & (found < 0)
    if silent.any():
        word = lattice.symbols[int(lattice.olabels[np.argmax(silent)])]
        raise LatticeSimpError(
            f"the lattice does not tell which source token each word belongs to ({word!r} is the first); "
            "translate with --word-arcs affiliated (word_arcs of DecoderSettings), and keep the input labels"
        )
    return found


def path_uses(lattice: Lattice, path: Hypothesis) -> list[RuleUse]:
    """Returns the rules that a path of a lattice with named rules used.

    Raises:
        LatticeSimpError: the lattice names no rules.
    """
    if lattice.isymbols is None:
        raise LatticeSimpError("a lattice of the engine openfst keeps no derivations; use the engine arrays")
    return [use for label in path.inputs for use in parse_label(lattice.isymbols[label])[0]]


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
