"""Conditions on substitutions that depend on all sentences of the set, in one table by name.

Unlike the conditions on two phrases (`conditions.py`), these have a direction: the set may support a phrase as a
replacement of another one, but not the reverse. `the old town` may replace `the town` if enough sentences have `old`;
`the town` never replaces `the old town`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from lattice_simp.grammars.english.lexicon import word_group
from lattice_simp.systems.paraphrase.conditions import NOMINAL
from lattice_simp.systems.paraphrase.links import LinkKind, WordLink
from lattice_simp.systems.paraphrase.tree import Tree

SHARE = 1 / 3
"""The least share of the set's sentences that must contain the words of a replacement."""

FEWEST = 3
"""The fewest sentences of a set in which most of them count."""

_DETERMINERS = frozenset(("DT", "PDT", "PRP$", "POS"))
_ARTICLES = frozenset(("", "a", "the"))
_WITHIN = ("JJ", "CD", "NN", "VBN", "VBG", "RB")


@dataclass(frozen=True)
class Occurrence:
    """A phrase, the tokens `begin:end`, in its sentence."""

    tree: Tree
    begin: int
    end: int

    @property
    def noun_phrase(self) -> tuple[int, int]:
        """The token span of the largest noun phrase around the phrase; its own span if there is none."""
        spans = [
            (node.begin, node.end)
            for node in self.tree.nodes
            if node.category.startswith(NOMINAL) and node.begin <= self.begin and self.end <= node.end
        ]
        return spans[0] if spans else (self.begin, self.end)  # larger nodes precede those inside them

    def determiner(self, noun: int) -> str:
        """Returns the determiner of a noun within the phrase in lower case, with `a` for `an`; "" if there is none."""
        for at in range(noun - 1, self.begin - 1, -1):
            if self.tree.tags[at] in _DETERMINERS:
                word = self.tree.tokens[at].lower()
                return "a" if word == "an" else word
            if not self.tree.tags[at].startswith(_WITHIN):
                break
        return ""


@dataclass(frozen=True)
class Evidence:
    """The sentences of a set, with counts of the sentences that contain words and determiners with their nouns."""

    trees: Sequence[Tree]

    @property
    def enough(self) -> int:
        """The number of sentences that must contain a word to support it."""
        return math.ceil(SHARE * len(self.trees))

    @cached_property
    def words(self) -> Counter[str]:
        """The number of sentences with each word, in lower case."""
        return Counter(word for tree in self.trees for word in {token.lower() for token in tree.tokens})

    @cached_property
    def determiners(self) -> Counter[tuple[str, str]]:
        """The number of sentences with each pair of a determiner and the lemma of a noun that it belongs to."""
        return Counter(
            pair
            for tree in self.trees
            for pair in {
                (Occurrence(tree, 0, noun).determiner(noun), tree.lemmas[noun])
                for noun in range(len(tree.tokens))
                if _is_head(tree, noun)
            }
        )


Support = Callable[[Evidence, Occurrence, Occurrence, Sequence[WordLink]], bool]


def kept(evidence: Evidence, original: Occurrence, replacement: Occurrence, links: Sequence[WordLink]) -> bool:
    """The replacement has all content words of the original, or linked ones."""
    linked = {link.first for link in links}
    return all(at in linked for at in range(original.begin, original.end) if original.tree.content[at])


def supported(evidence: Evidence, original: Occurrence, replacement: Occurrence, links: Sequence[WordLink]) -> bool:
    """Enough sentences have each word that the replacement adds or changes; for a synonym, two are enough."""
    least_of = {LinkKind.IDENTICAL: 0, LinkKind.SYNONYM: min(2, evidence.enough), LinkKind.LEMMA: evidence.enough}
    kinds = {link.second: link.kind for link in links}
    return all(
        evidence.words[replacement.tree.tokens[at].lower()] >= least_of[kinds.get(at, LinkKind.LEMMA)]
        for at in range(replacement.begin, replacement.end)
    )


def determined(evidence: Evidence, original: Occurrence, replacement: Occurrence, links: Sequence[WordLink]) -> bool:
    """Nouns keep their determiners, unless enough sentences, and more of them, have those of the replacement.

    In sets of two sentences, as many are enough. Only most sentences support a noun without its determiner. Possessive
    pronouns are never added, as they may refer to something else in another sentence; other determiners do not change.
    """
    more = int(len(evidence.trees) >= FEWEST)
    for link in links:
        is_inside = original.begin <= link.first < original.end
        if not (is_inside and _is_head(original.tree, link.first) and _is_head(replacement.tree, link.second)):
            continue
        before, after = original.determiner(link.first), replacement.determiner(link.second)
        if before == after or "'s" in (before, after):
            continue
        count = evidence.determiners[after, replacement.tree.lemmas[link.second]]
        count_before = evidence.determiners[before, original.tree.lemmas[link.first]]
        least = evidence.enough if after else len(evidence.trees) // 2 + 1
        is_exchangeable = before in _ARTICLES | word_group("possessives") and after in _ARTICLES
        if not is_exchangeable or count < max(least, count_before + more):
            return False
    return True


def unsaid(evidence: Evidence, original: Occurrence, replacement: Occurrence, links: Sequence[WordLink]) -> bool:
    """The replacement adds content words only if all content words of the noun phrase around the original are linked.

    Otherwise the unlinked ones may say the same: `a theory of balance` would become `an equilibrium theory of balance`.
    """
    linked_second = {link.second for link in links}
    content = replacement.tree.content
    if all(at in linked_second for at in range(replacement.begin, replacement.end) if content[at]):
        return True
    linked = {link.first for link in links}
    begin, end = original.noun_phrase
    return all(at in linked for at in range(begin, end) if original.tree.content[at])


def sound(evidence: Evidence, original: Occurrence, replacement: Occurrence, links: Sequence[WordLink]) -> bool:
    """Neither phrase is broken.

    Broken phrases begin with the second part of a contraction, end with a conjunction, repeat a word, or have an
    article before another determiner.
    """
    return not any(_is_broken(side) for side in (original, replacement))


def _is_broken(phrase: Occurrence) -> bool:
    tokens = [token.lower() for token in phrase.tree.tokens[phrase.begin : phrase.end]]
    tags = phrase.tree.tags[phrase.begin : phrase.end]
    repeats = any(first == second for first, second in pairwise(tokens))
    is_twice_determined = any(
        first in word_group("articles") and tag in ("DT", "PRP$") for first, tag in zip(tokens, tags[1:], strict=False)
    )
    return repeats or is_twice_determined or tokens[0] in word_group("clitics") or tags[-1] == "CC"


EVIDENCE: Mapping[str, Support] = {
    "kept": kept,
    "supported": supported,
    "determined": determined,
    "unsaid": unsaid,
    "sound": sound,
}
"""The conditions by name."""


def _is_head(tree: Tree, position: int) -> bool:
    """Returns whether a word is a noun that is not followed by another one."""
    following = tree.tags[position + 1] if position + 1 < len(tree.tags) else ""
    return tree.tags[position].startswith("NN") and not following.startswith("NN")
