"""Which pairs are fit: lengths, reserved words, languages, duplicates."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from lattice_simp.train.config import Clean
from lattice_simp.train.text.clean import foreign as foreign_lines
from lattice_simp.train.text.clean import pair_hashes, reason_to_drop, repeated
from lattice_simp.train.text.vocabulary import split_words, word_counts


def line(count: int) -> str:
    return " ".join("x" * count)


@pytest.mark.parametrize(
    ("source", "target", "settings", "reason"),
    [
        ("a", "b", {}, None),
        ("", "b", {}, "empty"),
        ("a", "", {}, "empty"),
        (line(80), line(80), {}, None),
        (line(81), line(80), {}, "long"),
        (line(80), line(81), {}, "long"),
        (line(2), line(3), {"min_words": 3}, "short"),
        (line(3), line(3), {"min_words": 3}, None),
        (line(9), line(1), {}, None),  # short sides may have any ratio
        (line(10), line(2), {}, "ratio"),
        (line(2), line(10), {}, "ratio"),
        (line(12), line(3), {}, None),
        (line(13), line(3), {}, "ratio"),
        ("x" * 50, "y", {}, None),
        ("a", "y " + "x" * 51, {}, "long_word"),
        ("a", "x" * 51, {"max_word_letters": 60}, None),
        ("a <s>", "b", {}, "reserved"),
        ("a", "</s> b", {}, "reserved"),
        ("a", "b <unk> c", {}, "reserved"),
        ("a", "b <UNK>", {}, "reserved"),
        ("<eps>", "b", {}, "reserved"),
        ("a ||| b", "b", {}, "reserved"),
        ("a [X,1]", "b", {}, "reserved"),
        ("a", "[X]", {}, "reserved"),
        ("a [ X ] <sx> ||", "b [X] ".strip() + "]", {}, None),
        ("a<s>", "[x y]", {}, None),
    ],
)
def test_reasons_to_drop(source, target, settings, reason):
    assert reason_to_drop(source, target, Clean(**settings)) == reason


# ---------------------------------------------------------------- languages


def foreign(sentence: str, counts: dict[str, int], other_counts: dict[str, int]) -> bool:
    """Applies the definition, word by word."""
    words = [word for word in sentence.split(" ") if any(letter.isalpha() for letter in word)]
    own_total, other_total = sum(counts.values()) + 1, sum(other_counts.values()) + 1
    gain = 0.0
    for word in words:
        gain += math.log((other_counts.get(word, 0) + 0.5) / other_total) - math.log(
            (counts.get(word, 0) + 0.5) / own_total
        )
    return len(words) >= 4 and gain > len(words)


def test_languages_are_distinguished_as_defined():
    choose = random.Random(1)
    own_words, other_words = [f"a{n}" for n in range(30)], [f"b{n}" for n in range(30)]
    shared = ["x1", "x2", ",", "1990", "%", "é", "."]
    values = {word: choose.randrange(1, 200) for word in own_words + shared}
    other = {word: choose.randrange(1, 200) for word in other_words + shared}
    lines = []
    for _ in range(3000):
        pool = choose.choice([own_words, other_words, own_words + other_words, shared]) + shared + ["unseen"]
        lines.append(" ".join(choose.choices(pool, k=choose.randrange(1, 12))))
    column = pa.chunked_array([lines[:1000], [], lines[1000:]], pa.string())
    for mine, theirs in ((values, other), (other, values)):
        result = foreign_lines(column, mine, theirs)
        assert result.tolist() == [foreign(line, mine, theirs) for line in lines]
        assert 200 < result.sum() < 2800


def test_no_lines_are_no_trouble():
    assert foreign_lines(pa.chunked_array([[]], pa.string()), {"a": 1}, {"b": 1}).tolist() == []
    assert foreign_lines(pa.chunked_array([], pa.string()), {}, {}).tolist() == []


def test_short_lines_and_numbers_tell_nothing():
    lines = ["b b b", "b b b 1 2 3 .", "b b b b", "b b b a"]
    assert foreign_lines(pa.chunked_array([lines]), {"a": 1000}, {"b": 1000}).tolist() == [False, False, True, True]


# ---------------------------------------------------------------- columns


def test_words_are_split_at_blanks_alone():
    choose = random.Random(2)
    lines = [" ".join(choose.choices(["a", "b\u00a0c", "é", "ab"], k=choose.randrange(1, 6))) for _ in range(200)]
    column = pa.chunked_array([lines[:50], [], lines[50:]], pa.string()).slice(20, 150)
    offsets, words = split_words(column)
    expected = [line.split(" ") for line in lines[20:170]]
    assert [words.to_pylist()[a:b] for a, b in pairwise(offsets)] == expected
    assert word_counts([column, column]) == Counter(word for line in expected for word in 2 * line)
    assert word_counts([column], firsts=False) == Counter(word for line in expected for word in line[1:])
    assert word_counts([column.slice(0, 0)]) == Counter()


# ---------------------------------------------------------------- duplicates


def test_repeated_hashes_are_found_as_a_set_finds_them():
    choose = random.Random(3)
    for count in (0, 1, 12, 1000):
        values = [choose.randrange(500) * 2**40 for _ in range(count)]
        seen, expected = set(), []
        for value in values:
            expected.append(value in seen)
            seen.add(value)
        assert repeated(np.array(values, dtype=np.int64)).tolist() == expected, count


def test_hashes_tell_pairs_apart():
    pairs = [(a, b) for a in ("", "a", "a b", "b", "ab") for b in ("", "a", "a b", "b", "ab")]
    hashes = pair_hashes(*zip(*pairs, strict=True))
    assert hashes.dtype == np.int64
    assert len(set(hashes.tolist())) == len(pairs)
    assert (hashes >= 0).all()
    assert pair_hashes(["é"], ["b"]).tolist() == pair_hashes(["é"], ["b"]).tolist()
    assert pair_hashes([], []).tolist() == []
