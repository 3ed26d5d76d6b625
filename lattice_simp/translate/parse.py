"""The translations of a sentence, or of all paths of a word lattice, under a synchronous grammar, as one lattice.

After Iglesias et al. (2009) and Chiang (2007), for word lattices Dyer et al. (2008). Matches of source patterns become
cells, cells refer to cells, and the references are replaced until words are left. Constituents of the top non-terminal
are side by side from the start of the sentence to its end (the glue rules S -> X, S -> S X). Words are the output
labels; an input label is a *step*, the rule applications that an arc completes, so every path records its derivation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from lattice_simp.core.arcs import offsets_of
from lattice_simp.core.kernel import Bools, Ints, Records
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.sorting import counting_order
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import GrammarError, LatticeSimpError
from lattice_simp.translate.automaton import item_automaton
from lattice_simp.translate.cell_plan import CellPlan
from lattice_simp.translate.cells import END, CellStore
from lattice_simp.translate.costs import Costs
from lattice_simp.translate.derivation import Derivations, StepLattice
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.items import Excerpt, ParseItems, parse_items
from lattice_simp.translate.match import match
from lattice_simp.translate.settings import DecoderSettings
from lattice_simp.translate.source import Sentence, Source, as_source

Pruning: TypeAlias = Callable[["SourceParse"], Bools]
"""Chooses the items of a chart for its lattice: (items,) bool."""

WHOLE = Excerpt()
"""The excerpt of a whole sentence."""


def parse_sentence(
    grammar: Grammar,
    costs: Costs,
    words: Sentence,
    settings: DecoderSettings,
    excerpt: Excerpt = WHOLE,
) -> SourceParse:
    """Finds the items of a sentence or a word lattice, from which its lattice is built.

    Args:
        grammar: the rules.
        costs: the costs of the parts of a derivation (`Costs.weighted`).
        words: the source tokens, at least one, or a word lattice; its scores become features of the lattice.
        settings: `top`, `max_span`, `copies` and `word_arcs` count.
        excerpt: the context of words that are part of a larger sentence.

    Raises:
        GrammarError: no tokens, or the grammar has no rules for `settings.top`.
        LatticeSimpError: affiliated arcs for a word lattice.
    """
    source = as_source(words)
    check_source(grammar, source, settings)
    affiliated = settings.word_arcs == "affiliated"
    if affiliated and source.scores is not None:
        raise LatticeSimpError("the words of a word lattice have no positions; translate it with word_arcs 'shared'")
    word_ids = grammar.source_words.lookup(source.words, missing=len(grammar.source_words))
    if excerpt.free_copies is not None:
        word_ids[excerpt.free_copies] = len(grammar.source_words)
    complete = [(item.left, item.start, item.end) for item in excerpt.extra]
    matches = match(grammar, source, word_ids, settings.max_span, complete, copy_all=settings.copies == "all")
    target_words = (excerpt.target_words or grammar.target_words).with_words(matches.copied_words(source))
    grammar = replace(grammar, target_words=target_words)
    plan = CellPlan(matches, source.num_states, grammar.nonterminals.index(settings.top))
    items = parse_items(grammar, costs, source, plan, excerpt, affiliated=affiliated)
    return SourceParse(grammar, costs, source, plan, items, excerpt)


def check_source(grammar: Grammar, source: Source, settings: DecoderSettings) -> None:
    """Raises GrammarError if there are no tokens, or no rules for `settings.top`."""
    if source.is_empty:
        raise GrammarError("an empty sentence has no translations")
    if settings.top not in grammar.nonterminals:
        nonterminals = ", ".join(grammar.nonterminals)
        raise GrammarError(f"the grammar has no rules for [{settings.top}], only for {nonterminals}")


@dataclass(frozen=True, eq=False)
class SourceParse:
    """The items of one sentence: target sides in cells, and at the top.

    The table of target words of its grammar holds those that the sentence adds, too.
    """

    grammar: Grammar
    costs: Costs
    source: Source
    plan: CellPlan
    items: ParseItems
    excerpt: Excerpt = WHOLE

    def lattice(self, prune: Pruning | None = None) -> StepLattice:
        """Builds the lattice: replaces references by cells until only words are left.

        Args:
            prune: chooses the items if the grammar's non-terminals nest; other grammars are never pruned.

        Returns:
            The lattice of all translations; its input labels are steps.
        """
        items, plan = self.items, self.plan
        if prune and self.grammar.nests:
            _ = plan.levels  # refuses cycles
            items = items.only(prune(self))
        store = CellStore(plan.num_cells, len(items.cost))
        _build_cells(store, plan, items)
        return self.step_lattice(store, *_build_top(store, plan, items, self.costs.glue))

    @property
    def target_words(self) -> Ints:
        """The target words of all items."""
        symbols = self.items.symbols
        occurs = np.zeros(len(self.grammar.target_words), dtype=np.bool_)
        occurs[symbols[symbols >= 0]] = True
        return np.flatnonzero(occurs).astype(np.int32)

    def step_lattice(self, store: CellStore, arcs: Records, num_states: int) -> StepLattice:
        """Returns the arcs between states 0 and 1 as a lattice, with its derivations and the input's features."""
        items = self.items
        derivations = Derivations(
            steps=store.steps[: store.num_steps],
            item_rule=items.rule,
            item_span=self.excerpt.in_sentence(items.span),
            item_glued=items.glued,
            item_scores=items.scores,
        )
        if items.pairs is not None:
            labels = arcs["symbol"].copy()
            arcs["symbol"] = items.pairs.words[labels]
            arcs["step"], derivations = derivations.with_words(
                arcs["step"], self.excerpt.in_sentence(items.pairs.tokens)[labels]
            )
        lattice = _lattice(arcs, num_states, self.grammar)
        for name, scores in zip(self.source.names, derivations.step_scores(), strict=True):
            lattice = lattice.with_feature(name, scores[lattice.ilabels])
        return StepLattice(lattice, derivations)


def _build_cells(store: CellStore, plan: CellPlan, items: ParseItems) -> None:
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


def _build_top(store: CellStore, plan: CellPlan, items: ParseItems, glue_cost: float) -> tuple[Records, int]:
    """Returns the arcs between the positions of the sentence; position 1 and the last one swap their numbers."""
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
