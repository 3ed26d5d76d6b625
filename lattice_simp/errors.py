"""The errors that lattice_simp raises: each says what is wrong, where, and what to do."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LONGEST_MESSAGE, LONGEST_QUOTE = 2000, 400
"""The most characters of an error's text, and of the fault in a file; longer texts lose their middle."""


class LatticeSimpError(ValueError):
    """The base of all errors that a caller may want to catch and report in one line."""

    def __init__(self, message: str = "") -> None:
        super().__init__(_short(message, LONGEST_MESSAGE))


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest // 2]} ... {text[-longest // 2 :]}"


class FormatError(LatticeSimpError):
    """Broken input: names the file, the line (from 1) and the remedy.

    >>> print(FormatError("a cost is not a number: 'x'", path="a.txt", line=3, remedy="write costs as decimal numbers"))
    a.txt:3: a cost is not a number: 'x' (write costs as decimal numbers)
    """

    def __init__(
        self, message: str, *, path: str | Path | None = None, line: int | None = None, remedy: str | None = None
    ) -> None:
        message = _short(message, LONGEST_QUOTE)
        self.message, self.path, self.line, self.remedy = message, path, line, remedy
        place = os.fsdecode(path) if isinstance(path, os.PathLike) else path
        where = "" if path is None else f"{place}:" if line is None else f"{place}:{line}:"
        super().__init__(f"{where} {message}".strip() + (f" ({remedy})" if remedy else ""))


class InputWarning(UserWarning):
    """Input that can be read, but is probably of another kind than expected."""


class ScoreWarning(InputWarning):
    """Scores that are not log probabilities; commands that use only their order omit the warning."""


def warn(
    message: str,
    *,
    path: str | Path | None = None,
    line: int | None = None,
    remedy: str | None = None,
    kind: type[InputWarning] = InputWarning,
) -> None:
    """Warns of input, in the words of a `FormatError`; Python shows the same words once."""
    warnings.warn(str(FormatError(message, path=path, line=line, remedy=remedy)), kind, stacklevel=2)


def one_line(error: Exception) -> str:
    """Returns the message of another library's error on one line of limited length."""
    return " ".join(str(error).split())[:200]


class CyclicLatticeError(LatticeSimpError):
    """A cycle where an acyclic lattice is needed."""


class InvalidLatticeError(LatticeSimpError):
    """Arrays that are not a lattice: NaN costs, dangling states, unknown symbols, lengths that differ."""


class EmptyLatticeError(LatticeSimpError):
    """A lattice without any path where one is needed (an empty composition, for example)."""


@contextmanager
def located(place: str) -> Iterator[None]:
    """Adds the name of a file, or of a lattice in it, to errors of the lattice that name none yet.

    >>> with located("a.plf"):
    ...     raise InvalidLatticeError("PLF cannot represent transducers")
    Traceback (most recent call last):
    ...
    lattice_simp.errors.InvalidLatticeError: a.plf: PLF cannot represent transducers
    """
    try:
        yield
    except (CyclicLatticeError, EmptyLatticeError, InvalidLatticeError) as error:
        if type(error.__cause__) is type(error):  # it names a file already
            raise
        raise type(error)(f"{place}: {error}") from error


class UnknownSymbolError(LatticeSimpError):
    """A word or a label that the symbol table does not hold."""


class SkeletonError(LatticeSimpError):
    """A skeleton without words, or whose words are not a subsequence of the words of its sentence."""


class GrammarError(LatticeSimpError):
    """A malformed rule, or a grammar that cannot be used for decoding."""


class MissingExtraError(LatticeSimpError):
    """An optional library or program is not installed; the message names the extra that installs it."""
