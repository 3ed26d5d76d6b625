"""Writes files and folders atomically: they appear complete or not at all, even if the program is killed."""

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
"""The pattern of temporary folders, which a killed program leaves behind."""

_GROWING_NAME = re.compile(r"\.[0-9a-f]{16}\.tmp")


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yields a temporary path; the file or folder written there replaces `path` when the block ends.

    The temporary path is in a folder beside `path`. Leftovers of killed programs in such folders are deleted.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "words.txt"
    >>> with replacing(path) as growing:
    ...     _ = growing.write_text("one two")
    ...     path.exists()
    False
    >>> path.read_text()
    'one two'

    Args:
        path: a file, or a folder that is missing or empty.

    Raises:
        OSError: the result cannot replace `path`.
    """
    target = Path(path)
    _remove_abandoned(target.parent)
    with _locked_folder(target.parent) as folder:
        growing = folder / (target.name or "content")
        yield growing
        os.replace(growing, target)


def is_growing(path: Path) -> bool:
    """Returns whether a file is a temporary one, in use or left by a killed program.

    >>> is_growing(Path("lattices/.0123456789abcdef.tmp/1.slf")), is_growing(Path("lattices/1.slf"))
    (True, False)
    """
    return _GROWING_NAME.fullmatch(path.parent.name) is not None


@contextmanager
def _locked_folder(parent: Path) -> Iterator[Path]:
    """Makes a folder for the block and deletes it afterwards; a lock on it shows that the program is running."""
    folder = parent / f".{secrets.token_hex(8)}.tmp"
    descriptor = -1
    try:
        while not folder.exists():  # another program may delete it as abandoned before it is locked
            if descriptor >= 0:
                os.close(descriptor)
            descriptor = _make_locked(folder)
        yield folder
    finally:
        try:
            folder.rmdir()  # it is empty after a success
        except OSError:
            shutil.rmtree(folder, ignore_errors=True)
        if descriptor >= 0:
            os.close(descriptor)


def _make_locked(folder: Path) -> int:
    """Returns the descriptor that holds the lock, or -1 if the folder is gone already."""
    try:
        folder.mkdir()
    except OSError as error:  # the error's own name is the temporary one
        raise OSError(error.errno, os.strerror(error.errno or 0), str(folder.parent)) from error
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return -1
    with suppress(OSError):  # some network file systems have no locks; nothing is deleted there
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


@functools.cache
def _remove_abandoned(parent: Path) -> None:
    """Deletes the temporary folders of dead programs, once per run and parent folder."""
    with suppress(OSError):
        for name in filter(_GROWING_NAME.fullmatch, os.listdir(parent)):
            with suppress(OSError):
                descriptor = os.open(parent / name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(parent / name, ignore_errors=True)
                finally:
                    os.close(descriptor)
