"""Messages of commands on standard error, and the end of a command some of whose inputs failed."""

from __future__ import annotations

import re
import sys

import typer

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.support.exit_status import FAILED
from lattice_simp.support.plurals import counted

_QUOTED = re.compile(r"'.*'")


def say(message: object) -> None:
    """Prints a line on stderr at once."""
    print(message, file=sys.stderr, flush=True)


def end_failed(count: int, noun: str) -> None:
    """Ends the command with an error if lattices or sentences failed, and says how many.

    Raises:
        typer.Exit: one or more failed.
    """
    if count:
        say(f"lattice-simp: {counted(count, noun)} failed")
        raise typer.Exit(FAILED)


class Failures:
    """The errors of a collection, printed in one line for several lattices in a row with the same error.

    Errors in a file are the same if they differ only in their lines and in the fields that they quote.

    Attributes:
        path: the path of the collection.
        names: the lattices with the last error, until it is printed.
        error: the first of the last errors that are the same.
    """

    def __init__(self, path: str) -> None:
        self.path, self.names = path, list[str]()
        self.error: LatticeSimpError | None = None

    def add(self, name: str, error: LatticeSimpError) -> None:
        """Adds the error of a lattice, and prints the one before if it differs."""
        if self.error is None or _kind(error) != _kind(self.error):
            self.print()
        if not self.names:
            self.error = error
        self.names.append(name)

    def print(self) -> None:
        """Prints the last error unless it is printed already."""
        if self.names:
            more = f", and {len(self.names) - 1} more with the same error" if len(self.names) > 1 else ""
            say(f"lattice-simp: {self.path}: {self.names[0]}: {self.error}; skipped{more}")
        self.names.clear()

    def end(self, count: int) -> None:
        """Prints the last error.

        Raises:
            LatticeSimpError: all lattices, and more than one, have the same error, probably because of an option.
        """
        if len(self.names) == count > 1:
            raise LatticeSimpError(f"{self.path}: all {count} lattices fail: {self.error}")
        self.print()


def _kind(error: LatticeSimpError) -> object:
    """Returns what errors that count as the same have in common."""
    if isinstance(error, FormatError):
        return error.path, error.remedy, _QUOTED.sub("", error.message)
    return str(error)
