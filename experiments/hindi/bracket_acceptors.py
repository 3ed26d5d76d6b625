"""Composes the lattice of a field's bracket labels with the acceptors of rules and of balance.

The reference implementation of `bracket_lattice.py`: each rule is a row of `grammars/hindi/bracket_rules.tsv`, which
OpenFst composes with the field's lattice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pynini
import pywrapfst

from lattice_simp.core.kernel import Floats
from lattice_simp.grammars.hindi.bracket_rules import cheapest_well_formed
from lattice_simp.grammars.hindi.bracketing import FINITE_END, NON_FINITE_END, NON_FINITE_START
from lattice_simp.grammars.hindi.rewriting import BEGINNING, END, alphabet
from lattice_simp.systems.hindi.clause import ClauseType
from lattice_simp.systems.hindi.clauses.bracket_lattice import FIRST_BEAM, LAST_BEAM, MAX_ARCS
from lattice_simp.systems.hindi.clauses.crf import best_rests
from lattice_simp.systems.hindi.clauses.labels import Brackets
from lattice_simp.systems.hindi.rules import units_of
from lattice_simp.systems.hindi.sentence import Sentence

Strings = Sequence[Sequence[str]]
"""A sequence of alternatives: the possible symbols at each place."""


def token_symbols(sentence: Sentence) -> list[str]:
    """Returns the rule symbol of each token: on the last token of a verb group, on the first of other phrases, else "".

    >>> from lattice_simp.systems.hindi.sentence import Chunk, Token
    >>> words = [("raam", "NNP"), ("ne", "PSP"), ("khaayaa", "VM"), ("hai", "VAUX")]
    >>> token_symbols(Sentence(tuple(Token(*word) for word in words), (Chunk("NP", 0, 2), Chunk("VGF", 2, 4))))
    ['NE', '', '', 'FIN']
    """
    symbols = [""] * len(sentence)
    last = {position for chunk in sentence.chunks if chunk.is_verbal for position in chunk.positions}
    for unit in units_of(sentence):
        symbols[unit.end - 1 if unit.start in last else unit.start] = unit.symbol
    return symbols


def spelled(brackets: Brackets, symbol: str) -> Strings:
    """Returns the brackets of a token around its symbol; an end matches finite and non-finite clauses.

    >>> spelled(Brackets.parse("main+nonfin/1"), "NP")
    [['[main'], ['{'], ['NP'], [']', '}']]
    """
    opens = [NON_FINITE_START if kind is ClauseType.NON_FINITE else f"[{kind}" for kind in brackets.opens]
    return [*([name] for name in (*opens, symbol) if name), *[[FINITE_END, NON_FINITE_END]] * brackets.closes]


def written(brackets: Sequence[Brackets], symbols: Sequence[str]) -> list[str]:
    """Returns the brackets of a sentence around its symbols; an end without a start counts as finite.

    >>> written([Brackets.parse("main+nonfin/1"), Brackets.parse("-/1")], ["KAR", "FIN"])
    ['[main', '{', 'KAR', '}', 'FIN', ']']
    """
    names: list[str] = []
    stack: list[str] = []
    for bracket, symbol in zip(brackets, symbols, strict=True):
        for alternatives in spelled(bracket, symbol):
            if len(alternatives) > 1:
                names.append(NON_FINITE_END if stack and stack.pop() == NON_FINITE_START else FINITE_END)
                continue
            names += alternatives
            if alternatives[0] != symbol:
                stack += alternatives
    return names


class AcceptorSearch:
    """Finds the best well-formed labellings by composing the labels of a field, balance, and a table of rules.

    Args:
        labels: the labels of the field, as strings of `Brackets`.
        transitions: (num_labels, num_labels) scores, from label to label.
        costs: the costs of the rules by name; None for those in the table.
    """

    def __init__(self, labels: Sequence[str], transitions: Floats, costs: Mapping[str, float] | None = None) -> None:
        self.brackets, self.transitions, self.costs = [Brackets.parse(label) for label in labels], transitions, costs

    def nbest(self, scores: Floats, symbols: Sequence[str], n: int = 1) -> list[tuple[list[Brackets], float]]:
        """Returns the n best labellings exactly.

        Args:
            scores: (num_tokens, num_labels) scores of the field; higher is better.
            symbols: the symbols of the tokens; see `token_symbols`.
            n: the number of labellings.

        Returns:
            The brackets of each token with their cost, cheapest first, in nats above the best labelling, well-formed or
            not. Fewer than n if no others cost at most `LAST_BEAM`, or if they need more than `MAX_ARCS` arcs.
        """
        rests = best_rests(scores, self.transitions)
        beam = FIRST_BEAM
        labellings: list[tuple[list[Brackets], float]] = []
        while len(labellings) < n and beam <= LAST_BEAM:
            lattice = self._lattice(scores, rests, beam, symbols)
            if lattice is None:
                break
            every = self._read(cheapest_well_formed(lattice, n, most=beam, costs=self.costs))
            # Cheaper paths than those beyond the beam may be missing from the lattice.
            labellings = [labelling for labelling in every if labelling[1] <= beam]
            beam *= 2
        return labellings

    def _lattice(self, scores: Floats, rests: Floats, beam: float, symbols: Sequence[str]) -> pynini.Fst | None:
        """Returns the field's lattice, from labels (numbers from 1) to units and brackets, or None above `MAX_ARCS`.

        It excludes labellings that cost more than `beam` above the best one, except those made of arcs of cheaper ones.
        """
        writer = _Writer(alphabet().table)
        best = float((scores[0] + rests[0]).max())
        ends = {-1: writer.path(writer.start, [[BEGINNING]])}
        so_far = {-1: best}
        for position, symbol in enumerate(symbols):
            following: dict[int, float] = {}
            ahead: dict[int, int] = {}
            for last, cost in so_far.items():
                label_costs = -scores[position] - (self.transitions[last] if last >= 0 else 0.0)
                for label in np.flatnonzero(cost + label_costs - rests[position] <= beam).tolist():
                    if label not in ahead:
                        ahead[label] = writer.state()
                    arc_cost = float(label_costs[label])
                    # The first arcs subtract the score of the best labelling.
                    writer.arc(ends[last], label + 1, "", arc_cost if position else arc_cost + best, ahead[label])
                    following[label] = min(following.get(label, np.inf), cost + arc_cost)
            if writer.num_arcs > MAX_ARCS:
                return None
            ends = {label: writer.path(state, spelled(self.brackets[label], symbol)) for label, state in ahead.items()}
            so_far = following
        for state in ends.values():
            writer.finish(writer.path(state, [[END]]))
        return writer.fst

    def _read(self, paths: pynini.Fst) -> list[tuple[list[Brackets], float]]:
        labellings: list[tuple[list[Brackets], float]] = []
        waiting: list[tuple[int, list[Brackets], float]] = [(paths.start(), [], 0.0)] if paths.num_states() else []
        while waiting:
            state, labels, cost = waiting.pop()
            last = float(paths.final(state))
            if last < np.inf:
                labellings.append((labels, cost + last))
            for arc in paths.arcs(state):
                longer = [*labels, self.brackets[arc.ilabel - 1]] if arc.ilabel else labels
                waiting.append((arc.nextstate, longer, cost + float(arc.weight)))
        return sorted(labellings, key=lambda labelling: labelling[1])


class _Writer:
    """Builds a transducer and counts its arcs."""

    def __init__(self, table: pywrapfst.SymbolTable) -> None:
        self.fst, self.table, self.num_arcs = pynini.Fst(), table, 0
        self.start = self.state()
        self.fst.set_start(self.start)

    def state(self) -> int:
        return int(self.fst.add_state())

    def arc(self, source: int, label: int, name: str, cost: float, target: int) -> None:
        symbol = self.table.find(name) if name else 0
        self.fst.add_arc(source, pywrapfst.Arc(label, symbol, cost, target))
        self.num_arcs += 1

    def path(self, state: int, strings: Strings) -> int:
        """Adds a chain of states with arcs for the alternatives at each place; returns the last state."""
        for names in strings:
            target = self.state()
            for name in names:
                self.arc(state, 0, name, 0.0, target)
            state = target
        return state

    def finish(self, state: int) -> None:
        self.fst.set_final(state)
