"""Lattices of pieces as lattices of words."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lattice_simp.core.arguments import whole
from lattice_simp.core.blocks import block_numbers, chosen_blocks
from lattice_simp.core.features import Features
from lattice_simp.core.kernel import Bools, Floats, Longs
from lattice_simp.core.lattice import INFINITY, Lattice, require_lattice
from lattice_simp.core.symbols import EPSILON, SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.pieces import MarkCheck, PieceKind, pieces_named
from lattice_simp.ops.remove_epsilons import remove_epsilons

MAX_ARCS = 1_000_000
"""The default limit for lattices of words."""


def join_pieces(lattice: Lattice, pieces: PieceKind = "bpe", *, max_arcs: int = MAX_ARCS) -> Lattice:
    """Joins the subwords on each path of a lattice into words.

    >>> lattice = join_pieces(Lattice.from_strings([("the hous@@ es", 1.0), ("the hous@@ ing", 2.0)]))
    >>> [lattice.symbols[label] for label in lattice.olabels]
    ['the', 'houses', 'housing']

    Costs and features of a word are the sums of those of its pieces. Where many words share pieces, the lattice of
    words may be much larger.

    Args:
        lattice: an acyclic acceptor.
        pieces: `bpe` (`@@` where a word goes on), `sentencepiece` (`▁` where it begins), or `none`.
        max_arcs: more are an error.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
        InvalidLatticeError: the lattice is a transducer.
        LatticeSimpError: unknown pieces, pieces without the marks of their kind, or more than `max_arcs` arcs.
    """
    require_lattice("join_pieces", lattice)
    kind, max_arcs = pieces_named(pieces), whole(max_arcs, "max_arcs", 1)
    if kind is None:
        return lattice
    lattice.require_acceptor()
    lattice = remove_epsilons(lattice) if lattice.has_epsilons() else lattice.connected()
    if not lattice.num_arcs:  # it accepts nothing, or the empty string alone
        return lattice
    words = lattice.symbols.words
    check = MarkCheck(pieces)
    check.see([words[1:]] if lattice.num_states > 2 else [[word] for word in words[1:]])
    check.refuse_foreign()
    begins = np.array([kind.begins(word) for word in words])[lattice.olabels]
    goes_on = np.array([kind.goes_on(word) for word in words])[lattice.olabels]
    texts = [kind.text(word) for word in words]
    return _Joining(lattice, begins, goes_on, texts, bool(kind.before), max_arcs).joined()


@dataclass(frozen=True)
class _Open:
    """Incomplete words, as columns.

    Attributes:
        origins: (words,) the states where they begin.
        states: (words,) the states that their pieces so far lead to.
        texts: (words,) numbers of their texts.
        weights: (words,) the sums of costs.
        features: (features, words) the sums of scores.
    """

    origins: Longs
    states: Longs
    texts: Longs
    weights: Floats
    features: Floats

    def at(self, chosen: Bools | Longs) -> _Open:
        return _Open(
            self.origins[chosen],
            self.states[chosen],
            self.texts[chosen],
            self.weights[chosen],
            self.features[:, chosen],
        )


@dataclass(frozen=True)
class _Joining:
    """Joins the pieces of one lattice; all words grow side by side, one piece at a time.

    The arc of a complete word leads to the state after its last piece. Where a path ends within a word, the arc leads
    to a copy of that state without outgoing arcs.

    Attributes:
        begins, goes_on: (num_arcs,) whether a word begins with an arc, or goes on after it.
        texts: the text of each label, without marks.
        marked_begin: whether marks are at the beginnings of words, and not where a word goes on.
    """

    lattice: Lattice
    begins: Bools
    goes_on: Bools
    texts: list[str]
    marked_begin: bool
    max_arcs: int

    def joined(self) -> Lattice:
        lattice = self.lattice
        strings = _Strings(self.texts)
        first = np.arange(lattice.num_arcs)
        if self.marked_begin:
            first = np.flatnonzero(self.begins | (lattice.sources == 0))
        growing = self._grown(None, first, strings)
        parts: list[_Open] = []
        while len(growing.states):
            arcs, parents = self._leaving(growing.states)
            if self.marked_begin:
                complete = np.isfinite(lattice.finals) | self._has(self.begins)
                parts.append(growing.at(complete[growing.states]))
                followed = ~self.begins[arcs]
            else:
                is_open = growing.states >= lattice.num_states
                parts += [growing.at(~is_open), self._ended(growing)]
                followed = is_open[parents]
            if sum(len(part.states) for part in parts) + int(followed.sum()) > self.max_arcs:
                raise LatticeSimpError(
                    f"the lattice of words has more than {self.max_arcs:,} arcs; prune the lattice of pieces first"
                )
            growing = self._grown(growing.at(parents[followed]), arcs[followed], strings)
        return self._lattice(parts, strings)

    def _grown(self, before: _Open | None, arcs: Longs, strings: _Strings) -> _Open:
        """Extends words by one piece each, or starts words if `before` is None."""
        lattice = self.lattice
        labels = lattice.olabels[arcs].astype(np.int64)
        weights, scores = lattice.weights[arcs], np.asarray(lattice.features.arcs[:, arcs], dtype=np.float64)
        states = lattice.nextstates[arcs].astype(np.int64)
        if not self.marked_begin:
            states = np.where(self.goes_on[arcs], states + lattice.num_states, states)  # marks an open word
        if before is None:
            return _Open(lattice.sources[arcs].astype(np.int64), states, strings.numbers(None, labels), weights, scores)
        texts = strings.numbers(before.texts, labels)
        return _Open(before.origins, states, texts, before.weights + weights, before.features + scores)

    def _leaving(self, states: Longs) -> tuple[Longs, Longs]:
        """Returns the arcs that leave these states, and the index of each arc's source among them."""
        arcs, begins = chosen_blocks(self.lattice.offsets, states % self.lattice.num_states)
        return arcs, block_numbers(begins)

    def _has(self, kind: Bools) -> Bools:
        """Marks the states that an arc of this kind leaves."""
        return np.bincount(self.lattice.sources[kind], minlength=self.lattice.num_states) > 0

    def _ended(self, growing: _Open) -> _Open:
        """Returns the open words that a path may end within; their states already stand for the copies."""
        finals = np.append(np.full(self.lattice.num_states, INFINITY), self.lattice.finals)
        return growing.at(np.isfinite(finals[growing.states]))

    def _lattice(self, parts: list[_Open], strings: _Strings) -> Lattice:
        lattice, features = self.lattice, self.lattice.features
        symbols = SymbolTable()
        labels = np.array([symbols.add(text) if text else EPSILON for text in strings.texts], dtype=np.int32)
        scores = np.concatenate([part.features for part in parts], axis=1)
        joined = Lattice.from_arcs(
            np.concatenate([part.origins for part in parts]),
            labels[np.concatenate([part.texts for part in parts])],
            np.concatenate([part.weights for part in parts]),
            np.concatenate([part.states for part in parts]),
            np.tile(lattice.finals, 2),
            symbols,
            features=Features(features.names, scores, np.tile(features.finals, 2)),
        )
        return replace(joined, header=lattice.header).connected()


class _Strings:
    """Numbers distinct texts."""

    def __init__(self, pieces: list[str]) -> None:
        self._pieces = pieces
        self._numbers: dict[str, int] = {}
        self.texts: list[str] = []

    def numbers(self, before: Longs | None, labels: Longs) -> Longs:
        """Appends the piece of each label to the text with this number (None: empty); returns the new numbers."""
        rest = np.full(len(labels), -1) if before is None else before
        pairs, pair_numbers = np.unique(np.stack((rest, labels)), axis=1, return_inverse=True)
        numbers = [
            self._number((self.texts[text] if text >= 0 else "") + self._pieces[label])
            for text, label in pairs.T.tolist()
        ]
        return np.array(numbers, dtype=np.int64)[pair_numbers.reshape(-1)]

    def _number(self, text: str) -> int:
        if text not in self._numbers:
            self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return self._numbers[text]
