"""Chunks for dependency trees that have none: what UD_Hindi-PUD and parsers give.

A word is in the chunk of its head if it is beside it, directly or with others of the chunk between, and is one of
its function words (postposition, auxiliary, determiner, particle), an adjective or number before a noun, or a part of
a compound noun. Punctuation belongs to the chunk before it, that at either end of the sentence is a chunk (`BLK`).

The head decides on the chunk's tag. A verb group is

- finite (`VGF`) if one of its words is (`VerbForm=Fin`), or if it is a participle that heads a sentence, a complement,
  a relative clause, a clause with a subordinator, or what is coordinated with one of these;
- a gerund (`VGNN`) if its verb is an infinitive or a verbal noun (`Inf`, `Ger`, `Vnoun`);
- not finite (`VGNF`) otherwise: converbs (`Conv`), and participles that modify.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from lattice_simp.hindi.sentence import FINITE, GERUND, NON_FINITE, Chunk, Token
from lattice_simp.support.tables import grammar_table


class Word(NamedTuple):
    """A word of a tree: what it is in a `Sentence`, and its columns; the head is a position from 0, -1 for none."""

    token: Token
    part: str
    features: Mapping[str, str]
    head: int
    relation: str
    misc: Mapping[str, str]


_FUNCTION = frozenset({"aux", "case", "clf", "det", "fixed", "flat", "goeswith"})
_ATTRIBUTES = frozenset({"amod", "compound", "nummod"})
_NOUNS = frozenset({"NOUN", "PROPN", "PRON", "NUM", "DET"})
_VERBS = frozenset({"VERB", "AUX"})
_FINITE_RELATIONS = frozenset({"root", "ccomp", "parataxis"})
_NOMINAL_FORMS = frozenset({"Inf", "Ger", "Vnoun"})


@cache
def universal_parts() -> dict[str, tuple[str, str]]:
    """Returns for each universal part of speech the treebank's tag, and that of a chunk that it heads."""
    rows = grammar_table("hindi/ud_parts.tsv", ("part", "tag", "chunk"))
    return {row["part"]: (row["tag"], row["chunk"]) for row in rows}


def derived_chunks(words: Sequence[Word]) -> list[Chunk]:
    """Finds the chunks of a tree; see the module's text for how. They have no heads yet."""
    anchors = _anchors(words)
    chunks: list[Chunk] = []
    start = 0
    for position in range(1, len(words) + 1):
        if position == len(words) or anchors[position] != anchors[start]:
            own = range(start, position)
            head = anchors[start] if anchors[start] in own else start
            chunks.append(Chunk(_tag(words, head, own), start, position))
            start = position
    return chunks


def _anchors(words: Sequence[Word]) -> list[int]:
    """Returns for each word the one that its chunk is about."""
    anchors: list[int] = []
    for position, word in enumerate(words):
        if word.part == "PUNCT" and 0 < position < len(words) - 1:
            anchors.append(anchors[-1])
            continue
        own = position
        while words[own].head >= 0 and _stays(words[own], words[words[own].head]):
            own = words[own].head
        anchors.append(own)
    return anchors


def _stays(word: Word, head: Word) -> bool:
    """Returns whether a word is in the chunk of its head."""
    relation = word.relation.partition(":")[0]
    if relation in _FUNCTION:
        return True
    if relation in _ATTRIBUTES:
        return head.part in _NOUNS and word.part not in _VERBS
    if relation == "mark":
        return word.part == "ADP"
    return word.part == "PART" and relation in ("advmod", "dep", "discourse")


def _tag(words: Sequence[Word], head: int, own: range) -> str:
    word = words[head]
    if word.part not in _VERBS:
        if word.part == "PART" and word.features.get("Polarity") == "Neg":
            return "NEGP"
        return universal_parts().get(word.part, ("", ""))[1] or "NP"
    if any(words[position].features.get("VerbForm") == "Fin" for position in own):
        return FINITE
    form = word.features.get("VerbForm")
    if form in _NOMINAL_FORMS:
        return GERUND
    return FINITE if form != "Conv" and _heads_finite_clause(words, head) else NON_FINITE


def _heads_finite_clause(words: Sequence[Word], position: int) -> bool:
    seen = set()
    while words[position].relation.partition(":")[0] == "conj" and words[position].head >= 0 and position not in seen:
        seen.add(position)
        position = words[position].head
    relation = words[position].relation
    if relation == "acl:relcl" or relation.partition(":")[0] in _FINITE_RELATIONS or words[position].head < 0:
        return True
    return any(word.head == position and word.relation == "mark" and word.part == "SCONJ" for word in words)
