"""The one place that says how numeric kernels are compiled, and the array types they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.int8]
Records = npt.NDArray[Any]
"""A structured array; as a growing pool, faster than arrays side by side."""


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiles a kernel to machine code on its first call and keeps the code on disk for the next process.

    No fastmath: infinity marks what is unreachable, and every run must give the same bytes. Kernels let other threads
    run, so sentences can be worked on side by side without copies of their arrays.
    """
    return numba.njit(cache=True, boundscheck=False, fastmath=False, nogil=True)(function)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiles a helper of kernels into its callers."""
    return numba.njit(inline="always", nogil=True)(function)
