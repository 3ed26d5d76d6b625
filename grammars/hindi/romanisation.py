"""Romanises Devanagari in the spelling of Sharma, Paul and Mishra 2014 (`raam`, `jisne`, `khaanaa`), and converts it
back. One transducer serves both directions; it is compiled from the table `romanisation.tsv` in four steps:

1. every consonant without a vowel sign gets the inherent vowel, and vowel signs become vowels;
2. the inherent vowel at a word's end is silent (not after a cluster with य or र: `mitra`);
3. so is, from the right to the left, one between vowel + consonant and consonant + vowel (`lad(a)kaa`);
4. letters become roman ones.

The reverse direction is ambiguous (`t` is त or ट), and people spell loosely (`ram`, `peekar`). So a fifth step adds
loose spellings at a cost, and the inverse is composed with a word list: the cheapest path is the word.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

import pynini

from lattice_simp.errors import LatticeSimpError
from lattice_simp.grammars.hindi.spelling import composed
from lattice_simp.grammars.hindi.transducers import acceptor, any_of, cheapest, cost_of, cross, weighted
from lattice_simp.support.tables import grammar_table

_COLUMNS = ("kind", "letter", "sign", "roman", "cost")

OUT_OF_LEXICON = 14.0
"""The cost, in nats, of a word outside the lexicon. It is higher than that of the rarest word of a large word list, so
a listed word wins unless its spelling is far off."""

LONGEST_WORD = 200
"""The most letters of a word to convert; the time is proportional to the length. Longer ones stay as they are."""

CLUSTER, HIATUS = 0.7, 1.0
"""The costs of a consonant cluster and of an independent vowel in the reverse direction; vowel signs are commoner."""

_SCHWA, _SILENCER = "ə", "्"
_FIRST, _LAST = "<", ">"


class _Row(NamedTuple):
    letter: str
    sign: str
    roman: str
    cost: float


@cache
def _rows() -> dict[str, list[_Row]]:
    rows: dict[str, list[_Row]] = {}
    for row in grammar_table("hindi/romanisation.tsv", _COLUMNS):
        entry = _Row(composed(row["letter"]), row["sign"], row["roman"], cost_of(row))
        rows.setdefault(row["kind"], []).append(entry)
    return rows


def letters(kind: str) -> list[str]:
    """Returns the letters of a kind in the table: `vowel`, `consonant`, `mark`, `digit` …"""
    return [row.letter for row in _rows()[kind]]


def vowel_signs() -> dict[str, str]:
    """Returns the sign of each vowel that has one.

    >>> vowel_signs()["ई"]
    'ी'
    """
    return {row.letter: row.sign for row in _rows()["vowel"] if row.sign}


@cache
def _inner() -> Any:
    """Returns all strings of letters with the inherent vowel written out."""
    return pynini.closure(
        any_of([*(letters("vowel")), *letters("consonant"), *letters("mark"), *letters("digit"), _SCHWA])
    )


def _spelt_out() -> Any:
    """Step 1: spells out the inherent vowels."""
    consonant = any_of(letters("consonant"))
    signs = [cross(row.sign, row.letter) for row in _rows()["vowel"] if row.sign]
    syllable = consonant + pynini.union(*signs, cross(_SILENCER, "", CLUSTER), cross("", _SCHWA))
    vowel = weighted(any_of(letters("vowel")), HIATUS)
    return pynini.closure(pynini.union(syllable, vowel, any_of([*letters("mark"), *letters("digit")])))


def _without_silent() -> Any:
    """Steps 2 and 3: removes silent vowels."""
    vowel, consonant = any_of([*letters("vowel"), _SCHWA]), any_of(letters("consonant"))
    silent, mark = cross(_SCHWA, ""), pynini.closure(any_of(letters("mark")), 0, 1)
    other = pynini.difference(consonant, any_of(letters("keeps"))).optimize()
    before = pynini.union(vowel + mark + consonant, consonant + other)
    final = pynini.cdrewrite(silent, before, "[EOS]", _inner())
    medial = pynini.cdrewrite(silent, vowel + mark + consonant, consonant + vowel, _inner(), direction="rtl")
    return final @ medial


def _in_roman() -> Any:
    """Step 4: romanises letters; the costs reflect how rare a letter is for its romanisation."""
    marks, labials = letters("mark"), any_of(letters("labial"))
    nasal = any_of([mark for mark in marks if mark in "ंँ"])
    rows = [row for kind in ("vowel", "consonant", "mark", "digit") for row in _rows()[kind]]
    plain = pynini.closure(pynini.union(*(cross(row.letter, row.roman, row.cost) for row in rows), cross(_SCHWA, "a")))
    sigma = pynini.closure(pynini.union(_inner(), any_of(["m"])))
    before_labial = pynini.cdrewrite(pynini.cross(nasal, acceptor("m")), "", labials, sigma)
    unheard = pynini.cdrewrite(pynini.cross(nasal, ""), acceptor("ई"), "[EOS]", sigma)
    return before_labial @ unheard @ pynini.union(plain, cross("m", "m", _rows()["mark"][0].cost)).closure()


@cache
def _to_roman() -> Any:
    """All four steps: maps Devanagari to the strict romanisation, with one output for each input."""
    return (_spelt_out() @ _without_silent() @ _in_roman()).optimize()


@cache
def _loose() -> Any:
    """Step 5: maps the strict romanisation to loose spellings."""
    roman = [*"abcdefghijklmnopqrstuvwxyz0123456789'"]
    ends = [acceptor(_FIRST), acceptor(_LAST)]
    steps = [cross(row.letter, row.roman, row.cost) for row in _rows()["loose"]]
    bare = pynini.closure(pynini.union(any_of(roman), *ends, *steps)).optimize()
    framed = cross("", _FIRST) + pynini.closure(any_of(roman)) + cross("", _LAST)
    unframed = cross(_FIRST, "") + pynini.closure(any_of(roman)) + cross(_LAST, "")
    glides = pynini.union(*(cross(row.letter, row.roman, row.cost) for row in _rows()["glide"]))
    after_vowels = pynini.cdrewrite(glides, any_of("aeiou"), "", pynini.closure(any_of(roman)).optimize(), mode="opt")
    return (framed @ bare @ unframed @ after_vowels).optimize()


@cache
def _from_roman() -> Any:
    """Maps strict and loose spellings to Devanagari, with costs."""
    return pynini.invert(_to_roman() @ _loose()).optimize().arcsort("olabel")


@cache
def _runs() -> re.Pattern[str]:
    """Runs of characters that the transducer reads."""
    consonants = "".join(letters("consonant"))
    signs = "".join(row.sign for row in _rows()["vowel"]) + _SILENCER
    alone = "".join([*letters("vowel"), *letters("mark"), *letters("digit")])
    return re.compile(f"((?:[{consonants}][{signs}]?|[{alone}])+)")


@cache
def _stray() -> dict[int, str]:
    """Returns signs outside of syllables, and punctuation."""
    return str.maketrans({row.sign: row.roman for row in _rows()["vowel"] if row.sign} | {_SILENCER: "", "।": "."})


@lru_cache(maxsize=1 << 16)
def romanise(word: str) -> str:
    """Writes a Devanagari word in roman letters; other characters and runs beyond `LONGEST_WORD` stay as they are.

    >>> [romanise(word) for word in "राम जिसने खाना किया नहीं है मच्छरों पढ़ी लड़का मित्र".split()]
    ['raam', 'jisne', 'khaanaa', 'kiyaa', 'nahii', 'hai', 'machchharon', 'padhii', 'ladkaa', 'mitra']
    """
    parts = _runs().split(composed(word))
    for position, part in enumerate(parts):
        if position % 2 == 0:
            parts[position] = part.translate(_stray())
        elif len(part) <= LONGEST_WORD:
            best = pynini.shortestpath(acceptor(part) @ _to_roman())
            parts[position] = best.project("output").rmepsilon().string("utf8")
    return "".join(parts)


class Lexicon:
    """A list of words with their frequencies, above 0, that disambiguates romanised words.

    >>> devanagari("ram", Lexicon({"राम": 10, "रम": 1}))
    'राम'
    """

    def __init__(self, counts: Mapping[str, float]) -> None:
        total = sum(counts.values())
        for word, count in counts.items():
            if not 0 < count < math.inf:
                raise LatticeSimpError(f"the word {word!r} occurs {count} times; give a number above 0")
        costs = {composed(word): -math.log(count / total) for word, count in counts.items()}
        lines = [(word, cost) for word, cost in sorted(costs.items()) if word and _runs().fullmatch(word)]
        self._acceptor = None
        if lines:
            trie = pynini.string_map(
                [(pynini.escape(word), pynini.escape(word), f"{cost:.4f}") for word, cost in lines],
                input_token_type="utf8",
                output_token_type="utf8",
            )
            self._acceptor = pynini.project(trie, "input").optimize().arcsort("ilabel")

    def best(self, spellings: Any) -> tuple[str, float] | None:
        """Returns the cheapest listed word among weighted spellings, and its cost; None if none is listed."""
        return None if self._acceptor is None else cheapest(pynini.compose(spellings, self._acceptor))


def devanagari(word: str, lexicon: Lexicon) -> str:
    """Returns the most probable Devanagari word for a romanised one in any case; other text is returned unchanged.

    The cheapest path through spellings and words wins; an unlisted word costs `OUT_OF_LEXICON`.

    >>> words = Lexicon({"पीकर": 3, "ताला": 1, "टाला": 5, "नहीं": 9})
    >>> [devanagari(word, words) for word in "peekar piikar taalaa nahin kamal 1947 राम".split()]
    ['पीकर', 'पीकर', 'टाला', 'नहीं', 'कमल', '1947', 'राम']
    """
    plain = word.lower()
    if len(plain) > LONGEST_WORD or not re.fullmatch("[a-z']*[a-z][a-z']*", plain):
        return word
    spellings = pynini.compose(acceptor(plain), _from_roman()).rmepsilon()
    listed, free = lexicon.best(spellings), cheapest(spellings)
    if free is None:
        return word
    return listed[0] if listed is not None and listed[1] <= free[1] + OUT_OF_LEXICON else free[0]
