"""Word links: which word of a sentence says what a word of another one says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from lattice_simp.systems.paraphrase.synonyms import Thesaurus
from lattice_simp.systems.paraphrase.tree import Tree


class LinkKind(IntEnum):
    """Why two words are linked; the best reason first."""

    IDENTICAL = 0
    LEMMA = 1
    SYNONYM = 2


@dataclass(frozen=True, order=True)
class WordLink:
    """Two words, by their positions, that say the same."""

    first: int
    second: int
    kind: LinkKind


def link_words(first: Tree, second: Tree, thesaurus: Thesaurus | None = None) -> list[WordLink]:
    """Links each word to at most one of the other sentence: the same word, the same lemma, a synonym.

    >>> trees = [Tree.from_brackets(text) for text in ("(S (NP (DT a) (NN cat)) (VP (VBD slept)))",
    ...                                               "(S (VP (VBD slept)) (NP (DT the) (NN cat)))")]
    >>> [(link.first, link.second, link.kind.name) for link in link_words(*trees)]
    [(1, 2, 'IDENTICAL'), (2, 0, 'IDENTICAL')]

    Of several possible partners, those of the better kind come first, then those in whose smallest constituents other
    words could be linked as well, then those with such neighbours, then those nearest by their place in the sentence.
    Words without content (articles, prepositions, marks) say something only together with others: they are linked
    where their smallest constituents share a link of content words.

    Args:
        first, second: the sentences.
        thesaurus: the synonyms; those of numerals and abbreviations (`Thesaurus.english`) if None.

    Returns:
        The links, sorted.
    """
    thesaurus = thesaurus or Thesaurus.english()
    candidates = [
        WordLink(i, j, kind)
        for i in range(len(first.tokens))
        for j in range(len(second.tokens))
        if first.content[i] == second.content[j] and (kind := _kind(first, second, i, j, thesaurus)) is not None
    ]
    around = smallest_nodes(first), smallest_nodes(second)
    possible = {(own.first, own.second) for own in candidates}

    def shared(link: WordLink, pairs: set[tuple[int, int]]) -> int:
        here, there = around[0][link.first], around[1][link.second]
        return sum(i in here and j in there for i, j in pairs)

    def rank(link: WordLink) -> tuple[int, ...]:
        i, j = link.first, link.second
        beside = sum((i + step, j + step) in possible for step in (-2, -1, 1, 2))
        distance = abs(i * len(second.tokens) - j * len(first.tokens))
        return (link.kind, -shared(link, possible), -beside, distance, i, j)

    with_content = _one_to_one(sorted((own for own in candidates if first.content[own.first]), key=rank))
    pairs = {(own.first, own.second) for own in with_content}
    others = [(count, own) for own in candidates if not first.content[own.first] and (count := shared(own, pairs))]
    ranked = sorted(others, key=lambda counted: (-counted[0], *rank(counted[1])))
    return sorted([*with_content, *_one_to_one([own for _, own in ranked])])


def _one_to_one(links: list[WordLink]) -> list[WordLink]:
    """Returns the links, without those of words that an earlier one has."""
    here: set[int] = set()
    there: set[int] = set()
    found = []
    for link in links:
        if link.first not in here and link.second not in there:
            here.add(link.first)
            there.add(link.second)
            found.append(link)
    return found


def _kind(first: Tree, second: Tree, i: int, j: int, thesaurus: Thesaurus) -> LinkKind | None:
    if first.tokens[i].lower() == second.tokens[j].lower():
        return LinkKind.IDENTICAL
    if first.lemmas[i] == second.lemmas[j]:
        return LinkKind.LEMMA
    if first.content[i] and thesaurus.related(first.lemmas[i], first.tags[i], second.lemmas[j], second.tags[j]):
        return LinkKind.SYNONYM
    return None


def smallest_nodes(tree: Tree) -> list[range]:
    """Returns the tokens of the smallest constituent with more than one word around each word."""
    found = [range(len(tree.tokens))] * len(tree.tokens)
    for node in tree.nodes:
        span = range(node.begin, node.end)
        for position in span if len(span) > 1 else ():
            if len(span) < len(found[position]):
                found[position] = span
    return found
