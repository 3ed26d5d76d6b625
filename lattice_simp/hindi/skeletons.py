"""Source skeletons of Hindi sentences: what stays when subordinate clauses are deleted."""

from __future__ import annotations

from collections.abc import Sequence

from lattice_simp.hindi.clause import Clause, ClauseType
from lattice_simp.hindi.sentence import Sentence
from lattice_simp.skeleton import Skeleton

DELETED = (ClauseType.RELATIVE, ClauseType.ADVERBIAL, ClauseType.NON_FINITE)
"""Clauses that say more about a noun or a verb; main and coordinate clauses stay, and complements, which are
arguments."""


def clause_skeleton(sentence: Sentence, clauses: Sequence[Clause]) -> Skeleton | None:
    """Returns the skeleton without relative, adverbial and non-finite clauses; None if that deletes nothing or all.

    Commas at the ends of what is deleted go, too; the sentence's last punctuation stays.

    >>> from lattice_simp.hindi.clause import parse_bracketed
    >>> from lattice_simp.hindi.sentence import Token
    >>> words, clauses = parse_bracketed("(main raam (rel jo khelaa ) ghar gayaa )")
    >>> str(clause_skeleton(Sentence(tuple(map(Token, words))), clauses))
    'raam [[jo khelaa]] ghar gayaa'
    """
    kept = [True] * len(sentence)
    for clause in clauses:
        if clause.kind in DELETED:
            kept[clause.start : clause.end] = [False] * (clause.end - clause.start)
    last = len(sentence) - 1
    for position, token in enumerate(sentence.tokens[:last]):
        beside_gap = (position > 0 and not kept[position - 1]) or not kept[position + 1]
        if token.tag == "SYM" and kept[position] and beside_gap:
            kept[position] = False
    if last >= 0 and sentence.tokens[last].tag == "SYM":
        kept[last] = True
    words = [one for one, token in zip(kept, sentence.tokens, strict=True) if token.tag != "SYM"]
    if all(kept) or not any(words):
        return None
    return Skeleton(tuple(token.form for token in sentence.tokens), tuple(kept))


def line_skeleton(parts: Sequence[tuple[Sentence, Sequence[Clause]]]) -> Skeleton | None:
    """Returns the skeleton of a line of several sentences, each with its clauses; None if it keeps everything.

    >>> from lattice_simp.hindi.clause import parse_bracketed
    >>> from lattice_simp.hindi.sentence import Token
    >>> parsed = map(parse_bracketed, ("( mohan soyaa )", "(main raam (rel jo khelaa ) ghar gayaa )"))
    >>> str(line_skeleton([(Sentence(tuple(map(Token, words))), clauses) for words, clauses in parsed]))
    'mohan soyaa raam [[jo khelaa]] ghar gayaa'
    """
    tokens: list[str] = []
    kept: list[bool] = []
    for sentence, clauses in parts:
        own = clause_skeleton(sentence, clauses)
        tokens += [token.form for token in sentence.tokens]
        kept += [True] * len(sentence) if own is None else own.mask
    return None if all(kept) else Skeleton(tuple(tokens), tuple(kept))
