"""Guards libraries that crash on damaged files: a child process reads each such file first."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from lattice_simp.errors import FormatError
from lattice_simp.support.array_cache import user_cache

SECONDS = 60.0
"""The time limit of a check, in addition to reading the file. A damaged file may cause an endless loop."""

BYTES_PER_SECOND = 20 << 20
"""The lowest reading speed to allow for: a slow network drive."""

REFUSED = 3
"""The exit status of a script whose library refuses the file; the script prints the reason."""

FOLDER = "checked"
"""The folder in the user's cache with an empty file for each file that passed."""


def check_in_child(path: str | Path, script: Path, *, library: str, remedy: str) -> None:
    """Runs a script that reads a file, unless the same file has passed before.

    A file is recognised by its path, its size and its modification times.

    Args:
        path: the file.
        script: a Python file that imports nothing from this package; its argument is the path.
        library: the library that may crash, for the message.
        remedy: the remedy, for the message.

    Raises:
        FormatError: the library refuses the file, crashes on it, or does not finish.
    """
    try:
        facts = os.stat(path)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", path=path, remedy="check the path") from None
    identity = (os.path.realpath(path), facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)
    described = repr((identity, script.name, script.stat().st_mtime_ns))
    passed = user_cache() / FOLDER / hashlib.blake2b(described.encode(), digest_size=16).hexdigest()
    if passed.exists() or not sys.executable:  # a program that embeds Python has no interpreter to start
        return
    reason, _ = _run(script, [os.fspath(path)], b"", facts.st_size, library)
    if reason is not None:
        raise FormatError(reason, path=path, remedy=remedy)
    with contextlib.suppress(OSError):
        passed.parent.mkdir(parents=True, exist_ok=True)
        passed.touch()


def convert_in_child(
    data: bytes, script: Path, arguments: Sequence[str], *, path: str | Path | None, library: str, remedy: str
) -> bytes:
    """Converts bytes with a script, from its standard input to its standard output; see `check_in_child`.

    `path` is the file that the bytes come from, for the message.

    Raises:
        FormatError: the library refuses the data, crashes on them, or does not finish.
    """
    reason, result = _run(script, arguments, data, len(data), library)
    if reason is not None:
        raise FormatError(reason, path=path, remedy=remedy)
    return result


def _run(script: Path, arguments: Sequence[str], data: bytes, size: int, library: str) -> tuple[str | None, bytes]:
    """Returns why a script refuses its input (None if it does not), and its output."""
    command = [sys.executable, "-P", str(script), *arguments]
    seconds = SECONDS + size / BYTES_PER_SECOND
    try:
        process = subprocess.run(command, input=data, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return f"the file is damaged: {library} does not finish reading it", b""
    if process.returncode < 0:
        return f"the file is damaged: {library} crashes on it", b""
    if process.returncode == REFUSED:
        reason = " ".join(process.stdout.decode("utf-8", "replace").split())[:200]
        return f"{library} cannot load it: {reason}", b""
    if process.returncode:
        raise RuntimeError(f"{script.name}: {process.stderr.decode('utf-8', 'replace')[-1000:]}")
    return None, process.stdout
