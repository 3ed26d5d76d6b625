"""The semantic graph of a dependency tree."""

from __future__ import annotations

import pytest
from simplify_cases import SOURCES

from lattice_simp.systems.simplify.graphs.dependency_graph import dependency_graph
from lattice_simp.systems.simplify.graphs.graph import EdgeKind, NodeKind


def edges(graph, **wanted):
    """Returns (head's last predicate, label, dependent's last predicate) of edges."""
    by_name = graph.by_name
    return {
        (by_name[edge.head].predicates[-1], edge.label, by_name[edge.dependent].predicates[-1])
        for edge in graph.edges
        if all(getattr(edge, name) == value for name, value in wanted.items())
    }


@pytest.mark.parametrize("source", SOURCES)
def test_every_position_is_of_one_node_or_edge_or_an_orphan(parsed, source):
    graph = dependency_graph(parsed(source))
    owned = [position for part in (*graph.nodes, *graph.edges) for position in part.positions]
    assert sorted([*owned, *graph.orphans]) == list(range(len(graph.tokens)))
    assert set(graph.needed) <= set(graph.orphans)


@pytest.mark.parametrize(
    ("source", "role"),
    [
        ("The farmer sold the cow .", ("sell", "agent", "farmer")),
        ("The farmer sold the cow .", ("sell", "patient", "cow")),
        ("The cow was sold by the farmer .", ("sell", "patient", "cow")),
        ("The cow was sold by the farmer .", ("sell", "agent", "farmer")),
        ("She gave her brother a book .", ("give", "recipient", "brother")),
        ("She gave a book to her brother .", ("give", "recipient", "brother")),
        ("Anna is a painter .", ("be", "attribute", "painter")),
        ("He said that it rained .", ("say", "theme", "rain")),
    ],
)
def test_core_roles(parsed, source, role):
    assert role in edges(dependency_graph(parsed(source)), kind=EdgeKind.ROLE)


@pytest.mark.parametrize(
    ("source", "role"),
    [
        ("The painter , who lived in Rome , died .", ("live", "agent", "painter")),
        ("The book , which he wrote in 1990 , won a prize .", ("write", "patient", "book")),
        ("The house , in which he lived for ten years , was sold .", ("live", "in", "house")),
        ("Born in Vienna , she studied law in Graz .", ("bear", "patient", "she")),
        ("The storm hit the coast and destroyed the harbour .", ("destroy", "agent", "storm")),
    ],
)
def test_an_entity_is_shared(parsed, source, role):
    assert role in edges(dependency_graph(parsed(source)), shared=True)


def test_relations_have_the_positions_of_their_words(parsed):
    graph = dependency_graph(parsed("He came out of the house because it rained ."))
    relations = {edge.label: edge.positions for edge in graph.edges if edge.kind == EdgeKind.RELATION}
    assert relations == {"out of": (2, 3), "because": (6,)}


def test_the_parts_of_a_name_are_predicates_of_one_entity(parsed):
    graph = dependency_graph(parsed("In 1964 Peter Higgs published a paper ."))
    assert ("peter", "higgs") in [node.predicates for node in graph.nodes]


def test_nouns_before_nouns_depend_on_them(parsed):
    graph = dependency_graph(parsed("The stone bridge fell ."))
    assert ("bridge", "nn", "stone") in edges(graph)


def test_negations_auxiliaries_and_particles_belong_to_their_verb(parsed):
    graph = dependency_graph(parsed("He has not given up ."))
    event = next(node for node in graph.nodes if node.kind == NodeKind.EVENT)
    assert event.positions == (1, 2, 3, 4)


def test_a_pronoun_of_a_relative_clause_is_an_orphan_that_must_stay(parsed):
    graph = dependency_graph(parsed("The painter , who lived in Rome , died ."))
    assert graph.tokens.index("who") in graph.orphans
    assert graph.tokens.index("who") in graph.needed
