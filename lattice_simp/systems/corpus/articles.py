"""Reads articles from JSON lines, a MediaWiki dump or plain text, recognised by content."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats.plain_text import sentence_lines
from lattice_simp.support.json_text import parse_json
from lattice_simp.support.textio import open_binary, read_lines, text_begin
from lattice_simp.systems.corpus.mediawiki import read_pages, require_parser

REMEDY = 'each line is {"title": "...", "text": "..."} or {"title": "...", "paragraphs": ["...", ...]}'

_BLANKS = re.compile(r"[\s_]+")


@dataclass(frozen=True)
class Article:
    """An article of a collection.

    Attributes:
        title: the title as in the file.
        paragraphs: the paragraphs of text; a page of wikitext is a single one.
        number: the number of its line or page in the file, from 1.
        is_wikitext: whether the text still has MediaWiki's markup.
        is_titled: whether the file has titles; the title of a line of plain text is its number.
    """

    title: str
    paragraphs: tuple[str, ...]
    number: int
    is_wikitext: bool = False
    is_titled: bool = True

    @property
    def key(self) -> str:
        """The title for comparison: composed characters, with spaces and underscores as single spaces."""
        return _BLANKS.sub(" ", unicodedata.normalize("NFC", self.title)).strip()


def read_articles(path: str | Path) -> Iterator[Article]:
    """Yields the articles of a file.

    In JSON lines, each line of `text` is a paragraph. In a dump, pages outside the main namespace are skipped, and the
    last revision of a page counts. Each line of plain text is an article.

    Raises:
        FormatError: the file cannot be read, is empty or of another format, or a line or page is broken.
        MissingExtraError: the file is a dump, and mwparserfromhell is not installed.
    """
    head = _head(path)
    if not head:
        raise FormatError("has no articles", path=path, remedy=REMEDY)
    if head.startswith(b"<"):
        require_parser()  # the text is extracted later, for pages with a partner
        for number, title, text in read_pages(path):
            yield Article(title, (text,), number, is_wikitext=True)
        return
    is_text = not head.startswith(b"{")
    for number, line in enumerate(sentence_lines(path) if is_text else read_lines(path), start=1):
        if line.strip() and is_text:
            yield Article(str(number), (line,), number, is_titled=False)
        elif line.strip():
            fields = parse_json(line, path=path, line=number, remedy=REMEDY)
            try:
                article = _article(fields, number)
            except LatticeSimpError as error:
                raise FormatError(str(error), path=path, line=number, remedy=REMEDY) from error
            yield article


def is_plain(path: str | Path) -> bool:
    """Returns whether a file is plain text: neither JSON lines nor a dump."""
    return not _head(path).startswith((b"{", b"<"))


def _head(path: str | Path) -> bytes:
    """Returns the beginning of a file from its first character that is not white space."""
    with open_binary(path) as file:
        return text_begin(file.read(1 << 16))


def _article(fields: Any, number: int) -> Article:
    if not isinstance(fields, dict):
        raise LatticeSimpError("is not a JSON object")
    title = fields.get("title")
    if not isinstance(title, str) or not title.strip():
        raise LatticeSimpError("has no title")
    paragraphs = fields.get("paragraphs")
    if paragraphs is None:
        if not isinstance(fields.get("text"), str):
            raise LatticeSimpError("has neither text nor paragraphs")
        paragraphs = fields["text"].split("\n")
    if not isinstance(paragraphs, list) or not all(isinstance(paragraph, str) for paragraph in paragraphs):
        raise LatticeSimpError("its paragraphs are not a list of strings")
    return Article(title, tuple(paragraphs), number)
