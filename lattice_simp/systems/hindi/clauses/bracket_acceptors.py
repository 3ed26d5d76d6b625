"""The lattice of a field's bracket labels as a transducer, composed with the acceptors of rules and of balance.

The definition of what `bracket_lattice.py` does with an automaton of its own: here each rule is a row of a table
(`grammars/hindi/bracket_rules.tsv`), which OpenFst composes with the field's lattice.
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
"""A row of alternatives: symbols at each place."""


def token_symbols(sentence: Sentence) -> list[str]:
    """Returns the rules' symbol of each token; "" for all tokens of a phrase but one: a verb's last, others' first.

    >>> from lattice_simp.systems.hindi.sentence import Chunk, Token
    >>> words = [("raam", "NNP"), ("ne", "PSP"), ("khaayaa", "VM"), ("hai", "VAUX")]
    >>> token_symbols(Sentence(tuple(Token(*one) for one in words), (Chunk("NP", 0, 2), Chunk("VGF", 2, 4))))
    ['NE', '', '', 'FIN']
    """
    found = [""] * len(sentence)
    last = {position for chunk in sentence.chunks if chunk.is_verbal for position in chunk.positions}
    for unit in units_of(sentence):
        found[unit.end - 1 if unit.start in last else unit.start] = unit.symbol
    return found


def spelled(brackets: Brackets, symbol: str) -> Strings:
    """Returns the brackets of a token around its symbol; an end may be that of a finite clause or of another one.

    >>> spelled(Brackets.parse("main+nonfin/1"), "NP")
    [['[main'], ['{'], ['NP'], [']', '}']]
    """
    opens = [NON_FINITE_START if kind is ClauseType.NON_FINITE else f"[{kind}" for kind in brackets.opens]
    return [*([one] for one in (*opens, symbol) if one), *[[FINITE_END, NON_FINITE_END]] * brackets.closes]


def written(brackets: Sequence[Brackets], symbols: Sequence[str]) -> list[str]:
    """Returns the brackets of a sentence around the symbols of its tokens; an end without a start is a finite one.

    >>> written([Brackets.parse("main+nonfin/1"), Brackets.parse("-/1")], ["KAR", "FIN"])
    ['[main', '{', 'KAR', '}', 'FIN', ']']
    """
    found: list[str] = []
    stack: list[str] = []
    for own, symbol in zip(brackets, symbols, strict=True):
        for names in spelled(own, symbol):
            if len(names) > 1:
                found.append(NON_FINITE_END if stack and stack.pop() == NON_FINITE_START else FINITE_END)
                continue
            found += names
            if names[0] != symbol:
                stack += names
    return found


class AcceptorSearch:
    """Finds the best well-formed labellings by composition: labels of a field, balance, and a table of rules.

    Args:
        labels: of the field, as `Brackets` are written.
        transitions: (num_labels, num_labels) scores, from label to label.
        costs: of the rules, by name; None for those of the table.
    """

    def __init__(self, labels: Sequence[str], transitions: Floats, costs: Mapping[str, float] | None = None) -> None:
        self.brackets, self.transitions, self.costs = [Brackets.parse(one) for one in labels], transitions, costs

    def nbest(self, scores: Floats, symbols: Sequence[str], n: int = 1) -> list[tuple[list[Brackets], float]]:
        """Finds the n best labellings exactly.

        Args:
            scores: (num_tokens, num_labels), the field's, higher is better.
            symbols: of the tokens; see `token_symbols`.
            n: how many.

        Returns:
            The brackets of each token, cheapest first, and costs: nats beyond the best labelling of all, well-formed or
            not. Fewer than n if no more cost at most `LAST_BEAM`, or if more would need `MAX_ARCS` arcs.
        """
        rests = best_rests(scores, self.transitions)
        beam = FIRST_BEAM
        found: list[tuple[list[Brackets], float]] = []
        while len(found) < n and beam <= LAST_BEAM:
            lattice = self._lattice(scores, rests, beam, symbols)
            if lattice is None:
                break
            every = self._read(cheapest_well_formed(lattice, n, most=beam, costs=self.costs))
            # Paths that cost more than the beam may come before others that are not in the lattice.
            found = [one for one in every if one[1] <= beam]
            beam *= 2
        return found

    def _lattice(self, scores: Floats, rests: Floats, beam: float, symbols: Sequence[str]) -> pynini.Fst | None:
        """Returns the field's lattice: from labels (their numbers from 1) to units and brackets.

        Labellings that cost more than `beam` beyond the best one are not in it, nor others that share no arc with
        cheaper ones.

        Returns:
            None if it would have more than `MAX_ARCS` arcs.
        """
        writer = _Writer(alphabet().table)
        best = float((scores[0] + rests[0]).max())
        ends = {-1: writer.path(writer.start, [[BEGINNING]])}
        so_far = {-1: best}
        for position, symbol in enumerate(symbols):
            following: dict[int, float] = {}
            ahead: dict[int, int] = {}
            for last, cost in so_far.items():
                own = -scores[position] - (self.transitions[last] if last >= 0 else 0.0)
                for label in np.flatnonzero(cost + own - rests[position] <= beam).tolist():
                    if label not in ahead:
                        ahead[label] = writer.state()
                    arc_cost = float(own[label])
                    # The first arcs take the best labelling's score out of all costs.
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
        """Returns the labellings of all paths, cheapest first."""
        found: list[tuple[list[Brackets], float]] = []
        waiting: list[tuple[int, list[Brackets], float]] = [(paths.start(), [], 0.0)] if paths.num_states() else []
        while waiting:
            state, own, cost = waiting.pop()
            last = float(paths.final(state))
            if last < np.inf:
                found.append((own, cost + last))
            for arc in paths.arcs(state):
                longer = [*own, self.brackets[arc.ilabel - 1]] if arc.ilabel else own
                waiting.append((arc.nextstate, longer, cost + float(arc.weight)))
        return sorted(found, key=lambda one: one[1])


class _Writer:
    """Writes a transducer, and counts its arcs."""

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
        """Adds one state after the other, with arcs for each place's alternatives; returns the last one."""
        for names in strings:
            target = self.state()
            for name in names:
                self.arc(state, 0, name, 0.0, target)
            state = target
        return state

    def finish(self, state: int) -> None:
        self.fst.set_final(state)
