"""Trees of Universal Dependencies in the treebank's shape."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lattice_simp.systems.hindi.formats.conllu_tree import treebank_tree
from lattice_simp.systems.hindi.from_tree import clauses_of_tree
from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token

# form/chunk/head/relation, the head from 1; after the arrow, what becomes of heads and relations
TREES = {
    "a simple sentence stays": (
        "राम/NP/3/nsubj रोटी/NP/3/obj खाता/VGF/0/ ।/BLK/3/punct",
        "3/k1 3/k2 0/ 3/rsym",
    ),
    "a copula, with what belongs to the noun and what does not": (
        "वहाँ/NP/4/nmod राम/NP/4/nsubj का/NP/4/nmod घर/NP/0/ है/VGF/4/cop",
        "5/k7 5/k1 4/r6 5/k1s 0/",
    ),
    "coordinated clauses": (
        "राम/NP/2/nsubj आया/VGF/0/ और/CCP/5/cc सीता/NP/5/nsubj गई/VGF/2/conj",
        "2/k1 3/ccof 0/ 5/k1 3/ccof",
    ),
    "three nouns and one coordinator": (
        "राम/NP/5/nsubj मोहन/NP/1/conj और/CCP/4/cc सीता/NP/1/conj आए/VGF/0/",
        "3/ccof 3/ccof 5/k1 3/ccof 0/",
    ),
    "coordinated predicates with their copulas": (
        "छोटा/JJP/0/ है/VGF/1/cop और/CCP/4/cc नया/JJP/1/conj है/VGF/4/cop",
        "2/k1s 3/ccof 0/ 5/k1s 3/ccof",
    ),
    "coordinated nouns before one copula": (
        "राजा/NP/0/ और/CCP/3/cc कवि/NP/1/conj है/VGF/1/cop",
        "2/ccof 4/k1s 2/ccof 0/",
    ),
    "a complement": (
        "कहा/VGF/0/ कि/CCP/3/mark आया/VGF/1/ccomp",
        "0/ 1/k2 2/ccof",
    ),
    "a complement of two clauses": (
        "कहा/VGF/0/ कि/CCP/3/mark आया/VGF/1/ccomp और/CCP/5/cc गया/VGF/3/conj",
        "0/ 1/k2 4/ccof 2/ccof 4/ccof",
    ),
    "a coordinator that opens the sentence": (
        "लेकिन/CCP/2/cc आया/VGF/0/",
        "0/ 1/ccof",
    ),
    "coordinator and subordinator in a row": (
        "और/CCP/3/cc अगर/CCP/3/mark आया/VGF/4/advcl जाऊँगा/VGF/0/",
        "4/vmod 1/ccof 2/ccof 0/",
    ),
    "a relative clause": (
        "जो/NP/2/nsubj आया/VGF/3/acl:relcl वह/NP/4/nsubj:pass मारा/VGF/0/",
        "2/k1 3/nmod__relc 4/k2 0/",
    ),
}


def sentence(text):
    words = [word.split("/") for word in text.split()]
    tokens = tuple(Token(form, "PSP" if form == "का" else "NN") for form, *_ in words)
    chunks = (
        Chunk(tag, position, position + 1, int(head) - 1, relation)
        for position, (_, tag, head, relation) in enumerate(words)
    )
    return Sentence(tokens, tuple(chunks))


@pytest.mark.parametrize("name", TREES)
def test_trees(name):
    given_tree, expected = TREES[name]
    actual = treebank_tree(sentence(given_tree))
    assert " ".join(f"{chunk.head + 1}/{chunk.relation}" for chunk in actual.chunks) == expected


def test_a_copula_without_a_predicate_stays():
    for text in ("राम/NP/2/nsubj है/VGF/0/cop", "है/VGF/0/cop राम/NP/1/nsubj", "राम/NP/0/nsubj है/VGF/0/cop"):
        given_tree = sentence(text)
        heads = [chunk.head for chunk in treebank_tree(given_tree).chunks]
        assert heads == [chunk.head for chunk in given_tree.chunks]


def test_the_treebank_s_own_relations_stay():
    """Only a participle that does not modify a noun (`nmod`) shares its agent."""
    result = sentence("राम/NP/2/k1 खाता/VGNF/3/nmod गया/VGF/0/")
    assert treebank_tree(result) == result
    assert [(clause.start, clause.end) for clause in clauses_of_tree(result)] == [(0, 3), (0, 2)]


@st.composite
def trees(draw):
    count = draw(st.integers(1, 7))
    order = draw(st.permutations(range(count)))
    chunks = []
    for position in range(count):
        earlier = order[: order.index(position)]
        head = draw(st.sampled_from(earlier)) if earlier else -1
        relation = draw(st.sampled_from("cop conj cc mark nsubj nmod punct acl:relcl".split())) if head >= 0 else ""
        chunks.append(Chunk(draw(st.sampled_from(["NP", "VGF", "CCP"])), position, position + 1, head, relation))
    return Sentence(tuple(Token(str(position)) for position in range(count)), tuple(chunks))


@given(trees())
def test_a_tree_stays_a_tree(tree):
    chunks = treebank_tree(tree).chunks
    assert [chunk.head for chunk in chunks].count(-1) == 1
    assert all((chunk.relation == "") == (chunk.head == -1) for chunk in chunks)
    for position in range(len(chunks)):
        steps = 0
        while position >= 0:
            position, steps = chunks[position].head, steps + 1
            assert steps <= len(chunks)
