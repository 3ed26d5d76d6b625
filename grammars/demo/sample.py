"""Random sentence pairs with their word alignment and gaps.

>>> pair = SentencePair.from_symbols(
...     ["d.plan#the", "n.plan#plan", "aux.m#was", "v.pass#passed", "<adverbial>", "t.may#in|may", "</adverbial>"],
...     ["d.plan#der", "n.plan#plan", "aux.m#wurde", "t.may#im|mai", "v.pass#angenommen"],
... )
>>> " ".join(pair.english), "/", " ".join(pair.german)
('the plan was passed in may', '/', 'der plan wurde im mai angenommen')
>>> sorted(pair.links)
[(0, 0), (1, 1), (2, 2), (3, 5), (4, 3), (5, 4)]
>>> pair.masks()
['111100']
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain

import pynini

from lattice_simp.grammars.demo.relation import Relation
from lattice_simp.grammars.demo.vocabulary import ADVERBIAL, CLAUSE, CLOSE, GAP_KINDS, OPEN, key_of, pieces

COMMA = ","
RELATIVE_PRONOUNS = frozenset(("that", "who"))

DELETED_KINDS = (frozenset((CLAUSE, ADVERBIAL)), frozenset((CLAUSE,)), frozenset(GAP_KINDS))
"""The kinds of gaps that each skeleton of a sentence deletes, in the order of its masks.

Without its fronted adverbial, a German sentence has another word order, so the translation of the third skeleton is not
a subsequence of the sentence's. It is included because people who do not know German make such skeletons.
"""


@dataclass(frozen=True)
class SentencePair:
    """A sentence and its translation, with their alignment and gaps.

    Attributes:
        english: source words.
        german: target words.
        links: pairs of aligned positions, source first.
        gaps: the kind, the first position and the exclusive end of each gap of the source.
    """

    english: tuple[str, ...]
    german: tuple[str, ...]
    links: frozenset[tuple[int, int]]
    gaps: tuple[tuple[str, int, int], ...]

    @classmethod
    def from_symbols(cls, english: list[str], german: list[str]) -> SentencePair:
        """Spells two strings of symbols and aligns them by the keys of their lexemes."""
        english_words, english_positions = _spell(english)
        german_words, german_positions = _spell(german)
        links: set[tuple[int, int]] = set()
        for key in english_positions:
            source, target = english_positions[key], german_positions.get(key, [])
            if len(source) != len(target):
                source, target = [list(chain(*source))], [list(chain(*target))]
            for left, right in zip(source, target, strict=True):
                links.update((i, j) for i in left for j in right)
        links |= _comma_links(english_words, german_words, links)
        return cls(tuple(english_words), tuple(german_words), frozenset(links), tuple(_gaps(english)))

    def masks(self) -> list[str]:
        """Returns the masks of the sentence's skeletons, without repetition."""
        masks = []
        for kinds in DELETED_KINDS:
            deleted = {i for kind, start, stop in self.gaps if kind in kinds for i in range(start, stop)}
            masks.append("".join("0" if i in deleted else "1" for i in range(len(self.english))))
        return [mask for mask in dict.fromkeys(masks) if "0" in mask]


def draw(relation: Relation, count: int, seed: int) -> list[SentencePair]:
    """Draws random sentence pairs; fewer than `count` remain without duplicates.

    Sentences that repeat a lexeme are dropped, too: they are poor English with an ambiguous alignment.
    """
    paths = pynini.randgen(relation.sentences, npath=count, seed=seed).paths()
    find = relation.vocabulary.table.find
    pairs: dict[tuple[str, ...], SentencePair] = {}
    while not paths.done():
        english, german = ([find(label) for label in labels if label] for labels in (paths.ilabels(), paths.olabels()))
        keys = Counter(key for key in map(key_of, english) if key)
        if max(keys.values()) == 1:
            pair = SentencePair.from_symbols(english, german)
            pairs.setdefault(pair.english, pair)
        paths.next()
    # The paths form a tree, and come in the order of its arcs.
    result = [pairs[key] for key in sorted(pairs)]
    random.Random(seed).shuffle(result)
    return result


def _spell(symbols: list[str]) -> tuple[list[str], dict[str, list[list[int]]]]:
    """Returns the words, and by key the positions of each piece of the lexeme."""
    spelled: list[str] = []
    positions_of: dict[str, list[list[int]]] = {}
    for symbol in symbols:
        for piece in pieces(symbol):
            positions = list(range(len(spelled), len(spelled) + len(piece)))
            spelled.extend(piece)
            key = key_of(symbol)
            if key is not None:
                positions_of.setdefault(key, []).append(positions)
    return spelled, positions_of


def _gaps(symbols: list[str]) -> list[tuple[str, int, int]]:
    gaps, position, start = [], 0, 0
    kinds = {mark: kind for kind, mark in CLOSE.items()}
    for symbol in symbols:
        if symbol in OPEN.values():
            start = position
        elif symbol in kinds:
            gaps.append((kinds[symbol], start, position))
        position += sum(map(len, pieces(symbol)))
    return gaps


def _comma_links(
    english: Sequence[str], german: Sequence[str], links: Collection[tuple[int, int]]
) -> set[tuple[int, int]]:
    """Links the commas of relative clauses, so that rules keep them with the clause: the opening one goes with the
    pronoun, the closing one with the word before it."""
    sources: dict[int, list[int]] = {}
    for source, target in links:
        sources.setdefault(target, []).append(source)
    linked: set[tuple[int, int]] = set()
    inside = False
    for position, word in enumerate(german):
        if word != COMMA or position in sources:
            continue
        opens = any(english[source] in RELATIVE_PRONOUNS for source in sources.get(position + 1, ()))
        if opens or inside:
            linked.update((source, position) for source in sources.get(position + 1 if opens else position - 1, ()))
        inside = opens
    return linked
