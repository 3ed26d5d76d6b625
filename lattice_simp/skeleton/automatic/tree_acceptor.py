"""The acceptor of all skeletons of a sentence that respect its dependency tree.

It reads one decision a token, from left to right: keep, or delete. A kept token needs its head, and a kept head its
obligatory dependents. A state only remembers what is still open: tokens whose dependents are still to come (kept or
deleted?), and heads still to come that some dependent has bound (must they be kept, or deleted?). In a projective tree
these tokens are on few paths of the tree, and decisions on a path depend on each other, so there are few states (tens a
token). Trees with crossing arcs need more states; the acceptor is exact for any tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.grammars.english.lexicon import OPEN
from lattice_simp.skeleton.automatic.chain import DELETE, KEEP, Chain, decisions
from lattice_simp.skeleton.automatic.deletion_tree import DeletionTree
from lattice_simp.text.english.parse import ROOT
from lattice_simp.text.english.punctuation import CLOSE, COMMA, QUOTE, STOP, mark_kind, mark_pairs

MAX_STATES = 200_000
"""Trees that need more states are refused; sentences of 60 tokens need some thousands."""

_KEPT, _DELETED = 1, 2
"""Two bits for each token in a state: its decision, or the one that a head to come needs; 0 if unknown or not open."""

_STATUS = {KEEP: _KEPT, DELETE: _DELETED}

_BEGIN, _WORD, _COMMA, _OPEN, _STOP = range(5)
"""The kinds of the last kept token that matter for the punctuation after it."""

_AFTER = {None: _WORD, COMMA: _COMMA, OPEN: _OPEN, CLOSE: _WORD, QUOTE: _WORD, STOP: _STOP}
_FORBIDDEN = {
    COMMA: {_BEGIN, _COMMA, _OPEN, _STOP},
    CLOSE: {_COMMA, _OPEN},
    QUOTE: {_OPEN},
    STOP: {_BEGIN, _COMMA, _STOP},
}
"""The kinds that must not come before a mark: no comma first or doubled, none before a stop or a closing bracket, no
empty pairs."""


class TangledTreeError(LatticeSimpError):
    """A tree whose acceptor would need more than `MAX_STATES` states."""


@dataclass(frozen=True)
class Bonds:
    """The constraints between the tokens of a sentence, in the form that the acceptor needs.

    Attributes:
        heads: the token that each token needs; -1 for none.
        obligatory: whether each token must be kept if its head is kept.
        tops: the words that may stand without their head, with their costs in nats; exactly one of them does.
        required: tokens that every skeleton keeps (the final stop).
        kinds: the kind of each punctuation mark, None for words.
    """

    heads: tuple[int, ...]
    obligatory: tuple[bool, ...]
    tops: dict[int, float]
    required: frozenset[int]
    kinds: tuple[str | None, ...]


def bonds(tokens: Sequence[str], tree: DeletionTree) -> Bonds:
    """Joins the tree of words with paired punctuation marks.

    >>> tree = DeletionTree((-1, 0, -1), np.array([np.inf, 1.0, 0.0]), {0: 0.0}, (True, True, False), frozenset())
    >>> result = bonds(["stop", "now", "!"], tree)
    >>> result.heads, result.obligatory, sorted(result.required)
    ((-1, 0, -1), (False, False, False), [2])
    """
    kinds: list[str | None] = [
        None if word else mark_kind(token) for token, word in zip(tokens, tree.words, strict=True)
    ]
    heads = list(tree.heads)
    obligatory = [head != ROOT and bool(np.isinf(cost)) for head, cost in zip(tree.heads, tree.costs, strict=True)]
    for position in tree.openers:
        # "That" belongs to the reporting verb: it goes where the clause stands alone.
        heads[position] = tree.heads[heads[position]]
    pairs = [pair for pair in mark_pairs(tokens) if all(kinds[position] for position in pair)]
    for first, last in pairs:
        kinds[first], heads[last], obligatory[last] = OPEN, first, True
    paired = {position for pair in pairs for position in pair}
    # A mark without its partner counts as a comma.
    kinds = [
        COMMA if kind in (OPEN, CLOSE, QUOTE) and position not in paired else kind
        for position, kind in enumerate(kinds)
    ]
    last_word = max(position for position, kind in enumerate(kinds) if kind is None)
    required = frozenset(position for position, kind in enumerate(kinds) if kind == STOP and position > last_word)
    return Bonds(tuple(heads), tuple(obligatory), dict(tree.tops), frozenset([*required][:1]), tuple(kinds))


def tree_acceptor(forms: Sequence[str], bonds: Bonds, chain: Chain) -> Lattice:
    """Builds the acceptor, with the costs of the chain on its arcs.

    Output labels are the forms of kept tokens (epsilon for deleted ones), so a language model can be applied; input
    labels are `chain.decisions`. Each mask has one path.

    Raises:
        TangledTreeError: more than `MAX_STATES` states.
    """
    count = len(forms)
    builder = _Builder(bonds, chain)
    words = SymbolTable()
    labels = words.encode(forms)
    layer = {(0, False, _BEGIN, DELETE): 0}
    states, arcs = 1, list[tuple[int, int, int, float, int]]()
    for position in range(count):
        following: dict[_State, int] = {}
        for state, number in layer.items():
            for decision, cost, target in builder.moves(position, state):
                reached = following.setdefault(target, states + len(following))
                kept = decision == KEEP
                arcs.append(
                    (number, labels[position] if kept else 0, 1 + position + (0 if kept else count), cost, reached)
                )
        states += len(following)
        layer = following
        if states > MAX_STATES:
            raise TangledTreeError(f"a tree of {count} tokens needs more than {MAX_STATES} states: cut the sentence")
    finals = np.full(states, np.inf)
    finals[[number for (_, has_top, _, _), number in layer.items() if has_top]] = 0.0
    sources, olabels, ilabels, costs, targets = zip(*arcs, strict=True)
    return Lattice.from_arcs(
        sources, olabels, costs, targets, finals, words, inputs=(ilabels, decisions(count))
    ).connected()


_State = tuple[int, bool, int, int]
"""Two bits for each token, whether there is a top, the last kept word, and the last decision."""


class _Builder:
    """The moves of the acceptor, and the data of the sentence."""

    def __init__(self, bonds: Bonds, chain: Chain) -> None:
        count = len(bonds.heads)
        self.bonds = bonds
        self.keep = chain.keep.tolist()
        self.moves_cost: list[list[float]] = (-chain.transitions).tolist()
        last = list(range(count))  # the token after which each one is closed
        for position, head in enumerate(bonds.heads):
            if head != ROOT:
                last[head] = max(last[head], position)
        self.closing = [0] * count
        for position, index in enumerate(last):
            self.closing[index] |= 3 << 2 * position
        self.stays_open = [index > position for position, index in enumerate(last)]

    def moves(self, position: int, state: _State) -> Iterator[tuple[int, float, _State]]:
        """Yields (decision, cost, next state) for every possible decision on a token."""
        statuses, has_top, previous, before = state
        required = statuses >> 2 * position & 3
        transition = self.moves_cost[before] if position else [0.0, 0.0]
        kind = self.bonds.kinds[position]
        ways: list[tuple[int, int, float, bool, int]] = []  # decision, head's status, cost, top, last kept
        if required != _KEPT and position not in self.bonds.required:
            bound = _DELETED if self.bonds.obligatory[position] else 0
            ways.append((DELETE, bound, transition[DELETE], has_top, previous))
        if required != _DELETED and previous not in _FORBIDDEN.get(kind or "", ()):
            cost, last = transition[KEEP] - self.keep[position], _AFTER[kind]
            if self.bonds.heads[position] != ROOT or kind is not None:
                ways.append((KEEP, _KEPT, cost, has_top, last))
            if position in self.bonds.tops and not has_top:
                ways.append((KEEP, _DELETED, cost + self.bonds.tops[position], True, last))
        for decision, status, cost, top, last in ways:
            after = self._bind(statuses, position, status)
            if after is not None:
                yield decision, cost, (self._close(after, position, _STATUS[decision]), top, last, decision)

    def _bind(self, statuses: int, position: int, status: int) -> int | None:
        """Returns the statuses with `status` for the head (0: unchanged); None on a contradiction."""
        head = self.bonds.heads[position]
        if head == ROOT or not status:
            return statuses
        present = statuses >> 2 * head & 3
        if present:
            return statuses if present == status else None
        return statuses | status << 2 * head

    def _close(self, statuses: int, position: int, status: int) -> int:
        """Records the token's decision if it is needed later, and clears the bits of tokens that are not."""
        statuses &= ~(3 << 2 * position)
        if self.stays_open[position]:
            statuses |= status << 2 * position
        return statuses & ~self.closing[position]
