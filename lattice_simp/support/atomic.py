"""Files and folders that appear complete or not at all, whatever ends the program that writes them."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

GROWING = ".*.tmp"
"""The pattern of the names under which files grow: what a killed program leaves of them."""


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yields the name beside a path under which to write what takes the path's place when the block ends.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "words.txt"
    >>> with replacing(path) as growing:
    ...     _ = growing.write_text("one two")
    ...     path.exists()
    False
    >>> path.read_text()
    'one two'

    Args:
        path: of a file, or of a folder that is not there or empty.

    Raises:
        OSError: what was written cannot take the path's place.
    """
    target = Path(path)
    growing = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        yield growing
        os.replace(growing, target)
    except BaseException:
        with suppress(OSError):
            if growing.is_dir():
                shutil.rmtree(growing, ignore_errors=True)
            else:
                growing.unlink(missing_ok=True)
        raise
