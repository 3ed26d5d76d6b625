"""A page for each command of the command line, out of its typer app."""

from __future__ import annotations

import typer
from typer.cli import get_docs_for_click

from lattice_simp.cli import COMMANDS, PROGRAM, command


def names() -> list[str]:
    """Returns the commands in the order of `lattice-simp --help`."""
    return list(COMMANDS)


def page(name: str) -> str:
    """Returns the text of `lattice-simp NAME --help` and of its subcommands as Markdown.

    >>> "## `lattice-simp lattice nbest`" in page("lattice")
    True
    """
    title = f"{PROGRAM} {name}"
    program = typer.main.get_command(command(name))
    text = get_docs_for_click(obj=program, ctx=typer.Context(program, info_name=title), name=title)
    return text.replace(f"# `{title}`\n", f"---\ntitle: {name}\n---\n\n# `{title}`\n", 1)
