"""Deletions: what can go, what must stay, and how the sentence reads then."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from simplify_cases import DELETIONS, SOURCES

from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.simplify.deletion import DeletionKind, delete, deletion_candidates
from lattice_simp.simplify.dependency_graph import dependency_graph
from lattice_simp.simplify.graph import EdgeKind
from lattice_simp.simplify.sentence import begins_with_vowel, source_sentence, words
from lattice_simp.simplify.split import apply_splits, split_candidates
from lattice_simp.skeleton.automatic.punctuation import mark_kind


@pytest.mark.parametrize("source", dict.fromkeys(row["source"] for row in DELETIONS))
def test_the_deletions_of_a_sentence(parsed, source):
    """All deletions of the sentence are in the table, and no others."""
    expected = [
        (row["kind"], row["word"], row["detail"], row["result"])
        for row in DELETIONS
        if row["source"] == source and row["kind"] != "-"
    ]
    sentence = source_sentence(source.split())
    found = deletion_candidates(dependency_graph(parsed(source)))
    assert [(*one.feature, " ".join(words(delete(sentence, [one])))) for one in found] == expected


def test_the_table_has_each_kind():
    assert {row["kind"] for row in DELETIONS} == {*(kind.value for kind in DeletionKind), "-"}


@pytest.mark.parametrize("source", SOURCES)
def test_core_roles_and_negations_stay(parsed, source):
    graph = dependency_graph(parsed(source))
    for one in deletion_candidates(graph):
        assert not {graph.tokens[position].lower() for position in one.positions[:1]} & word_set("negations")
        for edge in graph.edges:
            if edge.kind == EdgeKind.ROLE and not edge.shared:
                head = set(graph.by_name[edge.head].positions)
                core = set(graph.by_name[edge.dependent].positions)
                assert not core & set(one.positions) or head <= set(one.positions), one


@pytest.mark.parametrize("source", SOURCES)
def test_containers_contain(parsed, source):
    found = deletion_candidates(dependency_graph(parsed(source)))
    for index, one in enumerate(found):
        above = {number for number, other in enumerate(found) if set(one.positions) < set(other.positions)}
        assert (one.within in above) if above else one.within is None
        assert all(len(found[one.within].positions) <= len(found[other].positions) for other in above)
        assert all(
            set(one.positions).isdisjoint(other.positions)
            or set(one.positions) < set(other.positions)
            or set(other.positions) < set(one.positions)
            for number, other in enumerate(found)
            if number != index
        )


@pytest.mark.parametrize("source", SOURCES)
def test_any_deletions_go_together(parsed, source):
    """Of any choice, exactly the words that were chosen go, and the punctuation is well-formed."""
    rng, found = np.random.default_rng(1), deletion_candidates(dependency_graph(parsed(source)))
    tokens = source.split()
    for _ in range(5):
        chosen = [one for one in found if rng.random() < 0.5]
        gone = {position for one in chosen for position in one.positions}
        result = delete(source_sentence(tokens), chosen)
        kinds = [mark_kind(token.text) for token in result]
        kept = [token.position for token in result if mark_kind(token.text) is None]
        assert kept == [one for one, token in enumerate(tokens) if one not in gone and mark_kind(token) is None]
        assert ("comma", "comma") not in set(pairwise(kinds)), words(result)
        assert kinds[0] != "comma"


@pytest.mark.parametrize("source", SOURCES)
def test_no_deletion_returns_the_sentence(source):
    assert delete(source_sentence(source.split()), []) == source_sentence(source.split())


def test_deletions_reach_the_copies_in_split_sentences(parsed):
    source = "The old painter , who lived in Rome , sold his house ."
    parse = parsed(source)
    (old,) = (one for one in deletion_candidates(dependency_graph(parse)) if one.word == "old")
    halves = apply_splits(parse.tokens, split_candidates(parse))
    assert [" ".join(words(delete(half, [old]))) for half in halves] == [
        "The painter sold his house .",
        "The painter lived in Rome .",
    ]


@pytest.mark.parametrize(
    ("word", "vowel"),
    [("owl", True), ("European", False), ("honest", True), ("one", False), ("union", False), ("uncle", True)],
)
def test_articles(word, vowel):
    assert begins_with_vowel(word) == vowel
