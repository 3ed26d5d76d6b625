"""Conditions on the sentences of a set that give and take phrases, in one table by name.

The other sentences stay as they are. Sets of fewer than `FEWEST` sentences have no such conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from lattice_simp.core.kernel import Bools
from lattice_simp.grammars.english.lexicon import OPEN
from lattice_simp.systems.paraphrase.evidence import FEWEST
from lattice_simp.systems.paraphrase.links import WordLink
from lattice_simp.systems.paraphrase.tree import Node, Tree
from lattice_simp.text.english.punctuation import CLOSE, QUOTE, STOP, mark_kind

TYPICAL = 0.6
"""The least share of a typical sentence's content words that are linked to other sentences of the set."""

_FINITE = frozenset(("MD", "VBD", "VBP", "VBZ"))
_FUNCTION_WORDS = frozenset(("CC", "DT", "IN", "TO", "WDT", "WP", "WRB"))

Links: TypeAlias = Mapping[tuple[int, int], Sequence[WordLink]]
"""The links of each two sentences by their numbers."""


def typical(trees: Sequence[Tree], links: Links) -> Bools:
    """Enough content words of the sentence are linked to other sentences."""
    linked = [np.zeros(len(tree.tokens), np.bool_) for tree in trees]
    for (first, second), pairs in links.items():
        linked[first][[link.first for link in pairs]] = True
        linked[second][[link.second for link in pairs]] = True
    return np.array(
        [
            (tree.content & is_linked).sum() >= TYPICAL * tree.content.sum()
            for tree, is_linked in zip(trees, linked, strict=True)
        ]
    )


def whole(trees: Sequence[Tree], links: Links) -> Bools:
    """The sentence has a finite verb, no mark before its first word, a stop at its end, and no capital after a comma.

    What at least half of the set's sentences lack, none needs.
    """
    kept = np.ones(len(trees), np.bool_)
    for check in (_is_finite, _begins_with_a_word, _ends_with_a_stop, _is_one_sentence):
        passed = np.array([check(tree) for tree in trees])
        if 2 * passed.sum() > len(trees):
            kept &= passed
    return kept


def _is_finite(tree: Tree) -> bool:
    """Returns whether the sentence has a finite verb, or begins with a verb, as commands do."""
    return not _FINITE.isdisjoint(tree.tags) or tree.tags[0] == "VB"


def _begins_with_a_word(tree: Tree) -> bool:
    """Returns whether the first token behind quotation marks and brackets begins with a letter or a digit."""
    first = next((token for token in tree.tokens if mark_kind(token) not in (OPEN, QUOTE)), "")
    return first[:1].isalnum()


def _ends_with_a_stop(tree: Tree) -> bool:
    last = next((token for token in reversed(tree.tokens) if mark_kind(token) not in (CLOSE, QUOTE)), "")
    return mark_kind(last) == STOP


def _is_one_sentence(tree: Tree) -> bool:
    words = pairwise(zip(tree.tokens, tree.tags, strict=True))
    return not any(
        before == "," and word[:1].isupper() and tag in _FUNCTION_WORDS for (before, _), (word, tag) in words
    )


SOURCES: Mapping[str, Callable[[Sequence[Tree], Links], Bools]] = {"typical": typical, "whole": whole}
"""The conditions by name."""


def sources(trees: Sequence[Tree], links: Links, names: Collection[str]) -> list[Tree]:
    """Returns the trees of a set, without inner nodes for sentences that fail one of the named conditions."""
    kept = np.ones(len(trees), np.bool_)
    for name in SOURCES.keys() & set(names) if len(trees) >= FEWEST else ():
        kept &= SOURCES[name](trees, links)
    return [tree if is_kept else _flat(tree) for tree, is_kept in zip(trees, kept.tolist(), strict=True)]


def _flat(tree: Tree) -> Tree:
    return replace(tree, nodes=(Node("", 0, len(tree.tokens)),))
