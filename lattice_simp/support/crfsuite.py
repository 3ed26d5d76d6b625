"""The library CRFsuite, which trains conditional random fields: found, and kept from files that would crash it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lattice_simp.errors import FormatError, MissingExtraError
from lattice_simp.support.textio import decode, read_bytes

_MAGIC = b"lCRF"


def crfsuite(what: str, extra: str) -> Any:
    """Returns the module `pycrfsuite`.

    Args:
        what: needs it, for the error's text.
        extra: of this package that brings it.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        import pycrfsuite  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingExtraError(
            f"{what} needs python-crfsuite; install it with: pip install 'lattice-simp[{extra}]'"
        ) from error
    return pycrfsuite


def open_tagger(path: Path, what: str, extra: str, remedy: str) -> Any:
    """Opens a model file as a `pycrfsuite.Tagger`; the library itself would crash on a file that is cut off.

    Raises:
        FormatError: the file is missing, or no whole model.
        MissingExtraError: the library is not installed.
    """
    tagger = crfsuite(what, extra).Tagger()
    data = read_bytes(path)
    size = int.from_bytes(data[len(_MAGIC) : len(_MAGIC) + 4], "little")
    if not data.startswith(_MAGIC) or size != len(data):
        raise FormatError("no model of crfsuite, or a damaged one", path=path, remedy=remedy)
    tagger.open(str(path))
    return tagger


def read_meta(path: Path, version: int, remedy: str) -> dict[str, Any]:
    """Reads what stands beside a model: a JSON object whose `features` says which version of them it was trained on.

    Raises:
        FormatError: the file is missing or broken, or the model knows other features than this program.
    """
    text = decode(read_bytes(path), path)
    try:
        meta = json.loads(text)
    except ValueError as error:
        raise FormatError(f"no JSON: {error}", path=path, remedy=remedy) from error
    found = meta.get("features") if isinstance(meta, dict) else None
    if found != version:
        message = f"a model with features of version {found}, where this program has version {version}"
        raise FormatError(message, path=path, remedy=remedy)
    return dict(meta)
