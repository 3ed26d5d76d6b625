"""Words that join or mark clauses: the lists of Sharma and Paul 2014b (appendices A and B), with additions."""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple, cast, get_args

from lattice_simp.support.tables import grammar_table

MarkerClass = Literal[
    "coordinator", "adversative", "complementiser", "conditional", "then", "adverbial", "consecutive", "connective",
    "relative", "temporal", "correlative",
]  # fmt: skip
"""The function of a marker."""


class Marker(NamedTuple):
    """A word that joins or marks clauses.

    Attributes:
        devanagari: the form.
        roman: its spellings in Latin letters, the paper's first.
        kind: its function.
        source: `A` or `B` for the papers' appendices, `text` for their text, `treebank`, or `paradigm`.
    """

    devanagari: str
    roman: tuple[str, ...]
    kind: MarkerClass
    source: str


@cache
def markers() -> tuple[Marker, ...]:
    """Reads all markers.

    >>> markers()[0].devanagari, markers()[0].roman[0], markers()[0].kind
    ('और', 'aur', 'coordinator')
    """
    rows = []
    for row in grammar_table("hindi/markers.tsv", ("devanagari", "roman", "class", "source")):
        spellings = tuple(row["roman"].split())
        if not row["devanagari"] or not spellings or row["class"] not in get_args(MarkerClass):
            remedy = f"write a form, its spellings and one class of {', '.join(get_args(MarkerClass))}"
            raise row.error(f"not a marker: {row['devanagari']!r} {row['class']!r}", remedy)
        rows.append(Marker(row["devanagari"], spellings, cast(MarkerClass, row["class"]), row["source"]))
    return tuple(rows)


@cache
def _by_form() -> dict[str, tuple[Marker, ...]]:
    by_form: dict[str, tuple[Marker, ...]] = {}
    for marker in markers():
        for form in (marker.devanagari, *marker.roman):
            by_form[form] = (*by_form.get(form, ()), marker)
    return by_form


def markers_of(form: str) -> tuple[Marker, ...]:
    """Finds the markers with a form in either script, ignoring case; forms in Latin letters may have several.

    >>> [marker.devanagari for marker in markers_of("lekin")], markers_of("किताब")
    (['लेकिन'], ())
    """
    return _by_form().get(form.lower(), ())


def is_marker(form: str, *kinds: MarkerClass) -> bool:
    """Returns whether a form, in either script, is a marker of one of these classes.

    >>> is_marker("जिसने", "relative"), is_marker("jisne", "coordinator")
    (True, False)
    """
    return any(marker.kind in kinds for marker in markers_of(form))
