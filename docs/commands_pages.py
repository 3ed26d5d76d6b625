"""A page for each command of the command line, out of its typer app."""

from __future__ import annotations

import re
import sys
from typing import Any

import typer
from typer.cli import get_docs_for_click

from lattice_simp.cli import COMMANDS, PROGRAM, command

_CODE_OR_BRACKET = re.compile(r"(```.*?```|`[^`\n]*`)|<", re.DOTALL)


def names() -> list[str]:
    """Returns the commands in the order of `lattice-simp --help`."""
    return list(COMMANDS)


def page(name: str) -> str:
    """Returns the text of `lattice-simp NAME --help` and of its subcommands as Markdown.

    >>> text = page("lattice")
    >>> "## `lattice-simp lattice nbest`" in text, "* `info`: Print size, kind and best path, or a table" in text
    (True, True)
    """
    title = f"{PROGRAM} {name}"
    program = typer.main.get_command(command(name))
    _keep_summaries(program)
    text = get_docs_for_click(obj=program, ctx=typer.Context(program, info_name=title), name=title)
    return escaped(text.replace(f"# `{title}`\n", f"---\ntitle: {name}\n---\n\n# `{title}`\n", 1))


def escaped(text: str) -> str:
    """Returns Markdown whose angle brackets outside code are not the beginnings of HTML tags.

    >>> print(escaped("* `--words <path>`: marks (<s>)"))
    * `--words <path>`: marks (&lt;s>)
    """
    return _CODE_OR_BRACKET.sub(lambda match: match[1] or "&lt;", text)


def _keep_summaries(program: Any) -> None:
    """Makes the list of a group's commands show their whole first sentences; typer would cut them."""
    for subcommand in getattr(program, "commands", {}).values():
        subcommand.short_help = subcommand.get_short_help_str(sys.maxsize)
        _keep_summaries(subcommand)
