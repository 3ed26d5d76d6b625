"""Combination of systems: the content of the lattice, its features by brute force, and weights of systems."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import chain, permutations, product

import numpy as np
import pytest

from lattice_simp import (
    CombinationSettings,
    EmptyLatticeError,
    Hypothesis,
    LanguageModel,
    Lattice,
    LatticeSimpError,
    Paraphraser,
    ParaphraseSettings,
    Tree,
    arc_posteriors,
    combine,
    confusion_network,
    mbr,
    nbest,
    ngram_posteriors,
    normalise,
    shortest_distance,
    shortest_path,
    union,
)
from lattice_simp.systems.combination.agreement import agreement_weights
from lattice_simp.systems.combination.combine import default_weights, feature_names
from lattice_simp.systems.combination.methods import METHODS, Task, confusion
from lattice_simp.systems.paraphrase.alignment import PAPER

ARPA = b"\\data\\\nngram 1=6\n\\1-grams:\n-9 <unk>\n0 <s> 0\n-1 a\n-2 b\n-1.5 c\n-0.5 </s>\n\\end\\"

GAINS = [1 / (4 * 0.8 * 0.6**order) for order in range(4)]


def random_systems(seed, least=1):
    rng = np.random.default_rng(seed)
    return [
        [
            Hypothesis(tuple(rng.choice(list("abc"), int(rng.integers(1, 6))).tolist()), float(rng.random() * 3))
            for _ in range(int(rng.integers(1, 4)))
        ]
        for _ in range(int(rng.integers(least, 4)))
    ]


def posteriors(entries):
    shares = {}
    for entry in sorted(entries, key=lambda value: value.cost):
        shares.setdefault(entry.tokens, math.exp(-entry.cost))
    return {string: share / sum(shares.values()) for string, share in shares.items()}


def ngrams(tokens, order):
    return [tokens[begin : begin + order] for begin in range(len(tokens) - order + 1)]


def expected_features(tokens, systems, shares):
    """Returns the features of a string but the posterior, by counting."""
    values = {"Words": float(len(tokens))}
    results = [[0.0] * 4 for _ in systems]
    for number, entries in enumerate(systems):
        for order in range(1, 5):
            for gram in ngrams(tokens, order):
                occurs = sum(share for string, share in posteriors(entries).items() if gram in ngrams(string, order))
                results[number][order - 1] += occurs
    for order in range(4):
        values[f"Ngram{order + 1}"] = sum(share * second[order] for share, second in zip(shares, results, strict=True))
    for number, entry in enumerate(results, 1):
        values[f"Agreement{number}"] = float(np.dot(GAINS, entry))
    return values


@pytest.mark.parametrize("method", METHODS)
def test_the_lattice_holds_every_string_of_every_system(method):
    for seed in range(25):
        systems = random_systems(seed)
        result = {path.tokens for path in nbest(combine(systems, CombinationSettings(method)), 100_000)}
        assert result >= {entry.tokens for entries in systems for entry in entries}, (seed, method)


@pytest.mark.parametrize("method", METHODS)
def test_marks_are_words_where_none_are_ignored(method):
    combined = combine(["[noise] a cat", "a cat", "[noise] a cat"], CombinationSettings(method), ignore=())
    assert nbest(combined, ignore=())[0].text == "[noise] a cat"


@pytest.mark.parametrize("method", METHODS)
def test_features_are_those_of_a_count_by_hand(method):
    for seed in range(20):
        systems = random_systems(seed, least=2)
        shares = np.arange(1.0, len(systems) + 1)
        lattice = combine(systems, CombinationSettings(method, shares=tuple(shares)))
        for path in nbest(lattice, 50):
            expected = expected_features(path.tokens, systems, shares / shares.sum())
            assert {name: path.features[name] for name in expected} == pytest.approx(expected), (seed, path.text)
            weights = default_weights(len(systems), CombinationSettings(method), lm=False)
            assert path.cost == pytest.approx(-sum(weights[name] * path.features[name] for name in weights))


@pytest.mark.parametrize("method", METHODS)
def test_the_probabilities_of_paths_sum_to_one(method):
    for seed in range(20):
        systems = random_systems(seed, least=2)
        lattice = combine(systems, CombinationSettings(method), weights={"Posterior": 1.0})
        assert shortest_distance(lattice, semiring="log", reverse=True)[0] == pytest.approx(0.0, abs=1e-9), seed


def test_the_slots_of_the_confusion_network_sum_to_one():
    for seed in range(30):
        systems = [normalise(Lattice.from_nbest(entries)) for entries in random_systems(seed, least=2)]
        systems = [system.with_symbols(systems[0].symbols) for system in systems]
        network = confusion(Task(systems, [1 / len(systems)] * len(systems)))
        sums = np.bincount(network.sources, weights=np.exp(-network.weights))
        assert sums == pytest.approx(np.ones(network.num_states - 1)), seed
        assert network.is_topsorted
        assert arc_posteriors(network).sum() == pytest.approx(network.num_states - 1)


@pytest.mark.parametrize("method", METHODS)
def test_a_single_system_without_a_language_model_keeps_its_best_string(method):
    for seed in range(30):
        entries = random_systems(seed)[0]
        best = min(entries, key=lambda value: value.cost)
        for outputs in ([entries], [[], entries, []]):
            assert shortest_path(combine(outputs, CombinationSettings(method))).tokens == best.tokens, seed


def test_by_those_weights_the_union_decides_like_minimum_bayes_risk():
    for seed in range(25):
        systems = random_systems(seed, least=2)
        lattices = [Lattice.from_nbest(entries) for entries in systems]
        mixture = union(*lattices, shares=[1] * len(systems), normalised=True)
        weights = agreement_weights(len(systems))
        result = shortest_path(combine(systems, CombinationSettings("union"), weights=weights))
        assert result.cost == pytest.approx(shortest_path(mbr(mixture)).cost, abs=1e-6), seed


def test_the_larger_space_is_never_worse_by_the_same_weights():
    for seed in range(25):
        systems = random_systems(seed, least=2)
        costs = [shortest_path(combine(systems, CombinationSettings(name))).cost for name in ("union", "phrases")]
        assert costs[1] <= costs[0] + 1e-9, seed


def test_shares_and_scales_of_systems():
    results, other = [Hypothesis(("a", "b", "d")), Hypothesis(("b",), 5.0)], [Hypothesis(("c", "c", "c"))]
    for shares, best in (((9, 1), "a b d"), ((1, 9), "c c c")):
        settings = CombinationSettings("union", shares=shares)
        assert shortest_path(combine([results, other], settings, weights=agreement_weights(2))).text == best
    lattice = combine([results, other], CombinationSettings("union", scales=(1e6, 1.0)), weights={"Posterior": 1.0})
    assert shortest_path(lattice).cost == pytest.approx(math.log(2))  # the first system's best string is certain


@pytest.mark.parametrize("column", [list, np.array, iter, lambda numbers: dict.fromkeys(numbers).keys()])
def test_shares_and_scales_may_be_any_list_of_numbers(column):
    settings = CombinationSettings("union", shares=column([9, 1]), scales=column([0.5]))
    assert settings == CombinationSettings("union", shares=(9.0, 1.0), scales=(0.5,))
    assert settings.of_systems(2) == ([9.0, 1.0], [0.5, 0.5])


def test_of_two_systems_what_one_alone_says_neither_gains_nor_costs():
    lattice = combine(["a b c d e", "a b c d e f g h i"], CombinationSettings("union"))
    costs = [path.cost for path in nbest(lattice, 2)]
    assert costs[0] == pytest.approx(costs[1])
    three = combine(["a b c", "a b c d e", []], CombinationSettings("union"))  # one says nothing: two are left
    costs = [path.cost for path in nbest(three, 2)]
    assert costs[0] == pytest.approx(costs[1])


def test_a_language_model_adds_a_feature_and_decides():
    outputs, lm = ["a a", "b b"], LanguageModel.from_bytes(ARPA)
    silent = combine(outputs, CombinationSettings("union"), lm=lm, weights={"LM": 0.0})
    assert silent.features.names == feature_names(2, lm=True)
    best = shortest_path(combine(outputs, CombinationSettings("union", beam=None), lm=lm, weights={"LM": 1.0}))
    assert best.text == "a a"
    assert best.features["LM"] == pytest.approx(lm.score(["a", "a"]))
    assert best.cost == pytest.approx(-lm.score(["a", "a"]))


def test_lattices_strings_and_lists_are_taken_alike():
    lattice = Lattice.from_strings([("a b", 0.0), ("a c", 1.0)])
    entries = [Hypothesis(("a", "b"), 0.0), Hypothesis(("a", "c"), 1.0)]
    for method in METHODS:
        of_lattice, of_list = (
            nbest(combine([each, "a c"], CombinationSettings(method)), 5) for each in (lattice, entries)
        )
        assert [(path.text, round(path.cost, 9)) for path in of_lattice] == [
            (path.text, round(path.cost, 9)) for path in of_list
        ]


def test_agreement_is_by_the_whole_lattice_even_where_few_strings_are_aligned():
    system = Lattice.from_strings([("a b", 0.0), ("a c", 0.1), ("a d", 0.2)])
    path = shortest_path(combine([system, "a b"], CombinationSettings(strings=1)))
    known = ngram_posteriors(system, 4).to_dict()
    assert path.features["Ngram1"] == pytest.approx((known["a",] + known["b",] + 2) / 2)


def test_a_network_of_strings_is_no_other_than_the_library_makes():
    systems = [normalise(Lattice.from_strings([("a b", 0.0)])), normalise(Lattice.from_strings([("a c", 0.0)]))]
    systems = [system.with_symbols(systems[0].symbols) for system in systems]
    mixture = union(*systems, shares=[1, 1])
    ours, theirs = confusion(Task(systems, [0.5, 0.5])), confusion_network(mixture)
    assert {path.text for path in nbest(ours, 9)} == {path.text for path in nbest(theirs, 9)}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: combine([]), "give at least one"),
        (lambda: combine(["a"], CombinationSettings("best")), "unknown method 'best'"),
        (lambda: combine(["a"], CombinationSettings(shares=(1.0, 2.0))), "2 shares for 1 system;"),
        (lambda: combine(["a"], CombinationSettings(scales=(1.0, 2.0))), "2 scales for 1 system;"),
        (lambda: CombinationSettings(shares=(0.0,)), "share of a system is 0.0"),
        (lambda: CombinationSettings(scales=(math.nan,)), "each of the scales is nan"),
        (lambda: CombinationSettings(strings=0), "strings is 0"),
        (lambda: CombinationSettings(confidence_weight=1.5), "confidence_weight is 1.5; give a number from 0 to 1"),
        (lambda: CombinationSettings(empty_confidence=math.nan), "empty_confidence is nan"),
        (lambda: combine(["a"], weights={"LM": 1.0}), "give a language model"),
        (lambda: combine(["a"], weights={"Agreement2": 1.0}), "the features are Posterior, Words"),
    ],
)
def test_what_does_not_fit_is_reported(call, message):
    with pytest.raises(LatticeSimpError, match=message):
        call()


def test_systems_that_say_nothing():
    with pytest.raises(EmptyLatticeError, match="no system has a hypothesis"):
        combine([[], Lattice.from_strings([])])
    assert shortest_path(combine(["", ""])).text == ""


PHRASES = CombinationSettings("phrases")
ONE = "(S (NP (PRP we)) (VP (VBD met) (NP (DT a) (JJ tall) (NN man)) (PP (IN in) (NP (DT the) (NN town)))))"
TWO = "(S (PP (IN in) (NP (DT the) (JJ old) (NN town))) (NP (PRP we)) (VP (VBD met) (NP (DT a) (NN man))))"


def test_constituents_recombine_where_there_are_parses():
    trees = {tree.tokens: tree for tree in map(Tree.from_brackets, (ONE, TWO))}

    def expand(sentences):
        return (
            Paraphraser(ParaphraseSettings(PAPER, filters=())).expand([trees[tokens] for tokens in sentences]).lattice
        )

    outputs = [[Hypothesis(tokens)] for tokens in trees]
    plain, parsed = (
        {path.text for path in nbest(combine(outputs, PHRASES, weights={"Posterior": 1.0}, expand=each), 100)}
        for each in (None, expand)
    )
    expanded = {path.text for path in nbest(expand(list(trees)), 100)}
    assert parsed == plain | expanded
    assert "we met a tall man in the old town" in parsed - plain
    lattice = combine(outputs, PHRASES, weights={"Posterior": 1.0}, expand=expand)
    assert shortest_distance(lattice, semiring="log", reverse=True)[0] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_paths_have_the_shares_of_their_systems(method):
    outputs = [[Hypothesis(("a",), 5.0), Hypothesis(("b",), 5.0)], "c"]
    settings = CombinationSettings(method, shares=(3, 1))
    lattice = combine(outputs, settings, weights={"Posterior": 1.0})
    assert {path.text: math.exp(-path.cost) for path in nbest(lattice, 9)} == pytest.approx(
        {"a": 0.375, "b": 0.375, "c": 0.25}
    )
    if method not in ("union", "rover"):  # one string of each system is aligned, and stands for all of it
        few = combine(outputs, replace(settings, strings=1), weights={"Posterior": 1.0})
        assert [round(math.exp(-path.cost), 9) for path in nbest(few, 9)] == [0.75, 0.25]


ROVER = CombinationSettings("rover")


def random_votes(seed):
    """Returns systems, each with a word, or none, in each of three slots between anchors, and the known confidences."""
    rng = np.random.default_rng(seed)
    votes = [
        [(str(rng.choice([f"{name}{slot}" for name in "abc"])) if rng.random() < 0.7 else "") for slot in range(3)]
        for _ in range(int(rng.integers(2, 5)))
    ]
    confidences = [[float(rng.random()) if rng.random() < 0.8 else math.nan for _ in range(3)] for _ in votes]
    systems = []
    for words, values in zip(votes, confidences, strict=True):
        pairs = [("|", 1.0)]  # so the empty word counts
        for slot, (word, value) in enumerate(zip(words, values, strict=True)):
            pairs += [(word, value), *[(f"|{slot}{end}", math.nan) for end in range(3)]]
        tokens, shares = zip(*(pair for pair in pairs if pair[0]), strict=True)
        systems.append([Hypothesis(tokens, confidences=shares)])
    return votes, confidences, systems


def expected_votes(rows, weight, empty, kind):
    """Returns the share of the votes for each word of a slot (Fiscus 1997) from rows of word, confidence, share."""
    votes = {}
    for word in {word for word, _, _ in rows}:
        frequency = sum(share for other, _, share in rows if other == word)
        known = [(value, share) for other, value, share in rows if other == word and not math.isnan(value)]
        confidence = frequency
        if known:
            values, weights = zip(*known, strict=True)
            confidence = max(values) if kind == "maximum" else np.average(values, weights=weights)
        votes[word] = (1 - weight) * frequency + weight * (confidence if word else empty)
    return {word: vote / sum(votes.values()) for word, vote in votes.items()}


@pytest.mark.parametrize("kind", ["mean", "maximum"])
def test_votes_count_frequencies_and_confidences(kind):
    """All strings of the slots with their costs, and the default decision, by hand."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        votes, confidences, systems = random_votes(seed)
        shares, weight, empty = rng.random(len(systems)) + 0.2, float(rng.random()), float(rng.random())
        shares /= shares.sum()
        settings = CombinationSettings(
            "rover",
            shares=tuple(shares),
            confidence_weight=weight,
            empty_confidence=empty,
            word_confidence=kind,
            max_arcs=1_000_000,
        )
        slots = []
        for slot in range(3):
            rows = [
                (words[slot], values[slot] if words[slot] else math.nan, share)
                for words, values, share in zip(votes, confidences, shares, strict=True)
            ]
            slots.append(expected_votes(rows, weight, empty, kind))
        expected = {}
        for words in product(*slots):
            anchored = "| " + " ".join(f"{word} |{slot}0 |{slot}1 |{slot}2" for slot, word in enumerate(words))
            cost = -sum(math.log(max(slot[word], 1e-300)) for slot, word in zip(slots, words, strict=True))
            expected[" ".join(anchored.split())] = cost
        result = {path.text: path.cost for path in nbest(combine(systems, settings), 1000)}
        assert result == pytest.approx(expected, abs=1e-6), seed


def test_votes_without_confidences_are_those_of_the_confusion_network():
    """Also of the empty word, whatever the weight of confidences."""
    for seed in range(20):
        systems = random_systems(seed, least=2)
        settings = CombinationSettings("rover", confidence_weight=seed / 19, max_arcs=1_000_000)
        mixture = union(*map(Lattice.from_nbest, systems), shares=[1] * len(systems), normalised=True)
        expected = {path.tokens: path.cost for path in nbest(confusion_network(mixture), 10_000)}
        result = {path.tokens: path.cost for path in nbest(combine(systems, settings), 10_000)}
        assert result == pytest.approx(expected, abs=1e-6), seed


@pytest.mark.parametrize("method", ["rover", "confusion"])
def test_words_that_systems_share_are_in_one_slot(method):
    """An alignment with the first one alone would have `Hanna` in two slots."""
    for outputs in permutations(("call Anne", "call Hanna", "call Hanna now")):
        lattice = combine(outputs, CombinationSettings(method), weights={"Posterior": 1.0})
        probabilities = {path.text: round(math.exp(-path.cost), 3) for path in nbest(lattice, 9)}
        assert probabilities == {
            "call Hanna": 0.444,
            "call Hanna now": 0.222,
            "call Anne": 0.222,
            "call Anne now": 0.111,
        }


def test_the_confidences_of_some_hypotheses_count():
    """A list whose first hypothesis alone has confidences, a lattice with posteriors, and plain text."""
    ranked = [Hypothesis(("a", "b"), 0.0, confidences=(0.9, 0.9)), Hypothesis(("a", "c"), 1.0)]
    sure = Lattice.from_nbest([Hypothesis(("a", "c"), confidences=(0.9, 1.0))])
    unsure = Lattice.from_nbest([Hypothesis(("a", "c"), confidences=(0.9, 0.1))])
    assert shortest_path(combine([ranked, sure], ROVER)).text == "a c"
    assert shortest_path(combine([ranked, unsure], ROVER)).text == "a b"
    assert shortest_path(combine(["a b", sure, "a b"], ROVER)).text == "a b"
    assert shortest_path(combine([[Hypothesis((), confidences=())], unsure, sure], ROVER)).text == "a c"


def test_times_of_votes_are_means_wherever_they_begin():
    """Systems with the same words, and another with more of them."""
    for seed in range(20):
        rng, count = np.random.default_rng(seed), 4
        begins = np.cumsum(rng.random((3, count)) + 0.5, axis=1)
        spans = np.stack((begins, begins + 0.4), axis=2) + rng.choice([0.0, 100.0])
        words = tuple("abcd")
        systems = [[Hypothesis(words, times=tuple(map(tuple, span)))] for span in spans.round(3).tolist()]
        path = shortest_path(combine(systems, ROVER))
        assert path.tokens == words
        mean = spans.round(3).mean(axis=0)
        mean[:-1, 1] = np.minimum(mean[:-1, 1], mean[1:, 0])
        assert np.array(path.times) == pytest.approx(mean, abs=2e-6), seed
        assert path.confidences == (1.0,) * count


def test_times_of_votes_do_not_overlap():
    """Also those of words with fewer votes than none, which give way to the others."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        systems = []
        for _ in range(int(rng.integers(2, 5))):
            count = int(rng.integers(1, 6))
            begins = np.sort(rng.random(count) * 3).round(2).tolist()
            times = tuple((begin, round(begin + 0.5 * rng.random(), 2)) for begin in begins)
            systems.append([Hypothesis(tuple(rng.choice(list("abc"), count)), times=times)])
        settings = CombinationSettings("rover", empty_confidence=float(rng.random()))
        paths = nbest(combine(systems, settings), 50)
        for path in paths:
            ends = [0.0, *chain.from_iterable(path.times)]
            assert ends == sorted(ends), seed
            assert ends[-1] <= max(end for [entry] in systems for _, end in entry.times) + 1e-5


def test_votes_leave_other_methods_alone():
    confident, plain = [[Hypothesis(("a", "b"), confidences=(0.9, 0.1))], "a c"], ["a b", "a c"]
    for method in set(METHODS) - {"rover"}:
        first, second = (nbest(combine(each, CombinationSettings(method)), 9) for each in (confident, plain))
        assert [(path.text, path.cost) for path in first] == [(path.text, path.cost) for path in second], method
