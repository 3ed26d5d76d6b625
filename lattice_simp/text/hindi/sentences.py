"""Splits plain text into sentences and tokens, following the treebank.

The Indic NLP Library (Kunchukuttan 2020) splits words at every punctuation mark. Then numbers (`12.5`, also with
Devanagari digits), abbreviations (`डॉ.`) and runs of dots are joined again, as in the treebank, where hyphens, quotes
and brackets are separate tokens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from lattice_simp.grammars.hindi.spelling import tidied
from lattice_simp.support.extras import Late
from lattice_simp.text.hindi.quotations import QUOTES, with_quotations

# The package's sentence splitter would import pandas, and does not split after numbers.
indic_tokenize = Late("indicnlp.tokenize.indic_tokenize", "hindi")

ENDS = frozenset("।॥?!")
"""The marks that end a sentence anywhere."""

FULL_STOP = "."
"""Ends a sentence, unless its line has a danda: then it has another meaning."""

_DANDA = "।"
_CLOSING = frozenset(")]}")
_INSIDE_NUMBERS = frozenset(".,:/")
_RUNS = frozenset(".-!?।")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")


def tokenised_sentences(
    text: str, abbreviations: Collection[str] = (), to_devanagari: Callable[[str], str] | None = None
) -> list[tuple[str, ...]]:
    """Splits a text into sentences, and these into tokens.

    A sentence ends at `।`, `॥`, `?` or `!`, at a full stop in a line without any danda, and at the end of each line;
    quotes and brackets that close there belong to it. A sentence continues after a quotation with a reporting verb or
    with words that need the quotation (`"चलो!" राम बोले।`).

        tokenised_sentences("डॉ. सिंह आए। क्या उन्होंने 12.5 किमी-लंबी राह देखी?", {"डॉ."})
        [('डॉ.', 'सिंह', 'आए', '।'), ('क्या', 'उन्होंने', '12.5', 'किमी', '-', 'लंबी', 'राह', 'देखी', '?')]

    Args:
        text: the text, in Devanagari or romanised.
        abbreviations: words that include a final full stop.
        to_devanagari: converts a romanised word to Devanagari; called for tokens with Latin letters.

    Raises:
        MissingExtraError: the Indic NLP Library is not installed.
    """
    split = indic_tokenize.trivial_tokenize
    sentences = []
    for line in text.splitlines():
        words = tidied(line).split()
        full_stops = not any(_DANDA in word for word in words)
        tokens: list[str] = []
        for position, word in enumerate(words, start=1):
            ends_line = full_stops and position == len(words)
            tokens += [word] if word.isalpha() else _joined(split(word), abbreviations, ends_line)
        sentences += with_quotations(_sentences(tokens, full_stops))
    if to_devanagari is None:
        return sentences
    return [tuple(to_devanagari(word) if _LATIN.search(word) else word for word in sentence) for sentence in sentences]


def hindi_tokens(line: str) -> str:
    """Returns the tokens of a line, separated by blanks, ignoring sentence boundaries."""
    return " ".join(token for sentence in tokenised_sentences(line) for token in sentence)


def _joined(pieces: Sequence[str], abbreviations: Collection[str], ends_line: bool) -> list[str]:
    """Joins the pieces of a word into numbers, abbreviations and runs of dots.

    >>> _joined(["(", "म", ".", "प्र", ".", "१", ".", "५", ")", ".", ".", "."], {"म.प्र."}, False)
    ['(', 'म.प्र.', '१.५', ')', '...']
    """
    tokens = []
    start = 0
    while start < len(pieces):
        end = _abbreviation_end(pieces, start, abbreviations, ends_line)
        if end == start + 1 and pieces[start][-1].isdecimal():
            end = _number_end(pieces, start)
        elif pieces[start] in _RUNS:
            while end < len(pieces) and pieces[end] == pieces[start]:
                end += 1
        tokens.append("".join(pieces[start:end]))
        start = end
    return tokens


def _abbreviation_end(pieces: Sequence[str], start: int, abbreviations: Collection[str], ends_line: bool) -> int:
    """Finds the end of the longest abbreviation; the full stop that ends a line ends a sentence."""
    for end in range(len(pieces) - ends_line, start + 1, -1):
        if pieces[end - 1] == FULL_STOP and "".join(pieces[start:end]) in abbreviations:
            return end
    return start + 1


def _number_end(pieces: Sequence[str], start: int) -> int:
    end = start + 1
    while end + 1 < len(pieces) and pieces[end] in _INSIDE_NUMBERS and pieces[end + 1][0].isdecimal():
        end += 2
    return end


def _sentences(tokens: Sequence[str], full_stops: bool) -> list[tuple[str, ...]]:
    ends = ENDS | {FULL_STOP} if full_stops else ENDS
    sentences: list[tuple[str, ...]] = []
    start = position = 0
    while position < len(tokens):
        mark = tokens[position]
        position += 1
        # A run of dots marks an omission; a run of other marks ends a sentence.
        if mark[0] not in ends or (mark[0] == FULL_STOP and len(mark) > 1):
            continue
        while position < len(tokens) and _closes(tokens, start, position):
            position += 1
        sentences.append(tuple(tokens[start:position]))
        start = position
    return [*sentences, tuple(tokens[start:])] if start < len(tokens) else sentences


def _closes(tokens: Sequence[str], start: int, position: int) -> bool:
    """Returns whether a bracket or quote closes one opened in the line; an unpaired quote, one in the sentence."""
    mark = tokens[position]
    if mark in _CLOSING:
        return True
    begin = 0 if tokens.count(mark) % 2 == 0 else start
    return mark in QUOTES and tokens[begin:position].count(mark) % 2 == 1
