"""A sentence's translations as a recursive transition network that OpenFst expands: the reference for `parse.py`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pynini
import pywrapfst

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON
from lattice_simp.reference.network import expand
from lattice_simp.translate.costs import Costs
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.match import COPY, match
from lattice_simp.translate.parse import check_source
from lattice_simp.translate.settings import DecoderSettings
from lattice_simp.translate.source import Sentence, as_source


def openfst_lattice(grammar: Grammar, costs: Costs, words: Sentence, settings: DecoderSettings) -> Lattice:
    """Builds the lattice of all translations, without sharing or pruning, so only for small inputs.

    Every cell (non-terminal, span) is an automaton of its matches' target sides, one chain each, where a slot is an arc
    that calls the slot's cell; at the top, cells are side by side (the glue rules).

    Args:
        grammar, costs, words, settings: see `parse_sentence`.

    Returns:
        An acceptor of target words; derivations and features are left out.

    Raises:
        GrammarError: no tokens, or the grammar has no rules for `settings.top`.
        CyclicLatticeError: unary rules form a cycle.
        LatticeSimpError: the lattice is too large.
    """
    source = as_source(words)
    check_source(grammar, source, settings)
    states = source.num_states
    word_ids = grammar.source_words.lookup(source.words, missing=len(grammar.source_words))
    matches = match(grammar, source, word_ids, settings.max_span, copy_all=settings.copies == "all")
    read = np.zeros(len(matches.pattern)) if costs.reading is None else matches.input_scores(costs.reading[None])[0]
    copied = matches.copied_arcs()
    symbols = grammar.target_words.with_words(matches.copied_words(source))
    first_call = len(symbols)

    def call(left: int, begin: int, end: int) -> int:
        return first_call + 1 + (left * states + begin) * states + end

    cells: dict[int, pynini.Fst] = defaultdict(lambda: _automaton(2))
    rows = zip(matches.pattern, matches.left, matches.span, matches.slots, matches.slot_left, strict=True)
    for number, (pattern, left, (begin, end), slots, slot_left) in enumerate(rows):
        cell = cells[call(left, begin, end)]
        if pattern == COPY:
            word = int(symbols.lookup([source.words[copied[number]]])[0])
            _add_chain(cell, 0, 1, [word], costs.copy + read[number])
            continue
        calls = [call(slot, *span) for slot, span in zip(slot_left, slots.reshape(2, 2), strict=True)]
        for rule in range(grammar.pattern_rules[pattern], grammar.pattern_rules[pattern + 1]):
            target = grammar.target[grammar.target_offsets[rule] : grammar.target_offsets[rule + 1]]
            labels = [label if label >= 0 else calls[-1 - label] for label in target.tolist()]
            _add_chain(cell, 0, 1, labels, costs.rules[rule] + read[number])
    root = _automaton(states)
    top = grammar.nonterminals.index(settings.top)
    for begin in range(states):
        for end in range(begin + 1, states):
            if call(top, begin, end) in cells:
                _add_chain(root, begin, end, [call(top, begin, end)], costs.glue if begin else 0.0)
    return expand([(first_call, root), *cells.items()], symbols)


def _automaton(num_states: int) -> pynini.Fst:
    """Returns an automaton of states without arcs: the first is the start, the last is final."""
    fst = pynini.Fst()
    fst.add_states(num_states)
    fst.set_start(0)
    fst.set_final(num_states - 1, 0.0)
    return fst


def _add_chain(fst: pynini.Fst, begin: int, end: int, labels: Sequence[int], cost: float) -> None:
    """Adds a string between two states; its cost is on its last arc."""
    for label in labels[:-1]:
        following = fst.add_state()
        fst.add_arc(begin, pywrapfst.Arc(label, label, 0.0, following))
        begin = following
    last = labels[-1] if labels else EPSILON
    fst.add_arc(begin, pywrapfst.Arc(last, last, float(cost), end))
