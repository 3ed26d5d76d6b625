"""Links between words of two sentences with the same meaning."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from lattice_simp.core.kernel import Longs
from lattice_simp.support.groups import grouped
from lattice_simp.systems.paraphrase.synonyms import Thesaurus
from lattice_simp.systems.paraphrase.tree import Tree, as_trees


class LinkKind(IntEnum):
    """The reason for a link, best first."""

    IDENTICAL = 0
    LEMMA = 1
    SYNONYM = 2


@dataclass(frozen=True, order=True)
class WordLink:
    """The positions of two words with the same meaning."""

    first: int
    second: int
    kind: LinkKind


def link_words(first: Tree, second: Tree, thesaurus: Thesaurus | None = None) -> list[WordLink]:
    """Links each word to at most one word of the other sentence: the same word, the same lemma, or a synonym.

    >>> trees = [Tree.from_brackets(text) for text in ("(S (NP (DT a) (NN cat)) (VP (VBD slept)))",
    ...                                               "(S (VP (VBD slept)) (NP (DT the) (NN cat)))")]
    >>> [(link.first, link.second, link.kind.name) for link in link_words(*trees)]
    [(1, 2, 'IDENTICAL'), (2, 0, 'IDENTICAL')]

    Possible partners are ranked by kind, then by the number of possible links in their smallest constituents, then by
    such links of neighbours, then by distance in the sentence. Function words (articles, prepositions, marks) are only
    linked if their smallest constituents share a link of content words. By default, the synonyms are numerals and
    abbreviations (`Thesaurus.english`). The links are sorted.
    """
    as_trees((first, second))
    thesaurus = Thesaurus.or_english(thesaurus)
    candidates = _candidates(first, second, thesaurus)
    around = smallest_nodes(first), smallest_nodes(second)
    possible = {(link.first, link.second) for link in candidates}
    sizes = len(first.tokens), len(second.tokens)

    def shared(link: WordLink, sums: Longs) -> int:
        return count_within(sums, around[0][link.first], around[1][link.second])

    all_sums = pair_sums(candidates, sizes)

    def rank(link: WordLink) -> tuple[int, ...]:
        i, j = link.first, link.second
        beside = sum((i + step, j + step) in possible for step in (-2, -1, 1, 2))
        distance = abs(i * sizes[1] - j * sizes[0])
        return (link.kind, -shared(link, all_sums), -beside, distance, i, j)

    with_content = _one_to_one(sorted((link for link in candidates if first.content[link.first]), key=rank))
    sums = pair_sums(with_content, sizes)
    counted = [(count, link) for link in candidates if not first.content[link.first] and (count := shared(link, sums))]
    ranked = sorted(counted, key=lambda pair: (-pair[0], *rank(pair[1])))
    return sorted([*with_content, *_one_to_one([link for _, link in ranked])])


def _candidates(first: Tree, second: Tree, thesaurus: Thesaurus) -> list[WordLink]:
    """Returns all possible links, sorted: of words with the same form, lemma or, for content words, group."""
    forms = grouped((token.lower(), j) for j, token in enumerate(second.tokens))
    lemmas = grouped((lemma, j) for j, lemma in enumerate(second.lemmas))
    groups = grouped(
        (group, j)
        for j, (lemma, tag) in enumerate(zip(second.lemmas, second.tags, strict=True))
        if second.content[j]
        for group in thesaurus.groups_of(lemma, tag)
    )
    links = []
    for i, token in enumerate(first.tokens):
        kinds: dict[int, LinkKind] = {}
        if first.content[i]:
            for group in thesaurus.groups_of(first.lemmas[i], first.tags[i]):
                kinds |= dict.fromkeys(groups.get(group, ()), LinkKind.SYNONYM)
        kinds |= dict.fromkeys(lemmas.get(first.lemmas[i], ()), LinkKind.LEMMA)
        kinds |= dict.fromkeys(forms.get(token.lower(), ()), LinkKind.IDENTICAL)
        links += [WordLink(i, j, kinds[j]) for j in sorted(kinds) if first.content[i] == second.content[j]]
    return links


def pair_sums(links: Iterable[WordLink], sizes: tuple[int, int]) -> Longs:
    """Returns the number of links before each pair of positions, in both sentences."""
    sums = np.zeros((sizes[0] + 1, sizes[1] + 1), dtype=np.int64)
    for link in links:
        sums[link.first + 1, link.second + 1] = 1
    return sums.cumsum(axis=0).cumsum(axis=1)


def count_within(sums: Longs, here: range, there: range) -> int:
    """Returns the number of links between two ranges of positions.

    >>> sums = pair_sums([WordLink(0, 0, LinkKind.LEMMA), WordLink(1, 2, LinkKind.LEMMA)], (3, 3))
    >>> count_within(sums, range(2), range(3)), count_within(sums, range(1, 3), range(2))
    (2, 0)
    """
    before = sums[here.start, there.stop] - sums[here.start, there.start]
    return int(sums[here.stop, there.stop] - sums[here.stop, there.start] - before)


def _one_to_one(links: list[WordLink]) -> list[WordLink]:
    """Returns the links whose words are in no earlier link."""
    here: set[int] = set()
    there: set[int] = set()
    kept = []
    for link in links:
        if link.first not in here and link.second not in there:
            here.add(link.first)
            there.add(link.second)
            kept.append(link)
    return kept


def smallest_nodes(tree: Tree) -> list[range]:
    """Returns for each word the tokens of its smallest constituent with more than one word."""
    spans = [range(len(tree.tokens))] * len(tree.tokens)
    for node in tree.nodes:
        span = range(node.begin, node.end)
        for position in span if len(span) > 1 else ():
            if len(span) < len(spans[position]):
                spans[position] = span
    return spans
