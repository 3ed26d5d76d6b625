"""METEOR's statistics on disk: starting the jar takes ten seconds, and the same files are scored again and again."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.evaluate.metric import References
from lattice_simp.support.array_cache import CACHE_VARIABLE
from lattice_simp.support.atomic import replacing


def cache_folder() -> Path:
    """Returns the folder: in the one for all caches if the environment names it, else in the user's cache folder.

    >>> cache_folder().name
    'meteor'
    """
    common = os.environ.get(CACHE_VARIABLE)
    if common:
        return Path(common) / "meteor"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lattice_simp" / "meteor"


def cache_key(
    files: Sequence[Path], arguments: Sequence[str], hypotheses: Sequence[str], references: References
) -> str:
    """Returns a hash of all that the statistics depend on: the jar and its data by content, options, sentences."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(_content_hash(file))
    for part in (arguments, hypotheses, *references):
        digest.update(b"\x00%d\n" % len(part))
        for line in part:
            data = line.encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()


def load(key: str, shape: tuple[int, int]) -> Floats | None:
    """Returns the statistics of a key, or None where there are none, or broken ones."""
    with contextlib.suppress(OSError, ValueError, EOFError):
        rows = np.load(cache_folder() / f"{key}.npy", allow_pickle=False)
        if rows.shape == shape and rows.dtype == np.float64:
            return rows
    return None


def store(key: str, rows: Floats) -> None:
    """Keeps statistics; a cache that cannot be written is no error."""
    folder = cache_folder()
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(folder / f"{key}.npy") as growing, growing.open("xb") as file:
            np.save(file, rows)


def _content_hash(path: Path) -> bytes:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.digest()
