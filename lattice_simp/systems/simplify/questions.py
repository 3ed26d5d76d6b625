"""Questions behind a clause: "It is a good plan, but is it worth it?" becomes "It is a good plan. But is it ...?".

So do joined questions: "What is it and is it worth it?" becomes "What is it? Is it worth it?".
"""

from __future__ import annotations

from collections.abc import Iterator

from lattice_simp.grammars.english.lexicon import word_group
from lattice_simp.systems.simplify.clauses import SUBJECTS, finite_word, subject
from lattice_simp.systems.simplify.noun_phrase import natural
from lattice_simp.systems.simplify.sentence import DASHES, Token
from lattice_simp.systems.simplify.split import Split, SplitKind, keeps_whole
from lattice_simp.text.english.parse import Parse

_OPENINGS = {"and": "", "but": "But", "so": "So", "or": "Or"}
"""The words that open the second sentence in the place of a conjunction."""

_SEPARATORS = DASHES | {","}

_CONDITION = (",", "if", "so", ",")
"""A condition that may stand between `and` and a question."""

_MARKS = frozenset({":", ";", "...", "…", '"', "“", "”", "''", "``", "."})
"""Marks of sentences that have other parts."""

_QUESTION_TAGS = frozenset({"WRB", "WP", "WDT"})
"""The tags of words that open a question."""

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
    for joint in range(2, last - 1):
        word = parse.tokens[joint].lower()
        if word not in _OPENINGS or not _joins(parse, joint, last):
            continue
        mark = joint - 1 if parse.tokens[joint - 1] in _SEPARATORS else joint
        first = joint + 2 if _has_condition(parse, joint) else joint + 1
        clause, gone = tuple(range(first, last + 1)), tuple(range(mark + 1, first))
        opening = (Token(_OPENINGS[word]),) if _OPENINGS[word] else ()
        sentence = (*opening, *(natural(parse, position, copied=False) for position in clause))
        if keeps_whole(parse.tokens, {joint, *clause}, sentence):
            changes = ((mark, "?" if _asks(parse, range(mark)) else "."),)
            yield Split(SplitKind.COORDINATION, clause, gone, sentence, changes=changes, kept_commas=(mark,))
            return


def _has_condition(parse: Parse, joint: int) -> bool:
    return tuple(token.lower() for token in parse.tokens[joint + 1 : joint + 5]) == _CONDITION


def _joins(parse: Parse, joint: int, last: int) -> bool:
    """Returns whether a conjunction joins a question to a clause, or without a comma to another question."""
    after = range(joint + 1 + len(_CONDITION) * _has_condition(parse, joint), last)
    if not after or not _asks(parse, after):
        return False
    is_apart, word = parse.tokens[joint - 1] in _SEPARATORS, parse.tokens[joint].lower()
    before = range(joint - is_apart)
    asks_for_subject = any(_is_asked_for(parse, noun) for _, _, noun in _main_verbs(parse, after))
    if asks_for_subject and word in ("and", "or") and parse.tags[before[0]] not in _QUESTION_TAGS:
        return False  # "do you know who is here and who is not"
    may_follow_statement = is_apart and word != "or"
    return (_asks(parse, before) and word != "so") or (may_follow_statement and _states(parse, before))


def _main_verbs(parse: Parse, side: range) -> Iterator[tuple[int, int, int]]:
    """Yields the main verbs of a side with their finite words and subjects."""
    for verb in side:
        finite, noun = finite_word(parse, verb), subject(parse, verb)
        if parse.labels[verb] in _MAIN and finite in side and noun in side and finite is not None and noun is not None:
            yield verb, finite, noun


def _asks(parse: Parse, side: range) -> bool:
    """Returns whether a side is a question: its finite verb precedes the subject, or it begins with `who` or `what`."""
    first = _after_link(parse, side)
    for _, finite, noun in _main_verbs(parse, side):
        opens = finite == first or parse.tags[first] in _QUESTION_TAGS
        before = [parse.labels[position] in SUBJECTS for position in range(first, finite) if position != noun]
        if opens and not any(before) and (finite < noun or _is_asked_for(parse, noun)):
            return True
    return False


def _after_link(parse: Parse, side: range) -> int:
    """Returns the position after a word that links a side to the sentence before ("so , when ...")."""
    first = side[0]
    if parse.tags[first] == "CC":
        return min(first + 1, side[-1])
    is_adverb = parse.tags[first] == "RB" and parse.tokens[first + 1] == ","
    return min(first + 2, side[-1]) if is_adverb else first


def _is_asked_for(parse: Parse, noun: int) -> bool:
    """Returns whether a question asks for its subject ("who", "which men")."""
    return parse.tags[parse.subtree(noun)[0]] in ("WP", "WDT")


def _states(parse: Parse, side: range) -> bool:
    """Returns whether a side is a statement without a condition, whose first main verb follows its subject."""
    first = next(_main_verbs(parse, side), None)
    begins = parse.tags[side[0]] not in _QUESTION_TAGS | {"MD", "VBG", "VBN"}
    words = {parse.tokens[position].lower() for position in side}
    return begins and words.isdisjoint(word_group("conditions")) and first is not None and first[2] < first[1]
