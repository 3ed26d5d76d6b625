"""Adds `yah` to a verb of saying whose complement became a sentence: `raam ne yah kahaa. siitaa gaii`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lattice_simp.systems.hindi.sentence import Sentence
from lattice_simp.systems.hindi.simplify.clause_tree import Node
from lattice_simp.systems.hindi.simplify.meaning import begins_complement, report_of
from lattice_simp.systems.hindi.simplify.model import Part, Word
from lattice_simp.systems.hindi.simplify.tables import reports, word_of, words_of
from lattice_simp.systems.hindi.simplify.verb_groups import verb_group

_REASON = "stands for the sentence after it"


def with_cataphors(sentence: Sentence, root: Node, parts: Sequence[Part]) -> list[Part]:
    """Returns the parts with `yah` before each verb of saying that lost its complement, unless it has such a word."""
    positions = {
        _position(sentence, *report_of(sentence, parent, node))
        for parent in root.walk()
        for node in parent.children
        if not node.is_kept and begins_complement(sentence, node)
    }
    return [_with_cataphor(sentence, part, positions) for part in parts]


def _position(sentence: Sentence, words: Sequence[int], chunk: int | None) -> int | None:
    """Returns the first token of a verb of saying, or of the noun that it needs (`daavaa kiyaa`)."""
    group = verb_group(sentence, chunk)
    if chunk is None or group is None:
        return None
    noun = sentence.chunks[chunk - 1] if chunk else None
    if noun is not None and (group.root, sentence.tokens[noun.end - 1].form) in reports():
        return noun.start
    return group.positions[0]


def _with_cataphor(sentence: Sentence, part: Part, positions: set[int | None]) -> Part:
    tokens = [sentence.tokens[position] for position in part.tokens]
    if any(token.form in words_of("cataphor") and token.tag == "PRP" for token in tokens):
        return part
    cataphor = Word(word_of("cataphor"), (), _REASON)
    words = {at: (cataphor, Word(sentence.tokens[at].form, (at,))) for at in part.tokens if at in positions}
    return replace(part, instead={**part.instead, **words})
