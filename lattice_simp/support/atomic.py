"""Files and folders that appear complete or not at all, whatever ends the program that writes them."""

from __future__ import annotations

import fcntl
import functools
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

GROWING = ".*.tmp"
"""The pattern of the folders in which files grow: what a killed program leaves of them."""

_GROWING_NAME = re.compile(r"\.[0-9a-f]{16}\.tmp")


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yields the name under which to write what takes the path's place when the block ends.

    It lies in a folder beside the path. What killed programs left in such folders there is removed.

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
    _remove_abandoned(target.parent)
    with _own_folder(target.parent) as folder:
        growing = folder / (target.name or "content")
        yield growing
        os.replace(growing, target)


def is_growing(path: Path) -> bool:
    """Returns whether a file is one that a program still writes, or that a killed program left.

    >>> is_growing(Path("lattices/.0123456789abcdef.tmp/1.slf")), is_growing(Path("lattices/1.slf"))
    (True, False)
    """
    return _GROWING_NAME.fullmatch(path.parent.name) is not None


@contextmanager
def _own_folder(parent: Path) -> Iterator[Path]:
    """Makes a folder for the block and removes it afterwards; its lock says that the program lives."""
    folder = parent / f".{secrets.token_hex(8)}.tmp"
    descriptor = -1
    try:
        while not folder.exists():  # another program may take it for an abandoned one before it has its lock
            if descriptor >= 0:
                os.close(descriptor)
            descriptor = _made_and_locked(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor >= 0:
            os.close(descriptor)


def _made_and_locked(folder: Path) -> int:
    """Returns the descriptor that holds the lock; -1 if the folder is gone already."""
    try:
        folder.mkdir()
    except OSError as error:  # the caller knows another name
        raise OSError(error.errno, os.strerror(error.errno or 0), str(folder.parent)) from error
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return -1
    with suppress(OSError):  # some network file systems have no locks; nobody removes anything there
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


@functools.cache
def _remove_abandoned(parent: Path) -> None:
    """Removes the folders beside a path whose programs are dead; once for each run and place."""
    with suppress(OSError):
        for name in filter(_GROWING_NAME.fullmatch, os.listdir(parent)):
            with suppress(OSError):
                descriptor = os.open(parent / name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(parent / name, ignore_errors=True)
                finally:
                    os.close(descriptor)
