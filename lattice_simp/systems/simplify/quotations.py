"""Statements that a conjunction joins in a quotation with its report: '"It is cold, but they swim," she said'.

The report stays beside the second statement, so that no word moves.
"""

from __future__ import annotations

from collections.abc import Iterator

from lattice_simp.systems.simplify.clauses import finite_word, subject
from lattice_simp.systems.simplify.constructions.coordination import coordinators, is_conditional
from lattice_simp.systems.simplify.noun_phrase import natural
from lattice_simp.systems.simplify.sentence import Token
from lattice_simp.systems.simplify.split import LEAST_WORDS, Split, SplitKind
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind, mark_pairs


def quotation_splits(parse: Parse) -> Iterator[Split]:
    """Yields the split between two statements of a quotation.

    >>> tokens = tuple('" It is cold , but they swim there , " she said .'.split())
    >>> labels = "punct nsubj ccomp acomp punct cc nsubj conj advmod punct punct nsubj ROOT punct".split()
    >>> tags = "`` PRP VBZ JJ , CC PRP VBP RB , '' PRP VBD .".split()
    >>> parts = "PUNCT PRON AUX ADJ PUNCT CCONJ PRON VERB ADV PUNCT PUNCT PRON VERB PUNCT".split()
    >>> parse = Parse(tokens, (12, 2, 12, 2, 2, 2, 7, 2, 7, 12, 12, 12, -1, 12), labels, parts, tags, tokens)
    >>> [" ".join(token.text for token in split.sentence) for split in quotation_splits(parse)]
    ['But they swim there , " she said']
    """
    quotations = [pair for pair in mark_pairs(parse.tokens) if mark_kind(parse.tokens[pair[0]]) == "quote"]
    if len(quotations) != 1 or mark_kind(parse.tokens[-1]) not in ("stop", "quote"):
        return
    first, last = quotations[0]
    for verb in range(first + 1, last):
        if parse.labels[verb] == "conj" and _joins_statements(parse, verb, first, last):
            yield _between(parse, parse.subtree(verb)[0] - 1)
            return


def _joins_statements(parse: Parse, verb: int, first: int, last: int) -> bool:
    """Returns whether a verb is that of the second of two statements in a quotation, which nothing else connects."""
    above, conjunction = parse.heads[verb], parse.subtree(verb)[0] - 1
    reporting = parse.heads[above]
    is_reported = parse.labels[above] == "ccomp" and first < above and reporting != ROOT
    if not is_reported or parse.heads[reporting] != ROOT or first < reporting < last or is_conditional(parse, above):
        return False
    noun = subject(parse, verb)
    starts = noun is not None and parse.subtree(noun)[0] == conjunction + 1
    if not starts or parse.labels[conjunction] != "cc" or parse.tokens[conjunction].lower() not in coordinators():
        return False
    sides = range(first + 1, conjunction), range(conjunction + 1, last)
    if not all(_is_whole(parse, side) for side in sides):
        return False
    return all(finite_word(parse, each) is not None and subject(parse, each) is not None for each in (above, verb))


def _is_whole(parse: Parse, side: range) -> bool:
    """Returns whether a side has enough words, of which a single one depends on a word outside of it."""
    leaving = [
        position
        for position in side
        if parse.heads[position] not in side and parse.labels[position] not in ("punct", "cc")
    ]
    words = [position for position in side if mark_kind(parse.tokens[position]) is None]
    return len(leaving) == 1 and len(words) >= LEAST_WORDS


def _between(parse: Parse, conjunction: int) -> Split:
    """Returns the split at a conjunction."""
    before = (conjunction - 1,) if parse.tokens[conjunction - 1] == "," else ()
    end = len(parse) - (mark_kind(parse.tokens[-1]) == "stop")
    clause = tuple(range(conjunction + 1, end))
    opening = tuple(map(Token, coordinators()[parse.tokens[conjunction].lower()].split()))
    sentence = (*opening, *(natural(parse, position, copied=False) for position in clause))
    return Split(SplitKind.COORDINATION, clause, (*before, conjunction), sentence)
