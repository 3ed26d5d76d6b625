"""The folder of a training run: its settings, which must not change when it resumes, and its checkpoints."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lattice_simp.errors import FormatError, LatticeSimpError, one_line
from lattice_simp.support.atomic import replacing
from lattice_simp.support.extras import Late
from lattice_simp.support.textio import write_text

if TYPE_CHECKING:
    import torch  # type: ignore[import-not-found,unused-ignore]
    from pydantic import BaseModel
else:
    torch = Late("torch", "neural-training")


def check_same_run(settings: BaseModel, path: Path, free: Collection[str]) -> None:
    """Writes the settings of a new run; a resumed run must have the same ones, except those in `free`.

    Raises:
        LatticeSimpError: a setting differs; the message names it.
    """
    fixed = {name: value for name, value in settings.model_dump().items() if name not in free}
    if path.is_file():
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            before = {}
        changed = [name for name, value in fixed.items() if before.get(name) != value]
        if changed:
            message = f"{path.parent}: holds a run with another {changed[0]} ({before.get(changed[0])!r})"
            raise LatticeSimpError(f"{message}; choose another output, or remove it")
        return
    write_text(path, json.dumps(fixed, indent=1) + "\n")


def save(state: Any, path: Path) -> None:
    """Writes a checkpoint, complete or not at all; raises LatticeSimpError if it cannot be written."""
    try:
        with replacing(path) as growing:
            torch.save(state, growing)
    except (OSError, RuntimeError) as error:
        raise LatticeSimpError(f"{path}: cannot be written: {one_line(error)} (is the disk full?)") from error


def load(path: Path, device: torch.device) -> dict[str, Any]:
    """Reads a checkpoint; raises FormatError if it is broken."""
    try:
        state: dict[str, Any] = torch.load(path, map_location=device, weights_only=True)
    except Exception as error:  # torch raises many types for broken files
        raise FormatError(f"no checkpoint: {one_line(error)}", path=path, remedy="remove it and train again") from error
    return state
