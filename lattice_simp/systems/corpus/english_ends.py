"""Corrects where the sentences of an English text begin, given the output of a sentence splitter.

A stop does not end a sentence after an abbreviation or an initial (`grammars/english/stops.py`), after the number of an
item (`2. Stir.`), or before a closing quote or bracket that is followed by a small letter. Three dots end a sentence
before words that open sentences, four before any capital.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from lattice_simp.grammars.english.stops import ends_sentence
from lattice_simp.support.tables import grammar_path

ENGLISH = "en"

TABLES = tuple(grammar_path(f"english/{name}.tsv") for name in ("abbreviations", "sentence_openers"))

_STOP = re.compile(r"""(\.(?:\s\.)+|[.!?…]+)(["'”’»)\]]*)(\s+)(?=\S)""")
_WORD_BEFORE = re.compile(r"""([^\s"'“‘«([–—/-]+)\s?$""")
_LETTER = re.compile("[a-z]")  # may number an item: `a. The first b. The second`
_ITEM = re.compile(r"[\s•⁃*–-]*(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})\s?")
_OPENING = "\"'“‘«([ "
_WINDOW = 40
_ANYTHING = re.compile(r"\w")


def english_begins(text: str, begins: Sequence[int]) -> list[int]:
    """Returns the positions where sentences begin.

    >>> text = "See no. 5 by Lt. Col. Hill. It is by Acme Inc. We like it."
    >>> [text[begin:][:7] for begin in english_begins(text, [0, 8, 17, 22, 28])]
    ['See no.', 'It is b', 'We like']

    Args:
        text: a paragraph.
        begins: the positions found by a splitter, in order, each after a stop and all marks that follow it.
    """
    kept = set(begins)
    last = begins[0] if begins else 0
    for stop in _STOP.finditer(text):
        begin = _begin_after(text, stop, begins)
        place = stop.end() if begin is None else begin
        if _ends(text, last, stop, is_boundary=begin is not None):
            kept.add(place)
            last = place
        else:
            kept.discard(place)
    return sorted(kept)


def _begin_after(text: str, stop: re.Match[str], begins: Sequence[int]) -> int | None:
    """Returns the first beginning after a stop if only marks are between."""
    position = bisect_right(begins, stop.start())
    if position == len(begins) or _ANYTHING.search(text, stop.start(), begins[position]):
        return None
    return begins[position]


def _ends(text: str, last: int, stop: re.Match[str], *, is_boundary: bool) -> bool:
    """Returns whether a stop ends the sentence that begins at `last`; `is_boundary` is the splitter's answer."""
    marks, closing = stop[1], stop[2]
    following = text[stop.end() : stop.end() + _WINDOW].lstrip(_OPENING)
    goes_on = following[:1].islower()
    if closing and goes_on:
        return False
    dots = marks.replace("…", "...")
    if len(dots) > 1 and not dots.strip(". "):
        return _omission_ends(dots, following)
    if marks != ".":
        return is_boundary and not (goes_on and text[last : last + 1].isupper())
    if _ITEM.fullmatch(text, last, stop.start()):
        return False
    word = _WORD_BEFORE.search(text, max(last, stop.start() - _WINDOW), stop.start())
    if word is None:
        return is_boundary
    return ends_sentence(word[1], following) and (is_boundary or not _LETTER.fullmatch(word[1]))


def _omission_ends(dots: str, following: str) -> bool:
    if dots.count(".") > 3:
        return following[:1].isupper()
    return " " not in dots and ends_sentence("etc", following)
