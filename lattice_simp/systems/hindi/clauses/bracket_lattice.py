"""The lattice of a sentence's well-formed bracketings: the scores of a field composed with the rules' automaton."""

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
"""Nats within which labels are looked at first; the beam doubles until the result is certainly the best."""

LAST_BEAM = 200.0
"""Nats beyond which nothing is looked for."""

MAX_ARCS = 200_000
"""Of a sentence's lattice, before it is trimmed: seconds of work. Half of all sentences need fewer than a hundred, few
more than ten thousand; a page without a full stop would need any number."""

MAX_KNOWN = 500_000
"""Moves of the rules' automaton that are kept from sentence to sentence."""

_NONE = -1


class BracketSearch:
    """Finds the best well-formed labellings of sentences: the labels of a field composed with the rules.

    The rules' automaton is a table that is filled where it is looked at.

    Args:
        labels: of the field, as `Brackets` are written.
        transitions: (num_labels, num_labels) scores, from label to label.
        costs: of the rules.
    """

    def __init__(self, labels: Sequence[str], transitions: Floats, costs: RuleCosts) -> None:
        self.transitions, self.costs, self.symbols = transitions, costs, SymbolTable(labels)
        self.brackets = {label: Brackets.parse(label) for label in labels}
        self._labels = list(self.brackets.values())
        self._forget()

    def nbest(self, scores: Floats, tokens: list[TokenClass], n: int = 1) -> list[tuple[list[Brackets], float]]:
        """Finds the n best well-formed labellings exactly.

        Args:
            scores: (num_tokens, num_labels), the field's, higher is better.
            tokens: the classes of the tokens.
            n: how many.

        Returns:
            The brackets of each token, cheapest first, and costs: nats beyond the best labelling of all, well-formed or
            not. Fewer than n if there are no more within `LAST_BEAM`, or if more would need `MAX_ARCS` arcs; then the
            last ones may not be the best ones.
        """
        rests = best_rests(scores, self.transitions)
        beam = FIRST_BEAM
        paths: list[Hypothesis] = []
        while (lattice := self._lattice(scores, rests, beam, tokens)) is not None:
            paths = [] if lattice.empty else nbest(lattice, n)
            # Paths that cost more than the beam may come before others that are not in the lattice.
            if (len(paths) == n and paths[-1].cost <= beam) or beam > LAST_BEAM:
                break
            beam *= 2
        return [([self.brackets[word] for word in path.tokens], path.cost) for path in paths]

    def _lattice(self, scores: Floats, rests: Floats, beam: float, tokens: list[TokenClass]) -> Lattice | None:
        """Composes the labels with the rules, and keeps what costs at most `beam` more than the best labelling of all.

        A state after a token is a label with a state of the rules' automaton. What the rest of the sentence costs at
        least is known from the field alone (`rests`): so the bound is exact, and no path within the beam is lost.

        Returns:
            The lattice; None if it would have more than `MAX_ARCS` arcs.
        """
        if len(self._known) > MAX_KNOWN:
            self._forget()
        best = float((scores[0] + rests[0]).max())
        labels, states, so_far = np.array([-1], dtype=np.int64), np.array([0], dtype=np.int64), np.array([best])
        sources, targets, words, costs = [], [], [], []
        first = num_arcs = 0
        for position, token in enumerate(tokens):
            own = np.broadcast_to(-scores[position], (len(labels), len(self._labels)))
            if position:
                own = own - self.transitions[labels]
            rows, columns = np.nonzero(so_far[:, None] + own - rests[position] <= beam)
            num_arcs += len(rows)
            if num_arcs > MAX_ARCS:
                return None
            following, rule_costs = self._moves(states[rows], columns, token)
            arc_costs = own[rows, columns] + rule_costs
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
            # The first arcs take the best labelling's score out of all costs.
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
        """Empties the table; the states of lattices before and after have different numbers."""
        self._stacks, self._numbers = [START], {START: 0}
        self._known: dict[tuple[int, int, int], tuple[int, float]] = {}

    def _moves(self, states: Longs, labels: Longs, token: TokenClass) -> tuple[Longs, Floats]:
        """Returns for each state and label the next state, -1 where there is none, and the cost."""
        size = len(self._labels)
        keys, positions = np.unique(states * size + labels, return_inverse=True)
        found = [self._move(key // size, key % size, token) for key in keys.tolist()]
        following = np.array([one for one, _ in found], dtype=np.int64)
        return following[positions], np.array([cost for _, cost in found])[positions]

    def _move(self, state: int, label: int, token: TokenClass) -> tuple[int, float]:
        known = self._known.get((state, label, token))
        if known is None:
            moved = step(self._stacks[state], self._labels[label], token, self.costs)
            known = (_NONE, 0.0)
            if moved is not None:
                known = self._numbers.setdefault(moved[0], len(self._stacks)), moved[1]
                if known[0] == len(self._stacks):
                    self._stacks.append(moved[0])
            self._known[state, label, token] = known
        return known

    def _final_costs(self, states: Longs) -> Floats:
        """Returns the costs of ending in states; infinite where clauses are open."""
        found = [final_cost(self._stacks[state], self.costs) for state in states.tolist()]
        return np.array([np.inf if cost is None else cost for cost in found])
