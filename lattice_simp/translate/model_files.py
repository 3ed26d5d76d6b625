"""Model directories: what a decoder loads.

rules.gz         the rule table (any name that begins with `rules`), as text or as `Grammar.write` writes it
lm.arpa.gz       the language model `LM`; further ones are called lm2, lm3, ...: features `LM2`, `LM3`, ...
weights.tsv      `feature<TAB>weight` lines with a header line
settings.json    optional: fields of `DecoderSettings`
text.json        optional: how text becomes tokens; with casing.source.txt and casing.target.txt for truecasing
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lattice_simp.errors import FormatError
from lattice_simp.lm import LanguageModel
from lattice_simp.support.textio import read_lines
from lattice_simp.translate.grammar import Grammar

RULES, WEIGHTS, SETTINGS, TEXT = "rules", "weights.tsv", "settings.json", "text.json"
_LANGUAGE_MODEL = re.compile(r"lm(\d*)\.")


def read_weights(path: str | Path) -> dict[str, float]:
    """Reads `feature<TAB>weight` lines; the first line is a header.

    Raises:
        FormatError: names the line that is not such a pair.
    """
    weights: dict[str, float] = {}
    for number, line in enumerate(read_lines(path), start=1):
        if number == 1 or not line.strip():
            continue
        name, tab, text = line.partition("\t")
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not tab or not math.isfinite(value) or name in weights:
            raise FormatError(
                f"{line!r} is not a new weight", path=path, line=number, remedy="write feature<TAB>number"
            )
        weights[name] = value
    return weights


def write_weights(path: str | Path, weights: dict[str, float]) -> None:
    """Writes what `read_weights` reads."""
    lines = ["feature\tweight", *(f"{name}\t{value!r}" for name, value in weights.items())]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_settings(folder: str | Path) -> dict[str, Any]:
    """Reads a model's settings; none without a file.

    Raises:
        FormatError: the file holds no JSON object.
    """
    path = Path(folder) / SETTINGS
    if not path.exists():
        return {}
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise FormatError(f"no JSON: {error}", path=path, remedy="fix or remove the file") from None
    if not isinstance(settings, dict):
        raise FormatError("holds no JSON object", path=path, remedy='write {"name": value}')
    return settings


def update_settings(folder: str | Path, values: Mapping[str, Any]) -> None:
    """Sets some of a model's settings."""
    settings = read_settings(folder) | dict(values)
    (Path(folder) / SETTINGS).write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")


def read_model(folder: str | Path) -> tuple[Grammar, dict[str, LanguageModel], dict[str, float], dict[str, Any]]:
    """Reads a model directory: grammar, language models by feature name, weights, settings.

    Raises:
        FormatError: a file is missing or broken.
    """
    root = Path(folder)
    if not root.is_dir():
        raise FormatError("is not a directory", path=root, remedy="give the directory that holds rules, lm and weights")
    files = [path for path in sorted(root.iterdir()) if path.is_file()]
    rules = _only(root, [path for path in files if path.name.startswith(RULES)])
    models = {}
    for path in files:
        match = _LANGUAGE_MODEL.match(path.name)
        if match:
            models[f"LM{match[1]}"] = LanguageModel.read(path)
    if not models:
        raise FormatError("holds no language model", path=root, remedy="add lm.arpa or lm.arpa.gz")
    return Grammar.read(rules), models, read_weights(root / WEIGHTS), read_settings(root)


def _only(root: Path, paths: list[Path]) -> Path:
    if len(paths) != 1:
        found = ", ".join(path.name for path in paths) or "none"
        raise FormatError(f"needs one rule table, found {found}", path=root, remedy="keep one file named rules.gz")
    return paths[0]
