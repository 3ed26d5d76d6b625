"""Generators of other libraries as steps of a constrained beam search."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.errors import LatticeSimpError


def log_softmax(logits: Floats) -> Floats:
    """Returns log-probabilities of logits, over the last axis.

    >>> log_softmax(np.zeros((1, 2))).round(3).tolist()
    [[-0.693, -0.693]]
    """
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def rows_of_parents(before: Longs, prefixes: Longs) -> Longs:
    """Returns the row in `before` that each prefix extends by one token, (beam,) int64.

    >>> rows_of_parents(np.array([[5], [6]]), np.array([[6, 1], [5, 2], [6, 3]])).tolist()
    [1, 0, 1]
    """
    numbers = {tuple(row): number for number, row in enumerate(before.tolist())}
    try:
        return np.array([numbers[tuple(row)] for row in prefixes[:, :-1].tolist()], dtype=np.int64)
    except KeyError as error:
        raise LatticeSimpError(
            f"the prefix {error} was not in the call before; make a new step for each search"
        ) from None
