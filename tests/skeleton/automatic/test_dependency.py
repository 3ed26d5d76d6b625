"""Skeletons from the dependency tree, against brute force on small random trees."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.skeleton import Skeleton
from lattice_simp.skeleton.automatic import Parse, dependency_skeletons
from lattice_simp.skeleton.automatic.deletion_tree import deletion_costs, deletion_tree
from lattice_simp.skeleton.automatic.dependency import _Knapsack


def brute_force(tree, top, promoted):
    """Returns the least cost by number of kept words, trying every set of words."""
    words = [position for position, word in enumerate(tree.words) if word]
    least = {}
    for bits in itertools.product([False, True], repeat=len(words)):
        kept = {word for word, bit in zip(words, bits, strict=True) if bit}
        below = kept - {top}
        cost = 0.0
        for word in words:
            head = tree.heads[word]
            if promoted and head == top and word in tree.openers:
                cost += np.inf if word in kept else 0.0
            elif word not in kept and head in kept and word != top:
                cost += tree.costs[word]
        if top in kept and all(tree.heads[word] in kept for word in below):
            least[len(kept)] = min(cost, least.get(len(kept), np.inf))
    return {count: cost for count, cost in least.items() if np.isfinite(cost)}


def test_the_knapsack_finds_the_cheapest_of_every_length(random_parse):
    for seed in range(40):
        tree = deletion_tree(random_parse(np.random.default_rng(seed), 9))
        for top in tree.tops:
            promoted = tree.heads[top] >= 0
            knapsack = _Knapsack(tree, top, promoted=promoted)
            result = dict(knapsack.all_costs())
            assert result == pytest.approx(brute_force(tree, top, promoted)), seed
            assert all(sum(knapsack.mask(count)) == count for count in result), seed


def test_an_adjunct_below_a_mark_is_one_of_the_verb_above():
    tokens, heads = ("he", "is", ",", "there"), (1, -1, 1, 2)
    labels, parts = ("nsubj", "ROOT", "punct", "advmod"), ("PRON", "AUX", "PUNCT", "ADV")
    tree = deletion_tree(Parse(tokens, heads, labels, parts, ("PRP", "VBZ", ",", "RB"), ("he", "be", ",", "there")))
    assert (tree.heads[3], tree.costs[3]) == (1, np.inf)


def test_marks_alone_stay_whole():
    marks = Parse((",",), (-1,), ("ROOT",), ("PUNCT",), (",",), (",",))
    assert [skeleton.to_mask() for skeleton in dependency_skeletons(marks)] == ["1"]


def test_phrases_go_and_what_is_needed_stays(lawyer):
    short, *_ = dependency_skeletons(lawyer, rate=0.01, promote=False)
    assert str(short) == "[[In court ,]] she said that the lawyer [[, who lied ,]] never won the old case ."
    promoted, *_ = dependency_skeletons(lawyer, rate=0.01)
    assert str(promoted) == "[[In court , she said that]] the lawyer [[, who lied ,]] never won the old case ."


def test_candidates_differ_and_are_strict(lawyer):
    candidates = dependency_skeletons(lawyer, rate=1.0, candidates=4)
    assert len(candidates) == 4
    assert all(skeleton.is_strict for skeleton in candidates)
    for first, other in itertools.combinations(candidates, 2):
        assert sum(a != b for a, b in zip(first.mask, other.mask, strict=True)) >= 2
    rates = [dependency_skeletons(lawyer, rate=rate)[0].compression_rate for rate in (0.3, 0.6, 0.9)]
    assert rates == sorted(rates)
    assert rates[0] < rates[2]


def test_a_sentence_without_anything_to_delete_stays_whole(lawyer):
    whole = dependency_skeletons(lawyer, costs={}, promote=False, candidates=3)
    assert [skeleton.is_strict for skeleton in whole] == [False]


@pytest.mark.parametrize("lemma", ["say", "deny"])
def test_only_what_is_asserted_stands_alone(lawyer, lemma):
    lemmas = (*lawyer.lemmas[:4], lemma, *lawyer.lemmas[5:])
    parse = type(lawyer)(lawyer.tokens, lawyer.heads, lawyer.labels, lawyer.parts, lawyer.tags, lemmas)
    assert (13 in deletion_tree(parse).tops) == (lemma == "say")


@pytest.mark.parametrize(
    ("arguments", "message"), [({"rate": 0.0}, "rate is 0.0"), ({"candidates": 0}, "0 candidates")]
)
def test_senseless_wishes(lawyer, arguments, message):
    with pytest.raises(LatticeSimpError, match=message):
        dependency_skeletons(lawyer, **arguments)


@pytest.mark.parametrize("cost", ["-1", "x", "inf", "nan"])
def test_broken_cost_tables_name_the_line(tmp_path, cost):
    (tmp_path / "a.tsv").write_text(f"label\tword\thead\tplace\tcost\nprep\t*\t*\t*\t1\nadvmod\t*\t*\t*\t{cost}\n")
    with pytest.raises(FormatError, match=r"a.tsv:3: the cost"):
        deletion_costs(tmp_path / "a.tsv")


def test_tokens_are_parsed():
    pytest.importorskip("spacy")
    tokens = "In the end , the council closed the bridge that the mayor built .".split()
    (skeleton,) = dependency_skeletons(tokens, rate=0.4)
    assert skeleton == Skeleton.from_brackets(
        "[[In the end ,]] the council closed the bridge [[that the mayor built]] ."
    )
