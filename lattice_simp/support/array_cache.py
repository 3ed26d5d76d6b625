"""Caches parsed models on disk: each is one file of arrays, memory-mapped instead of read.

Cache files are in the user's cache folder. The environment variable `LATTICE_SIMP_CACHE` names another folder for all
of them, or says `beside` for a folder `.lattice_simp` beside each model file. The name of a cache file includes a hash
of the model file's content, so a changed model never uses an old cache; a checksum detects damage.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import time
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.support.atomic import replacing

CACHE_VARIABLE = "LATTICE_SIMP_CACHE"
"""The environment variable that names a folder for all caches, or is BESIDE."""

BESIDE, FOLDER = "beside", ".lattice_simp"
"""The variable's value for caches beside the model files, and the name of the folder there."""

UNUSED_DAYS = 90
"""Cache files unused for this long are deleted when another one is written to their folder."""

_SUFFIX = ".arrays"
"""The suffix of cache files."""

_MAGIC = b"lattice_simp arrays 1\n"
_ALIGNMENT = 64

_NUMBERS = "biuf"
"""The kinds of dtypes that arrays may have: booleans, integers and floats."""

_BROKEN = (ValueError, KeyError, TypeError, AttributeError, SyntaxError, RecursionError, OverflowError, MemoryError)
"""The errors of a broken header; numpy parses the names of dtypes as Python."""

Arrays = dict[str, npt.NDArray[Any]]


def user_cache() -> Path:
    """Returns the cache folder that the environment names, or the user's cache folder."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen and chosen != BESIDE:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "lattice_simp"


def load_arrays(path: str | Path, kind: str) -> Arrays | None:
    """Maps the cached arrays of a model file, or returns None if they are missing or damaged.

    Raises:
        FormatError: the model file cannot be read.
    """
    cached = _cache_file(path, kind)
    with contextlib.suppress(OSError, *_BROKEN):
        arrays = _map(cached)
        with contextlib.suppress(OSError):
            os.utime(cached)  # in use: see UNUSED_DAYS
        return arrays
    return None


def store_arrays(path: str | Path, kind: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Caches the arrays of a model file; failures to write are ignored."""
    cached = _cache_file(path, kind)
    with contextlib.suppress(OSError):
        cached.parent.mkdir(parents=True, exist_ok=True)
        _write(cached, arrays)
        _remove_unused(cached.parent)


def is_array_file(path: str | Path) -> bool:
    """Returns whether a file was written by `write_arrays`."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def read_arrays(path: str | Path) -> Arrays:
    """Maps the arrays of a file and verifies its checksum.

    Raises:
        FormatError: the file cannot be read, is cut short, or is damaged.
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
    """Unpacks the strings of `pack_words`.

    Raises:
        ValueError: the array does not hold text.
    """
    if packed.ndim != 1 or packed.dtype != np.uint8:
        raise ValueError("not packed text")
    return bytes(packed).decode().split("\n") if len(packed) else []


def _cache_file(path: str | Path, kind: str) -> Path:
    digest = hashlib.blake2b(digest_size=12)
    try:
        with open(path, "rb") as file:
            while block := file.read(1 << 22):
                digest.update(block)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FormatError(f"cannot be read: {reason}", path=path, remedy="check the path") from None
    folder = Path(path).parent / FOLDER if os.environ.get(CACHE_VARIABLE) == BESIDE else user_cache()
    return folder / f"{Path(path).name}.{digest.hexdigest()}.{kind}{_SUFFIX}"


def _remove_unused(folder: Path) -> None:
    oldest = time.time() - UNUSED_DAYS * 86400
    for cached in folder.glob(f"*{_SUFFIX}"):
        with contextlib.suppress(OSError):
            if cached.stat().st_mtime < oldest:
                cached.unlink()


def _write(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    header: dict[str, tuple[int, list[int], str]] = {}
    position = checksum = 0
    for name, array in arrays.items():
        if array.dtype.kind not in _NUMBERS:
            raise TypeError(f"{name} has the dtype {array.dtype}; files of arrays hold numbers")
        header[name] = (position, list(array.shape), array.dtype.str)
        position += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
        for part in _parts(array):
            checksum = zlib.crc32(part, checksum)
    described = {"arrays": header, "bytes": position, "checksum": checksum, "described": _checksum(header)}
    top = _MAGIC + json.dumps(described).encode() + b"\n"
    with replacing(path) as growing, open(growing, "xb") as file:
        file.write(top + b"\0" * (-len(top) % _ALIGNMENT))
        for array in arrays.values():
            for part in _parts(array):
                file.write(part)


def _parts(array: npt.NDArray[Any]) -> tuple[memoryview, bytes]:
    """Returns the bytes of an array, without a copy, and the padding up to the alignment."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data, b"\0" * (-array.nbytes % _ALIGNMENT)


def _checksum(header: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(header).encode())


def _map(path: Path) -> Arrays:
    """Maps arrays; a gigabyte takes about a second, for the checksum."""
    with open(path, "rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ValueError("another version")
        header = json.loads(file.readline())
        begin = file.tell()
        mapped = np.memmap(file, dtype=np.uint8, mode="r")
    begin += -begin % _ALIGNMENT
    if begin + header["bytes"] != len(mapped):
        raise ValueError("cut short")
    if zlib.crc32(mapped[begin:].data) != header["checksum"]:
        raise ValueError("the checksum differs")
    described = _checksum(header["arrays"])
    if header.get("described", described) != described:  # older files have no checksum of their description
        raise ValueError("the checksum of the description differs")
    arrays: Arrays = {}
    for name, (position, shape, kind) in header["arrays"].items():
        dtype, size = np.dtype(kind), math.prod(shape)
        if dtype.kind not in _NUMBERS or not all(
            isinstance(length, int) and length >= 0 for length in (position, *shape)
        ):
            raise ValueError(f"a broken description of {name}")
        part = mapped[begin + position : begin + position + size * dtype.itemsize]
        # A plain ndarray, not a memmap: kernels are compiled for one array type only.
        arrays[name] = np.asarray(part).view(np.ndarray).view(dtype).reshape(shape)
    return arrays
