"""Decides which full stops end English sentences: not those of abbreviations, initials and numbered items."""

from __future__ import annotations

import re
from functools import cache

from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.support.tables import grammar_table

ANYTHING, NUMBERS, NAMES = "anything", "numbers", "names"
"""The kinds of words before which an abbreviation's full stop does not end a sentence; see `abbreviations.tsv`."""

_INITIAL = re.compile(r"[^\W\d_]")
_ACRONYM = re.compile(r"(?:[A-Z][a-z]?\.)+[A-Z][a-z]{0,2}|(?:[a-z]\.)+[a-z]|(?:[A-Z]\.-?)+[A-Z]")
_NUMBER = re.compile(r"[#$£€₹§(]?\d|[A-Z]{0,2}\d|[IVXLC]{2,}\b|[B-HJ-Z]\b(?!\.)")
_LOWER_CASED_NUMBER = re.compile(r"[#$£€₹§(]?\d|[a-z]?\d|[ivxlc]{2,}$")
_WORD = re.compile(r"[^\W\d_]+")


@cache
def abbreviations() -> dict[str, str]:
    """Returns for each abbreviation the words before which its full stop does not end a sentence."""
    before = {}
    for row in grammar_table("english/abbreviations.tsv", ("word", "before"), full=True):
        if row["before"] not in (ANYTHING, NUMBERS, NAMES):
            raise row.error(f"the entry {row['before']!r}", f"write {ANYTHING}, {NUMBERS} or {NAMES}")
        before[row["word"]] = row["before"]
    return before


@cache
def _lower_cased() -> dict[str, str]:
    """Returns the abbreviations in lower case, without those that are other words then, such as `sat`."""
    table = abbreviations()
    return {word.lower(): before for word, before in table.items() if before == ANYTHING or word.islower()}


def kind_of(word: str) -> str:
    """Returns the words before which a full stop after this word does not end a sentence; "" if it always ends one.

    >>> kind_of("Fig"), kind_of("Sat"), kind_of("sat"), kind_of("U.S"), kind_of("J")
    ('numbers', 'names', '', 'names', 'names')
    """
    table = abbreviations()
    forms = (word, word.lower(), word.capitalize() if len(word) > 1 and word.isupper() else word)
    for form in forms:
        if form in table:
            return table[form]
    return NAMES if _ACRONYM.fullmatch(word) or (_INITIAL.fullmatch(word) and word.isupper()) else ""


def ends_sentence(word: str, following: str) -> bool:
    """Returns whether a full stop after a word ends its sentence, given the text from the next word on.

    >>> [ends_sentence("no", text) for text in ("5 was left", "Five were left", "and letters")]
    [False, True, False]
    >>> ends_sentence("Inc", "It closed"), ends_sentence("Inc", "Magazine"), ends_sentence("Lt", "Col. Hill")
    (True, False, False)
    """
    before = kind_of(word)
    if not before:
        return True
    if before == ANYTHING or following[:1].islower():
        return False
    if before == NUMBERS and _INITIAL.fullmatch(word) and word.isupper():
        before = NAMES  # `J. A. Hill` and `K. 545`
    if before == NUMBERS:
        return not _NUMBER.match(following)
    return _opens(following)


def ends_lower_cased(word: str, following: str) -> bool:
    """Returns whether a full stop after a token of lower-cased text ends a sentence.

    >>> ends_lower_cased("no", "5"), ends_lower_cased("no", "he"), ends_lower_cased("mr", "hill")
    (False, True, False)
    """
    before = _lower_cased().get(word, "")
    return before == "" or (before == NUMBERS and not _LOWER_CASED_NUMBER.match(following))


def _opens(text: str) -> bool:
    """Returns whether a text begins with a word that opens sentences, other than an initial."""
    match = _WORD.match(text)
    if match is None or (len(match[0]) == 1 and text[1:2] == "."):
        return False
    return match[0].lower() in word_set("sentence_openers")
