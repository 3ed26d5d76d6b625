"""Parsed models on disk: one file of arrays, mapped instead of read.

The cache file is in the folder `.lattice_simp` beside the model file, or in the user's cache folder where that cannot
be written. Its name holds a hash of the model file's content, so a changed model never meets an old cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.support.atomic import replacing

CACHE_VARIABLE = "LATTICE_SIMP_CACHE"
"""The environment variable that names a folder for all caches."""

FOLDER = ".lattice_simp"
"""The folder beside a model file that holds its cache."""

_MAGIC = b"lattice_simp arrays 1\n"
_ALIGNMENT = 64

_BROKEN = (ValueError, KeyError, TypeError, AttributeError, SyntaxError)
"""What a broken header leads to; numpy parses the names of types as Python."""

Arrays = dict[str, npt.NDArray[Any]]


def user_cache() -> Path:
    """Returns the folder that the environment names for all caches, else the user's cache folder."""
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lattice_simp")


def load_arrays(path: str | Path, kind: str) -> Arrays | None:
    """Maps the cached arrays of a model file, or returns None where there are none, or broken ones.

    Raises:
        FormatError: the model file itself cannot be read.
    """
    name = _cache_name(path, kind)
    for folder in _cache_folders(path):
        cached = folder / name
        if cached.is_file():
            with contextlib.suppress(OSError, *_BROKEN):
                return _map(cached)
    return None


def store_arrays(path: str | Path, kind: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Writes arrays to the first folder that takes them; a cache that cannot be written is not an error."""
    name = _cache_name(path, kind)
    for folder in _cache_folders(path):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _write(folder / name, arrays)
        except OSError:
            continue
        return


def is_array_file(path: str | Path) -> bool:
    """Returns whether a file holds arrays, as `write_arrays` writes them."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def read_arrays(path: str | Path) -> Arrays:
    """Maps the arrays of a file.

    Raises:
        FormatError: the file cannot be read, or is cut short.
    """
    try:
        return _map(Path(path))
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", path=path, remedy="check the path") from None
    except _BROKEN as error:
        raise FormatError(f"holds no complete arrays: {error}", path=path, remedy="write the file again") from None


def write_arrays(path: str | Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Writes arrays to a file that `read_arrays` maps, complete or not at all.

    Raises:
        LatticeSimpError: the file cannot be written.
    """
    try:
        _write(Path(path), arrays)
    except OSError as error:
        raise LatticeSimpError(f"{path}: cannot be written: {error.strerror}") from error


def pack_words(words: list[str]) -> npt.NDArray[np.uint8]:
    """Packs strings without line breaks into an array."""
    return np.frombuffer("\n".join(words).encode(), dtype=np.uint8)


def unpack_words(packed: npt.NDArray[np.uint8]) -> list[str]:
    """Unpacks what `pack_words` packed."""
    return bytes(packed).decode().split("\n") if len(packed) else []


def _cache_name(path: str | Path, kind: str) -> str:
    digest = hashlib.blake2b(digest_size=12)
    try:
        with open(path, "rb") as file:
            while block := file.read(1 << 22):
                digest.update(block)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FormatError(f"cannot be read: {reason}", path=path, remedy="check the path") from None
    return f"{Path(path).name}.{digest.hexdigest()}.{kind}"


def _cache_folders(path: str | Path) -> list[Path]:
    if os.environ.get(CACHE_VARIABLE):
        return [user_cache()]
    beside = Path(path).parent
    # A folder without a writing permission is meant to stay as it is, even for those who could write to it.
    return [beside / FOLDER, user_cache()] if beside.stat().st_mode & 0o222 else [user_cache()]


def _write(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    header: dict[str, tuple[int, list[int], str]] = {}
    position = 0
    for name, array in arrays.items():
        header[name] = (position, list(array.shape), array.dtype.str)
        position += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    top = _MAGIC + json.dumps({"arrays": header, "bytes": position}).encode() + b"\n"
    with replacing(path) as growing, open(growing, "xb") as file:
        file.write(top + b"\0" * (-len(top) % _ALIGNMENT))
        for array in arrays.values():
            file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)  # no copy
            file.write(b"\0" * (-array.nbytes % _ALIGNMENT))


def _map(path: Path) -> Arrays:
    mapped = np.memmap(path, dtype=np.uint8, mode="r")
    magic, text, _ = bytes(mapped[:8192]).split(b"\n", 2)
    if magic + b"\n" != _MAGIC:
        raise ValueError("another version")
    header = json.loads(text)
    begin = len(magic) + len(text) + 2
    begin += -begin % _ALIGNMENT
    if begin + header["bytes"] != len(mapped):
        raise ValueError("cut short")
    arrays: Arrays = {}
    for name, (position, shape, kind) in header["arrays"].items():
        size = int(np.prod(shape)) * np.dtype(kind).itemsize
        part = mapped[begin + position : begin + position + size]
        # A plain ndarray, not a memmap: kernels are compiled for one array type only.
        arrays[name] = np.asarray(part).view(np.ndarray).view(kind).reshape(shape)
    return arrays
