"""Recognises articles without text to align: redirects, disambiguation pages, lists and stubs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from lattice_simp.support.tables import grammar_table

TABLE = "english/unusable_articles.tsv"

STUB = "stub"

_TEMPLATE = re.compile(r"\{\{\s*([^{|}]+?)\s*[|}]")


def unusable(title: str, paragraphs: Sequence[str], min_words: int) -> str | None:
    """Returns why an article, as text or raw wikitext, is dropped, or None; those with too few words are stubs.

    >>> unusable("List of rivers", ["The Rhine is a river of Europe."], 3)
    'list'
    >>> unusable("Rhine", ["The Rhine is a river of Europe."], 3) is None
    True
    """
    text = "\n".join(paragraphs)
    first = next((paragraph.strip() for paragraph in paragraphs if paragraph.strip()), "")
    looked_at = {"title": [title], "start": [text.lstrip()[:100]], "first": [first]}
    looked_at["template"] = _TEMPLATE.findall(text) if "{{" in text else []
    for reason, part, pattern in _patterns():
        matches = pattern.match if part == "start" else pattern.fullmatch
        if any(matches(value.replace("_", " ")) for value in looked_at[part]):
            return reason
    return STUB if len(text.split()) < min_words else None


@cache
def _patterns() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    rows = grammar_table(TABLE, ("reason", "part", "pattern"), full=True)
    return tuple((row["reason"], row["part"], re.compile(row["pattern"], re.IGNORECASE)) for row in rows)
