"""N-gram posteriors, expected gains and decisions against enumeration by brute force."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from helpers import arc_paths

from lattice_simp import Lattice, SymbolTable, nbest, prune
from lattice_simp.core.features import Features
from lattice_simp.errors import CyclicLatticeError, LatticeSimpError
from lattice_simp.ops.expand_history import expand_history, pruned_history
from lattice_simp.ops.mbr import WORD_GAIN, MbrSettings, gain_lattice, mbr
from lattice_simp.ops.ngram_posteriors import ngram_posteriors

SEEDS = range(25)
FEW_WORDS = ("a", "b")
"""So few that n-grams repeat in a path, and strings have several paths."""

CLOSE = {"rel": 1e-9, "abs": 1e-7}


def make(seed, states=9, words=FEW_WORDS, arcs_per_state=2):
    """Makes a random lattice whose arcs skip few states, so that its paths are long; the input labels number the arcs.

    Some arcs carry no word, and the states are not in order.
    """
    rng = np.random.default_rng(seed)
    count = arcs_per_state * (states - 1)
    sources = np.repeat(np.arange(states - 1), arcs_per_state)
    nextstates = np.minimum(sources + rng.integers(1, 3, count), states - 1)
    nextstates[::arcs_per_state] = sources[::arcs_per_state] + 1  # no state is a dead end
    finals = np.where(rng.random(states) < 0.2, rng.uniform(-1, 3, states), np.inf)
    finals[-1] = 0.0
    names = np.concatenate(([0], 1 + rng.permutation(states - 1)))
    back = np.argsort(names)
    return Lattice.from_arcs(
        names[sources],
        rng.integers(1, len(words) + 1, count) * (rng.random(count) > 0.15),
        rng.uniform(-1, 3, count),
        names[nextstates],
        finals[back],
        SymbolTable(words),
        inputs=(np.arange(1, count + 1), SymbolTable(f"arc{number}" for number in range(count))),
        features=Features.from_columns(
            {"x": rng.normal(size=count)},
            {"x": np.where(np.isfinite(finals[back]), rng.normal(size=states), 0.0)},
            count,
            states,
        ),
    )


def rows(lattice):
    """Returns (words, input labels, cost, column sum) of every path."""
    results = []
    for arcs, state in arc_paths(lattice):
        words = tuple(lattice.symbols.decode(lattice.olabels[arcs]))
        cost = float(lattice.weights[arcs].sum() + lattice.finals[state])
        column = float(lattice.features["x"][arcs].sum() + lattice.features.final("x")[state])
        results.append((words, tuple(lattice.ilabels[arcs].tolist()), cost, column))
    return results


def grams_of(words, max_order):
    """Returns every n-gram occurrence of a string."""
    return [
        words[begin : begin + order] for order in range(1, max_order + 1) for begin in range(len(words) - order + 1)
    ]


def expected_posteriors(lattice, max_order, scale):
    """Sums the probabilities of the paths that contain an n-gram at least once."""
    table = [(words, -scale * cost) for words, _, cost, _ in rows(lattice)]
    top = max((log for _, log in table), default=0.0)
    total = sum(math.exp(log - top) for _, log in table)
    result = defaultdict(float)
    for words, log in table:
        for gram in set(grams_of(words, max_order)):
            result[gram] += math.exp(log - top) / total
    return dict(result)


def expected_gain(words, posteriors, settings):
    """Returns the linear gain of a string, term by term."""
    gain = -float(len(words))
    for gram in grams_of(words, settings.max_order):
        theta = 1.0 / (settings.max_order * settings.precision * settings.ratio ** (len(gram) - 1))
        gain += theta * posteriors[gram]
    return gain


def test_the_random_lattices_repeat_strings_and_ngrams():
    strings = [[words for words, *_ in rows(make(seed))] for seed in SEEDS]
    assert sum(len(string) > len(set(string)) for string in strings) > len(SEEDS) / 2
    for order in (1, 2, 3):
        repeated = [words for string in strings for words in string if twice(words, order)]
        assert len(repeated) > 10


def twice(words, order):
    grams = [words[begin : begin + order] for begin in range(len(words) - order + 1)]
    return len(grams) > len(set(grams))


# ---------------------------------------------------------------- history


@pytest.mark.parametrize("max_order", [1, 2, 4])
def test_expansion_keeps_every_path_and_reports_its_ngrams(max_order):
    for seed in SEEDS:
        lattice = make(seed)
        history = expand_history(lattice, max_order)
        before, after = ({row[1]: row for row in rows(each)} for each in (lattice, history.lattice))
        assert before.keys() == after.keys(), f"seed {seed}"
        for labels, (words, _, *numbers) in before.items():
            assert after[labels][0] == words, f"seed {seed}"
            assert after[labels][2:] == pytest.approx(tuple(numbers)), f"seed {seed}"
        assert history.lattice.is_topsorted, f"seed {seed}"
        history.lattice.validate()
        for arcs, _ in arc_paths(history.lattice):
            words = tuple(history.lattice.symbols.decode(history.lattice.olabels[arcs]))
            spelt = [history.gram_words(gram) for arc in arcs for gram in history.grams[:, arc].tolist() if gram]
            assert sorted(spelt) == sorted(grams_of(words, max_order)), f"seed {seed}"


def test_every_ngram_has_one_number():
    history = expand_history(make(3, states=10), 4)
    spelt = [history.gram_words(gram) for gram in range(len(history.words))]
    assert len(set(spelt)) == len(spelt) > 20


def test_tables_that_must_grow_lose_nothing():
    widened = expand_history(make(5, 40, [f"w{number}" for number in range(40)], arcs_per_state=6), 3)
    assert widened.lattice.num_arcs > 5000
    assert len(widened.words) > 5000
    arriving = defaultdict(set)  # the arcs that lead to a state end the same words, 2 at most
    for arc in np.flatnonzero(widened.lattice.olabels).tolist():
        gram = max(widened.grams[:2, arc].tolist(), key=lambda gram: len(widened.gram_words(gram)))
        arriving[int(widened.lattice.nextstates[arc])].add(widened.gram_words(gram))
    assert widened.lattice.is_topsorted
    assert all(len(ends) == 1 for ends in arriving.values())


def test_too_large_an_expansion_says_what_to_do():
    lattice = make(3, states=10)
    size = expand_history(lattice, 4).lattice.num_arcs
    assert expand_history(lattice, 4, max_arcs=size).lattice.num_arcs == size
    with pytest.raises(LatticeSimpError, match=rf"more than {size - 1} after .* 3 words; prune it first"):
        expand_history(lattice, 4, max_arcs=size - 1)


# ---------------------------------------------------------------- posteriors


@pytest.mark.parametrize("scale", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("max_order", [1, 2, 3, 4])
def test_posteriors_are_the_probabilities_of_at_least_one_occurrence(max_order, scale):
    for seed in SEEDS:
        lattice = make(seed)
        assert ngram_posteriors(lattice, max_order, scale).to_dict() == pytest.approx(
            expected_posteriors(lattice, max_order, scale), **CLOSE
        ), f"seed {seed}"


def test_more_words_and_longer_paths():
    for seed in SEEDS:
        lattice = make(seed, states=11, words=tuple("abcde"))
        assert ngram_posteriors(lattice).to_dict() == pytest.approx(expected_posteriors(lattice, 4, 1.0), **CLOSE), (
            f"seed {seed}"
        )


def test_a_single_string_has_posteriors_of_one_though_its_ngrams_repeat():
    lattice = Lattice.from_strings([("a a a b a a a", 40.0)])
    result = ngram_posteriors(lattice).to_dict()
    assert result.keys() == set(grams_of(tuple("aaabaaa"), 4))
    assert list(result.values()) == pytest.approx([1.0] * len(result))


@pytest.mark.parametrize("shift", [-900.0, 5000.0])
def test_costs_far_from_zero_give_the_same_posteriors(shift):
    lattice = make(7)
    moved = replace(lattice, finals=lattice.finals + shift)
    assert ngram_posteriors(moved).to_dict() == pytest.approx(ngram_posteriors(lattice).to_dict())


def test_neither_long_paths_nor_steep_costs_underflow():
    length = 3000
    sources = np.repeat(np.arange(length), 2)
    lattice = Lattice.from_arcs(
        sources,
        np.tile([1, 2], length),
        np.tile([700.0, 701.0], length),
        sources + 1,
        [np.inf] * length + [0.0],
        make(0).symbols,
    )
    result = ngram_posteriors(lattice, 2).to_dict()
    choice = 1 / (1 + math.exp(-1))
    assert result[("a",)] == pytest.approx(1.0)
    assert result[("b", "b")] == pytest.approx(1.0)
    assert ngram_posteriors(lattice, 1, 1e9).to_dict() == {("a",): 1.0, ("b",): 0.0}
    short = prune(lattice.subset(np.arange(length - 2, length + 1, dtype=np.int32)))
    assert ngram_posteriors(short, 1).to_dict()[("b",)] == pytest.approx(1 - choice**2)


def test_a_large_scale_leaves_the_best_path_alone():
    for seed in SEEDS:
        lattice = make(seed)
        best = tuple(nbest(lattice)[0].text.split())
        expected = dict.fromkeys(grams_of(best, 4), 1.0)
        actual = ngram_posteriors(lattice, 4, 1e5).to_dict()
        assert {gram: value for gram, value in actual.items() if value > 1e-6} == pytest.approx(expected), (
            f"seed {seed}"
        )


@pytest.mark.parametrize("scale", [0.0, -1.0, math.inf, math.nan])
def test_scales_that_are_none_are_refused(scale):
    with pytest.raises(LatticeSimpError, match="the scale of the costs is"):
        ngram_posteriors(make(1), 4, scale)
    with pytest.raises(LatticeSimpError, match="the scale of the costs is"):
        MbrSettings(scale=scale)


@pytest.mark.parametrize(
    ("order", "message"), [(0, "max_order is 0; give a number from 1 up"), (256, "give an order from 1 to 255")]
)
def test_orders_out_of_range_are_refused(order, message):
    with pytest.raises(LatticeSimpError, match=message):
        ngram_posteriors(make(1), order)


def test_a_cycle_is_refused():
    table = make(0).symbols
    loop = Lattice.from_arcs([0, 1], [1, 1], [1.0, 1.0], [1, 0], [np.inf, 0.0], table)
    with pytest.raises(CyclicLatticeError):
        ngram_posteriors(loop)
    with pytest.raises(CyclicLatticeError):
        mbr(loop)


def test_an_empty_lattice_has_no_ngrams():
    nothing = Lattice.empty_like(make(0))
    assert ngram_posteriors(nothing).to_dict() == {}
    assert mbr(nothing).empty


def test_the_empty_string_has_a_probability_too():
    lattice = Lattice.from_strings([("", math.log(4)), ("a", math.log(4 / 3))])
    assert ngram_posteriors(lattice).to_dict() == pytest.approx({("a",): 0.75})


# ---------------------------------------------------------------- gains and decisions


@pytest.mark.parametrize("max_order", [1, 2, 3, 4])
def test_costs_are_minus_the_linear_gain_and_paths_keep_labels_and_columns(max_order):
    for seed in SEEDS:
        lattice = make(seed)
        settings = MbrSettings(scale=0.5, precision=0.7, ratio=0.65, max_order=max_order)
        posteriors = expected_posteriors(lattice, max_order, settings.scale)
        before = {labels: (words, column) for words, labels, _, column in rows(lattice)}
        after = rows(mbr(lattice, settings))
        assert len(after) == len(before), f"seed {seed}"
        for words, labels, cost, column in after:
            assert before[labels] == (words, pytest.approx(column)), f"seed {seed}"
            assert cost == pytest.approx(-expected_gain(words, posteriors, settings), **CLOSE), f"seed {seed}"


@pytest.mark.parametrize("scale", [0.2, 1.0])
def test_the_decision_has_the_greatest_gain_and_its_best_derivation(scale):
    for seed in SEEDS:
        lattice = make(seed, words=("a", "b", "c"))
        settings = MbrSettings(scale=scale)
        posteriors = expected_posteriors(lattice, 4, scale)
        paths = rows(lattice)
        gains = {words: expected_gain(words, posteriors, settings) for words, *_ in paths}
        chosen = nbest(mbr(lattice, settings), 5)
        assert [path.cost for path in chosen] == pytest.approx(sorted(-gain for gain in gains.values())[:5], **CLOSE), (
            f"seed {seed}"
        )
        for path in chosen:
            words = path.tokens
            assert -gains[words] == pytest.approx(path.cost, **CLOSE), f"seed {seed}"
            values = {labels: cost for string, labels, cost, _ in paths if string == words}
            assert values[path.inputs] == pytest.approx(min(values.values())), f"seed {seed}"


@pytest.mark.parametrize("costs", [(2.0, 2.0 + 1e-4), (2.0 + 1e-4, 2.0)])
def test_of_equal_gains_the_most_probable_hypothesis_wins(costs):
    strings = ("a b c", "c a b")  # the same unigrams
    lattice = Lattice.from_strings(list(zip(strings, costs, strict=True)))
    chosen = nbest(mbr(lattice, MbrSettings(max_order=1)))[0].text
    assert chosen == strings[costs.index(min(costs))]


def test_gains_of_a_few_strings_worked_out_by_hand():
    lattice = Lattice.from_strings([("a b", math.log(2)), ("a", math.log(4)), ("b b", math.log(4))])
    settings = MbrSettings(precision=0.5, ratio=0.5, max_order=2)  # theta 1 and 2
    actual = {path.text: -path.cost for path in nbest(mbr(lattice, settings), 9)}
    expected = {
        "a b": WORD_GAIN * 2 + (0.75 + 0.75) + 2 * 0.5,
        "a": WORD_GAIN + 0.75,
        "b b": WORD_GAIN * 2 + (0.75 + 0.75) + 2 * 0.25,
    }
    assert actual == pytest.approx(expected, **CLOSE)


def test_a_large_scale_decides_for_the_best_string_of_its_length():
    for seed in SEEDS:
        lattice = make(seed, words=("a", "b", "c"))
        best = nbest(lattice)[0].text
        # With precisions this low, every certain word is worth more than it costs.
        settings = MbrSettings(scale=1e5, precision=0.3, ratio=0.3)
        posteriors = {gram: 0.0 for words, *_ in rows(lattice) for gram in grams_of(words, 4)}
        posteriors |= dict.fromkeys(grams_of(tuple(best.split()), 4), 1.0)
        gains = {words: expected_gain(words, posteriors, settings) for words, *_ in rows(lattice)}
        chosen = tuple(nbest(mbr(lattice, settings))[0].text.split())
        assert gains[chosen] == pytest.approx(max(gains.values())), f"seed {seed}"


@pytest.mark.parametrize("beam", [0.0, 0.8, 2.0])
def test_the_beam_narrows_the_hypotheses_and_not_the_evidence(beam):
    for seed in SEEDS:
        lattice = make(seed)
        wide, narrow = MbrSettings(), MbrSettings(beam=beam)
        all_of_them = {labels: cost for _, labels, cost, _ in rows(mbr(lattice, wide))}
        within = {labels: cost for _, labels, cost, _ in rows(mbr(lattice, narrow))}
        assert all(cost == pytest.approx(all_of_them[labels]) for labels, cost in within.items()), f"seed {seed}"
        costs = {labels: cost for _, labels, cost, _ in rows(lattice)}
        limit = min(costs.values()) + beam
        assert within.keys() >= {labels for labels, cost in costs.items() if cost <= limit}, f"seed {seed}"
        expanded = prune(expand_history(lattice, 4).lattice, beam)
        assert within.keys() == {labels for _, labels, _, _ in rows(expanded)}, f"seed {seed}"


@pytest.mark.parametrize("max_arcs", [1, 5, 12, 20, 35, 60, 1000])
def test_the_evidence_is_pruned_until_its_expansion_is_small_enough(max_arcs):
    for seed in SEEDS:
        lattice = make(seed)
        history = pruned_history(lattice, 4, max_arcs)
        limits = [max_arcs]
        while (pruned := prune(lattice, max_arcs=limits[-1])).num_arcs and limits[-1] > 1:
            if expand_history(pruned, 4).lattice.num_arcs <= max_arcs:
                break
            limits.append(min(limits[-1], pruned.num_arcs) // 2)
        assert sorted(rows(history.lattice)) == sorted(rows(expand_history(pruned, 4).lattice)), f"seed {seed}"
        best = nbest(lattice)[0]
        assert history.lattice.num_arcs <= max(max_arcs, len(best.arcs)), f"seed {seed}"
        assert nbest(history.lattice)[0].inputs == best.inputs, f"seed {seed}"
        settings = MbrSettings(max_arcs=max_arcs)
        assert rows(mbr(lattice, settings)) == rows(gain_lattice(ngram_posteriors(pruned), settings)), f"seed {seed}"


def test_without_a_limit_every_path_is_evidence():
    lattice = make(4, states=10)
    assert len(rows(mbr(lattice, MbrSettings(max_arcs=None)))) == len(rows(lattice))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"precision": 0.0}, "the precision is 0.0; give a number above 0 and up to 1"),
        ({"precision": 1.1}, "the precision is 1.1"),
        ({"ratio": 0.0}, "the ratio is 0.0"),
        ({"ratio": math.nan}, "the ratio is nan"),
        ({"max_order": 0}, "max_order is 0; give a number from 1 up"),
        ({"max_arcs": 0}, "max_arcs is 0"),
        ({"beam": -1.0}, "the beam is -1.0; give a number of nats from 0 up"),
        ({"beam": math.nan}, "the beam is nan"),
    ],
)
def test_settings_out_of_range_are_refused(values, message):
    with pytest.raises(LatticeSimpError, match=message):
        MbrSettings(**values)


def test_gains_are_those_of_the_paper():
    assert WORD_GAIN == -1
    assert MbrSettings(precision=0.85, ratio=0.72).ngram_gains == pytest.approx(
        [1 / (4 * 0.85 * 0.72**power) for power in range(4)]
    )
