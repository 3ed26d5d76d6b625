"""Confusion networks: invariants for every lattice, and consensus against enumeration of the network."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from helpers import paths, probabilities, random_lattice
from layouts import expected_slots, layouts
from word_edits import edits

from lattice_simp import (
    CyclicLatticeError,
    Hypothesis,
    Lattice,
    LatticeSimpError,
    SymbolTable,
    confusion_network,
    determinize,
    minimize,
    nbest,
    prune,
    shortest_path,
)

SEEDS = range(60)
WORDS = [*"abcd"]


def make(seed):
    rng = np.random.default_rng(seed)
    options = {"columns": ("x",) if seed % 2 else (), "numbered": seed % 5 == 0, "shuffled": seed % 4 == 0}
    return random_lattice(rng, 4 + seed % 8, WORDS, seed % 3 == 0, arcs_per_state=2.2, **options)


def slots_of(network):
    """Returns {word or None: probability} of each slot."""
    results = []
    for slot in range(network.num_states - 1):
        arcs = range(network.offsets[slot], network.offsets[slot + 1])
        assert all(network.nextstates[arc] == slot + 1 for arc in arcs)
        labels = network.olabels[list(arcs)].tolist()
        assert len(set(labels)) == len(labels)
        words = [network.symbols[label] if label else None for label in labels]
        results.append(dict(zip(words, np.exp(-network.weights[list(arcs)]).tolist(), strict=True)))
    return results


def holds(slots, words):
    """Returns whether the words are a path of the slots."""
    places = {0}
    for slot in slots:
        places = {place for place in places if None in slot} | {
            place + 1 for place in places if place < len(words) and words[place] in slot
        }
    return len(words) in places


def test_slots_sum_to_one_and_every_string_is_a_path():
    for seed in SEEDS:
        lattice = make(seed)
        network = confusion_network(lattice, 0.7)
        network.validate()
        if lattice.connected().empty:
            assert network.empty
            continue
        slots = slots_of(network)
        assert [sum(slot.values()) for slot in slots] == pytest.approx([1.0] * len(slots)), f"seed {seed}"
        for words, _, _ in paths(lattice):
            assert holds(slots, words), f"seed {seed}: {words}"


@pytest.mark.parametrize("count", [1, pytest.param(8, marks=pytest.mark.slow)])
def test_every_string_is_a_path_whatever_the_times_say(count):
    """Merging orders unordered states, so partners found earlier may become invalid."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        sources = np.repeat(np.arange(20), 5)
        nextstates = np.minimum(sources + rng.integers(1, 6, 100), 20)
        nextstates[::5] = sources[::5] + 1
        finals, words = [np.inf] * 20 + [0.0], SymbolTable(list("abcdefghij"))
        labels, costs = rng.integers(1, 11, 100), rng.exponential(1.0, 100)
        lattice = Lattice.from_arcs(sources, labels, costs, nextstates, finals, words)
        timed = lattice.with_feature("time", rng.normal(size=100))
        results = [path.tokens for path in nbest(replace(lattice, weights=rng.random(100) - 0.5), 300)]
        assert len(results) == 300
        for each in (lattice, timed):
            slots = slots_of(confusion_network(each, 0.3))
            assert all(holds(slots, words) for words in results), f"seed {seed}"


def test_the_probability_of_a_word_over_all_slots_is_its_expected_count():
    for seed in SEEDS:
        lattice = make(seed)
        total, expected = 0.0, dict.fromkeys(WORDS, 0.0)
        for words, _, cost in paths(lattice):
            total += math.exp(-0.7 * cost)
            for word in words:
                expected[word] += math.exp(-0.7 * cost)
        actual = dict.fromkeys(WORDS, 0.0)
        for slot in slots_of(confusion_network(lattice, 0.7)):
            for word, probability in slot.items():
                if word is not None:
                    actual[word] += probability
        assert actual == pytest.approx({word: count / (total or 1.0) for word, count in expected.items()}), seed


def errors(slots, chosen):
    """Returns the expected errors of a choice of one word for each slot."""
    return sum(1.0 - slot[word] for slot, word in zip(slots, chosen, strict=True))


def test_the_shortest_path_is_the_consensus():
    for seed in SEEDS:
        network = confusion_network(make(seed))
        slots = slots_of(network)
        if network.empty or math.prod(map(len, slots)) > 20000:
            continue
        least = min(errors(slots, chosen) for chosen in product(*slots))
        best = shortest_path(network)
        chosen = [network.symbols[label] if label else None for label in network.olabels[best.arcs].tolist()]
        assert errors(slots, chosen) == pytest.approx(least), f"seed {seed}"
        assert chosen == [next(iter(slot)) for slot in slots], "the most probable word comes first"


def test_the_network_is_that_of_each_string_aligned_with_the_consensus():
    for seed in SEEDS:
        lattice = make(seed)
        network = confusion_network(lattice, 0.7)
        if network.empty:
            continue
        expected = expected_slots(probabilities(lattice, 0.7), shortest_path(network).tokens)
        slots = slots_of(network)
        assert len(slots) == len(expected), f"seed {seed}"
        for slot, second in zip(slots, expected, strict=True):
            assert slot == pytest.approx(second, abs=1e-5), f"seed {seed}"


def test_equivalent_lattices_have_the_same_network():
    for seed in range(0, 60, 3):
        rng = np.random.default_rng(seed)
        lattice = make(seed).project_output()
        if lattice.connected().empty:
            continue
        if seed % 2:  # where much is equally probable
            strings = [(words, float(rng.integers(0, 2))) for words in sorted(probabilities(lattice))]
            lattice = Lattice.from_strings(strings)
        network = confusion_network(lattice)
        expected = slots_of(network)
        for name, form in layouts(lattice, rng):
            actual = confusion_network(form)
            assert [list(slot) for slot in slots_of(actual)] == [list(slot) for slot in expected], (seed, name)
            assert actual.weights == pytest.approx(network.weights, abs=1e-9), (seed, name)
            assert shortest_path(actual).tokens == shortest_path(network).tokens, (seed, name)


def test_lattices_in_single_precision_have_the_same_consensus():
    for seed in SEEDS:
        lattice = make(seed).project_output()
        if lattice.connected().empty:
            continue
        expected = shortest_path(confusion_network(lattice)).tokens
        for form in (minimize, determinize):
            actual = confusion_network(form(lattice, semiring="log"))
            assert shortest_path(actual).tokens == expected, f"seed {seed}"


def test_timed_lattices_have_the_same_network_in_other_forms():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        sources, nextstates = np.repeat(np.arange(6), 2), np.minimum(np.arange(12) // 2 + rng.integers(1, 4, 12), 6)
        nextstates[::2] = sources[::2] + 1
        at = np.append(0.0, np.cumsum(rng.integers(1, 50, 6) / 100.0))
        finals, labels, costs = np.append(np.full(6, np.inf), 0.0), rng.integers(1, 5, 12), rng.uniform(0, 1, 12)
        times, names = at[nextstates] - at[sources], np.append(0, 1 + rng.permutation(6))
        networks = []
        for order, number in ((np.arange(12), np.arange(7)), (rng.permutation(12), names)):
            ends = np.full(7, np.inf)
            ends[number[6]] = 0.0
            lattice = Lattice.from_arcs(
                number[sources[order]],
                labels[order],
                costs[order],
                number[nextstates[order]],
                ends if number is names else finals,
                SymbolTable(list("abcd")),
                features={"time": times[order]},
            )
            networks.append(confusion_network(lattice))
        first, other = networks
        assert slots_of(first) == [pytest.approx(slot, abs=1e-9) for slot in slots_of(other)], f"seed {seed}"
        assert first.features["time"] == pytest.approx(other.features["time"]), f"seed {seed}"
        assert shortest_path(first).features["time"] == pytest.approx(at[-1]), f"seed {seed}"


def test_the_slots_count_the_errors_of_the_consensus_and_the_best_string_has_no_fewer():
    of_consensus = of_best = 0.0
    for seed in SEEDS:
        lattice = make(seed)
        network = confusion_network(lattice, 0.3)
        if network.empty:
            continue
        shares = probabilities(lattice, 0.3)
        consensus, best = shortest_path(network).tokens, max(shares, key=shares.__getitem__)
        expected, others = (
            sum(share * edits(each, words) for words, share in shares.items()) for each in (consensus, best)
        )
        slots = slots_of(network)
        assert errors(slots, [next(iter(slot)) for slot in slots]) == pytest.approx(expected, abs=1e-5), f"seed {seed}"
        assert expected <= others + 1e-5, f"seed {seed}"
        of_consensus += expected
        of_best += others
    assert of_consensus < 0.97 * of_best


def test_the_same_words_share_a_slot():
    sentence = "the cat sat on the mat today"
    lattice = Lattice.from_strings([(sentence, 0.0), (sentence.replace("cat ", ""), 0.1), ("oh " + sentence, 0.5)])
    slots = slots_of(confusion_network(lattice))
    assert [next(iter(slot)) for slot in slots] == [None, *sentence.split()]
    assert [len(slot) for slot in slots] == [2, 1, 2, 1, 1, 1, 1, 1]


def test_what_the_lattice_holds_however_improbable_the_network_holds():
    lattice = Lattice.from_strings([("a b", 0.0), ("c", 3000.0), ("", 5000.0)])
    slots = slots_of(confusion_network(lattice))
    assert holds(slots, ("c",))
    assert holds(slots, ())
    assert shortest_path(confusion_network(lattice)).text == "a b"


def test_times_decide_where_there_are_some():
    """Of two places for `b`, the one at its time is taken."""
    sources, nextstates, finals = [0, 1, 0, 3], [1, 2, 3, 2], [np.inf, np.inf, 0.0, np.inf]
    for times, together in (([1.0, 9.0, 1.0, 9.0], 1), ([1.0, 9.0, 9.0, 1.0], 2)):
        lattice = Lattice.from_arcs(
            sources,
            [1, 2, 3, 4],
            [0.0, 0.0, 0.1, 0.1],
            nextstates,
            finals,
            SymbolTable(list("abcd")),
            features={"time": times},
        )
        network = confusion_network(lattice)
        assert len(slots_of(network)) == together + 1
        assert shortest_path(network).features == {"time": pytest.approx(10.0)}
        assert (network.features["time"] >= 0).all()


def test_the_network_keeps_the_name_and_the_start():
    lattice = Lattice.from_nbest([Hypothesis(("a", "b"), times=((5.0, 5.5), (5.5, 6.5)))])
    lattice = replace(lattice, header=replace(lattice.header, name="u-1", scales={"time": 2.0}))
    network = confusion_network(lattice)
    assert (network.header.name, network.header.start, network.header.scales) == ("u-1", 5.0, {})
    assert shortest_path(network).times == ((5.0, 5.5), (5.5, 6.5))


def test_large_lattices_are_pruned_if_asked_for():
    lattice = make(7).connected()
    network = confusion_network(lattice, max_arcs=4)
    slots = slots_of(network)
    assert all(holds(slots, path.tokens) for path in nbest(prune(lattice, max_arcs=4), 50))
    assert confusion_network(lattice, max_arcs=None).num_arcs >= network.num_arcs


def test_lattices_of_the_empty_string_and_of_nothing():
    lattice = Lattice.from_strings([("a", 1.0)])
    assert confusion_network(Lattice.empty_like(lattice)).empty
    empty = confusion_network(Lattice.from_strings([("", 1.0)]))
    assert (empty.num_states, empty.num_arcs, shortest_path(empty).cost) == (1, 0, 0.0)


def test_what_has_no_network_is_refused():
    lattice = Lattice.from_strings([("a", 1.0)])
    with pytest.raises(LatticeSimpError, match="the scale of the costs is"):
        confusion_network(lattice, 0.0)
    with pytest.raises(LatticeSimpError, match="max_arcs is 0"):
        confusion_network(lattice, max_arcs=0)
    with pytest.raises(CyclicLatticeError):
        confusion_network(Lattice.from_arcs([0], [1], [1.0], [0], [0.0], SymbolTable("a")))
