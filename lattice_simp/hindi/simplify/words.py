"""Words that the simplification asks for by what they do (`grammars/hindi/simplify_words.tsv`)."""

from __future__ import annotations

from enum import StrEnum
from functools import cache

from lattice_simp.errors import FormatError
from lattice_simp.hindi.spelling import composed
from lattice_simp.hindi.tables import hindi_path, read_rows

TABLE = "simplify_words.tsv"


class Role(StrEnum):
    """What a word does; the table's head says it in words."""

    BE = "be"
    COPULA = "copula"
    PASSIVE = "passive"
    COMPLETIVE = "completive"
    LIGHT = "light"
    CONJUNCTIVE = "conjunctive"
    PARTICIPIAL = "participial"
    SIMULTANEOUS = "simultaneous"
    INDEFINITE = "indefinite"
    CONCESSION = "concession"
    CONDITION = "condition"
    ERGATIVE = "ergative"
    GENITIVE = "genitive"
    DIRECT_GENITIVE = "direct_genitive"
    OBLIQUE_GENITIVE = "oblique_genitive"
    STATEMENT = "statement"
    QUESTION = "question"
    CLOSING = "closing"


def words_of(role: Role) -> tuple[str, ...]:
    """Returns the words of a role, in the table's order.

    >>> words_of(Role.GENITIVE)
    ('का', 'के', 'की')

    Raises:
        FormatError: the table is broken.
    """
    return _roles()[role]


def word_of(role: Role) -> str:
    """Returns the first word of a role: the one to write.

    >>> word_of(Role.ERGATIVE)
    'ने'
    """
    return _roles()[role][0]


@cache
def _roles() -> dict[Role, tuple[str, ...]]:
    path = hindi_path(TABLE)
    found: dict[Role, tuple[str, ...]] = {}
    number = 1
    for number, row in read_rows(path, ("role", "words")):
        if row["role"] not in list(Role):
            remedy = f"write one of {', '.join(Role)}"
            raise FormatError(f"no role {row['role']!r}", path=path, line=number, remedy=remedy)
        role = Role(row["role"])
        if role in found:
            raise FormatError(f"the role {role} twice", path=path, line=number, remedy="write all its words in one row")
        if not row["words"]:
            raise FormatError(f"the role {role} has no words", path=path, line=number, remedy="write one at least")
        found[role] = tuple(composed(row["words"]).split())
    if missing := [role for role in Role if role not in found]:
        raise FormatError(f"nothing for {', '.join(missing)}", path=path, line=number, remedy="add a row for each")
    if len(found[Role.STATEMENT]) < 2:
        raise FormatError("one mark for statements", path=path, remedy="write one for Devanagari, then a roman one")
    return found
