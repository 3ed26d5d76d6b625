"""The table of lattice formats: which parts of a lattice survive writing and reading.

`python docs/formats_table.py` writes it into docs/formats.md.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

import lattice_simp as ls
from lattice_simp.formats import FORMATS, parse

_COSTS = {"a b": 0.5, "a c d": 1 / 3}
_PLAIN = ls.Lattice.from_strings(list(_COSTS.items()))
_SCORED = _PLAIN.with_feature("x", np.arange(1.0, _PLAIN.num_arcs + 1))
_FREE = ls.Lattice.from_strings([(text, 0.0) for text in _COSTS]).with_feature("x", np.ones(_PLAIN.num_arcs))
_NETWORK = ls.Lattice.from_strings([("a", 0.5), ("b", 1 / 3)])
_ALL = (_PLAIN, _SCORED, _FREE, _NETWORK)
_TRANSDUCER = replace(_PLAIN, ilabels=_PLAIN.olabels[::-1].copy())

PAGE = Path(__file__).with_name("formats.md")
MARKED = re.compile(r"(?<=<!-- table: formats -->\n).*?(?=\n<!-- table end -->)", re.DOTALL)

Probe = Callable[[str], object]


def table() -> str:
    """Returns a row for each entry of `FORMATS`, as Markdown; surviving parts are determined by trying."""
    kept: dict[str, Probe] = {
        "costs": lambda name: _loss(name) < 2e-4,
        "precision": lambda name: _loss(name) < 1e-12,
        "features": lambda name: any("x" in _again(lattice, name).features.names for lattice in _holdable(name)),
        "words of both sides": lambda name: _inputs(_again(_TRANSDUCER, name)) == _inputs(_TRANSDUCER),
    }
    rows = [["name", "endings", "read", "written", "does not keep"], ["---"] * 5]
    for name, entry in FORMATS.items():
        endings = " ".join(f"`{ending}`" for ending in entry.suffixes) or "none: chosen by name"
        uses = [any(_holds(partial(use, lattice), name) for lattice in _ALL) for use in (_can_hold, _written)]
        losses = [loss for loss, probe in kept.items() if not _holds(probe, name)]
        if "costs" in losses:
            losses.remove("precision")
        rows.append([f"`{name}`", endings, *("yes" if use else "no" for use in uses), ", ".join(losses)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _holds(probe: Probe, name: str) -> bool:
    try:
        return bool(probe(name))
    except ls.LatticeSimpError:  # the format cannot be written or read, or cannot hold this
        return False


def _holdable(name: str) -> list[ls.Lattice]:
    """Returns the lattices with features that the format can hold: some hold no costs beside them."""
    return [lattice for lattice in (_SCORED, _FREE) if _holds(partial(_can_hold, lattice), name)]


def _written(lattice: ls.Lattice, name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lattice"
        ls.write(lattice, path, name, **_options(name, folder))
        return path.read_bytes()


def _options(name: str, folder: str) -> dict[str, Path]:
    """Returns the options of a format: binary lattices of Kaldi's need the numbers of words."""
    table = Path(folder) / "words.txt"
    table.write_text("<eps> 0\na 1\nb 2\nc 3\nd 4\n", encoding="utf-8")
    return {"symbols_path": table} if name == "kaldi-binary" else {}


def _again(lattice: ls.Lattice, name: str) -> ls.Lattice:
    """Writes a lattice and reads it."""
    with tempfile.TemporaryDirectory() as folder:
        return parse(_written(lattice, name), "lattice", name, **_options(name, folder))


def _can_hold(lattice: ls.Lattice, name: str) -> bool:
    return not _again(lattice, name).empty


def _loss(name: str) -> float:
    """Returns the largest difference of a path's cost before and after, in a confusion network if need be."""
    lattice = _PLAIN if _holds(partial(_can_hold, _PLAIN), name) else _NETWORK
    costs = {path.text: path.cost for path in ls.nbest(lattice, len(_COSTS))}
    return max(abs(path.cost - costs[path.text]) for path in ls.nbest(_again(lattice, name), len(_COSTS)))


def _inputs(lattice: ls.Lattice) -> list[list[str]]:
    side = lattice.project_input()
    return [path.tokens for path in ls.nbest(side, len(_COSTS), unique=False)]


if __name__ == "__main__":
    PAGE.write_text(MARKED.sub(lambda _: table(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
