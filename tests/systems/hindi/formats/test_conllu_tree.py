"""Trees of Universal Dependencies in the treebank's shape."""

from __future__ import annotations

from operator import itemgetter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lattice_simp.support.tables import read_table
from lattice_simp.systems.hindi.formats.conllu_tree import treebank_tree
from lattice_simp.systems.hindi.from_tree import clauses_of_tree
from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token

# Words as form/chunk/head/relation, with heads from 1; then what becomes of heads and relations.
TREES = list(read_table(Path(__file__).with_name("trees.tsv"), ("name", "tree", "relations"), full=True))


def sentence(text):
    words = [word.split("/") for word in text.split()]
    tokens = tuple(Token(form, "PSP" if form == "का" else "NN") for form, *_ in words)
    chunks = (
        Chunk(tag, position, position + 1, int(head) - 1, relation)
        for position, (_, tag, head, relation) in enumerate(words)
    )
    return Sentence(tokens, tuple(chunks))


@pytest.mark.parametrize("row", TREES, ids=itemgetter("name"))
def test_trees(row):
    actual = treebank_tree(sentence(row["tree"]))
    assert " ".join(f"{chunk.head + 1}/{chunk.relation}" for chunk in actual.chunks) == row["relations"]


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
