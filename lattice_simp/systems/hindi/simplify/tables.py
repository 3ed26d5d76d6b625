"""Word lists for simplification (`grammars/hindi/`)."""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple, cast, get_args

from lattice_simp.errors import FormatError
from lattice_simp.grammars.hindi.spelling import composed
from lattice_simp.support.tables import grammar_path, grammar_table

_WORDS = "hindi/simplify_words.tsv"


Action = Literal["drop", "keep", "join_next", "join_previous", "join_both", "join_adverbial"]
"""The treatment of a connective."""

Role = Literal[
    "be", "copula", "passive", "completive", "light", "conjunctive", "converb", "participial", "simultaneous",
    "indefinite", "concession", "condition", "ergative", "genitive", "direct_genitive", "oblique_genitive",
    "statement", "question", "closing", "complementiser", "modal", "obligation", "correlative", "demonstrative",
    "bare_relative", "any", "pair", "plain", "moving", "plural",
    "dative", "separator", "giving", "locative", "possessive", "linking", "manner", "singular_relative", "subordinator",
    "example", "superlative", "transitive", "subject_relative", "plural_relative", "locative_relative",
    "clause_relative", "circumstance", "cataphor", "unknown", "place_relative",
    "name_part", "interrogative", "thinking", "oblique_plural", "forced", "passive_agent",
    "as", "measure", "one", "progressive", "beginning", "obliging",
]  # fmt: skip
"""The function of a word, as described at the top of `simplify_words.tsv`."""


_CONNECTIVES = ("hindi/simplify_connectives.tsv", ("word", "action", "careful"))


@cache
def connectives() -> dict[str, Action]:
    """Returns the treatment of each connective."""
    rows = grammar_table(*_CONNECTIVES)
    return {composed(row["word"]): cast(Action, row.one_of("action", get_args(Action))) for row in rows}


@cache
def joining_connectives() -> frozenset[str]:
    """Returns the connectives around which clauses stay together unless every clause is split off."""
    return frozenset(composed(row["word"]) for row in grammar_table(*_CONNECTIVES) if row["careful"] == "join")


@cache
def reports() -> frozenset[tuple[str, str]]:
    """Returns the roots of verbs that report a statement, with the noun before them ("" for any)."""
    rows = grammar_table("hindi/simplify_reports.tsv", ("verb", "noun"))
    return frozenset((composed(row["verb"]), "" if row["noun"] == "-" else composed(row["noun"])) for row in rows)


class Postposition(NamedTuple):
    """The opening of the sentence after a gerund, and whether the main verb must be perfective."""

    instead: tuple[str, ...]
    perfective: bool


@cache
def postpositions() -> dict[tuple[str, ...], Postposition]:
    """Returns the postpositions of gerunds that are split off."""
    rows = grammar_table("hindi/simplify_postpositions.tsv", ("postposition", "instead", "tense"))
    return {
        tuple(composed(row["postposition"]).split()): Postposition(
            tuple(composed(row["instead"]).split()), row["tense"] == "perfective"
        )
        for row in rows
    }


@cache
def relatives() -> dict[str, tuple[str, str]]:
    """Returns the replacements of each relative pronoun, for a singular and a plural verb."""
    rows = grammar_table("hindi/simplify_relatives.tsv", ("relative", "instead", "plural"))
    return {composed(row["relative"]): (row["instead"], row["plural"] or row["instead"]) for row in rows}


class Pronoun(NamedTuple):
    """The forms of a pronoun."""

    direct: str
    agent: str
    oblique: str
    genitive: str
    dative: str


@cache
def pronouns() -> tuple[Pronoun, ...]:
    """Returns the personal, demonstrative, relative and interrogative pronouns."""
    rows = grammar_table("hindi/pronoun_cases.tsv", ("direct", "agent", "oblique", "genitive", "dative"))
    return tuple(Pronoun(*row.cells.values()) for row in rows)


@cache
def kept_participles() -> frozenset[tuple[str, str]]:
    """Returns participles used as adverbs or postpositions, with the postposition before them ("" for any)."""
    rows = grammar_table("hindi/kept_participles.tsv", ("form", "postposition"))
    return frozenset((composed(row["form"]), composed(row["postposition"])) for row in rows)


def words_of(role: Role) -> tuple[str, ...]:
    """Returns the words with a role, in the order of the table.

    >>> words_of("genitive")
    ('का', 'के', 'की')
    """
    return _roles()[role]


def word_of(role: Role) -> str:
    """Returns the first word with a role, the one to write.

    >>> word_of("ergative")
    'ने'
    """
    return _roles()[role][0]


@cache
def _roles() -> dict[Role, tuple[str, ...]]:
    words: dict[Role, tuple[str, ...]] = {}
    for row in grammar_table(_WORDS, ("role", "words")):
        role = cast(Role, row.one_of("role", get_args(Role)))
        if role in words:
            raise row.error(f"repeated role {role}", "write all its words in one row")
        if not row["words"]:
            raise row.error(f"the role {role} has no words", "write at least one")
        words[role] = tuple(composed(row["words"]).split())
    path = grammar_path(_WORDS)
    if missing := [role for role in get_args(Role) if role not in words]:
        raise FormatError(f"no words for {', '.join(missing)}", path=path, remedy="add a row for each")
    if len(words["statement"]) < 2:
        raise FormatError(
            "only one mark for statements", path=path, remedy="write one for Devanagari, then a roman one"
        )
    return words
