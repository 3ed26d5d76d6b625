"""Standard streams that a caller closed, or that take no more.

What cannot be written to standard output is an error. A message that cannot be written to standard error is dropped:
work that is done is not lost for it.
"""

from __future__ import annotations

import io
import os
import sys

_MODES = (os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)
"""How closed streams are opened. Reading the first and writing to the second fails, as it would if they were closed."""


class _Messages(io.FileIO):
    """Standard error that never fails."""

    def write(self, data: object) -> int:
        """Writes bytes, or drops them."""
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError:
            return len(memoryview(data))  # type: ignore[arg-type]


def mend_streams() -> None:
    """Opens the standard streams that are closed, so that no file that is opened later takes their numbers.

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
    """Finds out whether standard output is closed, before the long work whose result goes there.

    Raises:
        OSError: it is.
    """
    try:
        number = sys.stdout.fileno()
    except (AttributeError, ValueError, OSError):  # a notebook's, or a test's
        return
    os.write(number, b"")


def drop_output() -> None:
    """Drops what standard output does not take: Python would try again as it ends, and end with another status."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
