"""The word lists of the simplification (`grammars/hindi/`)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from lattice_simp.errors import FormatError
from lattice_simp.hindi.spelling import composed
from lattice_simp.hindi.tables import hindi_path, read_rows


class Action(StrEnum):
    """What becomes of a connective."""

    DROP = "drop"
    KEEP = "keep"
    JOIN_NEXT = "join_next"
    JOIN_PREVIOUS = "join_previous"
    JOIN_BOTH = "join_both"
    JOIN_ADVERBIAL = "join_adverbial"


@cache
def connectives() -> dict[str, Action]:
    """Returns what becomes of each connective."""
    path = hindi_path("simplify_connectives.tsv")
    found = {}
    for number, row in read_rows(path, ("word", "action")):
        if row["action"] not in list(Action):
            remedy = f"write one of {', '.join(Action)}"
            raise FormatError(f"no action {row['action']!r}", path=path, line=number, remedy=remedy)
        found[composed(row["word"])] = Action(row["action"])
    return found


@dataclass(frozen=True)
class Postposition:
    """What stands behind a gerund that is split off.

    Attributes:
        instead: begins the next sentence.
        perfective: whether the main verb must be perfective.
    """

    instead: tuple[str, ...]
    perfective: bool


@cache
def postpositions() -> dict[tuple[str, ...], Postposition]:
    """Returns the postpositions of gerunds that are split off."""
    rows = read_rows(hindi_path("simplify_postpositions.tsv"), ("postposition", "instead", "tense"))
    return {
        tuple(composed(row["postposition"]).split()): Postposition(
            tuple(composed(row["instead"]).split()), row["tense"] == "perfective"
        )
        for _, row in rows
    }


@cache
def relatives() -> dict[str, tuple[str, str]]:
    """Returns what takes a relative pronoun's place, with a verb in the singular and in the plural."""
    rows = read_rows(hindi_path("simplify_relatives.tsv"), ("relative", "instead", "plural"))
    return {composed(row["relative"]): (row["instead"], row["plural"] or row["instead"]) for _, row in rows}


@dataclass(frozen=True)
class Pronoun:
    """The forms of a pronoun."""

    direct: str
    agent: str
    oblique: str
    genitive: str
    dative: str


@cache
def pronouns() -> tuple[Pronoun, ...]:
    """Returns the personal, demonstrative, relative and interrogative pronouns."""
    rows = read_rows(hindi_path("pronoun_cases.tsv"), ("direct", "agent", "oblique", "genitive", "dative"))
    return tuple(Pronoun(*row.values()) for _, row in rows)


@dataclass(frozen=True)
class SecondVerb:
    """A verb behind the first one of a group.

    Attributes:
        is_vector: whether it only colours the first one, so that its tense is the group's.
        bars_agent: whether a perfective group with it has no agent with `ne`.
    """

    is_vector: bool
    bars_agent: bool


@cache
def second_verbs() -> dict[str, SecondVerb]:
    """Returns the verbs that stand behind the first one of a group."""
    rows = read_rows(hindi_path("vector_verbs.tsv"), ("root", "kind", "agent"))
    return {composed(row["root"]): SecondVerb(row["kind"] == "vector", row["agent"] == "bare") for _, row in rows}


@cache
def kept_participles() -> frozenset[tuple[str, str]]:
    """Returns participles that are adverbs or postpositions, with the postposition before them ("": any)."""
    rows = read_rows(hindi_path("kept_participles.tsv"), ("form", "postposition"))
    return frozenset((composed(row["form"]), composed(row["postposition"])) for _, row in rows)
