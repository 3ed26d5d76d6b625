"""Equivalent lattices with the same strings and probabilities, and their content by enumeration."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from helpers import probabilities

from lattice_simp import Lattice, SymbolTable


def layouts(lattice, rng):
    """Yields (name, equivalent lattice) pairs; costs are those of scale 1."""
    costs = [(words, -math.log(mass)) for words, mass in probabilities(lattice).items()]
    order = [costs[number] for number in rng.permutation(len(costs))]
    tree = Lattice.from_strings(
        order, SymbolTable(sorted({word for words, _ in costs for word in words}, reverse=True))
    )
    yield "prefix tree", tree
    backwards = Lattice.from_strings([(words[::-1], cost) for words, cost in order])
    yield "suffix tree", _reversed(backwards)
    for name, form in (("lattice", lattice.project_output().topsorted()), ("tree", tree)):
        for change, changed in forms(form, rng):
            yield f"{name}, {change}", changed


def forms(lattice, rng):
    """Yields (name, equivalent lattice) pairs that hold no more than a few times the lattice's arcs."""
    yield "shuffled", _shuffled(lattice, rng)
    yield "other labels", _relabelled(lattice, rng)
    yield "split states", _split(lattice, rng)
    yield "doubled arcs", _doubled(lattice, rng)
    yield "epsilons", _with_epsilons(lattice, rng)
    yield "pushed", _pushed(lattice, rng)
    yield "all of it", _shuffled(_pushed(_with_epsilons(_doubled(_split(lattice, rng), rng), rng), rng), rng)


def _made(lattice, sources, labels, weights, nextstates, finals):
    return Lattice.from_arcs(sources, labels, weights, nextstates, finals, lattice.symbols)


def _columns(lattice):
    return [array.copy() for array in (lattice.sources, lattice.olabels, lattice.weights, lattice.nextstates)]


def _reversed(lattice):
    """Returns the lattice of the reversed strings: a new start leads to the final states."""
    sources, labels, weights, nextstates = _columns(lattice)
    ends = np.flatnonzero(np.isfinite(lattice.finals))
    finals = np.full(lattice.num_states + 1, np.inf)
    finals[1] = 0.0
    return _made(
        lattice,
        np.concatenate((nextstates + 1, np.zeros(len(ends), dtype=int))),
        np.concatenate((labels, np.zeros(len(ends), dtype=int))),
        np.concatenate((weights, lattice.finals[ends])),
        np.concatenate((sources + 1, ends + 1)),
        finals,
    )


def _shuffled(lattice, rng):
    names = np.append(0, 1 + rng.permutation(lattice.num_states - 1))
    order = rng.permutation(lattice.num_arcs)
    sources, labels, weights, nextstates = (column[order] for column in _columns(lattice))
    finals = np.empty(lattice.num_states)
    finals[names] = lattice.finals
    return _made(lattice, names[sources], labels, weights, names[nextstates], finals)


def _relabelled(lattice, rng):
    words = lattice.symbols.words[1:]
    return lattice.with_symbols(SymbolTable(["unused", *(words[number] for number in rng.permutation(len(words)))]))


def _split(lattice, rng):
    """Adds a copy of each state but the start, with the same leaving arcs, and redirects some arcs to it."""
    size = lattice.num_states
    sources, labels, weights, nextstates = _columns(lattice)
    goals = np.concatenate((nextstates, nextstates))
    return _made(
        lattice,
        np.concatenate((sources, sources + size)),
        np.concatenate((labels, labels)),
        np.concatenate((weights, weights)),
        goals + size * rng.integers(0, 2, len(goals)),
        np.concatenate((lattice.finals, lattice.finals)),
    )


def _doubled(lattice, rng):
    """Splits the probability of each arc between two arcs."""
    sources, labels, weights, nextstates = _columns(lattice)
    share = rng.uniform(0.1, 0.9, len(weights))
    doubled = [np.concatenate((column, column)) for column in (sources, labels, nextstates)]
    weights = np.concatenate((weights - np.log(share), weights - np.log(1.0 - share)))
    return _made(lattice, doubled[0], doubled[1], weights, doubled[2], lattice.finals)


def _with_epsilons(lattice, rng):
    """Inserts a state and an epsilon after some of the arcs."""
    sources, labels, weights, nextstates = _columns(lattice)
    chosen = np.flatnonzero(rng.random(len(sources)) < 0.4)
    between = lattice.num_states + np.arange(len(chosen))
    goals, parts = nextstates[chosen], rng.uniform(-1, 1, len(chosen))
    nextstates[chosen] = between
    weights[chosen] -= parts
    return _made(
        lattice,
        np.concatenate((sources, between)),
        np.concatenate((labels, np.zeros(len(chosen), dtype=int))),
        np.concatenate((weights, parts)),
        np.concatenate((nextstates, goals)),
        np.concatenate((lattice.finals, np.full(len(chosen), np.inf))),
    )


def _pushed(lattice, rng):
    """Moves costs along paths, and adds the same cost to all paths."""
    potentials = rng.uniform(-2, 2, lattice.num_states)
    weights = lattice.weights + potentials[lattice.nextstates] - potentials[lattice.sources]
    return replace(lattice, weights=weights, finals=lattice.finals - potentials)


def alignment(tokens, pivot):
    """Returns (column, run, word or None) of each word, and of each skipped word of the pivot.

    The alignment has the fewest edits, then the fewest replaced words; from the end back, words of the pivot are
    skipped where that is possible, words are inserted where nothing else is. `column` counts the pivot's words from 1;
    inserted words stand after one, and `run` counts them back from the next.
    """
    costs = {}
    for i in range(len(tokens) + 1):
        for j in range(len(pivot) + 1):
            ways = []
            if j:
                ways.append((costs[i, j - 1][0] + 1, costs[i, j - 1][1]))
            if i and j:
                other = tokens[i - 1] != pivot[j - 1]
                ways.append((costs[i - 1, j - 1][0] + other, costs[i - 1, j - 1][1] + other))
            if i:
                ways.append((costs[i - 1, j][0] + 1, costs[i - 1, j][1]))
            costs[i, j] = min(ways, default=(0, 0))
    results, i, j, run = [], len(tokens), len(pivot), 0
    while i or j:
        if j and costs[i, j] == (costs[i, j - 1][0] + 1, costs[i, j - 1][1]):
            results.append((j, 0, None))
            j, run = j - 1, 0
            continue
        other = i and j and tokens[i - 1] != pivot[j - 1]
        if i and j and costs[i, j] == (costs[i - 1, j - 1][0] + other, costs[i - 1, j - 1][1] + other):
            results.append((j, 0, tokens[i - 1]))
            i, j, run = i - 1, j - 1, 0
        else:
            run += 1
            results.append((j, run, tokens[i - 1]))
            i -= 1
    return results


def expected_confidences(shares, pivot):
    """Returns the probability of each word of the pivot at its place, by the alignment of each string."""
    result = [0.0] * len(pivot)
    for tokens, share in shares.items():
        for column, run, word in alignment(tokens, pivot):
            if not run and word == pivot[column - 1]:
                result[column - 1] += share
    return result


def expected_slots(shares, pivot):
    """Returns {word or None: probability} of each slot, by the alignment of each string."""
    values = {}
    for tokens, share in shares.items():
        for column, run, word in alignment(tokens, pivot):
            slot = values.setdefault((column, run > 0, -run), {})
            slot[word] = slot.get(word, 0.0) + share
    for (_, inserted, _), slot in values.items():
        if inserted:
            slot[None] = 1.0 - sum(slot.values())
    return [values[key] for key in sorted(values)]
