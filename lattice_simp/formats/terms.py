"""Reads the terms of sentences: a sentence on each line, its terms separated by tabs, the forms of a term by bars."""

from __future__ import annotations

import re
from pathlib import Path

from lattice_simp.errors import FormatError
from lattice_simp.support.textio import read_lines

Terms = list[list[str]]
"""The terms of a sentence, in order: the forms of each, as `term_acceptor` takes them."""

TERM_LINES = "give each sentence a line with its terms, an empty one if it has none"
"""The remedy where lines and sentences differ in number."""

_BAR = re.compile(r"(?<!\\)\|")


def read_terms(path: str | Path) -> list[Terms]:
    r"""Returns the terms of each sentence in a file, with the forms of each term.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "terms.tsv"
    >>> _ = path.write_text("house|houses\tNew York\n\n")
    >>> read_terms(path)
    [[['house', 'houses'], ['New York']], []]

    A line holds the terms of a sentence between tabs, and is empty for a sentence without terms. The forms of a term
    are separated by bars, and the words of a form by blanks; `\|` is a bar that belongs to a word.

    Raises:
        FormatError: a term or a form is empty, or the file is broken.
    """
    return [_terms(line, path, number) for number, line in enumerate(read_lines(path), start=1)]


def _terms(line: str, path: str | Path, number: int) -> Terms:
    terms: Terms = []
    for field in line.split("\t") if line.strip() else ():
        forms = [form.replace(r"\|", "|").strip() for form in _BAR.split(field)]
        if not all(forms):
            what = f"has an empty form: {field!r}" if len(forms) > 1 else "is empty"
            remedy = r"write one tab between terms and one | between forms, and a bar within a word as \|"
            raise FormatError(f"term {len(terms) + 1} {what}", path=path, line=number, remedy=remedy)
        terms.append(forms)
    return terms
