"""Describes chunks for the parser: their head word, its root, case or tense markers, tags, and agreement."""

from __future__ import annotations

from typing import NamedTuple

from lattice_simp.systems.hindi.sentence import VERBS, Chunk, Sentence, Token

FEATURE_VERSION = 1
"""The version of the description; a parser only works with the version that it was trained on."""

_NONE = "-"
_MARKERS = ("PSP", "NST", "RP", "NEG")
"""The tags of words that show the relation of a chunk to another one."""


class Phrase(NamedTuple):
    """The parser's description of a chunk.

    Attributes:
        form: the head word; for a verb group the main verb.
        root: its root; for a verb group the roots of all verbs.
        markers: the case markers and particles; for a verb group the tense, aspect and mood of each verb, too.
        tag: the tags of the chunk and of its head word.
        agreement: gender, number, person and case; "" for unknown values.
    """

    form: str
    root: str
    markers: str
    tag: str
    agreement: str


def phrases(sentence: Sentence) -> list[Phrase]:
    """Returns the description of each chunk.

    >>> tokens = (Token("राम", "NNP"), Token("ने", "PSP"), Token("खाया", "VM", "खा", tam="yA"))
    >>> [phrase.markers for phrase in phrases(Sentence(tokens, (Chunk("NP", 0, 2), Chunk("VGF", 2, 3))))]
    ['ने', 'yA']
    """
    return [_phrase(sentence, chunk) for chunk in sentence.chunks]


def _phrase(sentence: Sentence, chunk: Chunk) -> Phrase:
    head = sentence.head_of(chunk)
    tokens = sentence.tokens[chunk.start : chunk.end]
    verbs = [token for token in tokens if token.tag in VERBS] if chunk.is_verbal else []
    roots = [token.root for token in verbs if token.root] or [head.root or head.form]
    markers = [token.tam for token in verbs] + [token.form for token in tokens if token.tag in _MARKERS]
    agreeing = next((token for token in verbs if token.gender), head)
    marked = " ".join(filter(None, markers)) or _NONE
    return Phrase(head.form, " ".join(roots), marked, f"{chunk.tag} {head.tag}", _agreement(agreeing))


def _agreement(token: Token) -> str:
    return " ".join((token.gender or _NONE, token.number or _NONE, token.person or _NONE, token.case or _NONE))
