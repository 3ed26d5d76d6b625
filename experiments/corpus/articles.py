"""OneStop's articles at three levels, and the published sentence pairs."""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from experiments.files import read_records, write_records
from lattice_simp.support.textio import read_lines

Pair = tuple[str, str]
Levels = dict[str, str]
"""The text of an article by level."""

_SEPARATOR = "*****"
_LEVEL = re.compile(r"[-_ ]*(adv|ele|int)\b.*", re.IGNORECASE)


def letters(text: str) -> str:
    """Returns a key of a sentence's text: its ASCII letters and digits, in lower case.

    >>> letters("Don’t: it’s “.com”!")
    'dontitscom'
    """
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def read_levels(path: Path) -> dict[str, Levels]:
    """Returns the texts of each article, by title."""
    articles: dict[str, Levels] = defaultdict(dict)
    for record in read_records(path):
        articles[_LEVEL.sub("", record["file"]).strip().lower()][record["level"]] = record["text"]
    return dict(articles)


def write_side(articles: Mapping[str, Levels], level: str, path: Path) -> Path:
    """Writes the texts of one level as a collection for `align_collections`."""
    sides = ({"title": title, "text": texts[level]} for title, texts in articles.items() if level in texts)
    return write_records(path, sides)


def published_pairs(path: Path) -> Iterator[Pair]:
    """Yields the published pairs of a file, in order."""
    lines: list[str] = []
    for line in read_lines(path):
        if line.startswith(_SEPARATOR):
            yield lines[0], lines[1]
            lines = []
        else:
            lines.append(line)


def part_of(title: str, development: int, test: int) -> str:
    """Returns the part of an article: `development`, `test` or `training`.

    >>> [part_of(title, 1, 2) for title in ("amazon", "food", "lions")]
    ['training', 'test', 'development']

    Args:
        title: any text, whose checksum determines the part.
        development, test: the sizes of these parts, in tenths of all articles.
    """
    tenth = zlib.crc32(title.encode()) % 10
    if tenth < test:
        return "test"
    return "development" if tenth < test + development else "training"
