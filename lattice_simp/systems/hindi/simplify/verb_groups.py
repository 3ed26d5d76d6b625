"""The verb group of a sentence: its first verb, and tense, aspect and mood as a pattern to put on other verbs."""

from __future__ import annotations

from dataclasses import dataclass

from lattice_simp.grammars.hindi.verbs import (
    FUTURE,
    PAST,
    PERFECTIVE,
    PRESENT,
    ROOT,
    Agreement,
    analyse,
    generate,
    takes_ne,
)
from lattice_simp.systems.hindi.sentence import Sentence, Token
from lattice_simp.systems.hindi.simplify.tables import second_verbs, words_of

_FINITE_ONLY = (PRESENT, PAST)
"""Tenses that only `hai` and `thaa` have: no other verb can take them."""


@dataclass(frozen=True)
class VerbGroup:
    """The verbs of a chunk: their positions, the tokens, and whether there is a negation among them."""

    positions: tuple[int, ...]
    verbs: tuple[Token, ...]
    negated: bool

    @property
    def root(self) -> str:
        """Of the first verb."""
        return self.verbs[0].root

    @property
    def is_passive(self) -> bool:
        """Whether the group is passive: a perfective form and `jaa`, perhaps after a vector verb."""
        position = 1 if self.has_vector else 0
        passive = (
            len(self.verbs) > position + 1
            and self.verbs[position].tam == PERFECTIVE
            and self.verbs[position + 1].root in words_of("passive")
        )
        return passive and takes_ne(self.root)

    @property
    def has_vector(self) -> bool:
        """Whether the second verb only colours the first: `so gayaa`, and also `chalaa gayaa`."""
        if len(self.verbs) < 2:
            return False
        first, second = self.verbs[0], second_verbs().get(self.verbs[1].root)
        went = first.tam == PERFECTIVE and self.verbs[1].root in words_of("passive") and not takes_ne(first.root)
        return second is not None and second.is_vector and (first.tam == ROOT or went)

    @property
    def tense(self) -> tuple[str, tuple[Token, ...]] | None:
        """The ending of the verb and the auxiliaries after it, without vector verbs and the passive.

        None if no other verb can take it, as that of `hai`.
        """
        skip = self.has_vector + self.is_passive
        carrier, rest = self.verbs[skip], self.verbs[skip + 1 :]
        if not carrier.tam or carrier.tam in _FINITE_ONLY:
            return None
        # A bare root without an auxiliary is not a finite form that others can take.
        return None if carrier.tam == ROOT and not rest else (carrier.tam, rest)

    @property
    def is_perfective(self) -> bool:
        """Whether the group tells of something completed."""
        tense = self.tense
        return tense is not None and (
            tense[0] == PERFECTIVE or any(one.root in words_of("completive") for one in tense[1])
        )

    @property
    def takes_agent_with_ne(self) -> bool:
        """Whether the agent takes `ne`: a perfective active form of a verb that asks for it."""
        tense = self.tense
        if tense is None or self.is_passive:
            return False
        vector = self.verbs[1].root if self.has_vector else ""
        return agent_with_ne(self.root, tense, vector)

    @property
    def agreement(self) -> Agreement:
        """What the group's verbs show together; a future form alone shows all (`jaaoge`: second person, plural)."""
        future = {own.agreement for own in analyse(self.verbs[-1].form) if own.tam == self.verbs[-1].tam == FUTURE}
        if future:
            return next((own for own in sorted(future) if own.person == "3"), min(future))
        gender = next((one.gender for one in self.verbs if one.gender in ("m", "f")), "")
        plural = any(Agreement.of("", one.number, one.person).number == "pl" for one in self.verbs)
        person = next((one.person for one in reversed(self.verbs) if one.person in ("1", "2")), "3")
        return Agreement("f" if gender == "f" else "m", "pl" if plural else "sg", person)


def verb_group(sentence: Sentence, chunk: int | None) -> VerbGroup | None:
    """Returns the verbs of a chunk; None if it has none, or there is no chunk."""
    if chunk is None:
        return None
    own = sentence.chunks[chunk]
    positions = tuple(sentence.verbs(own))
    if not positions:
        return None
    negated = any(sentence.tokens[position].tag == "NEG" for position in own.positions)
    return VerbGroup(positions, tuple(sentence.tokens[position] for position in positions), negated)


def agreement_of(token: Token) -> Agreement:
    """Returns what a token shows of gender, number and person."""
    return Agreement.of(token.gender, token.number, token.person)


def agent_with_ne(root: str, tense: tuple[str, tuple[Token, ...]], vector: str = "") -> bool:
    """Returns whether the agent of a verb in a tense takes `ne`."""
    if tense[0] != PERFECTIVE or not takes_ne(root):
        return False
    second = second_verbs()
    barring = [one for one in (vector, *(token.root for token in tense[1])) if one in second and second[one].bars_agent]
    return not barring


def conjugated(root: str, tense: tuple[str, tuple[Token, ...]], agreement: Agreement) -> list[str] | None:
    """Puts a verb in a tense; None if a form does not exist."""
    tam, rest = tense
    forms = [generate(root, tam, agreement, last=not rest)]
    forms += [generate(one.root, one.tam, agreement, last=one is rest[-1]) or one.form for one in rest]
    return None if forms[0] is None else [form for form in forms if form is not None]
