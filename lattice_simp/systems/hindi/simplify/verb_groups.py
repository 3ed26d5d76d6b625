"""Verb groups: their first verb, and their tense, aspect and mood as a pattern for other verbs."""

from __future__ import annotations

from dataclasses import dataclass

from lattice_simp.grammars.hindi.verbs import (
    FUTURE,
    IMPERATIVE,
    INFINITIVE,
    OBLIQUE_INFINITIVE,
    PAST,
    PERFECTIVE,
    POLITE,
    PRESENT,
    ROOT,
    SUBJUNCTIVE,
    Agreement,
    analyse,
    canonical,
    generate,
    second_verbs,
    takes_ne,
)
from lattice_simp.systems.hindi.sentence import Sentence, Token
from lattice_simp.systems.hindi.simplify.tables import words_of

_FINITE_ONLY = (PRESENT, PAST)
"""Tenses that only `hai` and `thaa` have."""

_NO_STATEMENT = (ROOT, INFINITIVE, OBLIQUE_INFINITIVE, SUBJUNCTIVE, IMPERATIVE, POLITE)


@dataclass(frozen=True)
class VerbGroup:
    """The verbs of a chunk: their positions, their tokens, and whether the chunk has a negation."""

    positions: tuple[int, ...]
    verbs: tuple[Token, ...]
    negated: bool

    @property
    def root(self) -> str:
        """The root of the first verb."""
        return self.verbs[0].root

    @property
    def is_passive(self) -> bool:
        """Whether the group is passive: a perfective form and `jaa`, possibly after a vector verb."""
        position = 1 if self.has_vector else 0
        passive = (
            len(self.verbs) > position + 1
            and self.verbs[position].tam == PERFECTIVE
            and self.verbs[position + 1].root in words_of("passive")
        )
        return passive and takes_ne(self.root)

    @property
    def has_vector(self) -> bool:
        """Whether the second verb only modifies the first: `so gayaa`, and also `chalaa gayaa`."""
        if len(self.verbs) < 2:
            return False
        first, second = self.verbs[0], second_verbs().get(self.verbs[1].root)
        is_passive = first.tam == PERFECTIVE and self.verbs[1].root in words_of("passive") and not takes_ne(first.root)
        return second is not None and second.is_vector and (first.tam == ROOT or is_passive)

    @property
    def tense(self) -> tuple[str, tuple[Token, ...]] | None:
        """The verb's ending and the auxiliaries after it, without vector verbs and the passive.

        None if no other verb can take it, as for `hai`.
        """
        skip = self.has_vector + self.is_passive
        carrier, rest = self.verbs[skip], self.verbs[skip + 1 :]
        if not carrier.tam or carrier.tam in _FINITE_ONLY:
            return None
        # A bare root without an auxiliary is not a finite form that other verbs can take.
        return None if carrier.tam == ROOT and not rest else (carrier.tam, rest)

    @property
    def is_perfective(self) -> bool:
        """Whether the group denotes a completed action."""
        tense = self.tense
        return tense is not None and (
            tense[0] == PERFECTIVE or any(token.root in words_of("completive") for token in tense[1])
        )

    @property
    def is_statement(self) -> bool:
        """Whether the group is in the indicative: no infinitive, subjunctive or imperative."""
        last = self.verbs[-1]
        return last.form in words_of("obligation") or canonical(last.tam) not in _NO_STATEMENT

    @property
    def is_modal(self) -> bool:
        """Whether an auxiliary expresses ability, obligation or the future."""
        return any(verb.root in words_of("modal") for verb in self.verbs[1:])

    @property
    def is_obligation(self) -> bool:
        """Whether somebody (in the dative) has to do something: `jaanaa chaahie`, `jaanaa paRtaa hai`."""
        is_forced = self.verbs[0].tam == INFINITIVE and any(verb.root in words_of("forced") for verb in self.verbs[1:])
        return is_forced or self.verbs[-1].form in words_of("obligation")

    @property
    def takes_agent_with_ne(self) -> bool:
        """Whether the agent takes `ne`: a perfective active form of a verb that requires it."""
        tense = self.tense
        if tense is None or self.is_passive:
            return False
        vector = self.verbs[1].root if self.has_vector else ""
        return agent_with_ne(self.root, tense, vector)

    @property
    def agreement(self) -> Agreement:
        """The combined agreement of the verbs; a future form shows all of it (`jaaoge`: second person, plural)."""
        future = {
            reading.agreement for reading in analyse(self.verbs[-1].form) if reading.tam == self.verbs[-1].tam == FUTURE
        }
        if future:
            return next((agreement for agreement in sorted(future) if agreement.person == "3"), min(future))
        gender = next((token.gender for token in self.verbs if token.gender in ("m", "f")), "")
        plurals = [
            Agreement.of("", token.number, token.person).number == "pl" for token in self.verbs if token.number != "any"
        ]
        # Feminine participles have one form for both numbers: the auxiliary tells (`jaatii hai`).
        plural = any(plurals[-1:] if gender == "f" else plurals)
        person = next((token.person for token in reversed(self.verbs) if token.person in ("1", "2")), "3")
        return Agreement("f" if gender == "f" else "m", "pl" if plural else "sg", person)


def verb_group(sentence: Sentence, chunk: int | None) -> VerbGroup | None:
    """Returns the verbs of a chunk; None without a chunk or verbs."""
    if chunk is None:
        return None
    phrase = sentence.chunks[chunk]
    positions = tuple(sentence.verbs(phrase))
    if not positions:
        return None
    negated = any(sentence.tokens[position].tag == "NEG" for position in phrase.positions)
    return VerbGroup(positions, tuple(sentence.tokens[position] for position in positions), negated)


def agreement_of(token: Token) -> Agreement:
    """Returns the gender, number and person of a token."""
    return Agreement.of(token.gender, token.number, token.person)


def agent_with_ne(root: str, tense: tuple[str, tuple[Token, ...]], vector: str = "") -> bool:
    """Returns whether the agent of a verb in a tense takes `ne`."""
    if tense[0] != PERFECTIVE or not takes_ne(root):
        return False
    second = second_verbs()
    if vector in second and second[vector].bars_agent:
        return False
    # Auxiliaries other than `be` make another aspect, without `ne`: `khaayaa kartaa hai`, `dikhaaii detaa hai`.
    return all(token.root in words_of("plain") for token in tense[1])


def conjugated(root: str, tense: tuple[str, tuple[Token, ...]], agreement: Agreement) -> list[str] | None:
    """Returns the forms of a verb in a tense; None if one does not exist."""
    tam, rest = tense
    forms = [generate(root, tam, agreement, last=not rest)]
    forms += [generate(token.root, token.tam, agreement, last=token is rest[-1]) or token.form for token in rest]
    return None if forms[0] is None else [form for form in forms if form is not None]
