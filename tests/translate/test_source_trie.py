"""The trie of source patterns against one of nested dictionaries."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp.translate.source_trie import source_trie

HIGHEST = 2**31 - 1


def arrays(patterns):
    offsets = np.cumsum([0, *(len(symbols) for _, symbols in patterns)]).astype(np.int32)
    symbols = np.array([symbol for _, symbols in patterns for symbol in symbols], dtype=np.int32)
    return offsets, symbols, np.array([left for left, _ in patterns], dtype=np.int32)


def random_patterns(seed, number, symbols, longest=5, nonterminals=3):
    random = np.random.default_rng(seed)
    drawn = {
        (
            int(random.integers(0, nonterminals)),
            tuple(random.choice(symbols, size=random.integers(1, longest + 1)).tolist()),
        )
        for _ in range(number)
    }
    return random.permutation(np.array([*drawn, None], dtype=object)[:-1]).tolist()


def dictionary_trie(patterns):
    """Returns the root: a node is ({symbol: node}, {left: pattern})."""
    root = ({}, {})
    for number, (left, symbols) in enumerate(patterns):
        node = root
        for symbol in symbols:
            node = node[0].setdefault(symbol, ({}, {}))
        node[1][left] = number
    return root


def unpacked(trie):
    """Returns the same nested dictionaries of a packed trie."""
    keys, targets, pattern_at = trie
    nodes = [({}, {}) for _ in pattern_at]
    for key, target in zip(keys.tolist(), targets.tolist(), strict=True):
        nodes[key >> 32][0][(key & (2**32 - 1)) - 2**31] = nodes[target]
    for node, row in enumerate(pattern_at.tolist()):
        nodes[node][1].update({left: pattern for left, pattern in enumerate(row) if pattern >= 0})
    return nodes[0]


@pytest.mark.parametrize("symbols", [[-2, -1, 0, 1], [-1, 5, HIGHEST, -(2**31)], list(range(-3, 200))], ids=len)
@pytest.mark.parametrize("number", [1, 30, 400])
def test_the_trie_holds_the_patterns(number, symbols):
    patterns = random_patterns(number, number, symbols)
    keys, targets, pattern_at = trie = source_trie(*arrays(patterns), 3)
    assert unpacked(trie) == dictionary_trie(patterns)
    assert (np.diff(keys) > 0).all()
    assert sorted(targets.tolist()) == list(range(1, len(pattern_at)))
    assert pattern_at.shape[1] == 3
    assert (keys.dtype, targets.dtype, pattern_at.dtype) == (np.int64, np.int32, np.int32)


def test_patterns_of_one_source_side_differ_by_their_left_hand_side():
    patterns = [(0, (7, 8)), (1, (7, 8)), (1, (7,))]
    _, _, pattern_at = source_trie(*arrays(patterns), 2)
    assert pattern_at.tolist() == [[-1, -1], [-1, 2], [0, 1]]


@pytest.mark.parametrize("nonterminals", [0, 1, 2])
def test_no_patterns_are_a_root(nonterminals):
    keys, targets, pattern_at = source_trie(*arrays([]), nonterminals)
    assert (len(keys), len(targets)) == (0, 0)
    assert pattern_at.tolist() == [[-1] * max(nonterminals, 1)]
