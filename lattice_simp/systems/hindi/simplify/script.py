"""Converts romanised sentences to Devanagari for simplification, and fills in missing morphology."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache

from lattice_simp.grammars.hindi.romanisation import Lexicon, devanagari
from lattice_simp.grammars.hindi.spelling import composed
from lattice_simp.grammars.hindi.verbs import (
    CONJUNCTIVE,
    PAST,
    PERFECTIVE,
    PRESENT,
    ROOT,
    VerbForm,
    analyse,
    canonical,
    listed_root,
    verb_forms,
)
from lattice_simp.support.tables import grammar_table
from lattice_simp.systems.hindi.sentence import VERBS, Sentence, Token
from lattice_simp.systems.hindi.simplify.tables import word_of, words_of
from lattice_simp.systems.hindi.simplify.verb_groups import agreement_of

_LATIN = re.compile("[A-Za-z]")


def is_romanised(sentence: Sentence) -> bool:
    """Returns whether more tokens of a sentence contain roman letters than Devanagari ones."""
    latin = sum(bool(_LATIN.search(token.form)) for token in sentence.tokens)
    native = sum(any("\u0900" <= letter <= "\u097f" for letter in token.form) for token in sentence.tokens)
    return latin > native


def in_devanagari(sentence: Sentence) -> Sentence:
    """Returns the sentence in Devanagari, with the roots and features of its verbs."""
    roman = is_romanised(sentence)
    tokens = [_full(token, roman=roman) for token in sentence.tokens]
    return replace(sentence, tokens=tuple(_with_root(tokens, position) for position in range(len(tokens))))


def _with_root(tokens: Sequence[Token], position: int) -> Token:
    """Returns a verb as a bare root if it can be one and `rahaa hai` follows: `chalaa` is `drive` there, not `went`."""
    token = tokens[position]
    auxiliaries = tokens[position + 1 : position + 3]
    is_progressive = (
        token.tag == VERBS[0]
        and [auxiliary.tag for auxiliary in auxiliaries] == [VERBS[1]] * 2
        and auxiliaries[0].root in words_of("progressive")
        and auxiliaries[1].tam in (PRESENT, PAST)
    )
    reading = (
        next((reading for reading in analyse(token.form) if reading.tam == ROOT), None) if is_progressive else None
    )
    return token if reading is None else replace(token, root=reading.root, tam=ROOT)


def _full(token: Token, *, roman: bool) -> Token:
    if roman:
        form, root = _word(token.form, token.tag), _word(token.root, token.tag)
    else:
        form, root = composed(token.form), composed(token.root)
    token = replace(token, form=form, root=root)
    if token.tag not in VERBS or token.is_empty:
        return token
    reading = _reading(token)
    if reading is None:
        return replace(token, root=listed_root(root or form))
    agreement = reading.agreement
    return replace(
        token,
        root=reading.root,
        tam=reading.tam,
        gender=token.gender or agreement.gender,
        number=token.number or agreement.number,
        person=token.person or agreement.person,
    )


def _reading(token: Token) -> VerbForm | None:
    """Returns the reading of a form that fits the token's root, if known, and its tense."""
    readings, tam = analyse(token.form), canonical(token.tam)
    if token.root:
        root = listed_root(token.root)
        rooted = tuple(reading for reading in readings if reading.root == root)
        matching = [reading for reading in rooted if reading.tam == tam]
        if matching:
            return matching[0]
        if tam and (rooted or not readings):
            return VerbForm(root, tam, agreement_of(token))
        readings = rooted or readings
    if token.tag == "VAUX" and token.form in words_of("conjunctive"):
        return VerbForm(word_of("light"), CONJUNCTIVE, agreement_of(token))
    # `rahe hain`: an auxiliary is more likely perfective than subjunctive.
    likely = PERFECTIVE if token.tag == "VAUX" and any(reading.tam == PERFECTIVE for reading in readings) else ROOT
    return next((reading for reading in readings if reading.tam == likely), readings[0] if readings else None)


@cache
def _lexicon(tag: str) -> Lexicon:
    """Returns the forms of the listed verbs, weighted by frequency, or the function words with a tag."""
    if tag in VERBS:
        return Lexicon(verb_forms())
    rows = grammar_table("hindi/function_words.tsv", ("word", "tags"))
    return Lexicon({row["word"]: 1.0 / row.line for row in rows if tag in row["tags"].split()})


@lru_cache(maxsize=1 << 16)  # words recur, and each takes milliseconds
def _word(word: str, tag: str) -> str:
    return devanagari(word, _lexicon(VERBS[0] if tag in VERBS else tag)) if word else ""
