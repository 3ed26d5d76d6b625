"""The target sides of all matches in a sentence: what cells, and the constituents at the top, are made of."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import cast

import numpy as np

from lattice_simp.core.blocks import chosen_blocks
from lattice_simp.core.kernel import Bools, Ints
from lattice_simp.translate.affiliation import NO_TOKEN, WordLabels, item_tokens, word_labels
from lattice_simp.translate.automaton import Items, TargetSides, items_of_matches
from lattice_simp.translate.cell_plan import CellPlan
from lattice_simp.translate.costs import Costs
from lattice_simp.translate.derivation import COPY_RULE, GAP_RULE
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.source import Source


@dataclass(frozen=True)
class ExtraItem:
    """A target side without gaps for the source tokens `start:end`.

    Attributes:
        left: the non-terminal.
        start, end: the source tokens.
        symbols: the target words.
        cost: of the rule.
        rule: its number.
        tokens: the source token that each word belongs to.
    """

    left: int
    start: int
    end: int
    symbols: tuple[int, ...]
    cost: float
    rule: int
    tokens: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Excerpt:
    """What is known of words that are a part of a larger sentence.

    Attributes:
        positions: where each word (and the end) is in the larger sentence, for the names of the steps; None for the
            same positions.
        free_copies: (words,) bool, those that are passed through at no cost, whatever the rules say; None for none.
        extra: target sides beside those of the rules' matches.
    """

    positions: Sequence[int] | None = None
    free_copies: Bools | None = None
    extra: Sequence[ExtraItem] = ()

    def in_sentence(self, tokens: Ints) -> Ints:
        """Returns where tokens are in the larger sentence; negative numbers stay."""
        if self.positions is None:
            return tokens
        return np.where(tokens < 0, tokens, np.asarray(self.positions, dtype=np.int32)[tokens])


class ParseItems:
    """The target sides of all matches, flat, and those that are at the top.

    Their `symbols` are words and references. Automata are made of `labels`: the same, or, if word arcs are affiliated,
    `pairs` of words and tokens in the place of words.
    """

    def __init__(
        self, grammar: Grammar, costs: Costs, source: Source, plan: CellPlan, excerpt: Excerpt, *, affiliated: bool
    ) -> None:
        matches, arcs = plan.matches, plan.matches.copied_arcs()
        sides = TargetSides(grammar.pattern_rules, grammar.target_offsets, grammar.target, costs.rules)
        self.match, self.rule, self.offsets, self.symbols, self.cost = items_of_matches(
            matches.pattern, plan.gap_cells, sides, _copied_words(grammar, source, arcs)
        )
        self.span = matches.span[self.match]
        self.cell, self.left = plan.cell_of_match[self.match], matches.left[self.match]
        scores = np.zeros((0, len(source.words))) if source.scores is None else source.scores
        self.scores = matches.input_scores(scores)[:, self.match]
        match_costs = np.where(arcs >= 0, costs.copy, 0.0)
        if excerpt.free_copies is not None:
            is_free = (arcs >= 0) & excerpt.free_copies[arcs]
            match_costs[is_free] = 0.0
            self.rule[(self.rule == COPY_RULE) & is_free[self.match]] = GAP_RULE
        if costs.reading is not None:
            match_costs = match_costs + matches.input_scores(costs.reading[None])[0]
        self.cost += match_costs[self.match]
        self.tokens = np.full(len(self.symbols), NO_TOKEN, dtype=np.int32)
        if affiliated:
            self.tokens = item_tokens(grammar, matches, self.match, self.rule, self.offsets)
        if excerpt.extra:
            self._add_extra(plan, excerpt.extra)
        self.top = np.flatnonzero(self.left == plan.top).astype(np.int32)
        if plan.nested:
            self._separate_top()
        self.glued = np.zeros(len(self.cost), dtype=np.bool_)
        self.glued[self.top] = self.span[self.top, 0] > 0
        self.labels, self.pairs = self.symbols, cast(WordLabels | None, None)
        if affiliated:
            self.labels, self.pairs = word_labels(self.symbols, self.tokens)

    def _add_extra(self, plan: CellPlan, extra: Sequence[ExtraItem]) -> None:
        lengths = [len(item.symbols) for item in extra]
        cells = [plan.cell(item.left, item.start, item.end) for item in extra]
        self.rule = np.append(self.rule, [item.rule for item in extra]).astype(np.int32)
        self.span = np.append(self.span, [(item.start, item.end) for item in extra], axis=0).astype(np.int32)
        self.scores = np.concatenate((self.scores, np.zeros((len(self.scores), len(extra)))), axis=1)
        self.cost = np.append(self.cost, [item.cost for item in extra])
        self.cell = np.append(self.cell, cells).astype(np.int32)
        self.left = np.append(self.left, [item.left for item in extra]).astype(np.int32)
        self.symbols = np.append(self.symbols, [symbol for item in extra for symbol in item.symbols]).astype(np.int32)
        self.tokens = np.append(self.tokens, [token for item in extra for token in item.tokens]).astype(np.int32)
        self.offsets = np.append(self.offsets, self.offsets[-1] + np.cumsum(lengths)).astype(np.int32)

    def _separate_top(self) -> None:
        """Copies the items at the top, where the same match may also occur inside another constituent."""
        positions, offsets = chosen_blocks(self.offsets, self.top)
        copies, self.top = self.top, np.arange(len(self.cost), len(self.cost) + len(self.top), dtype=np.int32)
        self.rule = np.append(self.rule, self.rule[copies])
        self.cell = np.append(self.cell, np.full(len(copies), -1)).astype(np.int32)
        self.span = np.append(self.span, self.span[copies], axis=0)
        self.scores = np.concatenate((self.scores, self.scores[:, copies]), axis=1)
        self.cost = np.append(self.cost, self.cost[copies])
        self.offsets = np.append(self.offsets, self.offsets[-1] + offsets[1:]).astype(np.int32)
        self.symbols = np.append(self.symbols, self.symbols[positions])
        self.tokens = np.append(self.tokens, self.tokens[positions])

    def select(self, chosen: Ints) -> Items:
        """Returns the chosen items, as automata are made of them."""
        positions, offsets = chosen_blocks(self.offsets, chosen)
        return Items(offsets.astype(np.int32), self.labels[positions], self.cost[chosen], (chosen + 1).astype(np.int32))

    def all(self) -> Items:
        """Returns all items, as automata are made of them."""
        return Items(self.offsets, self.labels, self.cost, np.arange(1, len(self.cost) + 1, dtype=np.int32))

    def only(self, kept: Bools) -> ParseItems:
        """Returns the items with only some of them in cells and at the top; their numbers stay."""
        selection = copy(self)
        selection.cell = np.where(kept, self.cell, -1).astype(np.int32)
        selection.top = self.top[kept[self.top]]
        return selection

    def by_label(self, values: Ints) -> Ints:
        """Returns what each label has of (target words,) values."""
        return values if self.pairs is None else values[self.pairs.words]


def _copied_words(grammar: Grammar, source: Source, arcs: Ints) -> Ints:
    """Returns (matches,) the target word that stands for a token that is passed through."""
    words = np.zeros(len(source.words), dtype=np.int32)
    for arc in np.unique(arcs[arcs >= 0]).tolist():
        words[arc] = grammar.target_words.add(source.words[arc])
    return words[arcs]
