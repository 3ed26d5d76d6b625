"""Relative pronouns in sentences of their own: `jisne` to `usne`, `jo ladkaa` to `vah ladkaa`."""

from __future__ import annotations

from dataclasses import replace

from lattice_simp.hindi.clause import ClauseType
from lattice_simp.hindi.sentence import Sentence
from lattice_simp.hindi.simplify.model import Part, PartKind, Word
from lattice_simp.hindi.simplify.tables import relatives
from lattice_simp.hindi.simplify.verb_groups import verb_group

_TAGS = ("PRP", "DEM")
_REASON = "a relative pronoun in a sentence of its own"


def without_relatives(sentence: Sentence, part: Part) -> Part:
    """Replaces the relative pronoun of a clause that is now a sentence."""
    if part.kind != PartKind.FINITE or not part.name or part.verb is None:
        return part
    if part.clause_kind not in (ClauseType.RELATIVE, ClauseType.COORDINATE, ClauseType.ADVERBIAL, None):
        return part
    group = verb_group(sentence, part.verb)
    plural = group is not None and group.agreement.number == "pl" and not group.takes_agent_with_ne
    for place in part.tokens:
        token = sentence.tokens[place]
        if token.tag in _TAGS and token.form in relatives():
            word = Word(relatives()[token.form][plural], (place,), _REASON)
            part = replace(part, instead={**part.instead, place: (word,)})
            break
    return replace(part, subject=tuple(_demonstrative(word, plural=plural) for word in part.subject))


def _demonstrative(word: Word, *, plural: bool) -> Word:
    return replace(word, form=relatives()[word.form][plural]) if word.form in relatives() else word
