"""CRFsuite, which trains conditional random fields and finds the best labels, kept from files that would crash it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from lattice_simp.errors import FormatError, LatticeSimpError, one_line
from lattice_simp.support.atomic import replacing
from lattice_simp.support.extras import extra
from lattice_simp.support.guarded import check_in_child
from lattice_simp.support.json_text import parse_json
from lattice_simp.support.textio import decode, read_bytes

Example = tuple[Sequence[Sequence[str] | Sequence[bytes]], Sequence[str]]
"""For each token of a sequence its attributes (names, in UTF-8 if bytes), and its label."""

_MAGIC = b"lCRF"
_SEED = 1


def train_tagger(
    path: Path,
    examples: Iterable[Example],
    parameters: Mapping[str, float],
    *,
    library: str,
    algorithm: Literal["lbfgs", "ap"] = "lbfgs",
    fewest_labels: int = 2,
) -> int:
    """Trains a linear chain (Lafferty, McCallum and Pereira 2001) and writes it into a file, the same each time.

    Args:
        path: of the file; its folder is there.
        examples: the sequences.
        parameters: of the algorithm, in the library's names.
        library: the extra of this package that brings it.
        algorithm: maximum likelihood (lbfgs), or averaged perceptron (ap; Collins 2002).
        fewest_labels: how many labels must occur.

    Returns:
        The number of examples.

    Raises:
        MissingExtraError: python-crfsuite is not installed.
        LatticeSimpError: no examples, or too few labels in them; or the file cannot be written, and is as it was.
    """
    trainer = _pycrfsuite(library).Trainer(algorithm=algorithm, verbose=False)
    trainer.set_params({"feature.possible_transitions": True, **parameters})
    count, seen = 0, set[str]()
    for attributes, labels in examples:
        trainer.append(attributes, list(labels))
        seen.update(labels)
        count += 1
    if not count:
        raise LatticeSimpError("no examples to train on")
    if len(seen) < fewest_labels:
        raise LatticeSimpError(f"{count} examples to train on, with {len(seen)} different labels: there is no choice")
    # The library shuffles examples by the C library's random numbers.
    ctypes.CDLL(None).srand(_SEED)
    with replacing(path) as growing:
        trainer.train(str(growing))
        if not _is_whole(read_bytes(growing)):  # the library does not look whether its bytes were written
            raise LatticeSimpError(f"{path}: cannot be written whole (free some space or choose another place)")
    return count


def open_tagger(path: Path, *, library: str, remedy: str) -> Any:
    """Opens a model file as a `pycrfsuite.Tagger`.

    A child process reads each file first, as the library crashes on damaged ones.

    Raises:
        FormatError: the file is missing, or not a whole model.
        MissingExtraError: python-crfsuite is not installed.
    """
    tagger = _pycrfsuite(library).Tagger()
    data = read_bytes(path)
    if not _is_whole(data):
        raise FormatError("no model of crfsuite, or a damaged one", path=path, remedy=remedy)
    check = Path(__file__).with_name("crfsuite_check.py")
    check_in_child(path, check, library="CRFsuite", remedy=remedy)
    try:
        tagger.open(str(path))
    except (OSError, ValueError) as error:
        raise FormatError(f"CRFsuite cannot load it: {one_line(error)}", path=path, remedy=remedy) from None
    return tagger


def _is_whole(data: bytes) -> bool:
    """Returns whether a model has as many bytes as it says."""
    size = int.from_bytes(data[len(_MAGIC) : len(_MAGIC) + 4], "little")
    return data.startswith(_MAGIC) and size == len(data)


def _pycrfsuite(library: str) -> Any:
    with extra(library):
        import pycrfsuite  # type: ignore[import-untyped]
    return pycrfsuite


def read_meta(path: Path, version: int, remedy: str) -> dict[str, Any]:
    """Reads what is beside a model: a JSON object whose `features` says which version of them it was trained on.

    Raises:
        FormatError: the file is missing or broken, or the model knows other features than this program.
    """
    meta = parse_json(decode(read_bytes(path), path), path=path, remedy=remedy)
    found = meta.get("features") if isinstance(meta, dict) else None
    if found != version:
        message = f"a model with features of version {found}, where this program has version {version}"
        raise FormatError(message, path=path, remedy=remedy)
    return dict(meta)
