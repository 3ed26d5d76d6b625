"""Reads the pages of a MediaWiki dump, and extracts the paragraphs of wikitext."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from lattice_simp.errors import FormatError
from lattice_simp.support.extras import Late
from lattice_simp.support.textio import open_binary

_parser = Late("mwparserfromhell", "corpus")

_MAIN = "0"
"""The namespace of articles."""

_HIDDEN = frozenset({"ref", "table", "gallery", "math", "timeline", "score", "syntaxhighlight", "source", "code"})
"""Tags whose content is not running text."""

_FILE_LINK = re.compile(r"\s*:?\s*(file|image|category|media)\s*:", re.IGNORECASE)
_ITEM = re.compile(r"\n(?=[*#:;])")
_MAGIC_WORD = re.compile(r"__[A-Z]+__")
_BLANK_LINES = re.compile(r"\n\s*\n")
_NOTHING = re.compile(r"[ \t]*\([\s,;:]*\)")
"""Brackets left empty by a removed template, such as the pronunciation of a name."""


def read_pages(path: str | Path) -> Iterator[tuple[int, str, str]]:
    """Yields the number, title and last wikitext of each page in the main namespace.

    Raises FormatError if the XML is broken or not a dump, or a page has no title.
    """
    remedy = "give a MediaWiki dump (…-pages-articles.xml.bz2), or JSON lines"
    number = 0
    with open_binary(path) as file:
        try:
            events = ElementTree.iterparse(file, events=("start", "end"))
            _, root = next(events)
            if _name(root) != "mediawiki":
                raise FormatError(f"is XML of the kind <{_name(root)}>", path=path, line=1, remedy=remedy)
            for event, element in events:
                if event == "start" or _name(element) != "page":
                    continue
                number += 1
                fields = {_name(child): child.text or "" for child in element.iter()}  # the last revision wins
                if not fields.get("title", "").strip():
                    raise FormatError(f"page {number} has no title", path=path, remedy=remedy)
                if fields.get("ns", _MAIN).strip() == _MAIN:
                    yield number, fields["title"], fields.get("text", "")
                root.clear()  # frees the pages read so far
        except ElementTree.ParseError as error:
            line = error.position[0]
            raise FormatError(f"is broken XML: {error}", path=path, line=line, remedy="get the file again") from error


def require_parser() -> None:
    """Raises MissingExtraError if mwparserfromhell, which reads wikitext, is not installed."""
    _ = _parser.parse


def paragraphs_of(wikitext: str) -> list[str]:
    """Returns the paragraphs of running text of a page, without headings, tables, templates, references and files.

    >>> paragraphs_of("'''Rain''' is [[water]].{{cite}}\\n\\n== See ==\\n* [[Snow|snow]]")
    ['Rain is water.', 'snow']
    """
    code = _parser.parse(_ITEM.sub("\n\n", _MAGIC_WORD.sub("", wikitext)))
    for node in code.filter(recursive=False):
        kind = type(node).__name__
        if kind == "Heading":
            code.replace(node, "\n\n")
        elif kind == "Tag" and str(node.tag).lower() == "br":
            code.replace(node, " ")
        elif (kind == "Tag" and str(node.tag).lower() in _HIDDEN) or (
            kind == "Wikilink" and _FILE_LINK.match(str(node.title))
        ):
            code.remove(node)
    text = _NOTHING.sub("", str(code.strip_code(normalize=True, collapse=False)))
    paragraphs = (" ".join(part.split()) for part in _BLANK_LINES.split(text))
    return [paragraph for paragraph in paragraphs if paragraph]


def _name(element: ElementTree.Element) -> str:
    """Returns the name of a tag without its namespace."""
    return element.tag.rpartition("}")[2]
