"""What training runs share: settings that must not change on resumption, checkpoints, and the learning rate."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping
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

CHECKPOINT = "checkpoint.pt"


def check_same_run(settings: BaseModel, path: Path, free: Collection[str]) -> None:
    """Writes the settings of a new run; raises LatticeSimpError for a resumed one with others, except in `free`."""
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


def resume(
    path: Path,
    device: torch.device,
    weights: Mapping[str, torch.Tensor],
    optimiser: torch.optim.Optimizer,
    restore: Callable[[dict[str, Any]], None],
) -> bool:
    """Takes over the weights and the optimiser of a checkpoint, and by `restore` the rest; returns whether it exists.

    Raises FormatError if the checkpoint is broken or of another model.
    """
    if not path.is_file():
        return False
    state = load(path, device)
    try:
        with torch.no_grad():
            for name, weight in weights.items():
                weight.copy_(state["weights"][name])
        optimiser.load_state_dict(state["optimiser"])
        restore(state)
    except (KeyError, RuntimeError, ValueError) as error:
        reason = one_line(error)
        raise FormatError(f"is of another model: {reason}", path=path, remedy="choose another output") from None
    return True


def cosine_rate(peak: float, warmup: int, update: int, updates: int) -> float:
    """Returns the learning rate of an update, from 1: a linear rise to the peak, then half a cosine down to zero.

    >>> [round(cosine_rate(2.0, 10, update, 100), 3) for update in (5, 10, 55, 100)]
    [1.0, 2.0, 1.0, 0.0]
    """
    if update <= warmup:
        return peak * update / warmup
    return peak * 0.5 * (1 + math.cos(math.pi * min(1.0, (update - warmup) / max(1, updates - warmup))))
