"""Hierarchical phrase alignment (Imamura 2001; Imamura, Akiba and Sumita 2002, section 2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lattice_simp.core.arguments import choice, instance, instances, real, whole
from lattice_simp.core.kernel import Bools, Longs
from lattice_simp.core.symbols import as_sentences, is_word
from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.options import option
from lattice_simp.systems.paraphrase.conditions import CONDITIONS
from lattice_simp.systems.paraphrase.evidence import EVIDENCE
from lattice_simp.systems.paraphrase.links import WordLink
from lattice_simp.systems.paraphrase.sources import SOURCES
from lattice_simp.systems.paraphrase.tree import Tree, as_trees, inside, joint_counts

ALL_CONDITIONS = (*CONDITIONS, *EVIDENCE, *SOURCES)
"""The names of the conditions on two phrases and of those that depend on the whole set."""


@dataclass(frozen=True)
class AlignmentSettings:
    """Conditions for equivalent phrases besides equal categories and links that stay inside.

    Attributes:
        min_linked: the least share of linked content words in each phrase; with 0, one link suffices.
        max_unlinked: the most unlinked content words in a phrase.
        conditions: the names of further conditions (`CONDITIONS`, `EVIDENCE`, `SOURCES`).

    Raises:
        LatticeSimpError: the share is outside 0 to 1, the number is negative, or a condition is unknown.
    """

    min_linked: float = option(
        0.5, "min-linked", "minimum share of a phrase's content words with a counterpart in the other phrase"
    )
    max_unlinked: int = option(
        1, "max-unlinked", "maximum content words of a phrase without a counterpart in the other phrase"
    )
    conditions: tuple[str, ...] = ALL_CONDITIONS

    def __post_init__(self) -> None:
        if not 0 <= real(self.min_linked, "min_linked") <= 1:
            raise LatticeSimpError(f"--min-linked {self.min_linked}: give a share between 0 and 1")
        if whole(self.max_unlinked, "max_unlinked") < 0:
            raise LatticeSimpError(f"--max-unlinked {self.max_unlinked}: give 0 or more")
        for name in as_sentences(self.conditions):
            choice(name, ALL_CONDITIONS, "condition")


DEFAULT = AlignmentSettings()

PAPER = AlignmentSettings(min_linked=0.0, max_unlinked=1_000_000, conditions=())
"""The paper's condition: no link leaves either phrase."""


@dataclass(frozen=True)
class PhrasePair:
    """Two equivalent phrases.

    Attributes:
        category: the category of both nodes.
        first, second: the token span of each phrase (begin, end), end exclusive.
        nodes: the numbers of both nodes in their trees.
        links: the number of word links between them.
        identical: whether both have the same words, ignoring case.
        composed: whether it follows from smaller pairs: both nodes consist only of the phrases of such pairs, in the
            same order.
    """

    category: str
    first: tuple[int, int]
    second: tuple[int, int]
    nodes: tuple[int, int]
    links: int
    identical: bool
    composed: bool

    @property
    def is_new(self) -> bool:
        """Whether the pair is neither identical nor composed of smaller pairs."""
        return not (self.identical or self.composed)


def align_phrases(
    first: Tree, second: Tree, links: Iterable[WordLink], settings: AlignmentSettings = DEFAULT
) -> list[PhrasePair]:
    """Returns the equivalent phrases of two sentences: nodes of one category whose word links stay between them.

    Conditions that depend on the whole set do not apply here.

    >>> from lattice_simp.systems.paraphrase.links import link_words
    >>> trees = [Tree.from_brackets(text) for text in (
    ...     "(S (NP (PRP we)) (VP (VBD saw) (NP (DT the) (JJ small) (NN house))))",
    ...     "(S (NP (DT a) (JJ little) (NN house)) (VP (VBD was) (VP (VBN seen))))")]
    >>> from lattice_simp.systems.paraphrase.synonyms import Thesaurus
    >>> pairs = align_phrases(*trees, link_words(*trees, Thesaurus.from_groups([["small", "little"]])))
    >>> [(pair.category, *(" ".join(tree.tokens[slice(*span)])
    ...   for tree, span in zip(trees, (pair.first, pair.second), strict=True))) for pair in pairs if pair.is_new]
    [('NP', 'the small house', 'a little house')]

    The two whole sentences, with or without their marks, are not a pair, as both are already in the set.

    Returns:
        The pairs, with larger phrases of `first` before those within them.
    """
    as_trees((first, second))
    instance(settings, AlignmentSettings, "the settings", "AlignmentSettings()")
    unique = sorted(set(instances(links, WordLink, "a link", "link_words(first, second)")))
    joint = _consistent(first, second, unique, settings)
    joint &= ~(_whole(first)[:, None] & _whole(second))
    rows, columns = np.nonzero(joint)
    counts = inside(first, np.array([link.first for link in unique], dtype=np.int64)).sum(axis=1)
    return [
        PhrasePair(
            first.nodes[row].category,
            (first.nodes[row].begin, first.nodes[row].end),
            (second.nodes[column].begin, second.nodes[column].end),
            (row, column),
            int(counts[row]),
            _lowered(first, row) == _lowered(second, column),
            _is_composed(first, second, row, column, joint),
        )
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    ]


def _consistent(first: Tree, second: Tree, links: list[WordLink], settings: AlignmentSettings) -> Bools:
    """Returns which pairs of nodes are equivalent, (nodes of first, nodes of second)."""
    ends = [np.array([getattr(link, name) for link in links], dtype=np.int64) for name in ("first", "second")]
    here, there = inside(first, ends[0]), inside(second, ends[1])
    common = joint_counts(here, there.T)
    closed = (common > 0) & (common == here.sum(axis=1)[:, None]) & (common == there.sum(axis=1))
    categories = [np.array([node.category for node in tree.nodes]) for tree in (first, second)]
    linked = [_linked_enough(tree, positions, settings) for tree, positions in zip((first, second), ends, strict=True)]
    joint = closed & linked[0][:, None] & linked[1] & (categories[0][:, None] == categories[1])
    for name in CONDITIONS.keys() & set(settings.conditions):
        joint &= CONDITIONS[name](first, second, links)
    return joint


def _lowered(tree: Tree, number: int) -> tuple[str, ...]:
    return tuple(map(str.lower, tree.phrase(number)))


def _unlinked(tree: Tree, linked: Longs) -> Longs:
    """Returns the number of unlinked content words of each node."""
    without = tree.content.copy()
    without[linked] = False
    return inside(tree, np.flatnonzero(without)).sum(axis=1)


def _linked_enough(tree: Tree, linked: Longs, settings: AlignmentSettings) -> Bools:
    """Returns which nodes have enough linked content words."""
    content = inside(tree, np.flatnonzero(tree.content)).sum(axis=1)
    unlinked = _unlinked(tree, linked)
    return (content - unlinked >= settings.min_linked * content) & (unlinked <= settings.max_unlinked)


def _whole(tree: Tree) -> Bools:
    """Returns which nodes have all words of the sentence, ignoring marks."""
    words = np.array([is_word(token) for token in tree.tokens])
    return np.logical_and.reduce(inside(tree, np.flatnonzero(words)), axis=1)


def _is_composed(first: Tree, second: Tree, row: int, column: int, joint: Bools) -> bool:
    parts = [list(tree.parts(number)) for tree, number in ((first, row), (second, column))]
    return len(parts[0]) == len(parts[1]) and all(
        isinstance(first_part, int) and isinstance(second_part, int) and bool(joint[first_part, second_part])
        for first_part, second_part in zip(*parts, strict=True)
    )
