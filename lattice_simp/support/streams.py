"""Handles standard streams that are closed or full.

A failure to write to standard output is an error. A failure to write to standard error is ignored, so that no finished
work is lost.
"""

from __future__ import annotations

import io
import os
import sys

_MODES = (os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)
"""The modes in which closed streams are reopened: reading the first and writing to the second still fail."""


class _Messages(io.FileIO):
    """Standard error that never fails."""

    def write(self, data: object) -> int:
        """Writes bytes, or drops them."""
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError:
            return len(memoryview(data))  # type: ignore[arg-type]


def mend_streams() -> None:
    """Reopens closed standard streams, so that no file opened later gets their numbers.

    Call it once, at the start of a program.
    """
    for number, mode in enumerate(_MODES):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, mode), True)
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    messages = io.BufferedWriter(_Messages(2, "w", closefd=False))
    sys.stderr = io.TextIOWrapper(messages, encoding, "backslashreplace", line_buffering=True)


def require_output() -> None:
    """Checks that standard output is open; call it before long work whose result goes there.

    Raises:
        OSError: standard output is closed.
    """
    try:
        number = sys.stdout.fileno()
    except (AttributeError, ValueError, OSError):  # a notebook's, or a test's
        return
    os.write(number, b"")


def drop_output() -> None:
    """Drops unwritten output: Python would try to write it again at exit, and change the exit status."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
