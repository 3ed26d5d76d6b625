"""The path with the best sentence BLEU: exact searches with linear gains, judged by BLEU itself.

Sentence BLEU does not decompose over arcs, and its exact oracle is a hard problem. Its linear approximation (Tromble,
Kumar, Och and Macherey 2008) does: a word brings `theta_0`, and each n-gram that a reference holds `theta_n`. The path
with the greatest gain is found exactly in the product of the lattice and the automaton of the references' n-grams.
Where it holds an n-gram more often than BLEU counts it, that n-gram's gain is lowered, and the search is repeated.
These are the oracles LB and RLX (Lagrangian relaxation) of Sokolov, Wisniewski and Yvon (2012), "Computing Lattice
BLEU Oracle Scores for Machine Translation". Good gains depend on the sentence (that of a word mostly on how long the
paths are), so a grid of gains is searched, and the best path by true sentence BLEU is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.hypothesis import Hypothesis, cheapest_of_strings
from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.ops.mbr import TIE_BREAK
from lattice_simp.ops.nbest import path_hypothesis, shortest_path
from lattice_simp.scores.bleu import sentence_bleus

WORD_GAINS = (-1.0, -0.5, -0.25, 0.0, 0.25)
"""Values of theta_0, the gain of a word; a unigram of the references gains another 1/2."""

RATIOS = (0.4, 0.6, 0.8)
"""Values of r, the factor by which precision falls from one order to the next: theta_n = 1 / (2 r^(n - 1))."""

ORDER = 4

ROUNDS = 8
"""The most searches for each pair of values, while n-grams occur too often."""


def bleu_oracle(lattice: Lattice, references: Sequence[tuple[str, ...]]) -> tuple[Hypothesis, float]:
    """Returns the path with the best sentence BLEU that the searches find (of ties the cheapest), and its BLEU."""
    grams = ReferenceGrams.of(lattice, references)
    paths = [shortest_path(lattice, ignore=())]
    for word_gain, ratio in product(WORD_GAINS, RATIOS):
        paths += _relaxed(lattice, grams, np.array([0.5 / ratio**below for below in range(ORDER)]), word_gain)
    cheapest = cheapest_of_strings(paths)
    scores = sentence_bleus(list(cheapest), references)
    best = int(scores.argmax())
    return list(cheapest.values())[best], float(scores[best])


def _relaxed(lattice: Lattice, grams: ReferenceGrams, order_gains: Floats, word_gain: float) -> Iterator[Hypothesis]:
    """Yields the path with the greatest gain, then paths for lower gains of the n-grams that occurred too often."""
    gains = order_gains[grams.lengths - 1]
    penalties = np.zeros(len(gains))
    for step in range(1, ROUNDS + 1):
        path = linear_oracle(lattice, grams, gains - penalties, word_gain)
        yield path
        excess = grams.counts_in(lattice.olabels[path.arcs]) - grams.limits
        if not (excess > 0).any():
            return
        penalties = np.maximum(0.0, penalties + gains * excess / step)


class ReferenceGrams(NamedTuple):
    """The n-grams of the references, and an automaton whose nodes are the last words read.

    Attributes:
        words: (labels of the lattice,) int32, the number of each word of a reference, one more for all others; -1 for
            epsilon.
        following: (nodes, words) int32, the node after each node and word; node 0 is the empty n-gram.
        ended: (nodes, words, max_order) int32, the n-gram of each length that the word ends there; -1 for none.
        lengths: (grams,) int32.
        limits: (grams,) int32, how often each n-gram occurs in the reference that holds it most often.
    """

    words: Ints
    following: Ints
    ended: Ints
    lengths: Ints
    limits: Ints

    @classmethod
    def of(cls, lattice: Lattice, references: Sequence[tuple[str, ...]], max_order: int = ORDER) -> ReferenceGrams:
        """Makes the automaton; n-grams with words that the lattice lacks are left out."""
        labels = [lattice.symbols.lookup(tokens) for tokens in references]
        used = np.unique(np.concatenate(labels))
        used = used[used > 0]
        words = np.full(len(lattice.symbols), len(used), dtype=np.int32)
        words[0], words[used] = -1, np.arange(len(used))
        limits: Counter[tuple[int, ...]] = Counter()
        for ids in labels:
            numbers = [int(words[label]) if label > 0 else len(used) for label in ids.tolist()]
            limits |= Counter(gram for gram in _grams(numbers, max_order) if len(used) not in gram)
        grams = {gram: number for number, gram in enumerate(limits)}
        nodes = {gram: node for node, gram in enumerate([(), *(gram for gram in grams if len(gram) < max_order)])}
        following = np.zeros((len(nodes), len(used) + 1), dtype=np.int32)
        ended = np.full((len(nodes), len(used) + 1, max_order), -1, dtype=np.int32)
        for (gram, node), word in product(nodes.items(), range(len(used))):
            suffixes = [(*gram[begin:], word) for begin in range(len(gram) + 1)]
            following[node, word] = next((nodes[suffix] for suffix in suffixes if suffix in nodes), 0)
            for suffix in suffixes:
                ended[node, word, len(suffix) - 1] = grams.get(suffix, -1)
        lengths = np.array([len(gram) for gram in grams], dtype=np.int32)
        return cls(words, following, ended, lengths, np.array([*limits.values()], dtype=np.int32))

    def counts_in(self, labels: Ints) -> Longs:
        """Returns how often a string of the lattice's labels holds each n-gram, (grams,) int64."""
        node, counts = 0, []
        for word in self.words[labels].tolist():
            if word >= 0:
                counts.append(self.ended[node, word])
                node = int(self.following[node, word])
        matches = np.concatenate([*counts, np.zeros(0, dtype=np.int32)])
        return np.bincount(matches[matches >= 0].astype(np.int64), minlength=len(self.lengths))


def _grams(words: Sequence[int], max_order: int) -> Iterator[tuple[int, ...]]:
    for order in range(1, max_order + 1):
        for begin in range(len(words) - order + 1):
            yield tuple(words[begin : begin + order])


def linear_oracle(lattice: Lattice, grams: ReferenceGrams, gram_gains: Floats, word_gain: float) -> Hypothesis:
    """Returns the path with the greatest sum of gains of its words and n-gram occurrences; of ties the cheapest."""
    gains = np.append(gram_gains, 0.0)[grams.ended].sum(axis=2) + word_gain
    arcs, end = _search(lattice.arcs, grams.words, grams.following, gains)
    return path_hypothesis(lattice, arcs, int(end))


@jit
def _search(lattice: Arcs, words: Ints, following: Ints, gains: Floats) -> tuple[Ints, int]:
    """Returns (arcs, final state) of the path with the greatest gain; a small share of the cost breaks ties."""
    offsets, labels, weights, nextstates, finals = lattice
    num_states, num_nodes = len(finals), len(following)
    best = np.full((num_states, num_nodes), -np.inf)
    arrived = np.full((num_states, num_nodes), -1, dtype=np.int32)
    before = np.zeros((num_states, num_nodes), dtype=np.int32)
    best[0, 0] = 0.0
    end, last, most = -1, 0, -np.inf
    for state in range(num_states):
        for node in range(num_nodes):
            so_far = best[state, node]
            if so_far == -np.inf:
                continue
            for arc in range(offsets[state], offsets[state + 1]):
                word, target, goal, total = words[labels[arc]], nextstates[arc], node, so_far - TIE_BREAK * weights[arc]
                if word >= 0:
                    goal = following[node, word]
                    total += gains[node, word]
                if total > best[target, goal]:
                    best[target, goal], arrived[target, goal], before[target, goal] = total, arc, node
            total = so_far - TIE_BREAK * finals[state]
            if total > most:
                end, last, most = state, node, total
    sources = np.empty(len(labels), dtype=np.int32)
    for state in range(num_states):
        sources[offsets[state] : offsets[state + 1]] = state
    path = np.empty(num_states, dtype=np.int32)
    state, node, used = end, last, 0
    while arrived[state, node] >= 0:
        path[used] = arrived[state, node]
        node = before[state, node]
        state = sources[path[used]]
        used += 1
    return path[:used][::-1].copy(), end
