"""What verbs are inflected for: tense, aspect and mood, and agreement."""

from __future__ import annotations

from dataclasses import dataclass

PERFECTIVE, IMPERFECTIVE, INFINITIVE, OBLIQUE_INFINITIVE = "yA", "wA", "nA", "ne"
ROOT, CONJUNCTIVE, FUTURE, SUBJUNCTIVE, IMPERATIVE = "0", "kara", "gA", "eM", "ao"
POLITE = "ie"
PRESENT, PAST = "hE", "WA"
"""Tense, aspect and mood, in the names of the treebank's analyser."""

_ALIASES = {"yA1": PERFECTIVE, "aO": IMPERATIVE, "o": IMPERATIVE, "kar": CONJUNCTIVE, "ke": CONJUNCTIVE}
_ALIASES |= dict.fromkeys(("Uz", "UZ"), SUBJUNCTIVE)


@dataclass(frozen=True)
class Agreement:
    """What a verb agrees in.

    Attributes:
        gender: `m` or `f`.
        number: `sg` or `pl`; honorific forms are plural.
        person: `1`, `2` or `3`.
    """

    gender: str = "m"
    number: str = "sg"
    person: str = "3"

    @staticmethod
    def of(gender: str, number: str, person: str) -> Agreement:
        """Reads the treebank's values, where `any` and "" stand for the unmarked one and `h` for honorific.

        >>> Agreement.of("any", "sg", "3h")
        Agreement(gender='m', number='pl', person='3')
        """
        return Agreement(
            "f" if gender == "f" else "m",
            "pl" if number == "pl" or person.endswith("h") else "sg",
            # The polite second person takes the third person's endings.
            person if person in ("1", "2") else "3",
        )


@dataclass(frozen=True)
class VerbForm:
    """A reading of a verb's form."""

    root: str
    tam: str
    agreement: Agreement


def canonical(tam: str) -> str:
    """Returns the usual name of a tense, aspect and mood.

    >>> canonical("yA1")
    'yA'
    """
    return _ALIASES.get(tam, tam)
