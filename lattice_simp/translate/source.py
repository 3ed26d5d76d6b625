"""The source of a translation: a word lattice, of which a sentence is the simplest kind (Dyer et al. 2008).

Positions of a sentence are states of a lattice; a span is a pair of states, and its length is that of its shortest
path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from lattice_simp.core.arcs import offsets_of
from lattice_simp.core.features import Features
from lattice_simp.core.kernel import Bools, Floats, Ints, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.marks import MARKS
from lattice_simp.core.sorting import lower_bound
from lattice_simp.core.symbols import SymbolTable, as_tokens
from lattice_simp.errors import EmptyLatticeError, LatticeSimpError
from lattice_simp.ops.nbest import shortest_path
from lattice_simp.ops.remove_epsilons import remove_epsilons

INPUT_FEATURE = "Input"
"""The score of an input lattice's paths: minus their costs. Its own features are named `Input:NAME`."""

INPUT_WEIGHT = 1.0
"""The default weight of `Input`: the costs of an input lattice count."""

MAX_STATES = 10_000
"""The most states of an input lattice, since a chart takes memory for every pair of states."""


Sentence: TypeAlias = "str | Sequence[str] | Lattice | Source"
"""The input of a translation: tokens, a string of tokens separated by blanks, or a word lattice."""


@dataclass(frozen=True, eq=False)
class Source:
    """A sentence or a word lattice: arcs with words between states 0 (the start) to `num_states - 1` (the end).

    Attributes:
        words: the words of the arcs.
        begins, ends: (arcs,) int32, the states of the arcs, sorted by `ends`, then `begins`; each arc leads to a
            higher state.
        num_states: the number of states.
        names: the names of the input's features; none for a sentence.
        scores: (features, arcs) float64.
    """

    words: tuple[str, ...]
    begins: Ints
    ends: Ints
    num_states: int
    names: tuple[str, ...] = ()
    scores: Floats | None = None

    @classmethod
    def from_words(cls, words: str | Sequence[str]) -> Source:
        """Makes the source of a sentence: arc i is token i.

        Raises:
            LatticeSimpError: a token holds a blank, as where the tokens are sentences.
        """
        words = as_tokens(words)
        whole = next((word for word in words if " " in word), None)
        if whole is not None:
            raise LatticeSimpError(f"the token {whole!r:.80} holds a blank; give one sentence, a string or its tokens")
        positions = np.arange(len(words) + 1, dtype=np.int32)
        return cls(words, positions[:-1], positions[1:], len(words) + 1)

    @classmethod
    def from_lattice(cls, lattice: Lattice) -> Source:
        """Makes the source of an acyclic acceptor, without its empty string and marks (`MARKS`).

        >>> source = Source.from_lattice(Lattice.from_strings([("a b", 0.5), ("c", 1.0)]))
        >>> source.words, source.num_states, source.names, source.scores.tolist()
        (('a', 'c', 'b'), 3, ('Input',), [[0.0, -1.0, -0.5]])

        Raises:
            CyclicLatticeError, InvalidLatticeError: the lattice has a cycle, or is a transducer.
            EmptyLatticeError: it has no string but the empty one.
            LatticeSimpError: it has too many states.
        """
        lattice = _with_one_end(remove_epsilons(lattice.without_words(MARKS)))
        if not lattice.num_arcs:
            raise EmptyLatticeError("the input lattice has no words")
        if lattice.num_states > MAX_STATES:
            raise LatticeSimpError(
                f"the input lattice has {lattice.num_states} states, and at most {MAX_STATES} can be translated; "
                "prune or minimize it first"
            )
        order = np.lexsort((lattice.sources, lattice.nextstates))
        words = np.array([lattice.symbols[label] for label in lattice.olabels[order].tolist()], dtype=object)
        return cls(
            tuple(words),
            lattice.sources[order],
            lattice.nextstates[order],
            lattice.num_states,
            (INPUT_FEATURE, *(f"{INPUT_FEATURE}:{name}" for name in lattice.features)),
            np.concatenate((0.0 - lattice.weights[None, order], lattice.features.arcs[:, order])),
        )

    @property
    def is_empty(self) -> bool:
        """Whether there are no words."""
        return not self.words

    def costs(self, weights: Mapping[str, float]) -> Floats:
        """Returns the costs of the arcs, (arcs,) float64: minus the weighted sums of their scores."""
        if self.scores is None:
            return np.zeros(len(self.words))
        default = {INPUT_FEATURE: INPUT_WEIGHT}
        return -np.array([weights.get(name, default.get(name, 0.0)) for name in self.names]) @ self.scores

    @cached_property
    def best_words(self) -> tuple[str, ...]:
        """The words of a sentence, or of the lattice's cheapest path."""
        if self.scores is None:
            return self.words
        finals = np.full(self.num_states, np.inf)
        finals[-1] = 0.0
        labels = np.arange(1, len(self.words) + 1)
        table = SymbolTable(map(str, range(len(self.words))))
        path = shortest_path(Lattice.from_arcs(self.begins, labels, -self.scores[0], self.ends, finals, table))
        return tuple(self.words[int(number)] for number in path.tokens)

    def near(self, max_span: int) -> Bools:
        """Returns (states, states), whether the shortest path from one to another has at most `max_span` words."""
        spans: Bools = _near(self.begins, self.ends, self.num_states, max_span)
        return spans


def as_source(sentence: Sentence) -> Source:
    """Returns the source of a sentence (tokens, or a string of them) or of a word lattice."""
    if isinstance(sentence, Source):
        return sentence
    return Source.from_lattice(sentence) if isinstance(sentence, Lattice) else Source.from_words(sentence)


def _with_one_end(lattice: Lattice) -> Lattice:
    """Returns the lattice without its empty string, with the last state as its only final one, which no arc leaves.

    Arcs into other final states get copies that lead to the end and carry the final costs and features.
    """
    final = np.isfinite(lattice.finals)
    into = np.flatnonzero(final[lattice.nextstates]).astype(np.int32)
    number = lattice.num_states
    sources = np.concatenate((lattice.sources, lattice.sources[into]))
    arcs = np.concatenate((np.arange(lattice.num_arcs, dtype=np.int32), into))
    order = np.argsort(sources, kind="stable")
    arcs, is_last = arcs[order], (np.arange(len(arcs)) >= lattice.num_arcs)[order]
    ended = lattice.nextstates[arcs]
    offsets = offsets_of(sources, number + 1)
    ended_lattice = lattice.gather(
        arcs,
        offsets,
        np.where(is_last, number, ended).astype(np.int32),
        np.full(number + 1, -1, dtype=np.int32),
        weights=lattice.weights[arcs] + np.where(is_last, np.where(final, lattice.finals, 0.0)[ended], 0.0),
        finals=np.append(np.full(number, np.inf), 0.0),
    )
    names, scores, ends = lattice.features.names, lattice.features.arcs, lattice.features.finals
    scores = scores[:, arcs] + np.where(is_last, ends[:, ended], 0.0)
    return replace(ended_lattice, features=Features(names, scores, np.zeros((len(names), number + 1)))).connected()


@jit
def _near(begins: Ints, ends: Ints, num_states: int, max_span: int) -> Bools:
    near = np.zeros((num_states, num_states), dtype=np.bool_)
    for start in range(num_states):
        distance = np.full(num_states, max_span + 1, dtype=np.int32)
        distance[start] = 0
        for arc in range(lower_bound(ends, 0, len(ends), start + 1), len(ends)):
            if begins[arc] >= start and distance[begins[arc]] < max_span:
                distance[ends[arc]] = min(distance[ends[arc]], distance[begins[arc]] + 1)
        for end in range(start, num_states):
            near[start, end] = distance[end] <= max_span
    return near
