"""Figures that a stopped run had already: the next one goes on behind them."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lattice_simp
from lattice_simp.support.tables import grammar_path
from lattice_simp.support.textio import open_text

_LAYOUT = "report.py"
"""What changes the page only."""


@dataclass(frozen=True)
class Memory:
    """Figures by name in a JSON file; they are forgotten when anything that they depend on has changed.

    Attributes:
        path: the file.
        key: what stands for the programs, the tables and the settings.
    """

    path: Path
    key: str

    def recall(self, name: str, make: Callable[[], Any]) -> Any:
        """Returns the figure of this name, which is made if it is not there."""
        known = self._known()
        if name not in known:
            begin = time.process_time()
            figure = make()
            known[name] = {"figure": figure, "cpu_seconds": time.process_time() - begin}
            with open_text(self.path, "w") as file:
                file.write(json.dumps({"key": self.key, "known": known}) + "\n")
        return known[name]["figure"]

    def cpu_seconds(self) -> float:
        """Returns the CPU seconds of all figures, of earlier runs too."""
        return sum(entry["cpu_seconds"] for entry in self._known().values())

    def _known(self) -> dict[str, Any]:
        if not self.path.exists():
            return {}
        content = json.loads(self.path.read_text(encoding="utf-8"))
        return dict(content["known"]) if content["key"] == self.key else {}


def program_key(config: object) -> str:
    """Hashes the settings, the tables of English, and the sources of the experiment and of the automatic skeletons."""
    package = Path(lattice_simp.__file__).parent / "skeleton" / "automatic"
    own = Path(__file__).parent
    sources = _contents(
        [
            *package.glob("*.py"),
            *(each for each in own.glob("*.py") if each.name != _LAYOUT),
            *grammar_path("english/deletable.tsv").parent.glob("*.*"),
        ]
    )
    return hashlib.sha256(json.dumps(config).encode() + b"".join(sources)).hexdigest()[:16]


def _contents(paths: Iterable[Path]) -> list[bytes]:
    return [path.read_bytes() for path in sorted(paths)]
