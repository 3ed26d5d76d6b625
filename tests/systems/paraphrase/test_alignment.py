"""Equivalent phrases: the paper's example, and both conditions by brute force on random trees."""

from __future__ import annotations

import numpy as np
import pytest
from example import PAIRS, TAXI
from random_trees import random_tree

from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.paraphrase.alignment import PAPER, AlignmentSettings, align_phrases
from lattice_simp.systems.paraphrase.links import LinkKind, WordLink, link_words
from lattice_simp.systems.paraphrase.synonyms import Thesaurus
from lattice_simp.systems.paraphrase.tree import Tree


def phrases(trees, pairs):
    return {
        tuple(" ".join(tree.phrase(number)) for tree, number in zip(trees, pair.nodes, strict=True)) for pair in pairs
    }


@pytest.mark.parametrize("settings", [AlignmentSettings(), PAPER])
def test_the_papers_example(settings):
    trees = [Tree.from_brackets(text) for text in TAXI]
    pairs = align_phrases(*trees, link_words(*trees), settings)
    assert phrases(trees, [pair for pair in pairs if pair.is_new]) == PAIRS
    back = align_phrases(*trees[::-1], link_words(*trees[::-1]), settings)
    assert phrases(trees[::-1], [pair for pair in back if pair.is_new]) == {(second, other) for other, second in PAIRS}


def test_both_conditions_by_brute_force():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        first, second = random_tree(rng), random_tree(rng)
        links = link_words(first, second)
        expected = set()
        for row, node in enumerate(first.nodes):
            for column, other in enumerate(second.nodes):
                inner = [
                    (node.begin <= link.first < node.end, other.begin <= link.second < other.end) for link in links
                ]
                good = (True, True) in inner and (True, False) not in inner and (False, True) not in inner
                whole = (node.end - node.begin, other.end - other.begin) == (len(first.tokens), len(second.tokens))
                if good and node.category == other.category and not whole:
                    expected.add((row, column))
        assert {pair.nodes for pair in align_phrases(first, second, links, PAPER)} == expected, f"seed {seed}"


def test_links_are_one_to_one_and_the_same_both_ways():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        first, second = random_tree(rng), random_tree(rng)
        links = link_words(first, second)
        assert len({link.first for link in links}) == len({link.second for link in links}) == len(links), f"seed {seed}"
        assert all(first.tokens[link.first] == second.tokens[link.second] for link in links), f"seed {seed}"
        words = set(first.tokens) & set(second.tokens)
        wanted = sum(min(first.tokens.count(word), second.tokens.count(word)) for word in words)
        assert len(links) == wanted, f"seed {seed}"


def test_a_word_that_occurs_twice_is_linked_where_its_neighbours_are():
    trees = [
        Tree.from_brackets("(S (NP (JJ red) (NN car)) (VP (VBD passed) (NP (JJ blue) (NN car))))"),
        Tree.from_brackets("(S (NP (JJ blue) (NN car)) (VP (VBD passed) (NP (JJ red) (NN car))))"),
    ]
    assert [(word.first, word.second) for word in link_words(*trees)] == [(0, 3), (1, 4), (2, 2), (3, 0), (4, 1)]


def test_whole_sentences_are_no_pair_with_or_without_their_marks_and_all_else_may_be():
    """A word may hold marks; what lacks such a word is not the whole."""
    trees = [
        Tree.from_brackets(f"(S (S (UH Oh-oh) (VP (VBD saw) (NP ({tag} {word}) (NN house)))) (. .))")
        for tag, word in (("DT", "the"), ("PRP", "my"))
    ]
    pairs = align_phrases(*trees, link_words(*trees), AlignmentSettings(conditions=()))
    assert phrases(trees, pairs) == {
        ("the house", "my house"),
        ("saw the house", "saw my house"),
    }


def test_function_words_are_linked_with_their_constituents():
    trees = [
        Tree.from_brackets("(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT the) (NN cat))))"),
        Tree.from_brackets("(S (NP (DT the) (NN cat)) (VP (VBD ran)))"),
    ]
    assert [(word.first, word.second) for word in link_words(*trees)] == [(3, 0), (4, 1)]


def test_synonyms_are_of_one_part_of_speech(tmp_path):
    for part in ("verb", "adj", "adv"):
        tmp_path.joinpath(f"index.{part}").write_text("  1 licence\n", encoding="utf-8")
    lines = ["  1 licence", "cab n 2 1 @ 2 1 00000001 00000002", "taxi n 1 0 1 1 00000001", "cart n 1 0 1 0 00000002"]
    tmp_path.joinpath("index.noun").write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = Thesaurus.read_wordnet(tmp_path)
    assert words.related("cab", "NN", "taxi", "NN")
    assert words.related("cab", "NNS", "cart", "NN")
    assert not words.related("taxi", "NN", "cart", "NN")
    assert not words.related("cab", "VB", "taxi", "NN")
    assert not Thesaurus.read_wordnet(tmp_path, senses=1).related("cab", "NN", "cart", "NN")
    trees = [Tree.from_brackets(f"(NP (DT a) (NN {word}))") for word in ("cab", "taxi")]
    assert WordLink(1, 1, LinkKind.SYNONYM) in link_words(*trees, words)
    tmp_path.joinpath("index.noun").write_text("cab n two\n", encoding="utf-8")
    with pytest.raises(LatticeSimpError, match=r"index\.noun"):
        Thesaurus.read_wordnet(tmp_path)


def test_a_missing_wordnet_is_reported(tmp_path):
    with pytest.raises(LatticeSimpError, match="wordnet-base"):
        Thesaurus.read_wordnet(tmp_path)


def test_a_word_of_two_thesauri_is_in_the_groups_of_both():
    words = Thesaurus.from_groups(["large big", "cold icy"]).joined(Thesaurus.from_groups(["huge big", "warm hot"]))
    for first, second in (("big", "large"), ("big", "huge"), ("cold", "icy"), ("warm", "hot")):
        assert words.related(first, "JJ", second, "JJ"), first
    assert not words.related("large", "JJ", "huge", "JJ")


def test_names_have_no_synonyms_in_wordnet():
    words = Thesaurus({("orissa", "n"): frozenset(("n1",)), ("odisha", "n"): frozenset(("n1",))})
    assert words.related("orissa", "NN", "odisha", "NNS")
    assert not words.related("orissa", "NNP", "odisha", "NNP")
    assert not words.related("orissa", "CD", "odisha", "CD")


def test_an_unknown_condition_is_reported():
    with pytest.raises(LatticeSimpError, match="unknown condition 'no'; known are heads"):
        AlignmentSettings(conditions=("no",))


@pytest.mark.parametrize(("name", "value"), [("min_linked", 1.5), ("min_linked", -0.1), ("max_unlinked", -1)])
def test_settings_that_mean_nothing(name, value):
    with pytest.raises(LatticeSimpError, match=name.replace("_", "-")):
        AlignmentSettings(**{name: value})


def test_words_that_recur_are_linked_in_order():
    """The links between two constituents are counted once: 100 words would otherwise take half a minute."""
    tree = Tree.from_brackets(f"(S {' '.join(['(NN cat)'] * 150)})")
    assert [(link.first, link.second) for link in link_words(tree, tree)] == [(at, at) for at in range(150)]
