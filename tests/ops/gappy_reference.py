"""Gappy matching by brute force: one full hypothesis against one skeleton hypothesis at a time."""

from __future__ import annotations

import math
from functools import cache

from helpers import arc_paths, keep_least, paths, random_lattice

from lattice_simp.ops.compose_gappy import EditCosts

WORDS = ("a", "b", "c", "ca")
FORBIDDEN = EditCosts(math.inf, math.inf, math.inf)


def first_letter(word):
    return word[0]


def random_hypotheses(rng, count, words=WORDS, longest=4, shortest=1):
    """Returns (words, cost) pairs; strings may occur twice."""
    return [
        (" ".join(rng.choice(words, rng.integers(shortest, longest + 1))), round(float(rng.uniform(-1, 2)), 3))
        for _ in range(count)
    ]


def least_by_string(pairs):
    table = {}
    keep_least(table, ((tuple(words.split()), cost) for words, cost in pairs))
    return table


def random_full(rng, states=7, **options):
    """Makes a full lattice with at least one path: epsilons, two columns, numbered arcs, several finals."""
    while True:
        lattice = random_lattice(
            rng,
            states,
            WORDS,
            **{"epsilon": True, "columns": ("x", "y"), "numbered": True, "arcs_per_state": 2.2} | options,
        )
        if next(paths(lattice), None):
            return lattice


def alignment_cost(words, key, gaps=None, edits=FORBIDDEN):
    """Returns the least cost of the moves that turn `key` into `words` (infinity for none).

    Args:
        gaps: the places where words may be skipped (numbers of skeleton words before the gap); None for all.
    """

    @cache
    def rest(i, j):
        if i == len(words) and j == len(key):
            return 0.0
        least = math.inf
        if i < len(words) and (gaps is None or j in gaps):
            least = rest(i + 1, j)
        if j < len(key):
            least = min(least, edits.deletion + rest(i, j + 1))
            if i < len(words):
                price = edits.substitution
                if edits.stem < math.inf and edits.stem_of(words[i]) == edits.stem_of(key[j]):
                    price = min(price, edits.stem)
                least = min(least, (0.0 if words[i] == key[j] else price) + rest(i + 1, j + 1))
        return least

    return rest(0, 0)


def rho_cost(words, hypotheses):
    """Follows the hypotheses as one deterministic matcher that skips a word only if none can go on with it."""
    alive = [(key, cost) for key, cost in hypotheses.items()]
    for word in words:
        following = [(key[1:], cost) for key, cost in alive if key and key[0] == word]
        alive = following or alive
    return min((cost for key, cost in alive if not key), default=math.inf)


def expected_sigma(full, pairs, weight=1.0, positions=None, edits=FORBIDDEN):
    """Returns the least joint cost of every full string that contains a skeleton hypothesis."""
    table = {}
    for words, _, cost in paths(full):
        for number, (hypothesis, skeleton_cost) in enumerate(pairs):
            moves = alignment_cost(words, tuple(hypothesis.split()), positions and positions[number], edits)
            if moves < math.inf:
                keep_least(table, iter([(words, cost + weight * skeleton_cost + moves)]))
    return table


def path_rows(lattice):
    """Returns for each path its input labels, its cost and its column sums."""
    rows = []
    for arcs, state in arc_paths(lattice):
        sums = {
            name: float(column[arcs].sum() + lattice.features.final(name)[state])
            for name, column in lattice.features.items()
        }
        labels = tuple(label for label in lattice.ilabels[arcs].tolist() if label)
        rows.append((labels, float(lattice.weights[arcs].sum() + lattice.finals[state]), sums))
    return rows
