"""Deletions: deletable and obligatory phrases, and the resulting sentences."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from simplify_cases import DELETIONS, SOURCES

from lattice_simp.grammars.english.lexicon import begins_with_vowel, word_set
from lattice_simp.systems.simplify.candidates import split_candidates
from lattice_simp.systems.simplify.deletion import DeletionKind, delete, deletion_candidates
from lattice_simp.systems.simplify.graphs.dependency_graph import dependency_graph
from lattice_simp.systems.simplify.graphs.graph import Edge, EdgeKind, Node, NodeKind, SemanticGraph
from lattice_simp.systems.simplify.sentence import source_sentence, words
from lattice_simp.systems.simplify.split import apply_splits
from lattice_simp.text.english.punctuation import mark_kind


@pytest.mark.parametrize("source", dict.fromkeys(row["source"] for row in DELETIONS))
def test_the_deletions_of_a_sentence(parsed, source):
    """All deletions of the sentence are in the table, and no others."""
    expected = [
        (row["kind"], row["word"], row["detail"], row["result"])
        for row in DELETIONS
        if row["source"] == source and row["kind"] != "-"
    ]
    sentence = source_sentence(source.split())
    candidates = deletion_candidates(dependency_graph(parsed(source)))
    assert [(*deletion.feature, " ".join(words(delete(sentence, [deletion])))) for deletion in candidates] == expected


def test_the_table_has_each_kind():
    assert {row["kind"] for row in DELETIONS} == {*(kind.value for kind in DeletionKind), "-"}


@pytest.mark.parametrize("source", SOURCES)
def test_core_roles_and_negations_stay(parsed, source):
    graph = dependency_graph(parsed(source))
    for deletion in deletion_candidates(graph):
        assert not {graph.tokens[position].lower() for position in deletion.positions[:1]} & word_set("negations")
        for edge in graph.edges:
            if edge.kind == EdgeKind.ROLE and not edge.shared:
                head = set(graph.by_name[edge.head].positions)
                core = set(graph.by_name[edge.dependent].positions)
                assert not core & set(deletion.positions) or head <= set(deletion.positions), deletion


@pytest.mark.parametrize("source", SOURCES)
def test_containers_contain(parsed, source):
    candidates = deletion_candidates(dependency_graph(parsed(source)))
    for index, deletion in enumerate(candidates):
        above = {number for number, other in enumerate(candidates) if set(deletion.positions) < set(other.positions)}
        assert (deletion.within in above) if above else deletion.within is None
        assert all(len(candidates[deletion.within].positions) <= len(candidates[other].positions) for other in above)
        assert all(
            set(deletion.positions).isdisjoint(other.positions)
            or set(deletion.positions) < set(other.positions)
            or set(other.positions) < set(deletion.positions)
            for number, other in enumerate(candidates)
            if number != index
        )


@pytest.mark.parametrize("source", SOURCES)
def test_any_deletions_go_together(parsed, source):
    """Of any choice, exactly the words that were chosen go, and the punctuation is well-formed."""
    rng, candidates = np.random.default_rng(1), deletion_candidates(dependency_graph(parsed(source)))
    tokens = source.split()
    for _ in range(5):
        chosen = [deletion for deletion in candidates if rng.random() < 0.5]
        gone = {position for deletion in chosen for position in deletion.positions}
        result = delete(source_sentence(tokens), chosen)
        kinds = [mark_kind(token.text) for token in result]
        kept = [token.position for token in result if mark_kind(token.text) is None]
        assert kept == [
            position for position, token in enumerate(tokens) if position not in gone and mark_kind(token) is None
        ]
        assert ("comma", "comma") not in set(pairwise(kinds)), words(result)
        assert kinds[0] != "comma"


@pytest.mark.parametrize("source", SOURCES)
def test_no_deletion_returns_the_sentence(source):
    assert delete(source_sentence(source.split()), []) == source_sentence(source.split())


def test_deletions_reach_the_copies_in_split_sentences(parsed):
    source = "The old painter , who lived in Rome , sold his house ."
    parse = parsed(source)
    (old,) = (deletion for deletion in deletion_candidates(dependency_graph(parse)) if deletion.word == "old")
    halves = apply_splits(parse.tokens, split_candidates(parse))
    assert [" ".join(words(delete(half, [old]))) for half in halves] == [
        "The painter sold his house .",
        "The painter lived in Rome .",
    ]


def deletions_of(text, head, *dependents, kind=EdgeKind.MODIFIER):
    """Returns the deletions, but those of orphans, of a sentence with one head, given its positions.

    Args:
        dependents: for each its position, or for a relation those of its word and of its dependent.
    """
    nodes = [Node("head", NodeKind.EVENT, ("head",), head)]
    edges = []
    for number, dependent in enumerate(dependents):
        *relation, position = dependent if isinstance(dependent, tuple) else (dependent,)
        nodes.append(Node(f"d{number}", NodeKind.PROPERTY, ("dependent",), (position,)))
        label = text.split()[relation[0]] if relation else ""
        edges.append(Edge("head", f"d{number}", label, EdgeKind.RELATION if relation else kind, tuple(relation)))
    candidates = deletion_candidates(SemanticGraph(tuple(text.split()), tuple(nodes), tuple(edges)))
    return [deletion for deletion in candidates if deletion.kind != DeletionKind.ORPHAN]


@pytest.mark.parametrize(
    ("text", "head", "positions", "result"),
    [
        ("in May , rain fell .", (4,), (0, 1, 2), "Rain fell ."),
        ("in May , rain fell", (4,), (0, 1, 2), "Rain fell"),
        ("he said in May , rain fell .", (6,), (2, 3, 4), "he said rain fell ."),
        ("he took in May , it off .", (1, 6), (2, 3, 4), "he took it off ."),
        ("rain fell in May , he said .", (1,), (2, 3), "rain fell , he said ."),
        ("rain fell in May", (1,), (2, 3), "rain fell"),
        ("in May rain fell .", (3,), (0, 1), "Rain fell ."),
        ("in May ; rain fell .", (4,), (0, 1), "Rain fell ."),
    ],
)
def test_the_comma_after_a_phrase_goes_where_the_phrase_comes_before_its_head(text, head, positions, result):
    relation = text.split().index("in")
    (deletion,) = deletions_of(text, head, (relation, relation + 1))
    assert (deletion.positions, deletion.detail) == (positions, "0-2")  # marks are no words of its length
    assert " ".join(words(delete(source_sentence(text.split()), [deletion]))) == result


@pytest.mark.parametrize(
    ("text", "head", "modifiers", "gone", "result"),
    [
        ("a cold , dark day began .", 4, (1, 3), (1,), "a dark day began ."),
        ("a cold , dark day began .", 4, (1, 3), (3,), "a cold day began ."),
        ("a cold , dark day began .", 4, (1, 3), (1, 3), "a day began ."),
        ("a cold , dark , wet day began .", 6, (1, 3, 5), (1,), "a dark , wet day began ."),
        ("a cold , dark , wet day began .", 6, (1, 3, 5), (3,), "a cold , wet day began ."),
        ("a cold , dark , wet day began .", 6, (1, 3, 5), (5,), "a cold , dark day began ."),
        ("a cold , dark , wet day began .", 6, (1, 3, 5), (3, 5), "a cold day began ."),
        ("a cold , dark , wet day began .", 6, (1, 3, 5), (1, 5), "a dark day began ."),
        ("a cold , dark , wet day began .", 6, (1, 3, 5), (1, 3), "a wet day began ."),
        ("a cold , dark , wet day began .", 6, (1, 3, 5), (1, 3, 5), "a day began ."),
        ("he sold bread , fresh fish and milk .", 5, (4,), (4,), "he sold bread , fish and milk ."),
        ("the sky was cold , dark .", 1, (5,), (5,), "the sky was cold ."),
        ("the sky was cold , dark", 1, (5,), (5,), "the sky was cold"),
        ("she , slowly , walked .", 4, (2,), (2,), "she walked ."),
    ],
)
def test_a_comma_stays_where_it_still_separates_words(text, head, modifiers, gone, result):
    tokens = text.split()
    deletions = {deletion.word: deletion for deletion in deletions_of(text, (head,), *modifiers)}
    chosen = [deletions[tokens[position]] for position in gone]
    for order in (chosen, chosen[::-1]):
        assert " ".join(words(delete(source_sentence(tokens), order))) == result


def test_the_length_of_a_phrase_is_that_of_its_words():
    (deletion,) = deletions_of("rain fell in the big , old town .", (1,), (2, 7))
    assert (deletion.detail, deletion.positions) == ("2-5", (2, 3, 4, 5, 6, 7))
    (deletion,) = deletions_of("rain fell in the , big , old town .", (1,), (2, 8))
    assert deletion.detail == "2-5"  # five words, and two commas


def test_a_sentence_is_never_deleted_as_a_whole():
    nodes = (Node("X", NodeKind.EVENT, ("rain",), (0,)),)
    assert deletion_candidates(SemanticGraph(("Rain", "."), nodes, ())) == ()
    assert deletion_candidates(SemanticGraph(("Well", "."), (), ())) == ()
    well, now = deletion_candidates(SemanticGraph(("Well", "now", "."), (), ()))
    assert (well.feature, now.feature) == (("orphan", "well", "true"), ("orphan", "now", "true"))


@pytest.mark.parametrize(
    ("word", "vowel"),
    [("owl", True), ("European", False), ("honest", True), ("one", False), ("union", False), ("uncle", True)],
)
def test_articles(word, vowel):
    assert begins_with_vowel(word) == vowel
