"""Progressive alignment against the same in plain Python, and what it finds in noisy copies of a sentence."""

from __future__ import annotations

import numpy as np
from word_edits import edits

from lattice_simp import Hypothesis, Lattice, confusion_network, consensus_nbest, shortest_path
from lattice_simp.ops import confusion_network as networks
from lattice_simp.ops.distribution import Distribution
from lattice_simp.ops.progressive_alignment import longest_first, progressive_consensus


def aligned(strings, weights):
    """Returns the words with the greatest weights of slots, which are dicts from words (0: none) to weights."""
    slots, done = [], 0
    for string, weight in zip(strings, weights, strict=True):
        best = {(0, 0): (0, ())}
        for row in range(len(string) + 1):
            for column in range(len(slots) + 1):
                choices = []
                if row and column:
                    same = slots[column - 1].get(string[row - 1], 0)
                    cost, moves = best[row - 1, column - 1]
                    choices.append((cost + done - same + (same == 0), (*moves, (column - 1, string[row - 1]))))
                if column:
                    cost, moves = best[row, column - 1]
                    choices.append((cost + done - slots[column - 1].get(0, 0), (*moves, (column - 1, 0))))
                if row:
                    cost, moves = best[row - 1, column]
                    choices.append((cost + done, (*moves, (None, string[row - 1]))))
                if choices:
                    best[row, column] = min(choices, key=lambda choice: choice[0])
        grown = []
        for place, word in best[len(string), len(slots)][1]:
            slot = {0: done} if place is None else slots[place]
            slot[word] = slot.get(word, 0) + weight
            grown.append(slot)
        slots, done = grown, done + weight
    words = (max(sorted(slot), key=slot.__getitem__) for slot in slots)
    return [word for word in words if word]


def test_it_is_that_of_plain_python():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        count, letters = int(rng.integers(1, 9)), int(rng.integers(2, 6))
        strings = {tuple(rng.integers(1, letters, rng.integers(0, 8)).tolist()) for _ in range(count)}
        ordered = sorted(strings, key=longest_first)
        weights = rng.integers(1, 4097, len(ordered)) if seed % 2 else np.full(len(ordered), 4096)
        weights[rng.integers(len(ordered))] = 4096
        words = np.array([word for string in ordered for word in string], dtype=np.int32)
        begins = np.cumsum([0, *map(len, ordered)], dtype=np.int64)
        order = np.arange(len(ordered))
        is_aligned, result = progressive_consensus(words, begins, weights / 8192, order, letters)
        assert is_aligned
        assert result.tolist() == aligned(ordered, weights.tolist()), f"seed {seed}"


def noisy(rng, words, vocabulary, share):
    """Yields copies of words: some are replaced, removed, or followed by others."""
    for word in words:
        kind = rng.random() / share
        if kind > 2.0 or kind < 1.0:
            yield str(rng.choice(vocabulary)) if kind < 1.0 else word
        elif kind > 1.5:
            yield word
            yield str(rng.choice(vocabulary))


def test_the_consensus_of_noisy_copies_is_the_sentence():
    """From the most probable string alone, ten times as many words were wrong."""
    vocabulary = [f"w{number}" for number in range(60)]
    wrong = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        sentence = rng.choice(vocabulary, 15).tolist()
        copies = {tuple(noisy(rng, sentence, vocabulary, 0.2)): rng.random() for _ in range(30)}
        entries = [Hypothesis(words, cost) for words, cost in copies.items()]
        consensus = consensus_nbest(entries)
        assert shortest_path(confusion_network(Lattice.from_nbest(entries))).tokens == consensus.tokens
        wrong += edits(consensus.tokens, tuple(sentence))
    assert wrong <= 0.02 * 20 * 15


def test_the_second_alignment_never_has_more_expected_errors(monkeypatch):
    fewer = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        sentence = rng.choice([*"abcdefgh"], 6).tolist()
        copies = {tuple(noisy(rng, sentence, [*"abcdefgh"], 0.2)): rng.exponential() for _ in range(8)}
        lattice = Lattice.from_strings(list(copies.items())).connected()
        strings = Distribution.of(lattice)
        errors = networks.consensus_of(lattice, strings).errors
        with monkeypatch.context() as context:
            context.setattr(networks, "progressive_consensus", lambda *_: (False, None))
            single = networks.consensus_of(lattice, strings).errors
        assert errors <= single + 1e-9, f"seed {seed}"
        fewer += errors < single - 1e-6
    assert fewer > 5


def test_many_or_long_strings_are_not_aligned():
    for count, length, is_expected in ((1024, 3, True), (1025, 3, False), (2, 2000, True), (2, 4000, False)):
        words, begins = np.ones(count * length, dtype=np.int32), length * np.arange(count + 1)
        assert progressive_consensus(words, begins, np.ones(count), np.arange(count), 2)[0] == is_expected
