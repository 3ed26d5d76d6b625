"""The parsed form of a language model on disk: one file of arrays, mapped instead of read.

The cache file's name holds a hash of the model file's content, so a changed model never meets an old cache.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import lzma
import os
import tempfile
import zlib
from pathlib import Path

import numpy as np
import zstandard

from lattice_simp.errors import FormatError
from lattice_simp.language_model.trie import NgramTrie

_MAGIC = b"lattice_simp trie 1\n"
_ALIGNMENT = 64
_FIELDS = ("levels", "word", "cost", "backoff", "children", "suffix")
_DECOMPRESSORS = {
    b"\x1f\x8b": gzip.decompress,
    b"\xfd7zXZ\x00": lzma.decompress,
    b"\x28\xb5\x2f\xfd": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
}


def read_bytes(path: str | Path) -> bytes:
    """Reads a whole file, decompressed.

    Raises:
        FormatError: the file is missing or broken.
    """
    data = _read_raw(path)
    for magic, decompress in _DECOMPRESSORS.items():
        if data.startswith(magic):
            try:
                return decompress(data)
            except (OSError, EOFError, lzma.LZMAError, zstandard.ZstdError, zlib.error) as error:
                raise FormatError(f"broken compression: {error}", path=path, remedy="copy the file again") from None
    return data


def _read_raw(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise FormatError(f"cannot be read: {reason}", path=path, remedy="check the path") from None


def load_trie(path: str | Path) -> NgramTrie | None:
    """Maps the cached arrays of a model file, or gives None where there are none (or broken ones)."""
    name = _cache_name(path)
    for folder in _cache_folders(path):
        cached = folder / name
        if cached.is_file():
            with contextlib.suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
                return _map(cached)
    return None


def store_trie(path: str | Path, trie: NgramTrie) -> None:
    """Writes the arrays to the first folder that takes them; a cache that cannot be written is no error."""
    name = _cache_name(path)
    for folder in _cache_folders(path):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _write(folder / name, trie)
        except OSError:
            continue
        return


def _cache_name(path: str | Path) -> str:
    digest = hashlib.blake2b(_read_raw(path), digest_size=12).hexdigest()
    return f"{Path(path).name}.{digest}.trie"


def _cache_folders(path: str | Path) -> tuple[Path, Path]:
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(path).parent, user / "lattice_simp"


def _write(path: Path, trie: NgramTrie) -> None:
    words = "\n".join(trie.words).encode()
    arrays = {name: np.ascontiguousarray(getattr(trie, name)) for name in _FIELDS}
    arrays["words"] = np.frombuffer(words, dtype=np.uint8)
    header: dict[str, tuple[int, int, str]] = {}
    position = 0
    for name, array in arrays.items():
        header[name] = (position, len(array), array.dtype.str)
        position += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file:
        try:
            top = _MAGIC + json.dumps({"arrays": header, "bytes": position}).encode() + b"\n"
            file.write(top + b"\0" * (-len(top) % _ALIGNMENT))
            for array in arrays.values():
                file.write(array.tobytes() + b"\0" * (-array.nbytes % _ALIGNMENT))
            file.flush()
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


def _map(path: Path) -> NgramTrie:
    mapped = np.memmap(path, dtype=np.uint8, mode="r")
    top = bytes(mapped[:4096]).split(b"\n", 2)
    if top[0] + b"\n" != _MAGIC:
        raise ValueError("another version")
    header = json.loads(top[1])
    begin = len(top[0]) + len(top[1]) + 2
    begin += -begin % _ALIGNMENT
    if begin + header["bytes"] != len(mapped):
        raise ValueError("cut short")
    arrays = {}
    for name, (position, length, kind) in header["arrays"].items():
        size = length * np.dtype(kind).itemsize
        # A plain ndarray, not a memmap: kernels are compiled for one array type only.
        arrays[name] = np.asarray(mapped[begin + position : begin + position + size]).view(np.ndarray).view(kind)
    words = bytes(arrays.pop("words")).decode().split("\n")
    return NgramTrie(words=words, **arrays)
