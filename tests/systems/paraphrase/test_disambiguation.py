"""The choice of parses: by the phrases that sentences of a set share, against all choices by brute force."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from random_trees import random_tree

from lattice_simp import LatticeSimpError, Tree, align_phrases, choose_parses, link_words
from lattice_simp.systems.paraphrase.alignment import PAPER

PLACE = "(PP (IN in) (NP (NN town)))"
CLAUSE = "(NP (PRP I)) (VP (VP (VBD saw) (NP (DT the) (NN man)))"
NESTED = Tree.from_brackets(f"(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT the) (NN man)) {PLACE})))")
FLAT = Tree.from_brackets(f"(S {CLAUSE} {PLACE}))")
FRONTED = Tree.from_brackets(f"(S {PLACE} {CLAUSE}))")


def shared(trees):
    return sum(
        len(align_phrases(first, second, link_words(first, second), PAPER)) for first, second in combinations(trees, 2)
    )


def test_the_parse_that_agrees_with_the_others_is_chosen():
    assert choose_parses([[NESTED, FLAT], [FRONTED]]) == [FLAT, FRONTED]
    assert choose_parses([[FLAT, NESTED], [FRONTED]]) == [FLAT, FRONTED]
    assert choose_parses([[NESTED, FLAT], [NESTED]]) == [NESTED, NESTED]


def test_without_others_the_first_parse_remains():
    assert choose_parses([[NESTED, FLAT]]) == [NESTED]
    assert choose_parses([]) == []
    assert choose_parses([[FLAT, FLAT], [FRONTED, FRONTED]]) == [FLAT, FRONTED]
    with pytest.raises(LatticeSimpError, match="no parse"):
        choose_parses([[FLAT], []])


@pytest.mark.slow
def test_no_single_change_adds_phrases():
    improved = best = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        parses = [[random_tree(rng) for _ in range(3)] for _ in range(3)]
        chosen = choose_parses(parses, settings=PAPER)
        total = shared(chosen)
        for place, trees in enumerate(parses):
            assert max(shared([*chosen[:place], tree, *chosen[place + 1 :]]) for tree in trees) == total, seed
        improved += total > shared([trees[0] for trees in parses])
        best += total == max(map(shared, product(*parses)))
    assert improved > 30
    assert best > 40
