"""Adds `yah` to a verb of saying whose complement became a sentence: `raam ne yah kahaa. siitaa gaii`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from lattice_simp.systems.hindi.clause import ClauseType
from lattice_simp.systems.hindi.sentence import CONJUNCTION, Chunk, Sentence
from lattice_simp.systems.hindi.simplify.arguments import is_bare, nominal_chunks
from lattice_simp.systems.hindi.simplify.meaning import is_report
from lattice_simp.systems.hindi.simplify.model import Part, Word
from lattice_simp.systems.hindi.simplify.subjects import is_dative
from lattice_simp.systems.hindi.simplify.tables import reports, word_of, words_of
from lattice_simp.systems.hindi.simplify.verb_groups import verb_group

_REASON = "stands for the sentence after it"


def with_cataphors(sentence: Sentence, parts: Sequence[Part]) -> list[Part]:
    """Returns the parts with `yah` before each verb of saying that ends one and has no object."""
    first = (
        _with_cataphor(sentence, part) if _may_be_said(sentence, part, following) else part
        for part, following in pairwise(parts)
    )
    return [*first, *parts[-1:]]


def _may_be_said(sentence: Sentence, part: Part, following: Part) -> bool:
    """Returns whether a part may be what the one before it says: no relative clause, and not joined by `and`."""
    between = range(part.tokens[-1] + 1, following.tokens[0]) if part.tokens and following.tokens else ()
    links = {sentence.tokens[index].form for index in between if sentence.tokens[index].tag == CONJUNCTION}
    return following.clause_kind != ClauseType.RELATIVE and links <= {word_of("complementiser")}


def _with_cataphor(sentence: Sentence, part: Part) -> Part:
    group = verb_group(sentence, part.verb)
    if part.kind != "finite" or part.verb is None or group is None or group.positions[-1] != part.tokens[-1]:
        return part
    if not is_report(sentence, group, part.tokens):
        return part
    tokens = [sentence.tokens[position] for position in part.tokens]
    if any(token.form in words_of("cataphor") and token.tag == "PRP" for token in tokens):
        return part
    before = sentence.chunks[part.verb - 1] if part.verb else None
    has_noun = before is not None and (group.root, sentence.tokens[before.end - 1].form) in reports()
    start = _start(sentence, before) if before is not None and has_noun else group.positions[0]
    bare = [phrase for phrase in nominal_chunks(sentence, part.tokens) if is_bare(sentence, phrase)]
    has_object = part.verb - 1 in bare and (group.takes_agent_with_ne or len(bare) > 1)
    has_receiver = any(is_dative(sentence, phrase) for phrase in nominal_chunks(sentence, part.tokens))
    is_name = has_receiver and bool(bare) and not group.takes_agent_with_ne
    is_measured = start > 0 and sentence.tokens[start - 1].form in words_of("measure")
    if (has_object or is_name or is_measured) and not has_noun:
        return part
    if start and sentence.tokens[start - 1].tag == "JJ" and start - 1 in part.tokens:
        start -= 1  # `said this clearly`, in which an adjective serves as an adverb
    words = (Word(word_of("cataphor"), (), _REASON), Word(sentence.tokens[start].form, (start,)))
    return replace(part, instead={**part.instead, start: words})


def _start(sentence: Sentence, noun: Chunk) -> int:
    """Returns where `yah` stands before a noun: before its adjectives, but behind `ke upar`."""
    last = sentence.tokens[noun.start - 1].form if noun.start else ""
    return noun.end - 1 if last == word_of("oblique_genitive") else noun.start
