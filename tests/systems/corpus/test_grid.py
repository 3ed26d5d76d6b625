"""The shortest path of the grid against the recursive definition of the alignment."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from lattice_simp import LatticeSimpError
from lattice_simp.ops.nbest import shortest_path
from lattice_simp.systems.corpus import grid
from lattice_simp.systems.corpus.grid import MOVES, STEP, Grids, alignment_lattice, best_alignments

SKIP = 0.0001


def rounded(value):
    return round(value / STEP) * STEP


def greatest_sum(similarity, n, m, skip):
    """Returns the value of the best alignment: the recursion of the authors, as they gave it."""

    @cache
    def value(i, j):
        if i == 0 or j == 0:
            return 0.0
        results = [value(i, j - 1) - skip, value(i - 1, j) - skip, value(i - 1, j - 1) + similarity[i - 1][j - 1]]
        if j >= 2:
            results.append(value(i - 1, j - 2) + similarity[i - 1][j - 2] + similarity[i - 1][j - 1])
        if i >= 2:
            results.append(value(i - 2, j - 1) + similarity[i - 2][j - 1] + similarity[i - 1][j - 1])
        if i >= 2 and j >= 2:
            results.append(value(i - 2, j - 2) + similarity[i - 2][j - 1] + similarity[i - 1][j - 2])
        return max(results)

    return value(n, m)


def first_best_pairs(similarity, n, m, skip):
    """Returns the pairs of the best alignment whose moves come first in the documented order, from the beginning."""

    @cache
    def best(i, j):
        """Returns (value, moves, pairs) of the best rest after the point (i, j)."""
        if (i, j) == (n, m):
            return 0.0, (), ()
        results = []
        for number, move in enumerate(MOVES):
            if i + move.rows > n or j + move.columns > m:
                continue
            pairs = tuple((i + row, j + column) for row, column in move.pairs)
            free = j == 0 if move.rows else i == 0
            gain = sum(similarity[row][column] for row, column in pairs) if pairs else 0.0 if free else -skip
            value, moves, others = best(i + move.rows, j + move.columns)
            results.append((value + gain, (number, *moves), pairs + others))
        greatest = max(value for value, _, _ in results)
        return min((entry for entry in results if entry[0] == greatest), key=lambda value: value[1])

    return best(0, 0)[2]


def random_similarities(rng, n, m, ties):
    values = rng.integers(0, 4, (n, m)) / 4 if ties else rng.random((n, m)) * (rng.random((n, m)) < 0.7)
    return [[rounded(value) for value in row] for row in values]


def test_recursive_definition():
    """One grid at a time: its value is the authors' recursion's, its pairs are the first best ones."""
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n, m = rng.integers(0, 7, 2).tolist()
        skip = rounded(float(rng.choice([0.0, SKIP, 0.25])))
        similarity = random_similarities(rng, n, m, ties=seed % 2 == 0)
        grids = Grids(np.array([n]), np.array([m]), np.array(similarity, dtype=np.float64).reshape(-1))
        best = shortest_path(alignment_lattice(grids, skip))
        assert -best.cost == greatest_sum(similarity, n, m, skip), f"seed {seed}"
        result = best_alignments(grids, skip)
        pairs = tuple(zip(result.row.tolist(), result.column.tolist(), strict=True))
        assert sorted(pairs) == sorted(first_best_pairs(similarity, n, m, skip)), f"seed {seed}"
        assert result.similarity.tolist() == [similarity[row][column] for row, column in pairs], f"seed {seed}"


def test_many_grids_are_one_search(monkeypatch):
    """Grids in one acceptor, in several, and alone give the same pairs, empty ones among them."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(0, 5, (int(rng.integers(1, 9)), 2))
        matrices = [np.array(random_similarities(rng, n, m, ties=seed % 2 == 0)).reshape(n, m) for n, m in sizes]
        flat = np.concatenate([matrix.reshape(-1) for matrix in matrices])
        grids = Grids(sizes[:, 0], sizes[:, 1], flat)
        together = best_alignments(grids)
        monkeypatch.setattr(grid, "MAX_STATES", int(rng.integers(1, 20)))
        apart = best_alignments(grids)
        monkeypatch.undo()
        assert [entry.tolist() for entry in apart] == [entry.tolist() for entry in together], f"seed {seed}"
        for number, (n, m) in enumerate(sizes.tolist()):
            mine = together.grid == number
            pairs = sorted(zip(together.row[mine].tolist(), together.column[mine].tolist(), strict=True))
            assert pairs == sorted(first_best_pairs(matrices[number].tolist(), n, m, rounded(SKIP))), f"seed {seed}"


@pytest.mark.parametrize(
    ("similarity", "kinds", "pairs"),
    [
        ([[0.9]], ["1-1"], [(0, 0)]),
        ([[0.6, 0.7]], ["1-2", "1-2"], [(0, 0), (0, 1)]),
        ([[0.6], [0.7]], ["2-1", "2-1"], [(0, 0), (1, 0)]),
        ([[0.1, 0.9], [0.8, 0.1]], ["crossed", "crossed"], [(0, 1), (1, 0)]),
        ([[0.0, 0.9]], ["1-2", "1-2"], [(0, 0), (0, 1)]),  # a pair of 0 costs less than a sentence left out
        ([[]], [], []),
    ],
)
def test_moves(similarity, kinds, pairs):
    values = np.array(similarity, dtype=np.float64)
    result = best_alignments(Grids(*np.array([[len(similarity)], [len(similarity[0])]]), values.reshape(-1)))
    assert [MOVES[move].name for move in result.move] == kinds
    assert list(zip(result.row.tolist(), result.column.tolist(), strict=True)) == pairs


def test_sums_are_exact():
    """0.1 + 0.2 + 0.3 depends on the order in floating point; here, ties stay ties."""
    similarity = [[0.1, 0.2, 0.3], [0.3, 0.1, 0.2], [0.2, 0.3, 0.1]]
    result = best_alignments(Grids(np.array([3]), np.array([3]), np.array(similarity).reshape(-1)), 0.0)
    exact = [[rounded(value) for value in row] for row in similarity]
    pairs = sorted(zip(result.row.tolist(), result.column.tolist(), strict=True))
    assert pairs == sorted(first_best_pairs(exact, 3, 3, 0.0))


def test_similarities_are_checked():
    with pytest.raises(LatticeSimpError, match="expected 4 finite similarities, one for each sentence pair, found 3"):
        alignment_lattice(Grids(np.array([2]), np.array([2]), np.zeros(3)))
    with pytest.raises(LatticeSimpError, match="finite"):
        alignment_lattice(Grids(np.array([1]), np.array([1]), np.array([np.nan])))
