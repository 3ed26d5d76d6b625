"""The treebank's tag set (`grammars/hindi/categories.tsv`), and the tags of other treebanks (`ud_tags.tsv`)."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from lattice_simp.support.tables import grammar_table

COMPOUND = "C"
"""The suffix of the tags of all words of a compound but the last (`NNC`, `JJC`)."""

_COLUMNS = ("tag", "category", "part", "relation")


class TagFacts(NamedTuple):
    """The analyser's category ("" for unknown tags), the universal part of speech, the relation to a chunk's head."""

    category: str
    part: str
    relation: str


_UNKNOWN = TagFacts("", "X", "mod")


@cache
def tagset() -> dict[str, TagFacts]:
    """Returns the facts of each tag, compounds included."""
    facts = {}
    for row in grammar_table("hindi/categories.tsv", _COLUMNS, full=True):
        fact = TagFacts(row["category"], row["part"], row["relation"])
        facts[row["tag"]] = fact
        facts[row["tag"] + COMPOUND] = fact._replace(relation="pof__cn")
    return facts


def tag_facts(tag: str) -> TagFacts:
    """Returns the facts of a tag; those of `X` for tags outside the set.

    >>> tag_facts("NNPC")
    TagFacts(category='n', part='PROPN', relation='pof__cn')
    """
    return tagset().get(tag, _UNKNOWN)


def other_tag(tag: str, part: str) -> str | None:
    """Returns the treebank's tag for the tag of another treebank; None if the part of speech says as much.

    >>> other_tag("EMPH", "PART"), other_tag("IN", "ADP")
    ('RP', None)
    """
    tags = _other_tags()
    return tags.get((tag, part)) or tags.get((tag, ""))


@cache
def _other_tags() -> dict[tuple[str, str], str]:
    rows = grammar_table("hindi/ud_tags.tsv", ("tag", "part", "name"), full=True)
    return {(row["tag"], row["part"]): row["name"] for row in rows}
