"""Source skeletons of Hindi sentences, made by deleting subordinate clauses."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lattice_simp.skeleton import Skeleton
from lattice_simp.systems.hindi.clause import Clause, ClauseType
from lattice_simp.systems.hindi.sentence import NON_FINITE, PUNCTUATION, Sentence
from lattice_simp.systems.hindi.simplify.arguments import tokens_below

DELETED = (ClauseType.RELATIVE, ClauseType.ADVERBIAL, ClauseType.NON_FINITE)
"""The deleted types: clauses that modify a noun or a verb. Main and coordinate clauses stay, and so do complements,
which are arguments."""


def line_skeleton(parts: Sequence[tuple[Sentence, Sequence[Clause]]]) -> Skeleton | None:
    """Returns the skeleton of a line without relative, adverbial and non-finite clauses; None if nothing is deleted.

    Also deletes commas next to deleted clauses. Of a participle's clause in parsed text it deletes only the words that
    the tree attaches to the participle, too. Keeps the final punctuation of each sentence, and a sentence whole if
    nothing else of it would remain.

    >>> from lattice_simp.systems.hindi.clause import parse_bracketed
    >>> from lattice_simp.systems.hindi.sentence import Token
    >>> parsed = map(parse_bracketed, ("( mohan soyaa )", "(main raam (rel jo khelaa ) ghar gayaa )"))
    >>> str(line_skeleton([(Sentence(tuple(map(Token, words))), clauses) for words, clauses in parsed]))
    'mohan soyaa raam [[jo khelaa]] ghar gayaa'

    Args:
        parts: the sentences of the line, with tags for punctuation, and their typed clauses.
    """
    tokens = tuple(token.form for sentence, _ in parts for token in sentence.tokens)
    kept = tuple(is_kept for sentence, clauses in parts for is_kept in _kept(sentence, clauses))
    return None if all(kept) else Skeleton(tokens, kept)


def _deleted(sentence: Sentence, clause: Clause) -> Collection[int]:
    """Returns the positions to delete; in parsed text only those that the tree attaches to its participle."""
    positions = range(clause.start, clause.end)
    # On development files the tree avoids a fifth of the wrong deletions and loses three per cent of the right ones.
    if not sentence.is_parsed or clause.kind is not ClauseType.NON_FINITE:
        return positions
    participles = [
        number for number, chunk in enumerate(sentence.chunks) if chunk.tag == NON_FINITE and chunk.start in positions
    ]
    return set(positions) & tokens_below(sentence, participles[-1]) if participles else positions


def _kept(sentence: Sentence, clauses: Sequence[Clause]) -> list[bool]:
    kept = [True] * len(sentence)
    for clause in clauses:
        if clause.kind in DELETED:
            for position in _deleted(sentence, clause):
                kept[position] = False
    marks = [token.tag == PUNCTUATION for token in sentence.tokens]
    for position, is_mark in enumerate(marks[:-1]):
        beside_gap = (position > 0 and not kept[position - 1]) or not kept[position + 1]
        if is_mark and beside_gap:
            kept[position] = False
    if marks and marks[-1]:
        kept[-1] = True
    has_word = any(is_kept and not is_mark for is_kept, is_mark in zip(kept, marks, strict=True))
    return kept if has_word else [True] * len(sentence)
