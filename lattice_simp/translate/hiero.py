"""The translations of a sentence, or of all paths of a word lattice, under a synchronous grammar, as one lattice.

After Iglesias et al. (2009) and Chiang (2007), for word lattices Dyer et al. (2008). Matches of source patterns become
cells, cells refer to cells, and the references are replaced until words are left. Constituents of the top non-terminal
are side by side from the start of the sentence to its end (the glue rules S -> X, S -> S X). Words are the output
labels; an input label is a *step*, the rule applications that an arc completes, so every path tells its derivation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, cast

import numpy as np

from lattice_simp.core.arcs import offsets_of
from lattice_simp.core.blocks import chosen_blocks
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, Records
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.sorting import counting_order
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import GrammarError, LatticeSimpError
from lattice_simp.translate.affiliation import NO_TOKEN, WordLabels, item_tokens, word_labels
from lattice_simp.translate.automaton import Items, TargetSides, item_automaton, items_of_matches
from lattice_simp.translate.cells import END, CellStore
from lattice_simp.translate.derivation import COPY_RULE, GAP_RULE, Derivations, StepLattice
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.match import Matches, match
from lattice_simp.translate.source import Source, as_source

DEFAULT_MAX_SPAN = 10
"""Source tokens that a constituent below the glue may cover (Chiang 2007)."""


@dataclass(frozen=True)
class ExtraItem:
    """A target side without gaps for the source tokens `start:end`.

    Attributes:
        symbols: the target word ids.
        cost: of the rule.
        rule: that it is of.
        tokens: the source token that each of its words belongs to.
    """

    left: int
    start: int
    end: int
    symbols: tuple[int, ...]
    cost: float
    rule: int
    tokens: tuple[int, ...]


Copies: TypeAlias = Literal["unknown", "all"]

WordArcs: TypeAlias = Literal["shared", "affiliated"]

Pruning: TypeAlias = Callable[["HieroChart"], Bools]
"""Finds the items of a chart that its lattice is made of: (items,) bool."""


@dataclass(frozen=True)
class HieroOptions:
    """How a sentence is decoded.

    Attributes:
        top: the non-terminal that the glue rules combine.
        max_span: source tokens that a constituent may cover.
        glue_cost: cost of each constituent at the top but the first.
        copy_cost: cost of passing a token through.
        copies: which tokens are: those that no rule translates alone, or all (where both sides are one language).
        word_arcs: `affiliated` if each arc of a word shall tell the source token that the word belongs to; then words
            that belong to different ones share no arc.
    """

    top: str = "X"
    max_span: int = DEFAULT_MAX_SPAN
    glue_cost: float = 0.0
    copy_cost: float = 10.0
    copies: Copies = "unknown"
    word_arcs: WordArcs = "shared"


def hiero_lattice(
    grammar: Grammar,
    rule_costs: Floats,
    words: Sequence[str] | Source,
    options: HieroOptions,
    prune: Pruning | None = None,
    *,
    input_costs: Floats | None = None,
    tokens: Sequence[int] | None = None,
    free_copies: Bools | None = None,
    extra: Sequence[ExtraItem] = (),
) -> StepLattice:
    """Builds the lattice of all translations of a sentence or a word lattice; its input labels are steps.

    Args:
        grammar: the rules.
        rule_costs: (rules,) float64, from `Grammar.costs`.
        words: the source tokens, at least one, or a word lattice; its scores become features of the result.
        options: see `HieroOptions`.
        prune: chooses the items, if the grammar's non-terminals nest; other grammars are never pruned.
        input_costs: (arcs,) float64, what reading each word of a word lattice costs; nothing if None.
        tokens: where each word (and the end) is in a larger sentence, for the names of the steps.
        free_copies: (tokens,) bool, tokens that are passed through at no cost, whatever the rules say.
        extra: target sides that are in the chart beside those of the rules' matches.

    Raises:
        GrammarError: no tokens, or the grammar has no rules for `options.top`.
    """
    chart = hiero_chart(
        grammar,
        rule_costs,
        words,
        options,
        input_costs=input_costs,
        tokens=tokens,
        free_copies=free_copies,
        extra=extra,
    )
    return chart.lattice(prune)


def hiero_chart(
    grammar: Grammar,
    rule_costs: Floats,
    words: Sequence[str] | Source,
    options: HieroOptions,
    *,
    input_costs: Floats | None = None,
    tokens: Sequence[int] | None = None,
    free_copies: Bools | None = None,
    extra: Sequence[ExtraItem] = (),
) -> HieroChart:
    """Finds the items of a sentence or a word lattice, from which `hiero_lattice` builds; it takes the same arguments.

    Raises:
        GrammarError: no tokens, or the grammar has no rules for `options.top`.
        LatticeSimpError: affiliated arcs for a word lattice.
    """
    source = as_source(words)
    if source.is_empty:
        raise GrammarError("an empty sentence has no translations")
    if options.top not in grammar.nonterminals:
        known = ", ".join(grammar.nonterminals)
        raise GrammarError(f"the grammar has no rules for [{options.top}], only for {known}")
    word_ids = grammar.source_words.lookup(source.words, missing=len(grammar.source_words))
    affiliated = options.word_arcs == "affiliated"
    if affiliated and source.scores is not None:
        raise LatticeSimpError("the words of a word lattice have no positions; translate it with word_arcs 'shared'")
    if free_copies is not None:
        word_ids[free_copies] = len(grammar.source_words)
    given = [(item.left, item.start, item.end) for item in extra]
    matches = match(grammar, source, word_ids, options.max_span, given, copy_all=options.copies == "all")
    plan = _Plan(matches, source.num_states, grammar.nonterminals.index(options.top))
    sides = TargetSides(grammar.pattern_rules, grammar.target_offsets, grammar.target, rule_costs)
    items = _Items(
        _Chart(source, sides, grammar.target_words, options.copy_cost, input_costs, free_copies),
        plan,
        extra,
        grammar if affiliated else None,
    )
    return HieroChart(grammar, source, options, plan, items, tokens)


@dataclass(frozen=True, eq=False)
class HieroChart:
    """The items of one sentence: target sides in cells, and at the top."""

    grammar: Grammar
    source: Source
    options: HieroOptions
    plan: _Plan
    items: _Items
    tokens: Sequence[int] | None = None

    def lattice(self, prune: Pruning | None = None) -> StepLattice:
        """Replaces references by cells until words are left; of a grammar that nests, only some items are taken."""
        items, plan = self.items, self.plan
        if prune and self.grammar.nests:
            _ = plan.levels  # refuses cycles
            items = items.only(prune(self))
        store = CellStore(plan.num_cells, len(items.cost))
        _build_cells(store, plan, items)
        return self.step_lattice(store, *_build_top(store, plan, items, self.options.glue_cost))

    @property
    def target_words(self) -> Ints:
        """The target words of all items."""
        symbols = self.items.symbols
        seen = np.zeros(len(self.grammar.target_words), dtype=np.bool_)
        seen[symbols[symbols >= 0]] = True
        return np.flatnonzero(seen).astype(np.int32)

    def step_lattice(self, store: CellStore, arcs: Records, num_states: int) -> StepLattice:
        """Returns the arcs between states 0 and 1 as a lattice, with its derivations and the input's features."""
        items = self.items
        derivations = Derivations(
            steps=store.steps[: store.num_steps],
            item_rule=items.rule,
            item_span=self._in_sentence(items.span),
            item_glued=items.glued,
            item_scores=items.scores,
        )
        if items.pairs is not None:
            labels = arcs["symbol"].copy()
            arcs["symbol"] = items.pairs.words[labels]
            arcs["step"], derivations = derivations.with_words(
                arcs["step"], self._in_sentence(items.pairs.tokens)[labels]
            )
        lattice = _lattice(arcs, num_states, self.grammar)
        for name, scores in zip(self.source.names, derivations.step_scores(), strict=True):
            lattice = lattice.with_feature(name, scores[lattice.ilabels])
        return StepLattice(lattice, derivations)

    def _in_sentence(self, tokens: Ints) -> Ints:
        """Returns where tokens are in the larger sentence, if there is one."""
        if self.tokens is None:
            return tokens
        return np.where(tokens < 0, tokens, np.asarray(self.tokens, dtype=np.int32)[tokens])


@dataclass(frozen=True)
class _Chart:
    """What the items of matches are made of: target sides, and the source's words and costs."""

    source: Source
    sides: TargetSides
    target_words: SymbolTable
    copy_cost: float
    input_costs: Floats | None
    free_copies: Bools | None

    @property
    def scores(self) -> Floats:
        return np.zeros((0, len(self.source.words))) if self.source.scores is None else self.source.scores

    def copied_words(self, matches: Matches) -> Ints:
        """Returns (matches,) the target word that stands for a token that is passed through."""
        arcs = matches.copied_arcs()
        words = np.zeros(len(self.source.words), dtype=np.int32)
        for arc in np.unique(arcs[arcs >= 0]).tolist():
            words[arc] = self.target_words.add(self.source.words[arc])
        return words[arcs]

    def match_costs(self, matches: Matches) -> Floats:
        """Returns (matches,) what the words that were read cost, beside the rules."""
        costs = np.zeros(len(matches.pattern))
        arcs = matches.copied_arcs()
        costs[arcs >= 0] = self.copy_cost
        if self.free_copies is not None:
            costs[(arcs >= 0) & self.free_copies[arcs]] = 0.0
        return costs if self.input_costs is None else costs + matches.input_scores(self.input_costs[None])[0]


class _Items:
    """The target sides of all matches, flat, and those that are at the top.

    Their `symbols` are words and references. Automata are made of `labels`: the same, or, with a grammar that says what
    they belong to, `pairs` of words and tokens in the place of words.
    """

    def __init__(
        self, chart: _Chart, plan: _Plan, extra: Sequence[ExtraItem], affiliating: Grammar | None = None
    ) -> None:
        matches = plan.matches
        self.match, self.rule, self.offsets, self.symbols, self.cost = items_of_matches(
            matches, plan.gap_cells, chart.sides, chart.copied_words(matches)
        )
        self.span = matches.span[self.match]
        self.cell, self.left = plan.cell_of_match[self.match], matches.left[self.match]
        self.scores = matches.input_scores(chart.scores)[:, self.match]
        self.cost += chart.match_costs(matches)[self.match]
        if chart.free_copies is not None:
            self.rule[(self.rule == COPY_RULE) & chart.free_copies[matches.copied_arcs()[self.match]]] = GAP_RULE
        self.tokens = np.full(len(self.symbols), NO_TOKEN, dtype=np.int32)
        if affiliating is not None:
            self.tokens = item_tokens(affiliating, matches, self.match, self.rule, self.offsets)
        if extra:
            self._add_extra(plan, extra)
        self.top = np.flatnonzero(self.left == plan.top).astype(np.int32)
        if plan.nested:
            self._separate_top()
        self.glued = np.zeros(len(self.cost), dtype=np.bool_)
        self.glued[self.top] = self.span[self.top, 0] > 0
        self.labels, self.pairs = self.symbols, cast(WordLabels | None, None)
        if affiliating is not None:
            self.labels, self.pairs = word_labels(self.symbols, self.tokens)

    def _add_extra(self, plan: _Plan, extra: Sequence[ExtraItem]) -> None:
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

    def only(self, kept: Bools) -> _Items:
        """Returns the items with only some of them in cells and at the top; their numbers stay."""
        found = copy(self)
        found.cell = np.where(kept, self.cell, -1).astype(np.int32)
        found.top = self.top[kept[self.top]]
        return found

    def by_label(self, values: Ints) -> Ints:
        """Returns what each label has of (target words,) values."""
        return values if self.pairs is None else values[self.pairs.words]


class _Plan:
    """Which cells are referred to, and in which order they can be built."""

    def __init__(self, matches: Matches, num_states: int, top: int) -> None:
        size = num_states**2
        self.matches, self.num_states, self.top = matches, num_states, top
        own_key = matches.left.astype(np.int64) * size + matches.span[:, 0].astype(np.int64) * num_states
        own_key += matches.span[:, 1]
        gap_keys = self._gap_keys(size)
        referred = np.unique(gap_keys[gap_keys >= 0])
        self.nested = bool((matches.gap_left == top).any())
        self.num_cells = len(referred)
        self.gap_cells = np.where(gap_keys >= 0, np.searchsorted(referred, gap_keys), -1).astype(np.int32)
        self._referred, self._key_size = referred, size
        self.cell_of_match = self._cells(own_key)

    def _cells(self, keys: Longs) -> Ints:
        """Returns the cells with these keys, -1 where nothing refers to them."""
        if not len(self._referred):
            return np.full(len(keys), -1, dtype=np.int32)
        position = np.minimum(np.searchsorted(self._referred, keys), len(self._referred) - 1)
        return np.where(self._referred[position] == keys, position, -1).astype(np.int32)

    def cell(self, left: int, start: int, end: int) -> int:
        """Returns the cell of a non-terminal and a span, -1 if nothing refers to it."""
        return int(self._cells(np.array([left * self._key_size + start * self.num_states + end]))[0])

    def _gap_keys(self, size: int) -> Longs:
        """Returns the keys of gaps by the non-terminals in the source pattern; -1 where there is no gap."""
        gaps = self.matches.gaps
        keys = np.full((len(gaps), 2), -1, dtype=np.int64)
        for number in (0, 1):
            begin, end = gaps[:, 2 * number].astype(np.int64), gaps[:, 2 * number + 1]
            left = self.matches.gap_left[:, number].astype(np.int64)
            keys[:, number] = np.where(begin >= 0, left * size + begin * self.num_states + end, -1)
        return keys

    @cached_property
    def levels(self) -> list[Ints]:
        """The cells in groups; a cell refers only to cells of earlier groups.

        Raises:
            GrammarError: unary rules form a cycle.
        """
        depth = np.zeros(self.num_cells, dtype=np.int64)
        cell = self.cell_of_match
        relevant = cell >= 0
        rounds = 0
        while True:
            needed = np.zeros(len(cell), dtype=np.int64)
            for number in (0, 1):
                referred = self.gap_cells[:, number]
                needed = np.maximum(needed, np.where(referred >= 0, depth[referred] + 1, 0) if len(depth) else 0)
            deeper = depth.copy()
            np.maximum.at(deeper, cell[relevant], needed[relevant])
            if (deeper == depth).all():
                break
            depth = deeper
            rounds += 1
            if rounds > 2 * self.num_cells:
                raise GrammarError("rules such as [X] ||| [Y,1] ||| [Y,1] form a cycle; remove one of them")
        return [np.flatnonzero(depth == level).astype(np.int32) for level in range(int(depth.max(initial=-1)) + 1)]


def _build_cells(store: CellStore, plan: _Plan, items: _Items) -> None:
    cell_of_item = items.cell
    in_cells = np.flatnonzero(cell_of_item >= 0).astype(np.int32)
    order = in_cells[counting_order(cell_of_item[in_cells], plan.num_cells)]
    begins = np.searchsorted(cell_of_item[order], np.arange(plan.num_cells + 1))
    plain, *nested = plan.levels or [np.zeros(0, dtype=np.int32)]
    chosen = np.flatnonzero(np.isin(cell_of_item, plain)).astype(np.int32)
    if len(chosen):
        store.add_plain(cell_of_item[chosen], items.select(chosen))
    cells = np.concatenate([plain[:0], *nested])
    store.add_nested(cells[begins[cells] < begins[cells + 1]], begins, order, items.all())


def _build_top(store: CellStore, plan: _Plan, items: _Items, glue_cost: float) -> tuple[Records, int]:
    """Returns the arcs between the positions of the sentence; position 1 and the last one change their numbers."""
    top = items.select(items.top)
    last = plan.num_states - 1
    position = np.arange(plan.num_states, dtype=np.int32)
    position[[END, last]] = position[[last, END]]
    begins, ends = position[items.span[items.top, 0]], position[items.span[items.top, 1]]
    top = top._replace(costs=top.costs + glue_cost * items.glued[items.top])
    arcs, origin = item_automaton(begins, ends, top, plan.num_states)
    return store.expand(arcs, len(origin))


def _lattice(arcs: Records, num_states: int, grammar: Grammar) -> Lattice:
    arcs = arcs[counting_order(np.ascontiguousarray(arcs["source"]), num_states)]
    finals = np.full(num_states, np.inf)
    finals[END] = 0.0
    return Lattice(
        offsets=offsets_of(arcs["source"], num_states),
        ilabels=np.ascontiguousarray(arcs["step"]),
        olabels=np.ascontiguousarray(arcs["symbol"]),
        weights=np.ascontiguousarray(arcs["cost"]),
        nextstates=np.ascontiguousarray(arcs["target"]),
        finals=finals,
        symbols=grammar.target_words,
        isymbols=SymbolTable(),
    ).connected()
