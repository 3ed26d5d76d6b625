"""The word lists and label tables of English."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from lattice_simp.support.tables import Row, grammar_path, grammar_table, read_table

DeletionCosts = Mapping[tuple[str, str, str, str], float]
"""Costs in nats by (label, word, part of speech of the head, place); see `deletion_costs`."""

COST_COLUMNS = ("label", "word", "head", "place", "cost")

OPEN = "open"
"""The kind of opening marks."""


@cache
def word_set(name: str) -> frozenset[str]:
    """Returns the words of a list: `abbreviations`, `negations`, `partitives` or `reporting_verbs`.

    >>> "never" in word_set("negations")
    True
    """
    return frozenset(next(iter(row.cells.values())) for row in grammar_table(f"english/{name}.tsv"))


def word_group(name: str) -> frozenset[str]:
    """Returns the words of a group, as described at the top of `word_groups.tsv`.

    >>> sorted(word_group("articles"))
    ['a', 'an', 'the']
    """
    return _word_groups()[name]


@cache
def _word_groups() -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = {}
    for row in grammar_table("english/word_groups.tsv", ("group", "word"), full=True):
        groups.setdefault(row["group"], set()).add(row["word"])
    return {name: frozenset(words) for name, words in groups.items()}


def begins_with_vowel(word: str) -> bool:
    """Returns whether a word is pronounced with an initial vowel; exceptions to the spelling are listed.

    >>> [begins_with_vowel(word) for word in ("apple", "hour", "university")]
    [True, True, False]
    """
    lowered = word.lower()
    odd = any(lowered.startswith(start) for start in word_set("article_exceptions"))
    return (lowered[:1] in ("a", "e", "i", "o", "u")) != odd


@cache
def marks() -> dict[str, str]:
    """Returns the kind of each punctuation mark: `stop`, `comma`, `open`, `close` or `quote`."""
    return {row["mark"]: row["kind"] for row in _marks()}


@cache
def partners() -> dict[str, str]:
    """Returns the closing mark of each opening one.

    >>> partners()["("]
    ')'
    """
    return {row["mark"]: row["partner"] for row in _marks() if row["kind"] == OPEN}


def _marks() -> list[Row]:
    return list(grammar_table("english/punctuation.tsv", ("mark", "kind", "partner"), full=True))


@cache
def deletion_costs(path: Path | None = None) -> DeletionCosts:
    """Reads the costs of deleting dependents, by default from `deletable.tsv`.

    `*` stands for anything. `word` is the dependent itself, `head` its head's part of speech, `place` is `comma` (set
    off by punctuation), `adjacent` (right after the head) or `*`.
    """
    costs = {}
    for row in read_table(path or grammar_path("english/deletable.tsv"), COST_COLUMNS, full=True):
        try:
            cost = float(row["cost"])
        except ValueError:
            cost = math.nan
        if not 0 <= cost < math.inf:
            raise row.error(f"the cost {row['cost']!r}", "write nats, a number from 0 up")
        costs[row["label"], row["word"], row["head"], row["place"]] = cost
    return costs
