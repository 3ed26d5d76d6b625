"""Conditions on equivalent phrases besides those of the paper, in one table by name.

The paper requires one category, and that no link leaves either phrase. Such phrases may still differ in meaning (`an
old man`, `a young man`) or fit only their original sentences. Each function here returns which pairs of nodes of two
trees meet a further condition: (nodes of first, nodes of second).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.kernel import Bools
from lattice_simp.core.symbols import is_word
from lattice_simp.scores.ngrams import numbered
from lattice_simp.systems.paraphrase.links import LinkKind, WordLink, count_within, pair_sums, smallest_nodes
from lattice_simp.systems.paraphrase.tree import Tree, inside, joint_counts

Condition = Callable[[Tree, Tree, Sequence[WordLink]], Bools]

NOMINAL = ("NP", "N-")
"""The beginnings of the categories of noun phrases."""


def heads(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """The heads are linked: verb and verb, preposition and preposition. Trees from brackets have no heads."""
    partner = np.full(len(first.tokens) + 1, -1)  # the last entry stands for no head
    for link in links:
        partner[link.first] = link.second
    unknown = (first.heads < 0)[:, None] | (second.heads < 0)
    return unknown | (partner[first.heads][:, None] == second.heads)


def replaced(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """At most one phrase has content words that the other lacks, unlike `an old man` and `a young man`."""
    lacks = [_holds(tree, tree.content & ~linked) for tree, linked in _sides(first, second, links)]
    return ~(lacks[0][:, None] & lacks[1])


def complete(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """All content words are linked, except in noun phrases, which may omit a detail."""
    lacks = [
        _holds(tree, tree.content & ~linked) & np.array([not node.category.startswith(NOMINAL) for node in tree.nodes])
        for tree, linked in _sides(first, second, links)
    ]
    return ~(lacks[0][:, None] | lacks[1])


def relations(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """Prepositions and conjunctions between linked words are linked, so that none replaces another one."""
    around = smallest_nodes(first), smallest_nodes(second)
    lack = [np.flatnonzero(tree.relations & ~linked) for tree, linked in _sides(first, second, links)]
    sums = pair_sums(links, (len(first.tokens), len(second.tokens)))
    pairs = [
        (here, there)
        for here in lack[0].tolist()
        for there in lack[1].tolist()
        if count_within(sums, around[0][here], around[1][there])
    ]
    within = [
        inside(tree, np.array([pair[side] for pair in pairs], np.int64)) for side, tree in enumerate((first, second))
    ]
    return joint_counts(within[0], within[1].T) == 0


def exact(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """All names, numerals, modal verbs, demonstratives and quantifiers are linked."""
    lacks = [_holds(tree, tree.exact & ~linked) for tree, linked in _sides(first, second, links)]
    return ~(lacks[0][:, None] | lacks[1])


def order(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """Adjacent names and numerals keep their order, unlike `May 3` and `3 May`, which fits no `May 3, 2005`."""
    exact_words = first.exact, second.exact
    partner = {link.first: link.second for link in links if exact_words[0][link.first] and exact_words[1][link.second]}
    reversed_pairs = [
        ((at, at + 1), (partner[at + 1], partner[at]))
        for at in partner
        if at + 1 in partner and partner[at + 1] == partner[at] - 1
    ]
    allowed = np.ones((len(first.nodes), len(second.nodes)), np.bool_)
    for pairs in reversed_pairs:
        here, there = (
            np.logical_and.reduce(inside(tree, np.array(pair)), axis=1)
            for tree, pair in zip((first, second), pairs, strict=True)
        )
        allowed &= ~(here[:, None] & there)
    return allowed


def case(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """No linked words differ only in case."""
    differ = [
        link
        for link in links
        if link.kind is LinkKind.IDENTICAL and first.tokens[link.first] != second.tokens[link.second]
    ]
    holds = [_holds(tree, changed) for tree, changed in _sides(first, second, differ)]
    return ~(holds[0][:, None] | holds[1])


def marks(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """Both phrases begin and end with words and contain the same marks."""
    inner = numbered([_marks(tree.phrase(node)) for node in range(len(tree.nodes))] for tree in (first, second))
    borders = [
        np.array([is_word(tree.tokens[node.begin]) and is_word(tree.tokens[node.end - 1]) for node in tree.nodes])
        for tree in (first, second)
    ]
    return (inner[0][:, None] == inner[1]) & borders[0][:, None] & borders[1]


def nested(first: Tree, second: Tree, links: Sequence[WordLink]) -> Bools:
    """Neither phrase is a constituent of the other, which would allow endless repetition."""
    here, there = numbered(
        [" ".join((node.category, *tree.phrase(number))).lower() for number, node in enumerate(tree.nodes)]
        for tree in (first, second)
    )
    same = here[:, None] == there
    return (joint_counts(same, _constituents(second).T) + joint_counts(_constituents(first), same)) == 0


def _constituents(tree: Tree) -> Bools:
    """Returns which nodes are inside which: (nodes, inner nodes)."""
    begins, ends = tree.spans[:, 0], tree.spans[:, 1]
    within = (begins[:, None] <= begins) & (ends <= ends[:, None])
    return np.triu(within, 1)  # each node precedes those inside it


CONDITIONS: Mapping[str, Condition] = {
    "heads": heads,
    "replaced": replaced,
    "complete": complete,
    "relations": relations,
    "exact": exact,
    "order": order,
    "case": case,
    "marks": marks,
    "nested": nested,
}
"""The conditions by name."""


def _sides(first: Tree, second: Tree, links: Sequence[WordLink]) -> list[tuple[Tree, Bools]]:
    """Returns both trees, each with a mask of its linked words."""
    linked = np.zeros(len(first.tokens), np.bool_), np.zeros(len(second.tokens), np.bool_)
    linked[0][[link.first for link in links]] = True
    linked[1][[link.second for link in links]] = True
    return [(first, linked[0]), (second, linked[1])]


def _holds(tree: Tree, words: Bools) -> Bools:
    """Returns which nodes contain some of the words."""
    counts = prefix_sums(words)
    return counts[tree.spans[:, 1]] > counts[tree.spans[:, 0]]


def _marks(words: Sequence[str]) -> str:
    return " ".join(word for word in words if not is_word(word))
