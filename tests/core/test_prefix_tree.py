"""Prefix trees against a dictionary of prefixes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from lattice_simp import Lattice
from lattice_simp.core import kernel
from lattice_simp.core.prefix_tree import prefix_tree

SEEDS = range(30)
Strings = Sequence[tuple[int, ...]]


def arcs_of_prefixes(strings: Strings) -> tuple[int, list[tuple[int, int, int]], list[tuple[int, int, int] | None]]:
    """Returns the number of states, the arcs by source state, and the last arc of each string."""
    prefixes: dict[tuple[int, ...], int] = {}
    for string in strings:
        for length in range(len(string)):
            prefixes.setdefault(string[:length], len(prefixes))
    end = max(len(prefixes), 1)
    inner = [(prefixes[prefix[:-1]], prefix[-1], state) for prefix, state in prefixes.items() if prefix]
    last = [(prefixes[string[:-1]], string[-1], end) if string else None for string in strings]
    arcs = sorted([*inner, *(arc for arc in last if arc)], key=lambda arc: arc[0])
    return end + bool(prefixes), arcs, last


def random_strings(rng: np.random.Generator) -> Strings:
    count, longest, words = rng.integers(0, 12), rng.integers(1, 8), rng.integers(1, 4)
    drawn = (tuple(rng.integers(1, words + 1, rng.integers(0, longest)).tolist()) for _ in range(count))
    return list(dict.fromkeys(drawn))


@pytest.mark.parametrize("left", [0, 10**9])
def test_states_and_arcs_come_in_the_order_of_the_strings(left, monkeypatch):
    monkeypatch.setattr(kernel, "_light_left", left)
    monkeypatch.setattr(kernel, "is_compiling", lambda: False)
    for seed in SEEDS:
        strings = random_strings(np.random.default_rng(seed))
        labels = np.array([label for string in strings for label in string], dtype=np.int32)
        begins = np.cumsum([0, *map(len, strings)])
        tree = prefix_tree(labels, begins)
        num_states, arcs, last = arcs_of_prefixes(strings)
        results = list(zip(tree.sources.tolist(), tree.labels.tolist(), tree.nextstates.tolist(), strict=True))
        assert (tree.num_states, results) == (num_states, arcs), f"seed {seed}"
        actual = [results[arc] if arc >= 0 else None for arc in tree.last_arcs.tolist()]
        assert actual == last, f"seed {seed}"


@pytest.mark.slow
def test_many_labels_and_many_strings_stay_apart():
    rng = np.random.default_rng(1)
    strings = list(dict.fromkeys(tuple(row) for row in rng.integers(0, 1000, (3000, 3)).tolist()))
    strings += [tuple(range(5000))]
    lattice = Lattice.from_strings([(" ".join(map(str, string)), 0.0) for string in strings])
    assert (lattice.num_states, lattice.num_arcs) == (arcs_of_prefixes(strings)[0], len(arcs_of_prefixes(strings)[1]))


def test_values_lie_at_the_ends_of_their_strings():
    tree = prefix_tree(np.array([1, 2, 1], dtype=np.int32), np.array([0, 0, 2, 3]))
    arcs, ends = tree.spread([5.0, 6.0, 7.0], "costs", np.inf)
    assert ends.tolist() == [5.0, np.inf, np.inf]
    assert arcs[tree.last_arcs[1:]].tolist() == [6.0, 7.0]
    assert np.count_nonzero(arcs) == 2
