"""Derives chunks for dependency trees without them, such as UD_Hindi-PUD and the output of parsers.

A word is in the chunk of its head if only words of that chunk are between them, and if it is a function word
(postposition, auxiliary, determiner, particle), an adjective or number before a noun, or a part of a compound noun. A
participle or root is in the chunk of the second verb after it, on which it depends in some treebanks (`karte hue`,
`kar chuke`). A form of `hai` or `thaa` right behind a participle or infinitive is in the chunk of that verb, whatever
it depends on. Punctuation belongs to the chunk before it; at either end of the sentence it forms a chunk (`BLK`).

The head determines the chunk's tag. A verb group is

- finite (`VGF`) if one of its words is (`VerbForm=Fin`, or a form such as `hai` without `VerbForm`), or if it is a
  participle that heads a sentence, a complement, a relative clause, a clause with a subordinator, or a clause
  coordinated with one of these;
- a gerund (`VGNN`) if its first or last verb is an infinitive or a verbal noun (`Inf`, `Ger`, `Vnoun`; `kie jaane`);
- non-finite (`VGNF`) otherwise: converbs (`Conv`), and modifying participles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from lattice_simp.grammars.hindi.symbols import classes_of
from lattice_simp.grammars.hindi.verbs import (
    FUTURE,
    IMPERFECTIVE,
    INFINITIVE,
    OBLIQUE_INFINITIVE,
    PAST,
    PERFECTIVE,
    PRESENT,
    analyse,
    second_verbs,
)
from lattice_simp.support.tables import grammar_table
from lattice_simp.systems.hindi.sentence import FINITE, GERUND, NON_FINITE, VERBAL, VERBS, Chunk, Token
from lattice_simp.systems.hindi.simplify.tables import words_of


class Word(NamedTuple):
    """A word of a tree: its `Token` and its columns; the head is a position from 0, or -1 for none."""

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

_FINITE_TENSES = frozenset({PRESENT, PAST, FUTURE})
_BEFORE_TENSE = frozenset({IMPERFECTIVE, PERFECTIVE, INFINITIVE})
_FINITE_RELATIONS = frozenset({"root", "ccomp", "parataxis"})
_SECOND = frozenset({"aux", "compound", "xcomp"})
_NOMINAL_FORMS = frozenset({"Inf", "Ger", "Vnoun"})


@cache
def universal_parts() -> dict[str, tuple[str, str]]:
    """Returns for each universal part of speech the treebank's tag and the tag of its chunks."""
    rows = grammar_table("hindi/ud_parts.tsv", ("part", "tag", "chunk"))
    return {row["part"]: (row["tag"], row["chunk"]) for row in rows}


def derived_chunks(words: Sequence[Word]) -> list[Chunk]:
    """Returns the chunks of a tree, without heads; the module's documentation describes the rules."""
    anchors = _anchors(words)
    chunks: list[Chunk] = []
    start = 0
    for position in range(1, len(words) + 1):
        if position == len(words) or anchors[position] != anchors[start]:
            positions = range(start, position)
            head = anchors[start] if anchors[start] in positions else start
            chunks.append(Chunk(_tag(words, head, positions), start, position))
            start = position
    return chunks


def _anchors(words: Sequence[Word]) -> list[int]:
    """Returns the head word of each word's chunk."""
    anchors: list[int] = []
    for position, word in enumerate(words):
        if word.part == "PUNCT" and 0 < position < len(words) - 1:
            anchors.append(anchors[-1])
            continue
        if _is_participial(words, position) or (
            position and words[anchors[-1]].part in _VERBS and _ends_group(words, position)
        ):
            anchors.append(anchors[-1])
            continue
        anchor = position
        while (head := words[anchor].head) >= 0 and (
            _stays(words[anchor], words[head]) or _is_first_verb(words, anchor)
        ):
            anchor = head
        anchors.append(anchor)
    return anchors


def _is_participial(words: Sequence[Word], position: int) -> bool:
    """Returns whether a word is the `hue` of a participle, whichever depends on the other."""
    word, previous = words[position], words[position - 1]
    if position == 0 or previous.part not in _VERBS or "participle auxiliary" not in classes_of(word.token.form):
        return False
    return word.head >= 0 and (word.head in (position - 1, previous.head) or previous.head == position)


def _ends_group(words: Sequence[Word], position: int) -> bool:
    """Returns whether a word is the `hai` or `thaa` of the verb right before it, or makes it an obligation."""
    word, previous = words[position], words[position - 1]
    if word.part not in _VERBS or previous.part not in _VERBS:
        return False
    readings = analyse(word.token.form)
    before = {reading.tam for reading in analyse(previous.token.form)}
    if any(reading.tam in (PRESENT, PAST) for reading in readings):
        return not before.isdisjoint(_BEFORE_TENSE)
    joined = word.head == position - 1 or previous.head == position
    return joined and INFINITIVE in before and any(reading.root in words_of("obliging") for reading in readings)


def _is_first_verb(words: Sequence[Word], position: int) -> bool:
    """Returns whether a verb is the first verb of a group and depends on the second."""
    word, head = words[position], words[words[position].head]
    between = words[position + 1 : word.head]
    if word.part not in _VERBS or head.part not in _VERBS or word.relation.partition(":")[0] not in _SECOND:
        return False
    if word.head < position or any(inner.part != "PART" for inner in between):
        return False
    nominal = word.features.get("VerbForm") in _NOMINAL_FORMS
    roots = {head.token.root} if head.token.root else {reading.root for reading in analyse(head.token.form)}
    return not roots.isdisjoint(words_of("beginning") if nominal else second_verbs().keys())


def with_auxiliaries(tokens: Sequence[Token], chunks: Sequence[Chunk]) -> tuple[Token, ...]:
    """Tags the first verb of each verb group as main verb and the others as auxiliaries."""
    retagged = list(tokens)
    main, auxiliary = VERBS
    for chunk in chunks:
        verbs = [position for position in chunk.positions if tokens[position].tag in VERBS]
        if chunk.tag in VERBAL and len(verbs) > 1:
            retagged[verbs[0]] = replace(tokens[verbs[0]], tag=main)
            for position in verbs[1:]:
                retagged[position] = replace(tokens[position], tag=auxiliary)
    return tuple(retagged)


def _stays(word: Word, head: Word) -> bool:
    """Returns whether a word belongs to the chunk of its head."""
    relation = word.relation.partition(":")[0]
    if relation in _FUNCTION:
        return True
    if relation in _ATTRIBUTES:
        return head.part in _NOUNS and word.part not in _VERBS
    if relation == "mark":
        return word.part == "ADP"
    return word.part == "PART" and relation in ("advmod", "dep", "discourse")


def _tag(words: Sequence[Word], head: int, positions: range) -> str:
    word = words[head]
    if word.part not in _VERBS:
        if word.part == "PART" and word.features.get("Polarity") == "Neg":
            return "NEGP"
        return universal_parts().get(word.part, ("", ""))[1] or "NP"
    if any(_is_finite(words[position]) for position in positions):
        return FINITE
    form = word.features.get("VerbForm")
    verbs = [word for word in words[positions.start : positions.stop] if word.part in _VERBS]
    if form in _NOMINAL_FORMS or _is_nominal(verbs):
        return GERUND
    return FINITE if form != "Conv" and _heads_finite_clause(words, head) else NON_FINITE


def _is_nominal(verbs: Sequence[Word]) -> bool:
    """Returns whether the last verb of a group is an infinitive or a verbal noun, by its form if it has no features."""
    form = verbs[-1].features.get("VerbForm")
    if form is not None:
        return form in _NOMINAL_FORMS
    readings = analyse(verbs[-1].token.form)
    tenses = {reading.tam for reading in readings if len(verbs) == 1 or reading.root in second_verbs()}
    return bool(tenses) and tenses <= {INFINITIVE, OBLIQUE_INFINITIVE}


def _is_finite(word: Word) -> bool:
    form = word.features.get("VerbForm")
    if form is None and word.part in _VERBS:
        return any(reading.tam in _FINITE_TENSES for reading in analyse(word.token.form))
    return form == "Fin"


def _heads_finite_clause(words: Sequence[Word], position: int) -> bool:
    visited = set()
    while (
        words[position].relation.partition(":")[0] == "conj" and words[position].head >= 0 and position not in visited
    ):
        visited.add(position)
        position = words[position].head
    relation = words[position].relation
    if relation == "acl:relcl" or relation.partition(":")[0] in _FINITE_RELATIONS or words[position].head < 0:
        return True
    return any(word.head == position and word.relation == "mark" and word.part == "SCONJ" for word in words)
