"""The extraction kernels against rules by brute force."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from lattice_simp.core.growing import find_slot
from lattice_simp.train.rules.extract import Limits, count_targets, extract_block, hash_rows, pattern_hash
from lattice_simp.train.rules.grammar_filter import EVERYTHING, matching_patterns
from lattice_simp.train.rules.spans import rule_spans

LIMITS = [
    Limits(8, 5, 2),
    Limits(1, 1, 0),
    Limits(2, 2, 2),
    Limits(3, 5, 1),
    Limits(4, 3, 2),
    Limits(5, 5, 0),
    Limits(6, 4, 2),
    Limits(7, 1, 2),
    Limits(8, 2, 1),
    Limits(8, 3, 2),
]
A_BLOCK = 10**9
"""More rules than any block has here."""


def rules_of(block):
    """Returns (sentence, source, target, points) of each occurrence."""

    def row(name, number):
        offsets = getattr(block.sides, {"points": "point"}.get(name, name) + "_offsets")
        return tuple(getattr(block.sides, name)[offsets[number] : offsets[number + 1]].tolist())

    results = []
    for number, sentence in enumerate(block.sentence.tolist()):
        points = row("points", number)
        results.append(
            (sentence, row("source", number), row("target", number), tuple(zip(points[::2], points[1::2], strict=True)))
        )
    return results


def brute(pairs, limits, brute_rules):
    return Counter(
        (sentence, *rule) for sentence, pair in enumerate(pairs) for rule in brute_rules(pair, limits).elements()
    )


def hash_table(hashes):
    keys = np.full(1 << 16, -1, dtype=np.int64)
    values = np.full(1 << 16, -1, dtype=np.int32)
    for position, key in enumerate(hashes):
        slot = find_slot(keys, key)
        keys[slot], values[slot] = key, position
    return keys, values


# ---------------------------------------------------------------- the rules


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_the_rules_are_those_of_the_definition(limits, random_pairs, bitext_of, brute_rules):
    pairs = random_pairs(sum(limits), 150)
    block = extract_block(bitext_of(pairs), 0, limits, EVERYTHING, A_BLOCK)
    assert block.end == len(pairs)
    counter = Counter(rules_of(block))
    assert counter == brute(pairs, limits, brute_rules)
    assert len(counter) > 30


CROSSWISE = [0, 1, 2], [5, 6, 7], [(0, 2), (1, 1), (2, 0)]


def test_a_known_pair_has_chiangs_rules(bitext_of):
    block = extract_block(bitext_of([CROSSWISE]), 0, Limits(3, 2, 1), EVERYTHING, A_BLOCK)
    assert Counter((source, target) for _, source, target, _ in rules_of(block)) == {
        ((0,), (7,)): 1,
        ((1,), (6,)): 1,
        ((2,), (5,)): 1,
        ((0, 1), (6, 7)): 1,
        ((1, 2), (5, 6)): 1,
        ((-1, 1), (6, -1)): 1,
        ((0, -1), (-1, 7)): 2,
        ((-1, 2), (5, -1)): 2,
        ((1, -1), (-1, 6)): 1,
    }


def test_gaps_are_numbered_by_the_source_side(bitext_of):
    block = extract_block(bitext_of([CROSSWISE]), 0, Limits(3, 3, 2), EVERYTHING, A_BLOCK)
    assert (0, (-1, 1, -2), (-2, 6, -1), ((1, 1),)) in rules_of(block)


@pytest.mark.parametrize("pair", [([], []), ([], [1]), ([1], []), ([1, 2], [3, 4])])
def test_pairs_without_links_have_no_rules(pair, bitext_of):
    block = extract_block(bitext_of([(*pair, []), (*pair, [])]), 0, Limits(8, 5, 2), EVERYTHING, A_BLOCK)
    assert (block.end, len(block.sentence), len(block.sides.source)) == (2, 0, 0)
    assert [
        block.sides.source_offsets.tolist(),
        block.sides.target_offsets.tolist(),
        block.sides.point_offsets.tolist(),
    ] == [[0]] * 3


def test_no_sentences_have_no_rules(bitext_of):
    block = extract_block(bitext_of([]), 0, Limits(8, 5, 2), EVERYTHING, A_BLOCK)
    assert (block.end, len(block.sentence)) == (0, 0)


@pytest.mark.parametrize("max_rules", [1, 7, 100, 1500])
def test_blocks_hold_the_rules_of_one_block(max_rules, random_pairs, bitext_of):
    bitext, limits = bitext_of(random_pairs(3, 60)), Limits(8, 5, 2)
    whole = rules_of(extract_block(bitext, 0, limits, EVERYTHING, A_BLOCK))
    assert len(whole) > 1600
    begin, parts, blocks = 0, [], 0
    while begin < 60:
        block = extract_block(bitext, begin, limits, EVERYTHING, max_rules)
        assert block.end > begin
        assert block.end == 60 or len(block.sentence) >= max_rules
        assert set(block.sentence.tolist()) <= set(range(begin, block.end))
        # The last sentence was needed to reach `max_rules`.
        assert (block.sentence < block.end - 1).sum() < max_rules
        begin, blocks = block.end, blocks + 1
        parts += rules_of(block)
    assert parts == whole
    assert blocks > 1


def test_a_long_pair_outgrows_every_first_array(bitext_of):
    # The rules of a diagonal can be counted: a phrase for each span, then the ways to take spans out.
    length, limits = 60, Limits(12, 5, 2)
    pair = list(range(length)), list(range(100, 100 + length)), [(word, word) for word in range(length)]
    expected = 0
    for words in range(1, limits.max_span + 1):
        positions = length - words + 1
        expected += positions * (words <= 5)
        for begin in range(words):
            for end in range(begin + 1, words + 1):
                expected += positions * (0 < words - (end - begin) <= 4)
                for other in range(end + 1, words):
                    for other_end in range(other + 1, words + 1):
                        expected += positions * (words - (end - begin) - (other_end - other) <= 3)
    block = extract_block(bitext_of([pair]), 0, limits, EVERYTHING, A_BLOCK)
    actual = rules_of(block)
    assert len(actual) == expected > 4096
    for _, source, target, points in actual:
        assert target == tuple(100 + symbol if symbol >= 0 else symbol for symbol in source)
        assert points == tuple((position, position) for position, symbol in enumerate(source) if symbol >= 0)


def test_dense_links_are_all_kept(bitext_of):
    words, links = tuple(range(20)), tuple((s, t) for s in range(20) for t in range(20))
    block = extract_block(bitext_of([(words, words, links)] * 30), 0, Limits(20, 20, 2), EVERYTHING, A_BLOCK)
    assert rules_of(block) == [(sentence, words, words, links) for sentence in range(30)]


def test_spans_of_gaps_are_phrases_of_their_own(random_pairs):
    for pair in random_pairs(11, 40):
        links = np.array(pair.links, dtype=np.int32).reshape(-1, 2)
        spans = rule_spans(len(pair.source), len(pair.target), links, 8, 5, 2).tolist()
        phrases = {tuple(row[:4]) for row in spans if row[4] < 0}
        every = rule_spans(len(pair.source), len(pair.target), links, 8, 8, 0).tolist()
        assert phrases == {tuple(row[:4]) for row in every if row[1] - row[0] <= 5}
        gaps = {tuple(row[position : position + 4]) for row in spans for position in (4, 8) if row[position] >= 0}
        assert gaps <= {tuple(row[:4]) for row in every}


# ---------------------------------------------------------------- counts of target sides


@pytest.mark.parametrize("limits", LIMITS[:6], ids=str)
def test_target_sides_are_counted(limits, random_pairs, bitext_of, brute_rules):
    pairs = random_pairs(20 + sum(limits), 50, words=3)
    rules = brute(pairs, limits, brute_rules)
    expected: Counter[tuple[int, ...]] = Counter()
    for (_, _, target, _), number in rules.items():
        expected[target] += number
    some = sorted(expected)[::2]
    absent = (99, 98)
    keys, values = hash_table([pattern_hash(np.array(row, dtype=np.int32)) for row in [*some, absent]])
    counts = np.full(len(some) + 1, 1000, dtype=np.int64)
    assert count_targets(bitext_of(pairs), limits, keys, values, counts) == rules.total()
    assert (counts - 1000).tolist() == [expected[row] for row in [*some, absent]]


def test_rows_are_hashed_one_by_one():
    symbols, offsets = np.array([3, -1, 4, -2, 3, -1], dtype=np.int32), np.array([0, 2, 2, 4, 6])
    hashes = hash_rows(offsets, symbols).tolist()
    assert hashes == [pattern_hash(symbols[a:b]) for a, b in pairwise(offsets)]
    assert hashes[0] == hashes[3]
    assert len(set(hashes)) == 3


def test_different_patterns_have_different_hashes():
    values = np.array([-2, -1, 0, 1, 2, 3, 1 << 20, (1 << 31) - 1], dtype=np.int32)
    patterns = [np.array([], dtype=np.int32)]
    for length in (1, 2, 3, 4):
        patterns += list(np.stack(np.meshgrid(*[values] * length), axis=-1).reshape(-1, length))
    hashes = {pattern_hash(np.ascontiguousarray(pattern)) for pattern in patterns}
    assert len(hashes) == len(patterns)
    assert min(hashes) >= 0
    # All 64 buckets are used, evenly enough for parts of similar size.
    buckets = np.bincount(np.array(sorted(hashes)) % 64, minlength=64)
    assert buckets.min() > 0.5 * buckets.mean()
    assert buckets.max() < 1.5 * buckets.mean()


# ---------------------------------------------------------------- allowed patterns


def brute_patterns(sentences, limits):
    """Returns every choice of a symbol for each word of every span: the word itself, or a part of a gap."""
    result = set()
    for words in sentences:
        for begin in range(len(words)):
            for end in range(begin + 1, min(begin + limits.max_span, len(words)) + 1):
                result |= set(_patterns_of(words[begin:end], limits))
    return result


def _patterns_of(words, limits):
    for mask in range(1 << len(words)):
        hidden = [bool(mask >> position & 1) for position in range(len(words))]
        symbols, gaps = [], 0
        for position, word in enumerate(words):
            if not hidden[position]:
                symbols.append(word)
            elif position == 0 or not hidden[position - 1]:
                gaps += 1
                symbols.append(-gaps)
        known = all(symbol is not None for symbol in symbols)
        if known and gaps <= limits.max_gaps and gaps < len(symbols) <= limits.max_symbols:
            yield tuple(symbols)


def random_sentences(seed):
    random = np.random.default_rng(seed)
    words = ["a", "b", "c", "d", "e", "f"]
    return [random.choice(words, size=random.integers(0, 8)).tolist() for _ in range(12)], words[:-2]


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_what_passes_are_the_patterns_that_match(limits):
    sentences, known = random_sentences(sum(limits))
    numbered = [[known.index(word) if word in known else None for word in words] for words in sentences]
    table = matching_patterns([" ".join(words) for words in sentences], known, limits)
    expected = {pattern_hash(np.array(pattern, dtype=np.int32)) for pattern in brute_patterns(numbered, limits)}
    assert set(table[table >= 0].tolist()) == expected
    assert len(expected) >= len(known)
    assert all(table[find_slot(table, entry)] == entry for entry in expected)


def test_many_patterns_outgrow_the_first_table():
    limits, length = Limits(10, 5, 2), 400
    words = [f"w{number}" for number in range(length)]
    table = matching_patterns([" ".join(words)], words, limits)
    expected = {pattern_hash(np.array(pattern, dtype=np.int32)) for pattern in _shifted_patterns(length, limits)}
    actual = table[table >= 0].tolist()
    assert len(actual) == len(set(actual))
    assert set(actual) == expected
    assert len(table) > 1 << 16
    assert 2 * len(actual) <= len(table)


def _shifted_patterns(length, limits):
    """Returns the patterns of the sentence 0, 1, 2, ...: those of its first span, moved along."""
    for shape in brute_patterns([list(range(limits.max_span))], limits):
        words = [symbol for symbol in shape if symbol >= 0]
        first, last = words[0] - (shape[0] < 0), words[-1] + (shape[-1] < 0)
        for shift in range(-first, length - last):
            yield tuple(symbol + shift if symbol >= 0 else symbol for symbol in shape)


def test_no_sentences_let_nothing_pass(random_pairs, bitext_of):
    table = matching_patterns([], ["a"], Limits(8, 5, 2))
    assert (table < 0).all()
    block = extract_block(bitext_of(random_pairs(1, 20)), 0, Limits(8, 5, 2), table, A_BLOCK)
    assert len(block.sentence) == 0


@pytest.mark.parametrize("limits", LIMITS[:5], ids=str)
def test_extraction_for_sentences_takes_their_patterns(limits, random_pairs, bitext_of):
    bitext = bitext_of(random_pairs(40 + sum(limits), 60))
    known = ["0", "1", "2", "3"]
    sentences = ["2 9 0 1", "1 9 9 2", "0 0"]
    numbered = [[known.index(word) if word in known else None for word in line.split()] for line in sentences]
    patterns = brute_patterns(numbered, limits)
    allowed = matching_patterns(sentences, known, limits)
    everything = rules_of(extract_block(bitext, 0, limits, EVERYTHING, A_BLOCK))
    expected = [rule for rule in everything if rule[1] in patterns]
    assert rules_of(extract_block(bitext, 0, limits, allowed, A_BLOCK)) == expected
    assert 0 < len(expected) < len(everything)
