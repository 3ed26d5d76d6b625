"""Trains and loads conditional random fields with CRFsuite, guarded against files that would crash it."""

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
"""The attributes of each token of a sequence (names, in UTF-8 if bytes), and the label of each token."""

_MAGIC = b"lCRF"
_SEED = 1


def train_tagger(
    path: Path,
    examples: Iterable[Example],
    parameters: Mapping[str, float],
    *,
    extra_name: str,
    algorithm: Literal["lbfgs", "ap"] = "lbfgs",
    fewest_labels: int = 2,
) -> int:
    """Trains a linear-chain CRF (Lafferty, McCallum and Pereira 2001) and writes it to a file, deterministically.

    Args:
        path: the model file, in an existing folder.
        examples: the sequences.
        parameters: the algorithm's parameters, by the library's names.
        extra_name: the extra of this package that installs the library.
        algorithm: maximum likelihood (lbfgs), or averaged perceptron (ap; Collins 2002).
        fewest_labels: the minimum number of labels.

    Returns:
        The number of examples.

    Raises:
        MissingExtraError: python-crfsuite is not installed.
        LatticeSimpError: there are no examples or too few labels, or the file cannot be written; an existing file is
            kept.
    """
    trainer = _pycrfsuite(extra_name).Trainer(algorithm=algorithm, verbose=False)
    trainer.set_params({"feature.possible_transitions": True, **parameters})
    count, distinct_labels = 0, set[str]()
    for attributes, labels in examples:
        trainer.append(attributes, list(labels))
        distinct_labels.update(labels)
        count += 1
    if not count:
        raise LatticeSimpError("no examples to train on")
    if len(distinct_labels) < fewest_labels:
        raise LatticeSimpError(
            f"{count} examples with {len(distinct_labels)} labels; training needs at least {fewest_labels} labels"
        )
    # The library shuffles examples by the C library's random numbers.
    ctypes.CDLL(None).srand(_SEED)
    with replacing(path) as growing:
        trainer.train(str(growing))
        if not _is_whole(read_bytes(growing)):  # the library ignores failed writes
            raise LatticeSimpError(f"{path}: cannot be written completely (free some space or choose another place)")
    return count


def open_tagger(path: Path, *, extra_name: str, remedy: str) -> Any:
    """Opens a model file as a `pycrfsuite.Tagger`.

    A child process reads each file first, since the library crashes on damaged ones.

    Raises:
        FormatError: the file is missing, or not a complete model.
        MissingExtraError: python-crfsuite is not installed.
    """
    tagger = _pycrfsuite(extra_name).Tagger()
    data = read_bytes(path)
    if not _is_whole(data):
        raise FormatError("not a CRFsuite model, or a damaged one", path=path, remedy=remedy)
    check = Path(__file__).with_name("crfsuite_check.py")
    check_in_child(path, check, library="CRFsuite", remedy=remedy)
    try:
        tagger.open(str(path))
    except (OSError, ValueError) as error:
        raise FormatError(f"CRFsuite cannot load it: {one_line(error)}", path=path, remedy=remedy) from None
    return tagger


def _is_whole(data: bytes) -> bool:
    """Returns whether a model has the size that its header states."""
    size = int.from_bytes(data[len(_MAGIC) : len(_MAGIC) + 4], "little")
    return data.startswith(_MAGIC) and size == len(data)


def _pycrfsuite(extra_name: str) -> Any:
    with extra(extra_name):
        import pycrfsuite  # type: ignore[import-untyped]
    return pycrfsuite


def read_meta(path: Path, version: int, remedy: str) -> dict[str, Any]:
    """Reads the JSON object beside a model; its `features` is the version of the features in training.

    Raises:
        FormatError: the file is missing or broken, or its version of the features differs from `version`.
    """
    if path.parent.is_dir() and not path.exists():
        raise FormatError(f"has no {path.name}, so it is not a trained model", path=path.parent, remedy=remedy)
    meta = parse_json(decode(read_bytes(path), path), path=path, remedy=remedy)
    model_version = meta.get("features") if isinstance(meta, dict) else None
    if model_version != version:
        message = f"the model has features of version {model_version}; this program needs version {version}"
        raise FormatError(message, path=path, remedy=remedy)
    return dict(meta)
