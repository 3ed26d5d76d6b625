"""Which articles hold text to align: no redirects, disambiguation pages, lists and stubs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from lattice_simp.support.tables import grammar_table

TABLE = "english/unusable_articles.tsv"

STUB = "stub"

_TEMPLATE = re.compile(r"\{\{\s*([^{|}]+?)\s*[|}]")


def unusable(title: str, paragraphs: Sequence[str], min_words: int) -> str | None:
    """Returns why an article is dropped, or None.

    >>> unusable("List of rivers", ["The Rhine is a river of Europe."], 3)
    'list'
    >>> unusable("Rhine", ["The Rhine is a river of Europe."], 3) is None
    True

    Args:
        title: of the article.
        paragraphs: its text; wikitext is looked at as it is.
        min_words: an article of fewer words, between blanks, is a stub.
    """
    text = "\n".join(paragraphs)
    first = next((one.strip() for one in paragraphs if one.strip()), "")
    looked_at = {"title": [title], "start": [text.lstrip()[:100]], "first": [first]}
    looked_at["template"] = _TEMPLATE.findall(text) if "{{" in text else []
    for reason, part, pattern in _patterns():
        matches = pattern.match if part == "start" else pattern.fullmatch
        if any(matches(one.replace("_", " ")) for one in looked_at[part]):
            return reason
    return STUB if len(text.split()) < min_words else None


@cache
def _patterns() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    rows = grammar_table(TABLE, ("reason", "part", "pattern"), full=True)
    return tuple((row["reason"], row["part"], re.compile(row["pattern"], re.IGNORECASE)) for row in rows)
