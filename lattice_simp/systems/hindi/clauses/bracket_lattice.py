"""Composes the scores of a field with the automaton of rules: the lattice of well-formed bracketings of a sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.ops.nbest import nbest
from lattice_simp.systems.hindi.clauses.crf import best_rests
from lattice_simp.systems.hindi.clauses.labels import Brackets
from lattice_simp.systems.hindi.clauses.rule_costs import START, RuleCosts, TokenClass, final_cost, step

FIRST_BEAM = 6.0
"""The first beam, in nats; it doubles until the result is certainly the best."""

LAST_BEAM = 200.0
"""The largest beam, in nats."""

MAX_ARCS = 200_000
"""The most arcs of a sentence's lattice before trimming, which take seconds. Half of all sentences need fewer than a
hundred, few more than ten thousand; a page without a full stop may need any number."""

MAX_KNOWN = 500_000
"""The most transitions of the automaton that are cached between sentences."""

_NONE = -1


class BracketSearch:
    """Finds the best well-formed labellings of sentences by composing the labels of a field with the rules.

    The field has (num_labels, num_labels) scores of transitions, from label to label. The automaton of the rules is
    expanded on demand.
    """

    def __init__(self, labels: Sequence[str], transitions: Floats, costs: RuleCosts) -> None:
        self.transitions, self.costs, self.symbols = transitions, costs, SymbolTable(labels)
        self.brackets = {label: Brackets.parse(label) for label in labels}
        self._labels = list(self.brackets.values())
        self._forget()

    def nbest(self, scores: Floats, tokens: list[TokenClass], n: int = 1) -> list[tuple[list[Brackets], float]]:
        """Returns the n best well-formed labellings exactly, given (num_tokens, num_labels) scores of the field.

        These are the brackets of each token with their cost, cheapest first, in nats above the best labelling,
        well-formed or not. There are fewer than n if there are no more within `LAST_BEAM`, or if they need more than
        `MAX_ARCS` arcs; in the latter case the last ones may not be the best.
        """
        rests = best_rests(scores, self.transitions)
        beam = FIRST_BEAM
        paths: list[Hypothesis] = []
        while (lattice := self._lattice(scores, rests, beam, tokens)) is not None:
            paths = [] if lattice.empty else nbest(lattice, n)
            # Cheaper paths than those beyond the beam may be missing from the lattice.
            if (len(paths) == n and paths[-1].cost <= beam) or beam > LAST_BEAM:
                break
            beam *= 2
        return [([self.brackets[word] for word in path.tokens], path.cost) for path in paths]

    def _lattice(self, scores: Floats, rests: Floats, beam: float, tokens: list[TokenClass]) -> Lattice | None:
        """Composes labels and rules within `beam` of the best labelling; None above `MAX_ARCS` arcs.

        The field's scores bound the cost of the rest of the sentence from below (`rests`), so no path is lost.
        """
        if len(self._cache) > MAX_KNOWN:
            self._forget()
        best = float((scores[0] + rests[0]).max())
        labels, states, so_far = np.array([-1], dtype=np.int64), np.array([0], dtype=np.int64), np.array([best])
        sources, targets, words, costs = [], [], [], []
        first = num_arcs = 0
        for position, token in enumerate(tokens):
            label_costs = np.broadcast_to(-scores[position], (len(labels), len(self._labels)))
            if position:
                label_costs = label_costs - self.transitions[labels]
            rows, columns = np.nonzero(so_far[:, None] + label_costs - rests[position] <= beam)
            num_arcs += len(rows)
            if num_arcs > MAX_ARCS:
                return None
            following, rule_costs = self._moves(states[rows], columns, token)
            arc_costs = label_costs[rows, columns] + rule_costs
            totals = so_far[rows] + arc_costs
            kept = (following != _NONE) & (totals - rests[position, columns] <= beam)
            rows, columns, following = rows[kept], columns[kept], following[kept]
            arc_costs, totals = arc_costs[kept], totals[kept]
            keys = following * len(self._labels) + columns
            pairs, into = np.unique(keys, return_inverse=True)
            following_first = first + len(labels)
            sources.append(first + rows)
            targets.append(following_first + into)
            words.append(columns + 1)
            # The first arcs subtract the score of the best labelling.
            costs.append(arc_costs if position else totals)
            so_far = np.full(len(pairs), np.inf)
            np.minimum.at(so_far, into, totals)
            first, labels, states = following_first, pairs % len(self._labels), pairs // len(self._labels)
            if not len(pairs):
                return Lattice.from_arcs([], [], [], [], [np.inf], self.symbols)
        finals = np.full(first + len(labels), np.inf)
        finals[first:] = self._final_costs(states)
        arcs = (np.concatenate(sources), np.concatenate(words), np.concatenate(costs), np.concatenate(targets))
        return Lattice.from_arcs(*arcs, finals, self.symbols).connected()

    def _forget(self) -> None:
        """Empties the cache, which renumbers the states."""
        self._stacks, self._numbers = [START], {START: 0}
        self._cache: dict[tuple[int, int, int], tuple[int, float]] = {}

    def _moves(self, states: Longs, labels: Longs, token: TokenClass) -> tuple[Longs, Floats]:
        """Returns the next state (-1 for none) and the cost for each state and label."""
        size = len(self._labels)
        keys, positions = np.unique(states * size + labels, return_inverse=True)
        moves = [self._move(key // size, key % size, token) for key in keys.tolist()]
        following = np.array([state for state, _ in moves], dtype=np.int64)
        return following[positions], np.array([cost for _, cost in moves])[positions]

    def _move(self, state: int, label: int, token: TokenClass) -> tuple[int, float]:
        move = self._cache.get((state, label, token))
        if move is None:
            moved = step(self._stacks[state], self._labels[label], token, self.costs)
            move = (_NONE, 0.0)
            if moved is not None:
                move = self._numbers.setdefault(moved[0], len(self._stacks)), moved[1]
                if move[0] == len(self._stacks):
                    self._stacks.append(moved[0])
            self._cache[state, label, token] = move
        return move

    def _final_costs(self, states: Longs) -> Floats:
        """Returns the costs of ending in states; infinite if clauses are open."""
        costs = [final_cost(self._stacks[state], self.costs) for state in states.tolist()]
        return np.array([np.inf if cost is None else cost for cost in costs])
