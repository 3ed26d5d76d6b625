"""The HMM word aligner against an enumeration of all alignments, and on corpora whose alignment is known."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from lattice_simp.errors import LatticeSimpError
from lattice_simp.train.alignment import hmm
from lattice_simp.train.alignment.hmm import HmmSettings, Side, align_both, align_words
from lattice_simp.train.alignment.hmm_kernels import Shard, hmm_posteriors, model1_posteriors
from lattice_simp.train.alignment.hmm_table import (
    Block,
    PairTable,
    fill_cells,
    find_occurrences,
    kept_pairs,
    write_rows,
)

NULL = -1
# No pair is dropped, and the floor has no effect, so that the training is pure EM.
PURE = HmmSettings(floor=1e-300, rare_word=10**9, minimum_count=0.0)


def side(sentences, vocabulary_size=None):
    words = np.array([word for sentence in sentences for word in sentence], dtype=np.int32)
    offsets = np.cumsum([0, *map(len, sentences)])
    return Side(words, offsets, vocabulary_size or int(words.max(initial=-1)) + 1)


def random_pairs(seed, count, longest, vocabulary=4):
    rng = np.random.default_rng(seed)

    def sentence():
        return rng.integers(0, vocabulary, rng.integers(0, longest + 1)).tolist()

    return [(sentence(), sentence()) for _ in range(count)]


def sides(pairs, vocabulary=4):
    return side([first for first, _ in pairs], vocabulary), side([second for _, second in pairs], vocabulary)


def trained(pairs, settings, vocabulary=4, jobs=1):
    """Returns the positions and the log-likelihoods of all passes."""
    likelihoods = []
    positions = align_words(
        *sides(pairs, vocabulary), settings, jobs=jobs, progress=lambda done, total, value: likelihoods.append(value)
    )
    return positions, likelihoods


# ---------------------------------------------------------------- by enumeration


class Enumerated:
    """EM over all alignments of each sentence pair, one product of probabilities each."""

    def __init__(self, pairs, settings, vocabulary):
        self.pairs, self.settings = pairs, settings
        self.translations = defaultdict(lambda: 1.0 / vocabulary)
        self.weights = defaultdict(lambda: 1.0)

    def bucket(self, previous, position):
        most = self.settings.maximum_jump
        if previous is None:
            return ("start", min(position, most))
        return max(-most, min(most, position - previous))

    def jump(self, previous, position, length):
        """Returns the probability, the part due to the weights, and the sum of the weights."""
        total = sum(self.weights[self.bucket(previous, other)] for other in range(length))
        learned = (1 - self.settings.uniform) * self.weights[self.bucket(previous, position)] / total
        return learned + self.settings.uniform / length, learned, total

    def moves(self, alignment):
        previous = None
        for position in alignment:
            if position != NULL:
                yield previous, position
                previous = position

    def probability(self, first, second, alignment, hmm):
        value = 1.0
        for position, word in zip(alignment, second, strict=True):
            value *= self.translations[None if position == NULL else first[position], word]
            if hmm:
                value *= self.settings.null if position == NULL else 1 - self.settings.null
            else:
                value /= len(first) + 1
        if hmm:
            for previous, position in self.moves(alignment):
                value *= self.jump(previous, position, len(first))[0]
        return value

    def posteriors(self, first, second, hmm):
        alignments = list(product([*range(len(first)), NULL], repeat=len(second)))
        joint = [self.probability(first, second, alignment, hmm) for alignment in alignments]
        return list(zip(alignments, [value / sum(joint) for value in joint], strict=True)), math.log(sum(joint))

    def step(self, hmm):
        likelihood = 0.0
        counts, jumps, exposures = Counter(), Counter(), Counter()
        for first, second in self.pairs:
            posteriors, value = self.posteriors(first, second, hmm)
            likelihood += value
            for alignment, posterior in posteriors:
                for position, word in zip(alignment, second, strict=True):
                    counts[None if position == NULL else first[position], word] += posterior
                for previous, position in self.moves(alignment) if hmm else ():
                    probability, learned, total = self.jump(previous, position, len(first))
                    share = posterior * learned / probability
                    jumps[self.bucket(previous, position)] += share
                    for other in range(len(first)):
                        exposures[self.bucket(previous, other)] += share / total
        totals = Counter()
        for (word, _), count in counts.items():
            totals[word] += count
        self.translations.update({key: count / totals[key[0]] for key, count in counts.items()})
        self.weights.update({key: jumps[key] / exposures[key] for key in exposures})
        return likelihood

    def run(self):
        return [
            self.step(done >= self.settings.model1_iterations)
            for done in range(self.settings.model1_iterations + self.settings.hmm_iterations)
        ]


@pytest.mark.parametrize(("model1", "hmm", "maximum_jump"), [(6, 0, 3), (0, 6, 0), (3, 4, 1), (5, 5, 3)])
def test_em_is_that_of_the_enumeration(model1, hmm, maximum_jump):
    for seed in range(6):
        pairs = random_pairs(seed, count=8, longest=4)
        settings = replace(PURE, model1_iterations=model1, hmm_iterations=hmm, maximum_jump=maximum_jump, null=0.3)
        positions, likelihoods = trained(pairs, settings)
        reference = Enumerated(pairs, settings, vocabulary=4)
        assert likelihoods[:-1] == pytest.approx(reference.run(), rel=1e-9), f"seed {seed}"

        result, likelihood = iter(positions.tolist()), 0.0
        for first, second in pairs:
            posteriors, value = reference.posteriors(first, second, hmm=True)
            likelihood += value
            for position in range(len(second)):
                links = Counter()
                for alignment, posterior in posteriors:
                    links[alignment[position]] += posterior
                assert links[next(result)] == pytest.approx(max(links.values()), abs=1e-9), f"seed {seed}"
        assert likelihoods[-1] == pytest.approx(likelihood, rel=1e-9), f"seed {seed}"


@pytest.mark.parametrize("hmm", [False, True])
def test_link_posteriors_are_those_of_the_enumeration(hmm):
    rng = np.random.default_rng(5)
    settings = replace(PURE, maximum_jump=1)
    shapes = [(3, 4), (0, 2), (2, 0), (3, 2), (1, 1)]
    weights = rng.uniform(0.1, 1.0, 5)
    starts = np.cumsum([0, *((rows + 1) * columns for rows, columns in shapes)])
    cells = rng.uniform(0.001, 0.1, starts[-1])
    tables = [
        cells[begin : begin + (i + 1) * j].reshape(i + 1, j).copy()
        for begin, (i, j) in zip(starts[:-1], shapes, strict=True)
    ]
    shard = Shard(cells, *(np.array(lengths) for lengths in zip(*shapes, strict=True)), starts[:-1])
    if hmm:
        value, _ = hmm_posteriors(shard, weights, settings.null, settings.uniform)
    else:
        value, _ = model1_posteriors(shard)

    likelihood = 0.0
    reference = Enumerated([], settings, vocabulary=1)
    reference.weights.update(zip([-1, 0, 1, ("start", 0), ("start", 1)], weights, strict=True))
    for begin, (rows, columns), table in zip(starts[:-1], shapes, tables, strict=True):
        reference.translations = {(i, j): table[i, j] for i in range(rows) for j in range(columns)}
        reference.translations.update({(None, j): table[rows, j] for j in range(columns)})
        posteriors, part = reference.posteriors(range(rows), range(columns), hmm)
        likelihood += part
        expected = np.zeros((rows + 1, columns))
        for alignment, posterior in posteriors:
            for position, word in zip(alignment, range(columns), strict=True):
                expected[position, word] += posterior
        actual = cells[begin : begin + expected.size].reshape(expected.shape)
        np.testing.assert_allclose(actual, expected, atol=1e-12)
    assert value == pytest.approx(likelihood, rel=1e-12)


def test_the_likelihood_never_falls():
    for seed in range(8):
        pairs = random_pairs(seed, count=30, longest=9, vocabulary=12)
        settings = replace(
            PURE, model1_iterations=8, hmm_iterations=25, maximum_jump=seed, uniform=[0.01, 0.2, 0.7][seed % 3]
        )
        _, likelihoods = trained(pairs, settings, vocabulary=12)
        for model in (likelihoods[:8], likelihoods[8:]):
            assert np.all(np.diff(model) >= -1e-9 * abs(model[0])), f"seed {seed}"
            assert model[-1] > model[0] + 1.0, f"seed {seed}"


# ---------------------------------------------------------------- known alignments


def planted(seed, count, vocabulary=300):
    """Returns pairs of a one-to-one dictionary: neighbours swap, and both sides have words without a counterpart."""
    rng = np.random.default_rng(seed)
    partner = rng.permutation(vocabulary)
    frequencies = 1.0 / np.arange(3, vocabulary + 3)
    pairs, links = [], []
    for _ in range(count):
        words = rng.choice(vocabulary, rng.integers(4, 16), replace=False, p=frequencies / frequencies.sum())
        order = list(range(len(words)))
        for position in range(0, len(words) - 1, 2):
            if rng.random() < 0.4:
                order[position : position + 2] = order[position + 1], order[position]
        results, where = [], {}
        for index, word in enumerate(words):
            if rng.random() < 0.1:
                results.append(vocabulary + int(rng.integers(3)))
            where[index] = len(results)
            results.append(int(word))
        second = []
        for index in order:
            if rng.random() < 0.1:
                second.append(vocabulary + int(rng.integers(3)))
                links.append(NULL)
            second.append(int(partner[words[index]]))
            links.append(where[index])
        pairs.append((results, second))
    return pairs, np.array(links)


def test_planted_alignments_are_found():
    pairs, links = planted(seed=1, count=1500)
    positions, _ = trained(pairs, HmmSettings(), vocabulary=303)
    assert np.mean(positions == links) > 0.95
    inserted = links == NULL
    assert np.mean(positions[inserted] == NULL) > 0.8


def test_repeated_words_are_distinguished_by_order():
    rng = np.random.default_rng(2)
    pairs = []
    for _ in range(200):
        words = rng.integers(0, 20, 8).tolist()
        pairs.append((words, words))
    pairs.append(([7] * 6, [7] * 6))
    positions, _ = trained(pairs, HmmSettings(), vocabulary=20)
    assert positions[-6:].tolist() == list(range(6))


def test_links_of_both_directions():
    pairs, _ = planted(seed=3, count=40)
    pairs.insert(1, ([], [4]))
    source, target = sides(pairs, 303)
    passes = []
    forward, backward = align_both(source, target, progress=lambda done, total, value: passes.append((done, total)))
    assert passes == [(done, 22) for done in range(1, 23)]
    for (offsets, points), positions, entry in (
        (forward, align_words(source, target), 1),
        (backward, align_words(target, source), 0),
    ):
        assert points.dtype == np.int32
        assert len(offsets) == len(pairs) + 1
        generated = (source, target)[entry]
        for sentence in range(len(pairs)):
            part = positions[generated.offsets[sentence] : generated.offsets[sentence + 1]]
            expected = [(position, index) for index, position in enumerate(part.tolist()) if position != NULL]
            rows = points[offsets[sentence] : offsets[sentence + 1]]
            assert [(row[1 - entry], row[entry]) for row in rows.tolist()] == expected


# ---------------------------------------------------------------- the same bytes


def test_threads_do_not_change_the_result(monkeypatch):
    monkeypatch.setattr(hmm, "BLOCK_CELLS", 5000)
    monkeypatch.setattr(hmm, "SHARD_CELLS", 700)
    pairs, _ = planted(seed=4, count=300)
    first, likelihoods = trained(pairs, HmmSettings(), vocabulary=303, jobs=1)
    for jobs in (2, 5):
        positions, others = trained(pairs, HmmSettings(), vocabulary=303, jobs=jobs)
        assert positions.tobytes() == first.tobytes()
        assert others == likelihoods  # to the last bit


def test_blocks_change_no_more_than_rounding(monkeypatch):
    pairs, _ = planted(seed=4, count=100)
    _, whole = trained(pairs, HmmSettings(), vocabulary=303)
    monkeypatch.setattr(hmm, "BLOCK_CELLS", 1)
    monkeypatch.setattr(hmm, "SHARD_CELLS", 1)
    _, single = trained(pairs, HmmSettings(), vocabulary=303)
    assert single == pytest.approx(whole, rel=1e-9)


# ---------------------------------------------------------------- the table


@pytest.mark.parametrize("rare_word", [0, 1, 3, 100])
def test_pairs_seen_once_stay_if_a_word_is_rare(rare_word):
    pairs = random_pairs(6, count=12, longest=5, vocabulary=9)
    first, second = sides(pairs, 9)
    together = Counter((e, f) for left, right in pairs for e in left for f in right)
    null = Counter((9, f) for _, right in pairs for f in right)
    seen = np.bincount(first.words, minlength=9), np.bincount(second.words, minlength=9)
    expected = sorted(
        [pair for pair, n in together.items() if n > 1 or min(seen[0][pair[0]], seen[1][pair[1]]) < rare_word]
        + list(null)
    )
    occurrences = find_occurrences(first.words, first.offsets, 9)
    sizes = np.zeros(11, dtype=np.int64)
    shared = occurrences, second.words, second.offsets, seen[1], rare_word, (0, 10)
    write_rows(*shared, sizes, np.empty(0, dtype=np.int32))
    starts = np.cumsum(sizes)
    words = np.empty(starts[-1], dtype=np.int32)
    write_rows(*shared, starts, words)
    assert list(zip(np.repeat(np.arange(10), np.diff(starts)).tolist(), words.tolist(), strict=True)) == expected


def test_cells_have_at_least_the_floor():
    first, second = side([[1, 0], [1]], 2), side([[2, 0, 2, 1], [0]], 3)
    table = PairTable(np.array([0, 1, 3, 4]), np.array([0, 0, 2, 1], np.int32), np.array([0.5, 0.25, 0.01, 0.75]))
    cells = np.full(14, np.nan)
    occurrences = find_occurrences(first.words, first.offsets, 2)
    block = Block(occurrences, second.words, second.offsets, 3, np.array([0, 12]), cells)
    fill_cells(table, block, 0.125, (0, 3))
    low = 0.125
    assert cells[:12].reshape(3, 4).tolist() == [[low, 0.25, low, low], [low, 0.5, low, low], [low, low, low, 0.75]]
    assert cells[12:].tolist() == [0.25, low]


def test_pairs_with_a_low_count_are_dropped():
    table = PairTable(np.array([0, 3, 3, 5]), np.array([1, 4, 6, 0, 1], np.int32), np.array([0.5, 0.2, 0.3, 0.9, 0.1]))
    kept = kept_pairs(table, np.array([1.0, 0.009, 0.01, 0.0, 2.0]), 0.01)
    assert [part.tolist() for part in kept] == [[0, 2, 2, 3], [1, 6, 1], [0.5, 0.3, 0.1]]


# ---------------------------------------------------------------- what is odd


@pytest.mark.parametrize("settings", [HmmSettings(), HmmSettings(rare_word=0, minimum_count=3.0), PURE])
def test_odd_sentences(settings):
    rng = np.random.default_rng(7)
    long = [rng.integers(0, 50, 200).tolist() for _ in range(2)]
    pairs = [([], []), ([], [3]), ([3], []), ([5], [5]), (long[0], long[1]), (long[0], [1]), ([1], long[1]), ([], [])]
    positions, likelihoods = trained(pairs, settings, vocabulary=60)
    assert np.all(np.isfinite(likelihoods))
    position = 0
    for first, second in pairs:
        part = positions[position : position + len(second)]
        assert np.all((part >= NULL) & (part < len(first)))
        position += len(second)
    assert position == len(positions)


@pytest.mark.parametrize("iterations", [0, 2])
@pytest.mark.parametrize("pairs", [[], [([], [])], [([0], [])], [([], [0])]])
def test_corpora_with_nothing_to_align(pairs, iterations):
    settings = HmmSettings(model1_iterations=iterations, hmm_iterations=iterations)
    positions, _ = trained(pairs, settings, vocabulary=1)
    assert positions.tolist() == [NULL for _, second in pairs for _ in second]
    (offsets, points), _ = align_both(*sides(pairs, 1), settings)
    assert offsets.tolist() == [0] * (len(pairs) + 1)
    assert points.shape == (0, 2)


def test_empty_vocabularies():
    empty = Side(np.empty(0, dtype=np.int32), np.zeros(3, dtype=np.int64), 0)
    assert len(align_words(empty, empty)) == 0


def test_faults():
    with pytest.raises(LatticeSimpError, match="rise from 0"):
        Side(np.zeros(3, np.int32), np.array([0, 2]), 1)
    with pytest.raises(LatticeSimpError, match="rise from 0"):
        Side(np.zeros(3, np.int32), np.array([0, 3, 2, 3]), 1)
    with pytest.raises(LatticeSimpError, match="rise from 0"):
        Side(np.zeros(0, np.int32), np.zeros(0, np.int64), 1)
    for word in (-1, 2):
        with pytest.raises(LatticeSimpError, match=r"0\.\.1"):
            Side(np.array([word]), np.array([0, 1]), 2)
    with pytest.raises(LatticeSimpError, match="1 and 2 sentences"):
        align_words(side([[0]]), side([[0], [0]]))
    with pytest.raises(LatticeSimpError, match="jobs"):
        align_words(side([[0]]), side([[0]]), jobs=0)
    for fault in (
        {"null": 0.0},
        {"uniform": 1.0},
        {"floor": math.nan},
        {"maximum_jump": -1},
        {"minimum_count": math.nan},
    ):
        with pytest.raises(LatticeSimpError, match=next(iter(fault))):
            HmmSettings(**fault)
