"""Questions behind a clause: "It is a good plan, but is it worth it?" becomes "It is a good plan. But is it ...?"."""

from __future__ import annotations

from collections.abc import Iterator

from lattice_simp.grammars.english.lexicon import word_group
from lattice_simp.systems.simplify.clauses import finite_word, subject
from lattice_simp.systems.simplify.noun_phrase import natural
from lattice_simp.systems.simplify.sentence import Token
from lattice_simp.systems.simplify.split import Split, SplitKind, keeps_whole
from lattice_simp.text.english.parse import Parse

_OPENINGS = {"and": "", "but": "But", "so": "So"}

_MARKS = frozenset({":", ";", "...", "…", '"', "“", "”", "''", "``", "."})
"""Marks of sentences that have other parts."""

_MAIN = frozenset({"ROOT", "conj", "ccomp"})
"""The labels of main verbs; parsers take the first of two clauses for a complement."""


def question_splits(parse: Parse) -> Iterator[Split]:
    """Yields the split between a clause and the question that a comma and a conjunction join to it.

    >>> tokens = tuple("It is old , but is it cold ?".split())
    >>> labels = ("nsubj", "ROOT", "acomp", "punct", "cc", "conj", "nsubj", "acomp", "punct")
    >>> tags = ("PRP", "VBZ", "JJ", ",", "CC", "VBZ", "PRP", "JJ", ".")
    >>> parts = ("PRON", "AUX", "ADJ", "PUNCT", "CCONJ", "AUX", "PRON", "ADJ", "PUNCT")
    >>> parse = Parse(tokens, (1, -1, 1, 1, 1, 1, 5, 5, 5), labels, parts, tags, tokens)
    >>> [(split.changes, " ".join(token.text for token in split.sentence)) for split in question_splits(parse)]
    [(((3, '.'),), 'But is it cold ?')]
    """
    last = len(parse) - 1
    if parse.tokens[last] != "?" or not _MARKS.isdisjoint(parse.tokens) or parse.tokens.count("?") > 1:
        return
    for comma in range(1, last - 2):
        word = parse.tokens[comma + 1].lower()
        if parse.tokens[comma] != "," or word not in _OPENINGS or not _asks(parse, range(comma + 2, last)):
            continue
        is_question = _asks(parse, range(comma))
        if not is_question and not _states(parse, range(comma)):
            continue
        clause = tuple(range(comma + 2, last + 1))
        opening = (Token(_OPENINGS[word]),) if _OPENINGS[word] else ()
        sentence = (*opening, *(natural(parse, position, copied=False) for position in clause))
        if keeps_whole(parse.tokens, {comma + 1, *clause}, sentence):
            changes = ((comma, "?" if is_question else "."),)
            dropped, kept = (comma + 1,), (comma,)
            yield Split(SplitKind.COORDINATION, clause, dropped, sentence, changes=changes, kept_commas=kept)
            return


def _main_verbs(parse: Parse, side: range) -> Iterator[tuple[int, int, int]]:
    """Yields the main verbs of a side with their finite words and subjects."""
    for verb in side:
        finite, noun = finite_word(parse, verb), subject(parse, verb)
        if parse.labels[verb] in _MAIN and finite in side and noun in side and finite is not None and noun is not None:
            yield verb, finite, noun


def _asks(parse: Parse, side: range) -> bool:
    """Returns whether a side is a question: its finite verb precedes the subject, or it begins with `who` or `what`."""
    for _, finite, noun in _main_verbs(parse, side):
        opens = finite == side[0] or parse.tags[side[0]] in ("WRB", "WP", "WDT")
        if opens and (finite < noun or parse.tags[noun] == "WP"):
            return True
    return False


def _states(parse: Parse, side: range) -> bool:
    """Returns whether a side is a statement without a condition, whose first main verb follows its subject."""
    first = next(_main_verbs(parse, side), None)
    begins = parse.tags[side[0]] not in ("WRB", "WP", "WDT", "MD", "VBG", "VBN")
    words = {parse.tokens[position].lower() for position in side}
    return begins and words.isdisjoint(word_group("conditions")) and first is not None and first[2] < first[1]
