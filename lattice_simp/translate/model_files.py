"""Model directories, which a decoder loads.

rules.gz         the rule table (any name that begins with `rules`), as text or as `Grammar.write` writes it
lm.arpa.gz       the language model `LM`; further ones are called lm2, lm3, ...: features `LM2`, `LM3`, ...
weights.tsv      `feature<TAB>weight` lines, with or without a header line
settings.json    optional: fields of `DecoderSettings`
text.json        optional: how text becomes tokens; with casing.source.txt and casing.target.txt for truecasing
training.json    the stages of the training run that wrote the files; empty until all of them are written
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats.common import beyond, finite, shown
from lattice_simp.lm import LanguageModel
from lattice_simp.support.json_text import parse_json
from lattice_simp.support.textio import decode, open_text, read_bytes, read_lines, require_path, write_text
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.result import DECODER_FEATURES
from lattice_simp.translate.settings import DecoderSettings
from lattice_simp.translate.skeleton_scores import PREFIX
from lattice_simp.translate.source import INPUT_FEATURE

RULES, WEIGHTS, SETTINGS = "rules", "weights.tsv", "settings.json"
MADE_OF = "training.json"
"""The file that names the stages of training that a model was made from."""

HEADER = ("feature", "weight")
"""The first line of a file of weights."""

_LANGUAGE_MODEL = re.compile(r"lm(\d*)\.")


def read_weights(path: str | Path) -> dict[str, float]:
    """Reads `feature<TAB>weight` lines; the first line may be the header `feature<TAB>weight`.

    Raises:
        FormatError: names the line that is not such a pair.
    """
    weights: dict[str, float] = {}
    for number, line in enumerate(read_lines(path), start=1):
        name, tab, text = line.partition("\t")
        if not line.strip(" \t") or (number == 1 and split_tokens(line) == list(HEADER)):
            continue
        value = finite(text.strip(" \t"))
        if not tab or value is None:
            remedy = "write feature<TAB>number, a finite one"
            message = f"{shown(line)} is not a weight{beyond(text.strip())}"
            raise FormatError(message, path=path, line=number, remedy=remedy)
        if name in weights:
            raise FormatError(
                f"a second weight for {name[:60]}", path=path, line=number, remedy="remove one of the two"
            )
        weights[name] = value
    return weights


def write_weights(path: str | Path, weights: dict[str, float]) -> None:
    """Writes weights for `read_weights`; compressed by the name's ending, `-` is standard output."""
    lines = ["\t".join(HEADER), *(f"{name}\t{value!r}" for name, value in weights.items())]
    with open_text(path, "w") as file:
        file.writelines(f"{line}\n" for line in lines)


def read_settings(folder: str | Path) -> dict[str, Any]:
    """Reads a model's settings; none without a file.

    Raises:
        FormatError: the file is not a JSON object.
    """
    path = Path(folder) / SETTINGS
    if not path.exists():
        return {}
    settings = parse_json(decode(read_bytes(path), path), path=path, remedy="fix or remove the file")
    if not isinstance(settings, dict):
        raise FormatError("is not a JSON object", path=path, remedy='write {"name": value}')
    return settings


def update_settings(folder: str | Path, values: Mapping[str, Any]) -> None:
    """Sets some of a model's settings.

    Raises:
        FormatError: as `read_settings`.
        LatticeSimpError: the file cannot be written; it is as it was.
    """
    settings = read_settings(folder) | dict(values)
    write_text(Path(folder) / SETTINGS, json.dumps(settings, indent=1) + "\n")


def decoder_settings(folder: str | Path) -> DecoderSettings:
    """Returns a model's settings, checked; the defaults without a file.

    Raises:
        FormatError: names the file and the field that is unknown, of another type or out of range.
    """
    values = read_settings(folder)
    try:
        return DecoderSettings.from_mapping(values)
    except LatticeSimpError as error:
        raise FormatError(str(error), path=Path(folder) / SETTINGS) from None


def require_folder(folder: str | Path) -> Path:
    """Returns the path of a model directory; raises FormatError if it is not a directory."""
    root = Path(require_path(folder))
    if not root.is_dir():
        fault = "is not a directory" if root.exists() else "does not exist"
        raise FormatError(fault, path=root, remedy="give the directory that holds rules, lm and weights")
    return root


def read_model(folder: str | Path) -> tuple[Grammar, dict[str, LanguageModel], dict[str, float], DecoderSettings]:
    """Reads a model directory: grammar, language models by feature name, weights, settings.

    Raises:
        FormatError: a file is missing or broken, a weight or a setting is unknown, or training was interrupted while
            it wrote the files.
    """
    root = require_folder(folder)
    if _is_incomplete(root / MADE_OF):
        raise FormatError("is incomplete: its training was interrupted", path=root, remedy="run the training again")
    files = [path for path in sorted(root.iterdir()) if path.is_file()]
    rules = _only(root, [path for path in files if path.name.startswith(RULES)])
    settings, weights = decoder_settings(root), read_weights(root / WEIGHTS)  # small files first
    models = {}
    for path in files:
        match = _LANGUAGE_MODEL.match(path.name)
        if match:
            models[f"LM{match[1]}"] = LanguageModel.read(path)
    if not models:
        raise FormatError("holds no language model", path=root, remedy="add lm.arpa or lm.arpa.gz")
    grammar = Grammar.read(rules)
    _check_features(weights, (*grammar.feature_names, *models, *DECODER_FEATURES), root / WEIGHTS)
    return grammar, models, weights, settings


def _is_incomplete(made_of: Path) -> bool:
    return made_of.is_file() and not parse_json(decode(read_bytes(made_of), made_of), path=made_of)


def _check_features(weights: Mapping[str, float], features: Sequence[str], path: Path) -> None:
    open_ended = (f"{INPUT_FEATURE}:", PREFIX)  # scores of input lattices, of skeletons' lists from elsewhere
    unknown = [name for name in weights if name not in features and not name.startswith(open_ended)]
    if unknown:
        what = "a feature" if len(unknown) == 1 else "features"
        message = f"{', '.join(unknown)}: not {what} of this model"
        raise FormatError(message, path=path, remedy=f"known are {', '.join(features)}")


def _only(root: Path, paths: list[Path]) -> Path:
    if len(paths) != 1:
        names = ", ".join(path.name for path in paths) or "none"
        remedy = f"did you mean {root / 'model'}?" if (root / "model").is_dir() else "keep one file named rules.gz"
        raise FormatError(f"needs one rule table, found {names}", path=root, remedy=remedy)
    return paths[0]
