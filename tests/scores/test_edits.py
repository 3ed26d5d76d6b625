"""Edit distances, against the table of distances."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp.scores.edits import distance_table, edit_distances

LENGTHS = (0, 1, 3, 20, 63, 64, 65, 127, 128, 129, 200)
"""Around the lengths at which another machine word begins."""


def plain_distance(string, reference):
    costs = list(range(len(reference) + 1))
    for row, word in enumerate(string, start=1):
        diagonal, costs[0] = costs[0], row
        for column, other in enumerate(reference, start=1):
            least = min(diagonal + (word != other), costs[column] + 1, costs[column - 1] + 1)
            diagonal, costs[column] = costs[column], least
    return costs[-1]


@pytest.mark.slow
def test_distances_are_those_of_the_table():
    rng = np.random.default_rng(1)
    for length in LENGTHS:
        for words in (1, 2, 5, 50):
            strings = [tuple(map(str, rng.integers(words, size=size))) for size in (length, length, length + 1, 7)]
            strings.append(strings[0][: length // 2] + strings[0][length // 2 + 1 :])
            expected = [[plain_distance(string, other) for other in strings] for string in strings]
            assert distance_table(strings, strings).tolist() == expected, (length, words)
            assert edit_distances(strings[0], strings[1:]).tolist() == expected[0][1:]


def test_no_strings_and_no_words():
    assert edit_distances((), []).shape == (0,)
    assert edit_distances((), [(), ("a",)]).tolist() == [0.0, 1.0]
    assert edit_distances(("a", "b"), [()]).tolist() == [2.0]
