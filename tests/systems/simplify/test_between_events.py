"""Splits between events: the words of both halves, and pairs that are no candidates."""

from __future__ import annotations

from collections import Counter

import pytest
from simplify_cases import SOURCES

from lattice_simp.systems.simplify import (
    Edge,
    EdgeKind,
    Node,
    NodeKind,
    SemanticGraph,
    apply_splits,
    compatible,
    dependency_graph,
    event_splits,
    words,
)
from lattice_simp.text.english.punctuation import mark_kind

LEMMAS = {"Being": "be", "carrying": "carry"}


def graph_of(sentence, nodes, edges):
    """Returns the graph of `word/TAG` tokens, of positions by name (`e1` is an event), and of edges.

    Edges are (head, node, label). Those to a node that already has a head are shared.
    """
    tokens, tags = zip(*(token.rsplit("/", 1) for token in sentence.split()), strict=True)
    seen = set()
    edges_between = []
    for head, dependent, label, *kind in edges:
        shared = dependent in seen
        seen.add(dependent)
        edges_between.append(Edge(head, dependent, label, EdgeKind(kind[0]) if kind else EdgeKind.ROLE, shared=shared))
    parts = [
        Node(
            name,
            NodeKind.EVENT if name.startswith("e") else NodeKind.ENTITY,
            (LEMMAS.get(tokens[at[0]], ""),),
            tuple(at),
        )
        for name, at in nodes.items()
    ]
    return SemanticGraph(tokens, tuple(parts), tuple(edges_between), tags=tags)


def read(graph):
    return [
        " ".join(words(sentence))
        for split in event_splits(graph)[:1]
        for sentence in apply_splits(graph.tokens, [split])
    ]


HOUSE = "Ann/NNP sold/VBD the/DT house/NN which/WDT he/PRP built/VBD last/JJ year/NN ./."


@pytest.mark.parametrize(
    ("sentence", "nodes", "edges", "expected"),
    [
        (  # a gap after the verb
            HOUSE,
            {"e1": [1], "ann": [0], "house": [2, 3], "e2": [6], "he": [5], "year": [7, 8]},
            [("e1", "ann", "agent"), ("e1", "house", "patient"), ("e2", "he", "agent"), ("e2", "house", "patient")],
            ["Ann sold the house .", "He built the house last year ."],
        ),
        (  # the verbs share their subject, which comes back in its own form
            "Him/PRP they/PRP saw/VBD here/RB and/CC they/PRP took/VBD him/PRP home/NN ./.",
            {"e1": [2], "they": [1], "him": [0], "e2": [6], "them": [5], "him2": [7]},
            [("e1", "they", "agent"), ("e1", "him", "patient"), ("e2", "them", "agent"), ("e2", "him2", "patient")],
            ["Him they saw here .", "They took him home ."],
        ),
        (
            "An/DT old/JJ man/NN came/VBD home/NN and/CC ate/VBD a/DT pie/NN ./.",
            {"e1": [3], "man": [0, 1, 2], "home": [4], "e2": [6], "pie": [7, 8]},
            [("e1", "man", "agent"), ("e1", "home", "patient"), ("e2", "man", "agent"), ("e2", "pie", "patient")],
            ["An old man came home .", "The old man ate a pie ."],
        ),
        (  # a participle becomes finite
            "The/DT men/NNS left/VBD home/NN carrying/VBG two/CD bags/NNS ./.",
            {"e1": [2], "men": [0, 1], "home": [3], "e2": [4], "bags": [5, 6]},
            [("e1", "men", "agent"), ("e1", "home", "patient"), ("e2", "men", "agent"), ("e2", "bags", "patient")],
            ["The men left home .", "The men carried two bags ."],
        ),
        (  # fronted: the clause comes first
            "Being/VBG resistant/JJ to/IN cold/NN ,/, bricks/NNS enabled/VBD the/DT walls/NNS ./.",
            {"e1": [0], "cold": [1, 2, 3], "bricks": [5], "e2": [6], "walls": [7, 8]},
            [("e1", "bricks", "theme"), ("e1", "cold", "topic"), ("e2", "bricks", "cause"), ("e2", "walls", "product")],
            ["Bricks were resistant to cold .", "Bricks enabled the walls ."],
        ),
        (  # without a relative word, a clause after a noun needs a role for it
            "Ann/NNP knew/VBD a/DT song/NN he/PRP had/VBD sung/VBN well/RB before/RB ./.",
            {"e1": [1], "ann": [0], "song": [2, 3], "e2": [6], "he": [4]},
            [("e1", "ann", "agent"), ("e1", "song", "patient"), ("song", "e2", "rel", "clause"), ("e2", "he", "agent")],
            [],
        ),
        (  # a core argument stays
            "Ann/NNP said/VBD he/PRP had/VBD left/VBN early/RB today/NN ./.",
            {"e1": [1], "ann": [0], "e2": [4], "he": [2]},
            [("e1", "ann", "agent"), ("e1", "e2", "theme"), ("e2", "he", "agent")],
            [],
        ),
        (  # a condition stays
            "Ann/NNP left/VBD home/NN if/IN he/PRP came/VBD home/NN ./.",
            {"e1": [1], "ann": [0], "e2": [5], "he": [4]},
            [("e1", "ann", "agent"), ("e2", "he", "agent")],
            [],
        ),
        (  # the verb would not agree
            "Ann/NNP saw/VBD the/DT cats/NNS which/WDT likes/VBZ old/JJ milk/NN ./.",
            {"e1": [1], "ann": [0], "cats": [2, 3], "e2": [5], "milk": [6, 7]},
            [("e1", "ann", "agent"), ("e1", "cats", "patient"), ("e2", "cats", "agent"), ("e2", "milk", "patient")],
            [],
        ),
        (  # an entity that cannot be named again
            "Ann/NNP saw/VBD nobody/NN who/WP liked/VBD old/JJ milk/NN ./.",
            {"e1": [1], "ann": [0], "nobody": [2], "e2": [4], "milk": [5, 6]},
            [("e1", "ann", "agent"), ("e1", "nobody", "patient"), ("e2", "nobody", "agent"), ("e2", "milk", "patient")],
            [],
        ),
        (  # likewise
            "Ann/NNP saw/VBD another/DT who/WP liked/VBD old/JJ milk/NN ./.",
            {"e1": [1], "ann": [0], "other": [2], "e2": [4], "milk": [5, 6]},
            [("e1", "ann", "agent"), ("e1", "other", "patient"), ("e2", "other", "agent"), ("e2", "milk", "patient")],
            [],
        ),
        (  # what describes a noun cannot remain alone
            "The/DT song/NN he/PRP wrote/VBD made/VBD Ann/NNP very/RB happy/JJ ./.",
            {"e1": [3], "song": [0, 1], "he": [2], "e2": [4], "ann": [5], "happy": [6, 7]},
            [
                ("e2", "song", "cause"), ("e2", "ann", "patient"), ("e2", "happy", "topic"),
                ("song", "e1", "rel", "clause"), ("e1", "he", "agent"), ("e1", "song", "patient"),
            ],
            ["The song made Ann very happy .", "He wrote the song ."],
        ),
        (  # a question
            "Who/WP left/VBD home/NN and/CC he/PRP ate/VBD pie/NN ?/.",
            {"e1": [1], "who": [0], "e2": [5], "he": [4]},
            [("e1", "who", "agent"), ("e2", "he", "agent")],
            [],
        ),
    ],
)  # fmt: skip
def test_two_sentences_or_none(sentence, nodes, edges, expected):
    assert read(graph_of(sentence, nodes, edges)) == expected


def test_a_subgraph_of_neither_event_goes_with_the_nearer_one():
    """`yesterday` and `today` hang from nothing."""
    sentence = "Ann/NNP left/VBD home/NN yesterday/NN and/CC today/NN he/PRP ate/VBD pie/NN ./."
    nodes = {"e1": [1], "ann": [0], "home": [2], "y": [3], "t": [5], "e2": [7], "he": [6], "pie": [8]}
    edges = [("e1", "ann", "agent"), ("e1", "home", "patient"), ("e2", "he", "agent"), ("e2", "pie", "patient")]
    assert read(graph_of(sentence, nodes, edges)) == ["Ann left home yesterday .", "Today he ate pie ."]


def test_of_two_at_the_same_distance_the_one_that_shares_words():
    sentence = "Ann/NNP left/VBD home/NN so/RB late/RB he/PRP ate/VBD pie/NN ./."
    nodes = {"e1": [1], "ann": [0], "home": [2], "late": [3, 4], "he": [5], "e2": [6], "pie": [7]}
    edges = [("e1", "ann", "agent"), ("e1", "home", "patient"), ("e2", "he", "agent"), ("e2", "pie", "patient")]
    assert read(graph_of(sentence, nodes, edges))[0] == "Ann left home so late ."  # the event that remains
    joined = [*edges, ("late", "he", "of", "relation")]
    assert read(graph_of(sentence, nodes, joined))[0] == "Ann left home ."


def test_a_clause_that_says_which_one_is_restrictive():
    nodes = {"e1": [1], "ann": [0], "house": [2, 3], "e2": [6], "he": [5], "year": [7, 8]}
    edges = [("e1", "ann", "agent"), ("e1", "house", "patient"), ("e2", "he", "agent"), ("e2", "house", "patient")]
    assert event_splits(graph_of(HOUSE, nodes, edges))[0].restrictive


def test_no_word_is_lost(parsed):
    """Of all sentences of the tables: a split keeps every word but those it drops."""
    count = 0
    for source in SOURCES:
        graph = dependency_graph(parsed(source))
        for split in event_splits(graph):
            count += 1
            sentences = apply_splits(graph.tokens, [split])
            assert len(sentences) == 2, source
            written = Counter(token.position for sentence in sentences for token in sentence if not token.copied)
            plain = {place for place, token in enumerate(graph.tokens) if mark_kind(token) is None}
            assert plain - set(split.dropped) <= written.keys(), source
            assert compatible([split])
    assert count > 30
