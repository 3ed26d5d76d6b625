"""Conditions on equivalent phrases besides the paper's own, each by its name in one table.

The paper asks that no link leaves either phrase, and for one category. Phrases that meet that may still say different
things (`an old man`, `a young man`), or fit their own sentences alone. Each function here tells which pairs of nodes of
two trees meet one condition more: (nodes, nodes of the other).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from lattice_simp.core.kernel import Bools
from lattice_simp.paraphrase.links import LinkKind, WordLink
from lattice_simp.paraphrase.tree import Tree

Condition = Callable[[Tree, Tree, Sequence[WordLink]], Bools]


def heads(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """The heads are linked: verb and verb, preposition and preposition. Trees of brackets do not tell heads."""
    partner = np.full(len(first.tokens) + 1, -1)  # the last one is that of no head
    for link in links:
        partner[link.first] = link.second
    unknown = (first.heads < 0)[:, None] | (second.heads < 0)
    return unknown | (partner[first.heads][:, None] == second.heads)


def replaced(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """Not both phrases say something that the other lacks, be it by words of content or by prepositions."""
    met = np.ones((len(first.nodes), len(second.nodes)), dtype=np.bool_)
    for kind in ("content", "relations"):
        lacks = [_holds(tree, getattr(tree, kind) & ~own) for tree, own in _sides(first, second, links)]
        met &= ~(lacks[0][:, None] & lacks[1])
    return met


def exact(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """All names, numerals, modal verbs, and words that point or quantify, are linked."""
    lacks = [_holds(tree, tree.exact & ~own) for tree, own in _sides(first, second, links)]
    return ~(lacks[0][:, None] | lacks[1])


def case(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """No words are linked that differ in nothing but their capitals."""
    differ = [
        own for own in links if own.kind is LinkKind.IDENTICAL and first.tokens[own.first] != second.tokens[own.second]
    ]
    here, there = np.zeros(len(first.tokens), np.bool_), np.zeros(len(second.tokens), np.bool_)
    here[[own.first for own in differ]] = True
    there[[own.second for own in differ]] = True
    return ~(_holds(first, here)[:, None] | _holds(second, there))


def marks(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """Both phrases begin and end with words, and have the same marks within."""
    inner = [np.array([_marks(tree.phrase(node)) for node in range(len(tree.nodes))]) for tree in (first, second)]
    borders = [
        np.array([_is_word(tree.tokens[own.begin]) and _is_word(tree.tokens[own.end - 1]) for own in tree.nodes])
        for tree in (first, second)
    ]
    return (inner[0][:, None] == inner[1]) & borders[0][:, None] & borders[1]


def nested(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """Neither phrase is in the other, so that what it adds could be added again."""
    texts = [
        [f" {' '.join(tree.phrase(node))} ".lower() for node in range(len(tree.nodes))] for tree in (first, second)
    ]
    return np.array([[one == other or not (one in other or other in one) for other in texts[1]] for one in texts[0]])


CONDITIONS: Mapping[str, Condition] = {
    "heads": heads,
    "replaced": replaced,
    "exact": exact,
    "case": case,
    "marks": marks,
    "nested": nested,
}
"""The conditions by name."""


def _sides(first: Tree, second: Tree, links: Sequence[WordLink]) -> list[tuple[Tree, Bools]]:
    """Returns both trees, each with which of its words are linked."""
    linked = np.zeros(len(first.tokens), np.bool_), np.zeros(len(second.tokens), np.bool_)
    linked[0][[own.first for own in links]] = True
    linked[1][[own.second for own in links]] = True
    return [(first, linked[0]), (second, linked[1])]


def _holds(tree: Tree, words: Bools) -> Bools:
    """Tells which nodes hold some of the words."""
    counts = np.concatenate(([0], np.cumsum(words)))
    return counts[tree.spans[:, 1]] > counts[tree.spans[:, 0]]


def _is_word(token: str) -> bool:
    return any(map(str.isalnum, token))


def _marks(words: Sequence[str]) -> str:
    return " ".join(word for word in words if not _is_word(word))
