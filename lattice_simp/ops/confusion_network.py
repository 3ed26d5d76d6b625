"""Confusion networks: a lattice as a row of slots, in each of which one word or none is chosen.

After Mangu, Brill and Stolcke (2000), "Finding consensus in speech recognition": arcs are clustered until the clusters
are in a total order that respects the order of the arcs on every path. First clusters of the same word are merged,
then those of different words, the most similar ones first, and only ones that no path holds both of. So each path has
at most one arc in a slot, in order: the network holds every string of the lattice. The string of each slot's most
probable word, the consensus, has the fewest expected errors if strings are aligned as the network does.

Times say how similar clusters are. Where there are none, an arc's place is where it lies on its average path: the
words expected before it, as a share of those before and after it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.features import Features
from lattice_simp.core.kernel import Bools, Floats, Ints, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON
from lattice_simp.ops.arc_posteriors import arc_posteriors, leaving_probabilities
from lattice_simp.ops.prune import prune

Bits: TypeAlias = npt.NDArray[np.uint64]

TIME = "time"
"""The feature with the seconds of each arc."""

LEAST = np.finfo(np.float64).tiny
"""A probability in the place of those that are too small for a float: what the lattice holds, the network holds."""


def confusion_network(lattice: Lattice, scale: float = 1.0, *, max_arcs: int | None = 5000) -> Lattice:
    """Returns the slots as a chain of states: each arc a word (or epsilon) at its negative log probability.

    >>> network = confusion_network(Lattice.from_strings([("a b c", 0.0), ("a c", 0.0), ("d b e", 1.0)]))
    >>> for slot in range(network.num_states - 1):
    ...     arcs = range(*network.offsets[slot : slot + 2])
    ...     print({network.symbols[network.olabels[arc]]: f"{np.exp(-network.weights[arc]):.2f}" for arc in arcs})
    {'a': '0.84', 'd': '0.16'}
    {'b': '0.58', '<epsilon>': '0.42'}
    {'c': '0.84', 'e': '0.16'}

    The probabilities of a slot sum to 1; its most probable word comes first. The shortest path is the consensus.

    Args:
        lattice: acyclic; a path with cost c has the probability exp(-scale * c) / Z. With a feature "time" (the
            seconds of each arc, as SLF files tell them), clusters are compared by times.
        scale: above 0; the larger, the closer to the best paths alone.
        max_arcs: larger lattices are pruned to so many arcs first, as time grows with their square; None keeps all.

    Returns:
        An acceptor whose states are sorted, with the feature "time" if the lattice has it, and no others; it has no
        slots if the lattice holds the empty string alone, and accepts nothing if the lattice does.

    Raises:
        LatticeSimpError: the scale is not a number above 0, or `max_arcs` below 1.
        CyclicLatticeError: the lattice has a cycle.
    """
    lattice = lattice.connected() if max_arcs is None else prune(lattice, max_arcs=max_arcs)
    through = arc_posteriors(lattice, scale)
    if lattice.empty:
        return replace(lattice.project_output(), features=Features.empty(0, lattice.num_states))
    is_word = lattice.olabels != EPSILON
    begins, ends = _places(lattice, is_word, through, scale)
    numbers, clusters = _initial_clusters(lattice, is_word, through, begins, ends)
    slots = np.full(lattice.num_arcs, -1, dtype=np.int32)
    slots[is_word] = _merged(lattice.arcs, numbers, clusters)[numbers[is_word]]
    network = _chain(lattice, slots, through)
    if TIME not in lattice.features:
        return network
    seconds = _seconds(slots, through, begins, float(through @ lattice.features[TIME]))
    return network.with_feature(TIME, seconds[network.sources])


class _Clusters(NamedTuple):
    """Arcs that are alternatives, of the same states and word at first; sorted by words.

    Attributes:
        words: (clusters,) int32.
        targets: (clusters,) int32, the state that the arcs lead to.
        masses: (clusters,) float64, their probability.
        begins, ends: (clusters,) float64, their place on the path, in words or seconds.
    """

    words: Ints
    targets: Ints
    masses: Floats
    begins: Floats
    ends: Floats


def _initial_clusters(
    lattice: Lattice, is_word: Bools, through: Floats, begins: Floats, ends: Floats
) -> tuple[Ints, _Clusters]:
    """Returns the cluster of each arc (-1 without a word), and the clusters of arcs between the same states."""
    keys = np.stack((lattice.olabels, lattice.sources, lattice.nextstates))[:, is_word]
    found, first, own = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    first = np.flatnonzero(is_word)[first]
    numbers = np.full(lattice.num_arcs, -1, dtype=np.int32)
    numbers[is_word] = own.reshape(-1)
    masses: Floats = np.bincount(numbers[is_word], weights=through[is_word], minlength=len(first)).astype(np.float64)
    words, _, targets = np.ascontiguousarray(found, dtype=np.int32)
    return numbers, _Clusters(words, targets, masses, begins[first], ends[first])


def _places(lattice: Lattice, is_word: Bools, through: Floats, scale: float) -> tuple[Floats, Floats]:
    """Returns where each arc begins and ends, (num_arcs,) each."""
    if TIME in lattice.features:
        times = _expected_before(lattice.arcs, np.maximum(through, LEAST), lattice.features[TIME])
        return times[lattice.sources], times[lattice.nextstates]
    lengths = is_word.astype(np.float64)
    before = _expected_before(lattice.arcs, np.maximum(through, LEAST), lengths)
    after = _expected_after(lattice.arcs, leaving_probabilities(lattice, scale), lengths)
    begins, ends = before[lattice.sources], before[lattice.sources] + lengths
    per_word = after[0] / np.maximum(ends + after[lattice.nextstates], 1.0)
    return begins * per_word, ends * per_word


@jit
def _expected_before(arcs: Arcs, through: Floats, lengths: Floats) -> Floats:
    """Returns the expected length of the paths to each state, (num_states,)."""
    totals, visits = np.zeros(len(arcs.finals)), np.zeros(len(arcs.finals))
    for state in range(len(totals)):
        expected = totals[state] / visits[state] if state else 0.0
        totals[state] = expected
        for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
            totals[arcs.nextstates[arc]] += through[arc] * (expected + lengths[arc])
            visits[arcs.nextstates[arc]] += through[arc]
    return totals


@jit
def _expected_after(arcs: Arcs, leaving: Floats, lengths: Floats) -> Floats:
    """Returns the expected length of the paths from each state on, (num_states,)."""
    expected = np.zeros(len(arcs.finals))
    for state in range(len(expected) - 1, -1, -1):
        for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
            expected[state] += leaving[arc] * (lengths[arc] + expected[arcs.nextstates[arc]])
    return expected


# ---------------------------------------------------------------- clustering


class _Order(NamedTuple):
    """What comes before and after each cluster on some path, as rows of bits; kept transitive.

    Attributes:
        earlier, later: (clusters, ceil(clusters / 64)) uint64.
        alive: (clusters,) bool, those that were not merged into others.
    """

    earlier: Bits
    later: Bits
    alive: Bools


@jit
def _merged(arcs: Arcs, numbers: Ints, clusters: _Clusters) -> Ints:
    """Returns the slot of each cluster, (clusters,)."""
    count = len(clusters.words)
    into = np.arange(count).astype(np.int32)
    order = _order(arcs, numbers, clusters)
    for same_word in (True, False):
        _merge_all(clusters, order, into, same_word)
    slots = np.empty(count, dtype=np.int32)
    for cluster in range(count):
        head = cluster
        while into[head] != head:
            head = into[head]
        slots[cluster] = 0
        for other in range(count):
            if order.alive[other] and _has(order.earlier[head], other):
                slots[cluster] += 1
    return slots


@jit
def _order(arcs: Arcs, numbers: Ints, clusters: _Clusters) -> _Order:
    offsets, _, _, nextstates, finals = arcs
    count = len(clusters.words)
    ahead = np.zeros((len(finals), count // 64 + 1), dtype=np.uint64)  # what paths from a state still hold
    for state in range(len(finals) - 1, -1, -1):
        for arc in range(offsets[state], offsets[state + 1]):
            _join(ahead[state], ahead[nextstates[arc]])
            if numbers[arc] >= 0:
                _add(ahead[state], numbers[arc])
    later = np.zeros((count, count // 64 + 1), dtype=np.uint64)
    earlier = np.zeros_like(later)
    for cluster in range(count):
        later[cluster] = ahead[clusters.targets[cluster]]
        for other in range(count):
            if _has(later[cluster], other):
                _add(earlier[other], cluster)
    return _Order(earlier, later, np.ones(count, dtype=np.bool_))


@jit
def _merge_all(clusters: _Clusters, order: _Order, into: Ints, same_word: bool) -> None:
    """Merges the most similar clusters that no path holds both of, until there are none.

    Each cluster remembers its most similar partner. What it remembers is looked up again when it is not true any more,
    so it is never too low, and the greatest one that is true is the greatest of all.
    """
    best, partner = np.full(len(into), -np.inf), np.full(len(into), -1, dtype=np.int32)
    for cluster in range(len(into)):
        _look_up(clusters, order, cluster, same_word, best, partner)
    while len(into):
        one = np.argmax(best)
        if best[one] == -np.inf:
            return
        other = partner[one]
        is_true = _similarity(clusters, one, other) == best[one] and not _ordered(order, one, other)
        if is_true:
            _merge(clusters, order, one, other)
            into[other], best[other] = one, -np.inf
        _look_up(clusters, order, one, same_word, best, partner)


@jit
def _look_up(clusters: _Clusters, order: _Order, one: int, same_word: bool, best: Floats, partner: Ints) -> None:
    """Finds the most similar partner of a cluster, and tells the others where it is theirs."""
    first, last = 0, len(best)
    if same_word:
        first = np.searchsorted(clusters.words, clusters.words[one])
        last = np.searchsorted(clusters.words, clusters.words[one], side="right")
    best[one] = -np.inf
    for other in range(first, last):
        similarity = _similarity(clusters, one, other)
        if similarity <= best[one] and similarity <= best[other]:
            continue  # most pairs; that is quicker than to look at their order
        if (same_word and similarity <= 0.0) or one == other or _ordered(order, one, other):
            continue
        if similarity > best[one]:
            best[one], partner[one] = similarity, other
        if similarity > best[other]:
            best[other], partner[other] = similarity, one


@jit
def _similarity(clusters: _Clusters, one: int, other: int) -> float:
    """Returns how much two clusters overlap, by their probabilities, or minus the gap between them."""
    _, _, masses, begins, ends = clusters
    common = min(ends[one], ends[other]) - max(begins[one], begins[other])
    if common <= 0.0:
        return common
    return common / (ends[one] - begins[one] + ends[other] - begins[other]) * masses[one] * masses[other]


@jit
def _merge(clusters: _Clusters, order: _Order, one: int, other: int) -> None:
    """Adds a cluster to another; what comes before either comes before what comes after either."""
    _, _, masses, begins, ends = clusters
    earlier, later, alive = order
    share = masses[other] / max(masses[one] + masses[other], LEAST)
    begins[one] += share * (begins[other] - begins[one])
    ends[one] += share * (ends[other] - ends[one])
    masses[one] += masses[other]
    alive[other], begins[other], ends[other] = False, np.inf, -np.inf  # infinitely far from all others
    before, after = earlier[one] ^ earlier[other], later[one] ^ later[other]  # others know both sides already
    _join(earlier[one], earlier[other])
    _join(later[one], later[other])
    for cluster in range(len(masses)):
        if alive[cluster] and _has(before, cluster):
            _join(later[cluster], later[one])
            _add(later[cluster], one)
        if alive[cluster] and _has(after, cluster):
            _join(earlier[cluster], earlier[one])
            _add(earlier[cluster], one)


@jit
def _ordered(order: _Order, one: int, other: int) -> bool:
    return _has(order.later[one], other) or _has(order.later[other], one)


@jit
def _has(row: Bits, number: int) -> bool:
    return (row[number // 64] >> np.uint64(number % 64)) & np.uint64(1) == np.uint64(1)


@jit
def _join(row: Bits, other: Bits) -> None:
    for place in range(len(row)):
        row[place] |= other[place]


@jit
def _add(row: Bits, number: int) -> None:
    row[number // 64] |= np.uint64(1) << np.uint64(number % 64)


# ---------------------------------------------------------------- slots


def _chain(lattice: Lattice, slots: Ints, through: Floats) -> Lattice:
    """Returns the chain of the slots."""
    count = int(slots.max(initial=-1)) + 1
    in_slot = slots >= 0
    keys = np.stack((slots, lattice.olabels))[:, in_slot]
    (places, words), own = np.unique(keys, axis=1, return_inverse=True)
    masses = np.bincount(own.reshape(-1), weights=through[in_slot], minlength=len(places))
    skipped = np.flatnonzero(_skipped(lattice.arcs, slots, count))
    rest = 1.0 - np.bincount(places, weights=masses, minlength=count)[skipped]
    places, words = np.append(places, skipped), np.append(words, np.full(len(skipped), EPSILON))
    masses = np.maximum(np.append(masses, rest), LEAST)
    masses = masses / np.bincount(places, weights=masses, minlength=count)[places]
    order = np.lexsort((words, -masses, places))
    return Lattice.from_arcs(
        places[order],
        words[order],
        0.0 - np.log(masses[order]),
        places[order] + 1,
        np.append(np.full(count, np.inf), 0.0),
        lattice.symbols,
    )


def _seconds(slots: Ints, through: Floats, begins: Floats, total: float) -> Floats:
    """Returns how long each slot takes, (slots,): a slot begins when its arcs do, on average."""
    in_slot = slots >= 0
    masses = np.maximum(through[in_slot], LEAST)
    times = np.bincount(slots[in_slot], weights=masses * begins[in_slot]) / np.bincount(slots[in_slot], weights=masses)
    times[:1] = 0.0
    return np.diff(np.maximum.accumulate(np.append(times, total)))


@jit
def _skipped(arcs: Arcs, slots: Ints, count: int) -> Bools:
    """Returns which slots some path has no arc in, (count,)."""
    offsets, _, _, nextstates, finals = arcs
    avoided = np.zeros((len(finals), count), dtype=np.bool_)
    found = np.zeros(count, dtype=np.bool_)
    avoided[0] = True
    for state in range(len(finals)):
        for arc in range(offsets[state], offsets[state + 1]):
            for slot in range(count):
                if avoided[state, slot] and slot != slots[arc]:
                    avoided[nextstates[arc], slot] = True
        if finals[state] < np.inf:
            found |= avoided[state]
    return found
