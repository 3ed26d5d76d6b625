"""Masks of tokens as bits, 32 a number, and their effect on scores."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Bools, jit
from lattice_simp.errors import LatticeSimpError

Masks: TypeAlias = npt.NDArray[np.uint32]
"""(rows, numbers) uint32; token n of a row is bit n % 32, from the lowest, of number n // 32."""

_ALL = 2**32 - 1
"""The number that allows all its tokens."""


def apply_mask(scores: Any, mask: Masks) -> None:
    """Sets the scores of the tokens that a mask forbids to minus infinity, in place.

    Scores beyond the mask, by which models pad their vocabularies, are forbidden.

    >>> scores = np.zeros((2, 5), dtype=np.float32)
    >>> apply_mask(scores, np.array([[0b101], [0b10]], dtype=np.uint32))
    >>> scores.tolist()
    [[0.0, -inf, 0.0, -inf, -inf], [-inf, 0.0, -inf, -inf, -inf]]

    Args:
        scores: (rows, vocabulary or more) logits or log-probabilities: an array of floats, or a tensor of torch on any
            device.
        mask: the result of `TokenConstraint.mask`: (rows, vocabulary / 32 rounded up) uint32.

    Raises:
        LatticeSimpError: the scores have another number of rows or fewer tokens than the mask, are not floats, or
            cannot be written to.
    """
    if not hasattr(scores, "shape"):
        raise TypeError(f"the scores must be an array or a tensor, not a {type(scores).__name__}")
    mask = np.asarray(mask)
    if mask.dtype != np.uint32 or mask.ndim != 2:
        raise LatticeSimpError(f"a mask must be a table of uint32, not {mask.dtype} of the shape {mask.shape}")
    if len(scores.shape) != 2 or scores.shape[0] != len(mask) or scores.shape[1] <= 32 * (mask.shape[1] - 1):
        raise LatticeSimpError(f"scores of the shape {tuple(scores.shape)} for a mask of the shape {mask.shape}")
    if isinstance(scores, np.ndarray):
        _apply(scores, mask)
    elif scores.device.type == "cpu" and "bfloat" not in str(scores.dtype):
        _apply(scores.detach().numpy(), mask)
    else:
        _apply_on_device(scores, mask)


def unpacked(mask: Masks) -> Bools:
    """Returns a mask as (rows, 32 * numbers) bool."""
    return np.unpackbits(mask.astype("<u4").view(np.uint8), axis=1, bitorder="little").view(np.bool_)


def _apply(scores: npt.NDArray[Any], mask: Masks) -> None:
    if scores.dtype.kind != "f" or not scores.dtype.isnative or scores.dtype.itemsize > 8:
        raise LatticeSimpError(f"scores must be floats of 2, 4 or 8 bytes, not {scores.dtype}")
    if not scores.flags.writeable:
        raise LatticeSimpError("the scores are read-only; pass a copy")
    bits = f"i{scores.dtype.itemsize}"  # numba has no floats of 2 bytes
    _forbid(np.asarray(scores).view(bits), mask, int(np.array(-np.inf, scores.dtype).view(bits)))


def _apply_on_device(scores: Any, mask: Masks) -> None:
    """Masks a tensor that numpy cannot see: on another device, or of another kind of floats."""
    import torch  # type: ignore[import-not-found,unused-ignore]

    forbidden = np.ones(scores.shape, dtype=np.bool_)
    allowed = unpacked(mask)[:, : scores.shape[1]]
    forbidden[:, : allowed.shape[1]] = ~allowed
    with torch.no_grad():
        scores.masked_fill_(torch.from_numpy(forbidden).to(scores.device), -torch.inf)


@jit
def _forbid(scores: npt.NDArray[Any], mask: Masks, lowest: int) -> None:
    """Writes the bits of minus infinity in the place of forbidden scores."""
    rows, width = scores.shape
    numbers = mask.shape[1]
    for row in range(rows):
        line = mask[row]
        for first in range(0, numbers, 4):
            last = min(first + 4, numbers)
            # Most tokens are allowed in a gap, so four numbers are skipped at once.
            if last == first + 4 and line[first] & line[first + 1] & line[first + 2] & line[first + 3] == _ALL:
                continue
            for number in range(first, last):
                bits, begin = np.int64(line[number]), 32 * number
                if bits == 0:
                    _fill(scores[row], begin, min(begin + 32, width), lowest)
                elif bits != _ALL:
                    for token in range(begin, min(begin + 32, width)):
                        if not (bits >> (token - begin)) & 1:
                            scores[row, token] = lowest
        _fill(scores[row], 32 * numbers, width, lowest)


@jit
def _fill(scores: npt.NDArray[Any], begin: int, end: int, lowest: int) -> None:
    """Writes a number; it compiles faster than an assignment to a slice."""
    for token in range(begin, end):
        scores[token] = lowest
