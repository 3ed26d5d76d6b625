"""Files for libraries that crash on damaged ones: a process of its own reads each such file first."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
from pathlib import Path

from lattice_simp.errors import FormatError
from lattice_simp.support.array_cache import user_cache

SECONDS = 60.0
"""What a check may take, besides the time for reading the file. A damaged file may lead into an endless loop."""

BYTES_PER_SECOND = 20 << 20
"""How slowly a file may be read: a network drive on a bad day."""

REFUSED = 3
"""What a script exits with if the library itself refuses the file; it prints the reason."""

FOLDER = "checked"
"""The folder in the user's cache that holds an empty file for each file that passed."""


def check_in_child(path: str | Path, script: Path, *, library: str, remedy: str) -> None:
    """Runs a script that reads a file, unless the same file has passed before.

    The file is known by its place, size, and the times of its last changes: a change of its content changes these.

    Args:
        path: of the file.
        script: a Python file that needs nothing of this package; it gets the path as its argument.
        library: what crashes, for the message.
        remedy: for the message.

    Raises:
        FormatError: the library refuses the file, crashes on it, or does not come to an end.
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
    reason = _reason(script, path, facts.st_size, library)
    if reason is not None:
        raise FormatError(reason, path=path, remedy=remedy)
    with contextlib.suppress(OSError):
        passed.parent.mkdir(parents=True, exist_ok=True)
        passed.touch()


def _reason(script: Path, path: str | Path, size: int, library: str) -> str | None:
    """Returns why a file cannot be used, or None."""
    command = [sys.executable, "-P", str(script), os.fspath(path)]
    seconds = SECONDS + size / BYTES_PER_SECOND
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return f"the file is damaged: {library} does not come to an end with it"
    if done.returncode < 0:
        return f"the file is damaged: {library} crashes on it"
    said = " ".join(done.stdout.decode("utf-8", "replace").split())[:200]
    if done.returncode == REFUSED:
        return f"{library} cannot load it: {said}"
    if done.returncode:
        raise RuntimeError(f"{script.name}: {done.stderr.decode('utf-8', 'replace')[-1000:]}")
    return None
