"""Joining two directions, against a plain transcription of the published algorithm."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from lattice_simp.train.alignment.symmetrise import symmetrise

METHODS = ("intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and")
NEIGHBOURS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]


def grow_diag(forward, backward, final):
    """GROW-DIAG, FINAL and FINAL-AND of Koehn, Och and Marcu (2003), as Koehn (2010, figure 4.14) prints them."""
    alignment, union = forward & backward, forward | backward

    def source_aligned(s):
        return any(point[0] == s for point in alignment)

    def target_aligned(t):
        return any(point[1] == t for point in alignment)

    added = True
    while added:
        added = False
        for s, t in sorted(union):
            if (s, t) not in alignment:
                continue
            for down, right in NEIGHBOURS:
                new = (s + down, t + right)
                if new in union - alignment and not (source_aligned(new[0]) and target_aligned(new[1])):
                    alignment.add(new)
                    added = True
    for directed in (forward, backward) if final else ():
        for s, t in sorted(directed - alignment):
            free = [not source_aligned(s), not target_aligned(t)]
            if all(free) if final == "and" else any(free):
                alignment.add((s, t))
    return alignment


def brute(forward, backward, method):
    if method == "intersection":
        return forward & backward
    if method == "union":
        return forward | backward
    return grow_diag(forward, backward, {"grow-diag-final": "or", "grow-diag-final-and": "and"}.get(method))


def arrays(rows):
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return offsets, np.array([link for row in rows for link in row], dtype=np.int32).reshape(-1, 2)


def joined(forward, backward, sizes, method):
    """Joins lists of links; returns a list of links for each sentence."""
    lengths = tuple(np.array(side, dtype=np.int32) for side in zip(*sizes, strict=True))
    offsets, links = symmetrise(arrays(forward), arrays(backward), lengths, method)
    assert (offsets.dtype, links.dtype) == (np.int64, np.int32)
    assert (offsets[0], offsets[-1], len(offsets)) == (0, len(links), len(sizes) + 1)
    return [[tuple(link) for link in links[begin:end].tolist()] for begin, end in pairwise(offsets)]


def random_links(seed, number=300):
    """Returns links of each source word's and of each target word's, in any order, and the sizes."""
    random = np.random.default_rng(seed)
    sizes = random.integers(0, 8, size=(number, 2)).tolist()
    forward, backward = [], []
    for rows, columns in sizes:
        share = random.choice([0.5, 0.8, 1.0])
        forward.append([(int(random.integers(0, rows)), t) for t in range(columns) if rows and random.random() < share])
        backward.append(
            [(s, int(random.integers(0, columns))) for s in range(rows) if columns and random.random() < share]
        )
        common = random.permutation(min(rows, columns))
        for side in (forward[-1], backward[-1]):
            side += [
                (position, position)
                for position in common[: len(common) // 2].tolist()
                if (position, position) not in side
            ]
            random.shuffle(side)
    return forward, backward, sizes


@pytest.mark.parametrize("method", METHODS)
def test_the_links_are_those_of_the_algorithm(method):
    for seed in range(3):
        forward, backward, sizes = random_links(seed)
        forward, backward = ([list(map(tuple, row)) for row in side] for side in (forward, backward))
        expected = [
            sorted(brute(set(first), set(second), method)) for first, second in zip(forward, backward, strict=True)
        ]
        assert joined(forward, backward, sizes, method) == expected, f"seed {seed}"
        assert any(expected), f"seed {seed}"


def test_the_methods_differ_and_are_nested():
    forward, backward, sizes = random_links(7)
    values = {
        method: [(number, link) for number, row in enumerate(joined(forward, backward, sizes, method)) for link in row]
        for method in METHODS
    }
    assert len(set(map(len, values.values()))) == len(METHODS)
    sets = {method: set(links) for method, links in values.items()}
    assert sets["intersection"] < sets["grow-diag"] < sets["grow-diag-final"] < sets["union"]
    assert sets["grow-diag"] < sets["grow-diag-final-and"] < sets["union"]
    for links in values.values():
        assert links == sorted(set(links))


def test_the_same_links_come_again():
    links = random_links(9)
    for method in METHODS:
        assert joined(*links, method) == joined(*links, method)


@pytest.mark.parametrize("method", METHODS)
def test_directions_that_agree_stay(method):
    results = [[(0, 0), (1, 2), (2, 1)], [], [(0, 0)]]
    assert joined(results, results, [(3, 3), (2, 0), (1, 1)], method) == results


@pytest.mark.parametrize("method", METHODS)
def test_there_may_be_no_sentences_and_no_links(method):
    nothing = arrays([])
    lengths = (np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32))
    offsets, links = symmetrise(nothing, nothing, lengths, method)
    assert (offsets.tolist(), links.shape) == ([0], (0, 2))
    assert joined([[], []], [[], []], [(0, 3), (2, 2)], method) == [[], []]


def test_growing_goes_along_a_chain():
    # Each link is next to the one before alone: one pass over the rows from below must not be enough to find them.
    chain = [(4, 0), (3, 1), (2, 2), (1, 3), (0, 4)]
    assert joined([chain], [chain[:1]], [(5, 5)], "grow-diag") == [sorted(chain)]


def test_final_adds_what_has_no_neighbour():
    forward, backward = [[(0, 0), (2, 2)]], [[(0, 0), (0, 4)]]
    sizes = [(3, 5)]
    assert joined(forward, backward, sizes, "grow-diag") == [[(0, 0)]]
    assert joined(forward, backward, sizes, "grow-diag-final-and") == [[(0, 0), (2, 2)]]
    assert joined(forward, backward, sizes, "grow-diag-final") == [[(0, 0), (0, 4), (2, 2)]]
