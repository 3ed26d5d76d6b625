"""Conditions on equivalent phrases besides the paper's own, each by its name in one table.

The paper asks that no link leaves either phrase, and for one category. Phrases that meet that may still say different
things (`an old man`, `a young man`), or fit their own sentences alone. Each function here tells which pairs of nodes of
two trees meet one condition more: (nodes, nodes of the other).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from lattice_simp.core.kernel import Bools, Longs
from lattice_simp.systems.paraphrase.links import LinkKind, WordLink, smallest_nodes
from lattice_simp.systems.paraphrase.tree import Tree, inside

Condition = Callable[[Tree, Tree, Sequence[WordLink]], Bools]

_NOMINAL = ("NP", "N-")


def heads(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """The heads are linked: verb and verb, preposition and preposition. Trees of brackets do not tell heads."""
    partner = np.full(len(first.tokens) + 1, -1)  # the last one is that of no head
    for link in links:
        partner[link.first] = link.second
    unknown = (first.heads < 0)[:, None] | (second.heads < 0)
    return unknown | (partner[first.heads][:, None] == second.heads)


def replaced(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """Not both phrases have content words that the other lacks: `an old man` and `a young man`."""
    lacks = [_holds(tree, tree.content & ~own) for tree, own in _sides(first, second, links)]
    return ~(lacks[0][:, None] & lacks[1])


def complete(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """Noun phrases alone may leave out a detail: of other phrases all content words are linked."""
    lacks = [
        _holds(tree, tree.content & ~own) & np.array([not node.category.startswith(_NOMINAL) for node in tree.nodes])
        for tree, own in _sides(first, second, links)
    ]
    return ~(lacks[0][:, None] | lacks[1])


def relations(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """No preposition or conjunction stands in for another one: between words that are linked, it is linked, too."""
    around = smallest_nodes(first), smallest_nodes(second)
    lack = [np.flatnonzero(tree.relations & ~own) for tree, own in _sides(first, second, links)]
    pairs = [
        (here, there)
        for here in lack[0].tolist()
        for there in lack[1].tolist()
        if any(own.first in around[0][here] and own.second in around[1][there] for own in links)
    ]
    within = [
        inside(tree, np.array([own[side] for own in pairs], np.int64)) for side, tree in enumerate((first, second))
    ]
    return (within[0].astype(np.int64) @ within[1].T.astype(np.int64)) == 0


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
    """Neither phrase is a constituent of the other, so that what it adds could be added again and again."""
    here, there = (
        np.array([" ".join((own.category, *tree.phrase(node))).lower() for node, own in enumerate(tree.nodes)])
        for tree in (first, second)
    )
    same = (here[:, None] == there).astype(np.int64)
    return (same @ _constituents(second).T + _constituents(first) @ same) == 0


def _constituents(tree: Tree) -> Longs:
    """Returns which nodes are inside of which others: (nodes, inner nodes), 0 or 1."""
    begins, ends = tree.spans[:, 0], tree.spans[:, 1]
    within = (begins[:, None] <= begins) & (ends <= ends[:, None])
    return np.triu(within, 1).astype(np.int64)  # each node comes before those inside of it


CONDITIONS: Mapping[str, Condition] = {
    "heads": heads,
    "replaced": replaced,
    "complete": complete,
    "relations": relations,
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
