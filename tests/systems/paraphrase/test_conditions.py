"""Conditions on equivalent phrases: what each refuses, and all of them by brute force on random trees."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from random_trees import random_tree

from lattice_simp.systems.paraphrase.alignment import AlignmentSettings, align_phrases
from lattice_simp.systems.paraphrase.conditions import CONDITIONS
from lattice_simp.systems.paraphrase.links import link_words
from lattice_simp.systems.paraphrase.synonyms import Thesaurus
from lattice_simp.systems.paraphrase.tree import Node, Tree

TAGS = ("NN", "NN", "VB", "IN", "IN", "DT", "CD")


def tree_of(tagged, category="NP-SG", head=None):
    """Makes a tree of word/TAG with one node below the sentence, which ends with another verb in each."""
    tokens, tags = zip(*(word.rsplit("/", 1) for word in tagged.split()), strict=True)
    end = len(tokens)
    nodes = (Node("S", 0, end + 1, (1,)), Node(category, 0, end, (), None if head is None else tokens.index(head)))
    return Tree((*tokens, "stood"), (*tags, "VBD"), tuple(token.lower() for token in (*tokens, "stood")), nodes)


CASES = {
    "heads": [
        ("a/DT big/JJ dog/NN", "a/DT dog/NN house/NN", "dog", "house", False),
        ("a/DT dog/NN", "the/DT dog/NN", "dog", "dog", True),
        ("a/DT big/JJ dog/NN", "a/DT dog/NN house/NN", None, None, True),
    ],
    "replaced": [
        ("an/DT old/JJ dog/NN", "a/DT young/JJ dog/NN", None, None, False),
        ("an/DT old/JJ dog/NN", "a/DT dog/NN", None, None, True),
    ],
    "relations": [
        ("an/DT end/NN of/IN it/PRP", "an/DT end/NN by/IN it/PRP", None, None, False),
        ("its/PRP$ end/NN", "the/DT end/NN of/IN it/PRP", None, None, True),
    ],
    "exact": [
        ("three/CD old/JJ dogs/NNS", "four/CD old/JJ dogs/NNS", None, None, False),
        ("that/DT old/JJ dog/NN", "the/DT old/JJ dog/NN", None, None, False),
        ("3/CD old/JJ dogs/NNS", "three/CD old/JJ dogs/NNS", None, None, True),
    ],
    "order": [
        ("on/IN May/NNP 3/CD", "on/IN 3/CD May/NNP", None, None, False),
        ("May/NNP 3/CD", "May/NNP three/CD", None, None, True),
        ("3/CD dogs/NNS", "dogs/NNS 3/CD", None, None, True),
        ("May/NNP or/CC June/NNP", "June/NNP or/CC May/NNP", None, None, True),
    ],
    "case": [
        ("the/DT red/JJ fort/NN", "a/DT Red/JJ fort/NN", None, None, False),
        ("the/DT red/JJ fort/NN", "a/DT red/JJ fort/NN", None, None, True),
    ],
    "marks": [
        ("red/JJ ,/, old/JJ forts/NNS", "red/JJ old/JJ forts/NNS", None, None, False),
        ("the/DT forts/NNS ,/,", "these/DT forts/NNS ,/,", None, None, False),
        ("the/DT red/JJ ,/, old/JJ fort/NN", "a/DT red/JJ ,/, old/JJ fort/NN", None, None, True),
    ],
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_condition_refuses(name):
    for first, other, head, other_head, good in CASES[name]:
        trees = tree_of(first, head=head), tree_of(other, head=other_head)
        met = CONDITIONS[name](*trees, link_words(*trees))
        assert met.shape == (2, 2)
        assert met[1, 1] == good, (first, other)


def test_noun_phrases_alone_leave_details_out():
    for category, good in (("NP-PL", True), ("N-SG", True), ("VP-VB", False), ("PP", False)):
        trees = tree_of("see/VB old/JJ dogs/NNS", category), tree_of("see/VB dogs/NNS", category)
        assert CONDITIONS["complete"](*trees, link_words(*trees))[1, 1] == good, category


def test_a_phrase_within_the_other_is_refused():
    inner, outer = Tree.from_brackets("(S (N (NN dog)) (VBD ran))"), Tree.from_brackets("(S (N (JJ old) (N (NN Dog))))")
    met = CONDITIONS["nested"](inner, outer, link_words(inner, outer))
    assert not met[1, 1]
    assert met[1, 2]  # the same phrase
    assert (CONDITIONS["nested"](outer, inner, link_words(outer, inner)) == met.T).all()
    assert CONDITIONS["nested"](Tree.from_brackets("(S (X (NN dog)) (VBD ran))"), outer, []).all()


def varied(rng, choices=TAGS):
    """Returns a random tree with tags, heads and some capitals."""
    tree = random_tree(rng, words="abcd,")
    tags = tuple("," if token == "," else str(rng.choice(choices)) for token in tree.tokens)
    tokens = tuple(token.upper() if rng.random() < 0.2 else token for token in tree.tokens)
    categories = {"X": "NP", "Y": "VP"}
    nodes = tuple(
        Node(categories[node.category], node.begin, node.end, node.children, int(rng.integers(node.begin, node.end)))
        for node in tree.nodes
    )
    return replace(tree, tags=tags, tokens=tokens, nodes=nodes)


def below(tree, node):
    return [tree.nodes[child] for child in node.children] + [
        inner for child in node.children for inner in below(tree, tree.nodes[child])
    ]


def by_definition(name, first, second, links, head, other):
    """Returns whether two nodes meet a condition, word by word."""
    spans = [set(range(each.begin, each.end)) for each in (head, other)]
    here, there = {link.first for link in links}, {link.second for link in links}
    free = [{i for i in spans[0] if i not in here}, {j for j in spans[1] if j not in there}]
    both = list(zip((first, second), free, strict=True))
    if name == "heads":
        return (head.head, other.head) in {(link.first, link.second) for link in links}
    if name == "replaced":
        return not all(any(tree.content[i] for i in second) for tree, second in both)
    if name == "complete":
        nodes = zip((head, other), both, strict=True)
        return not any(node.category == "VP" and any(tree.content[i] for i in entry) for node, (tree, entry) in nodes)
    if name == "exact":
        return not any(tree.tags[i] == "CD" for tree, second in both for i in second)
    if name == "order":
        names = {(a.first, a.second) for a in links if first.tags[a.first] == second.tags[a.second] == "CD"}
        swaps = [{i, i + 1} for i, j in names if (i + 1, j - 1) in names]
        moved = [{j, j - 1} for i, j in names if (i + 1, j - 1) in names]
        return not any(a <= spans[0] and b <= spans[1] for a, b in zip(swaps, moved, strict=True))
    if name == "relations":
        pairs = [(i, j) for i, j in product(*free) if first.tags[i] == second.tags[j] == "IN"]
        return not any(
            link.first in smallest(first, i) and link.second in smallest(second, j) for i, j in pairs for link in links
        )
    if name == "case":
        words = [(first.tokens[link.first], second.tokens[link.second]) for link in links if link.first in spans[0]]
        words += [(first.tokens[link.first], second.tokens[link.second]) for link in links if link.second in spans[1]]
        return all(a == b or a.lower() != b.lower() for a, b in words)
    phrases = [tree.tokens[value.begin : value.end] for tree, value in ((first, head), (second, other))]
    if name == "marks":
        inner = [[word for word in phrase if word == ","] for phrase in phrases]
        return inner[0] == inner[1] and all("," not in (phrase[0], phrase[-1]) for phrase in phrases)
    assert name == "nested"
    keys = [
        [(each.category, " ".join(tree.tokens[each.begin : each.end]).lower()) for each in (node, *below(tree, node))]
        for tree, node in ((first, head), (second, other))
    ]
    return keys[0][0] not in keys[1][1:] and keys[1][0] not in keys[0][1:]


def smallest(tree, position):
    spans = [
        range(node.begin, node.end)
        for node in tree.nodes
        if node.begin <= position < node.end and node.end - node.begin > 1
    ]
    return min(spans, key=len)


def test_each_condition_by_brute_force():
    refused = dict.fromkeys(CONDITIONS, 0)
    for seed in range(500):
        rng = np.random.default_rng(seed)
        choices = TAGS if seed < 300 else ("CD",)
        first, second = varied(rng, choices), varied(rng, choices)
        links = link_words(first, second)
        for name, condition in CONDITIONS.items():
            expected = [[by_definition(name, first, second, links, a, b) for b in second.nodes] for a in first.nodes]
            actual = condition(first, second, links)
            assert actual.tolist() == expected, f"seed {seed}, {name}"
            refused[name] += int((~actual).sum())
    assert min(refused.values()) > 10, refused


def test_equivalent_phrases_meet_the_conditions_of_the_settings():
    actual = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        first, second = varied(rng), varied(rng)
        links = link_words(first, second)
        chosen = tuple(str(name) for name in rng.choice(list(CONDITIONS), 3, replace=False))
        loose = align_phrases(first, second, links, AlignmentSettings(conditions=()))
        expected = {
            entry.nodes
            for entry in loose
            if all(
                by_definition(name, first, second, links, first.nodes[entry.nodes[0]], second.nodes[entry.nodes[1]])
                for name in chosen
            )
        }
        assert {
            phrase.nodes for phrase in align_phrases(first, second, links, AlignmentSettings(conditions=chosen))
        } == expected, f"seed {seed}"
        actual += len(expected)
    assert actual > 10


def test_phrases_that_differ_in_capitals_are_identical():
    trees = tree_of("the/DT Red/JJ fort/NN"), tree_of("The/DT red/JJ fort/NN")
    [pair] = align_phrases(*trees, link_words(*trees), AlignmentSettings(conditions=()))
    assert pair.identical
    assert not pair.is_new


def test_numerals_and_times_of_day_are_linked():
    assert Thesaurus.english().related("a.m.", "RB", "morning", "NN")
    assert Thesaurus.english().related("10", "CD", "ten", "CD")
    assert not Thesaurus.english().related("3", "CD", "4", "CD")
