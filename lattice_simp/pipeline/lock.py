"""One training run at a time in one folder."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lattice_simp.errors import LatticeSimpError


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds a folder's lock; it goes away with the process, however that ends.

    Raises:
        LatticeSimpError: another process holds it.
        OSError: the folder cannot be written to.
    """
    with open(folder / ".lock", "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = f"{folder}: another training run is at work there; wait, or name another folder"
            raise LatticeSimpError(message) from None
        yield
