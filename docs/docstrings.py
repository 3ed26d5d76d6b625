"""What docstrings need to become pages: fenced examples, a row for each argument, links from public names."""

from __future__ import annotations

import re
from typing import Any

import griffe

from lattice_simp import api

_PUBLIC_NAME = re.compile(rf"`({'|'.join(sorted(api.__all__, key=len, reverse=True))})`")
_ENTRY = re.compile(r"^ {4}(\w+(?:, \w+)+):(.*(?:\n {8}.*)*)", re.MULTILINE)


class Docstrings(griffe.Extension):
    """Rewrites every docstring before mkdocstrings reads it."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Rewrites the docstring of an object; where it names itself, it gets no link."""
        if obj.docstring:
            obj.docstring.value = linked(fenced(separate(obj.docstring.value)), obj.name)


def separate(text: str) -> str:
    r"""Returns a docstring whose entries for several names ("a, b: numbers.") are one for each name.

    >>> separate("Args:\n    a, b: the\n        numbers.\n    c: a number.")
    'Args:\n    a: the\n        numbers.\n    b: the\n        numbers.\n    c: a number.'
    """
    return _ENTRY.sub(lambda entry: "\n".join(f"    {name}:{entry[2]}" for name in entry[1].split(", ")), text)


def fenced(text: str) -> str:
    r"""Returns a docstring whose examples, which end at an empty line as for doctest, are fenced code.

    >>> fenced("Adds.\n\n>>> 1 + 1\n2\n\nMore.")
    'Adds.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nMore.'
    """
    lines: list[str] = []
    indent: str | None = None
    for line in [*text.split("\n"), ""]:
        if indent is None and line.lstrip().startswith(">>>"):
            indent = line[: len(line) - len(line.lstrip())]
            lines += ["", f"{indent}```pycon"] if lines and lines[-1].strip() else [f"{indent}```pycon"]
        elif indent is not None and not line.strip():
            lines.append(f"{indent}```")
            indent = None
        lines.append(line)
    return "\n".join(lines[:-1])


def linked(text: str, owner: str = "") -> str:
    """Returns a docstring whose public names in backquotes are links to their descriptions.

    >>> linked("As `nbest`, and `other`.")
    'As [`nbest`][lattice_simp.nbest], and `other`.'
    """
    parts = re.split(r"(```.*?```)", text, flags=re.DOTALL)
    for number in range(0, len(parts), 2):
        parts[number] = _PUBLIC_NAME.sub(
            lambda match: match[0] if match[1] == owner else f"[{match[0]}][lattice_simp.{match[1]}]", parts[number]
        )
    return "".join(parts)
