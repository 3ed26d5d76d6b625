"""The target sides of all matches in a sentence, of which cells and the constituents at the top consist."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lattice_simp.core.blocks import chosen_blocks, prefix_sums
from lattice_simp.core.kernel import Bools, Floats, Ints
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.translate.affiliation import NO_TOKEN, WordLabels, item_tokens, word_labels
from lattice_simp.translate.automaton import Items, TargetSides, items_of_matches
from lattice_simp.translate.cell_plan import CellPlan
from lattice_simp.translate.costs import Costs
from lattice_simp.translate.derivation import COPY_RULE, GAP_RULE
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.source import Source


@dataclass(frozen=True)
class ExtraItem:
    """A target side without slots for the source tokens `start:end`.

    Attributes:
        left: the non-terminal.
        start, end: the source tokens.
        symbols: the target words.
        cost: the cost of the rule.
        rule: the number of the rule.
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
    """The context of words that are part of a larger sentence.

    Attributes:
        positions: where each word (and the end) is in the larger sentence, for the names of the steps; None for the
            same positions.
        free_copies: (words,) bool, words that are copied at no cost, whatever the rules say; None for none.
        extra: target sides in addition to those of the rules' matches.
        target_words: the table of the words of `extra`; None for the grammar's, which it must extend.
    """

    positions: Sequence[int] | None = None
    free_copies: Bools | None = None
    extra: Sequence[ExtraItem] = ()
    target_words: SymbolTable | None = None

    def in_sentence(self, tokens: Ints) -> Ints:
        """Maps tokens to their positions in the larger sentence; negative numbers stay."""
        if self.positions is None:
            return tokens
        return np.where(tokens < 0, tokens, np.asarray(self.positions, dtype=np.int32)[tokens])


@dataclass(frozen=True, eq=False)
class Sides:
    """Target sides in spans of a sentence: of side i, the symbols are `symbols[offsets[i]:offsets[i + 1]]`.

    Attributes:
        rule: (items,) int32, a rule's number, or COPY_RULE or GAP_RULE.
        left: (items,) int32, its non-terminal.
        cell: (items,) int32, the cell that the side belongs to, -1 for none.
        span: (items, 2) int32, source tokens.
        scores: (features, items) float64, the scores of the words of a word lattice that the side covers.
        cost: (items,) float64.
        offsets: (items + 1,) int32.
        symbols: (symbols,) int32, target words, or `-1 - c` for a reference to cell c.
        tokens: (symbols,) int32, the source token that each word belongs to, or NO_TOKEN.
    """

    rule: Ints
    left: Ints
    cell: Ints
    span: Ints
    scores: Floats
    cost: Floats
    offsets: Ints
    symbols: Ints
    tokens: Ints

    def gather(self, chosen: Ints) -> Sides:
        """Returns the sides with these numbers."""
        positions, offsets = chosen_blocks(self.offsets, chosen)
        return Sides(
            rule=self.rule[chosen],
            left=self.left[chosen],
            cell=self.cell[chosen],
            span=self.span[chosen],
            scores=self.scores[:, chosen],
            cost=self.cost[chosen],
            offsets=offsets.astype(np.int32),
            symbols=self.symbols[positions],
            tokens=self.tokens[positions],
        )

    def joined(self, more: Sides) -> Sides:
        """Returns these sides followed by `more`."""
        joined = {
            name: np.concatenate((values, getattr(more, name)), axis=1 if name == "scores" else 0)
            for name, values in vars(self).items()
        }
        joined["offsets"] = np.concatenate((self.offsets, self.offsets[-1] + more.offsets[1:]))
        return Sides(**joined)


@dataclass(frozen=True, eq=False)
class ParseItems(Sides):
    """The target sides of all matches, and those that are at the top.

    Attributes:
        top: (items at the top,) int32, their numbers.
        glued: (items,) bool, whether an item is at the top after another one.
        labels: (symbols,) int32, the symbols of automata: `symbols`, or, if word arcs are affiliated, numbers of pairs
            in the place of words.
        pairs: the pairs of words and tokens.
    """

    top: Ints
    glued: Bools
    labels: Ints
    pairs: WordLabels | None

    def select(self, chosen: Ints) -> Items:
        """Returns the chosen items in the form from which automata are built."""
        positions, offsets = chosen_blocks(self.offsets, chosen)
        return Items(offsets.astype(np.int32), self.labels[positions], self.cost[chosen], (chosen + 1).astype(np.int32))

    def all(self) -> Items:
        """Returns all items in the form from which automata are built."""
        return Items(self.offsets, self.labels, self.cost, np.arange(1, len(self.cost) + 1, dtype=np.int32))

    def only(self, kept: Bools) -> ParseItems:
        """Removes all other items from cells and from the top; numbers stay the same."""
        return replace(self, cell=np.where(kept, self.cell, -1).astype(np.int32), top=self.top[kept[self.top]])

    def by_label(self, values: Ints) -> Ints:
        """Returns the value of each label; `values` has those of target words."""
        return values if self.pairs is None else values[self.pairs.words]


def parse_items(
    grammar: Grammar, costs: Costs, source: Source, plan: CellPlan, excerpt: Excerpt, *, affiliated: bool
) -> ParseItems:
    """Returns the target sides of all matches of a sentence, or of a word lattice, whose cells `plan` lists.

    If `affiliated`, labels are pairs of words and the tokens that they belong to.
    """
    sides = _match_sides(grammar, costs, source, plan, excerpt.free_copies, affiliated=affiliated)
    if excerpt.extra:
        sides = sides.joined(_extra_sides(plan, excerpt.extra, len(sides.scores)))
    top = np.flatnonzero(sides.left == plan.top).astype(np.int32)
    if plan.nested:  # an item at the top may also occur inside another constituent
        copies, nowhere = sides.gather(top), np.full(len(top), -1, dtype=np.int32)
        top = np.arange(len(sides.cost), len(sides.cost) + len(top), dtype=np.int32)
        sides = sides.joined(replace(copies, left=nowhere, cell=nowhere))
    glued = np.zeros(len(sides.cost), dtype=np.bool_)
    glued[top] = sides.span[top, 0] > 0
    labels, pairs = word_labels(sides.symbols, sides.tokens) if affiliated else (sides.symbols, None)
    return ParseItems(**vars(sides), top=top, glued=glued, labels=labels, pairs=pairs)


def _match_sides(
    grammar: Grammar, costs: Costs, source: Source, plan: CellPlan, free_copies: Bools | None, *, affiliated: bool
) -> Sides:
    """Returns the target sides of all matches."""
    matches, arcs = plan.matches, plan.matches.copied_arcs()
    sides = TargetSides(grammar.pattern_rules, grammar.target_offsets, grammar.target, costs.rules)
    match, rule, offsets, symbols, cost = items_of_matches(
        matches.pattern, plan.slot_cells, sides, _copied_words(grammar, source, arcs)
    )
    match_costs = np.where(arcs >= 0, costs.copy, 0.0)
    if free_copies is not None:
        is_free = (arcs >= 0) & free_copies[arcs]
        match_costs[is_free] = 0.0
        rule[(rule == COPY_RULE) & is_free[match]] = GAP_RULE
    if costs.reading is not None:
        match_costs = match_costs + matches.input_scores(costs.reading[None])[0]
    scores = np.zeros((0, len(source.words))) if source.scores is None else source.scores
    return Sides(
        rule=rule,
        left=matches.left[match],
        cell=plan.cell_of_match[match],
        span=matches.span[match],
        scores=matches.input_scores(scores)[:, match],
        cost=cost + match_costs[match],
        offsets=offsets,
        symbols=symbols,
        tokens=item_tokens(grammar, matches, match, rule, offsets)
        if affiliated
        else np.full(len(symbols), NO_TOKEN, dtype=np.int32),
    )


def _extra_sides(plan: CellPlan, extra: Sequence[ExtraItem], num_scores: int) -> Sides:
    """Returns target sides that belong to no match."""
    lengths = [len(item.symbols) for item in extra]
    left = np.array([item.left for item in extra], dtype=np.int32)
    span = np.array([(item.start, item.end) for item in extra], dtype=np.int32)
    return Sides(
        rule=np.array([item.rule for item in extra], dtype=np.int32),
        left=left,
        cell=plan.cells(left, span),
        span=span,
        scores=np.zeros((num_scores, len(extra))),
        cost=np.array([item.cost for item in extra]),
        offsets=prefix_sums(lengths).astype(np.int32),
        symbols=np.array([symbol for item in extra for symbol in item.symbols], dtype=np.int32),
        tokens=np.array([token for item in extra for token in item.tokens], dtype=np.int32),
    )


def _copied_words(grammar: Grammar, source: Source, arcs: Ints) -> Ints:
    """Returns (matches,) the target word of each copied token."""
    return grammar.target_words.lookup(source.words, missing=0)[arcs]
