"""Joins pieces to words in strings and in lattices, each of whose paths is joined like its string."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from helpers import paths

import lattice_simp as ls
from lattice_simp.core.features import Features
from lattice_simp.errors import InvalidLatticeError, LatticeSimpError
from lattice_simp.formats.pieces import join_words

SYMBOLS = {"bpe": ["a", "b@@", "cd", "e@@"], "sentencepiece": ["▁a", "b", "▁", "cd", "▁e"]}


def removed_marks(tokens, kind):
    """The joiners' own definitions: sed of subword-nmt, blanks of SentencePiece."""
    text = " ".join(tokens)
    if kind == "bpe":
        return tuple(re.sub(r"(@@ )|(@@ ?$)", "", text).split())
    return tuple("".join(tokens).replace("▁", " ").split())


def random_pieces(rng, kind, num_states=6):
    """A random acyclic acceptor of pieces, with epsilons, costs, final costs and a feature."""
    symbols = ls.SymbolTable(SYMBOLS[kind])
    count = int(rng.integers(5, 14))
    sources = rng.integers(0, num_states - 1, size=count)
    targets = [int(rng.integers(source + 1, num_states)) for source in sources]
    labels = rng.integers(0 if rng.random() < 0.3 else 1, len(symbols), size=count)
    finals = np.where(rng.random(num_states) < 0.4, rng.random(num_states), np.inf)
    finals[-1] = 0.5
    scores = {"F": rng.random(count)}
    ends = {"F": np.where(np.isfinite(finals), rng.random(num_states), 0.0)}
    features = Features.from_columns(scores, ends, count, num_states)
    return ls.Lattice.from_arcs(sources, labels, rng.random(count), targets, finals, symbols, features=features)


def path_table(lattice, kind="none"):
    """Each path's words, its cost and its feature, as often as it occurs."""
    table = Counter()
    for path in ls.nbest(lattice, 100_000, unique=False):
        words = removed_marks(path.tokens, kind) if kind != "none" else path.tokens
        table[words, round(path.cost, 6), round(path.features["F"], 6)] += 1
    return table


@pytest.mark.parametrize("kind", SYMBOLS)
def test_each_path_of_a_lattice_is_joined_as_its_string(kind):
    longest = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        lattice = ls.remove_epsilons(random_pieces(rng, kind)).connected()
        joined = ls.join_pieces(lattice, kind)
        assert path_table(joined) == path_table(lattice, kind), seed
        longest = max(longest, len(list(paths(lattice))))
    assert longest > 5


@pytest.mark.parametrize("kind", SYMBOLS)
def test_strings_are_joined_as_the_joiners_do(kind):
    for seed in range(300):
        rng = np.random.default_rng(seed)
        tokens = list(rng.choice(SYMBOLS[kind], size=rng.integers(0, 6)))
        assert join_words(tokens, kind) == removed_marks(tokens, kind), seed


def test_epsilons_go_first():
    rng = np.random.default_rng(3)
    lattice = random_pieces(rng, "bpe")
    assert {path.text for path in ls.nbest(ls.join_pieces(lattice, "bpe"), 999)} == {
        " ".join(removed_marks(path.tokens, "bpe")) for path in ls.nbest(lattice, 999)
    }


def test_too_many_arcs_unknown_pieces_and_transducers():
    lattice = ls.Lattice.from_arcs(
        np.repeat(np.arange(12), 2),
        [1, 2] * 12,
        [0.0] * 24,
        np.repeat(np.arange(1, 13), 2),
        [np.inf] * 12 + [0.0],
        ls.SymbolTable(["a@@", "b@@"]),
    )
    assert ls.join_pieces(lattice, "bpe").num_arcs == 2**12
    with pytest.raises(LatticeSimpError, match="more than 1,000 arcs; prune"):
        ls.join_pieces(lattice, "bpe", max_arcs=1000)
    with pytest.raises(LatticeSimpError, match="unknown pieces 'x'"):
        ls.join_pieces(lattice, "x")
    table = ls.SymbolTable(["a"])
    transducer = ls.Lattice.from_arcs([0], [1], [0.0], [1], [np.inf, 0.0], table, inputs=([0], table))
    with pytest.raises(InvalidLatticeError, match="transducer"):
        ls.join_pieces(transducer, "bpe")
