"""The records of sentences that workers return and journals hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from lattice_simp.errors import LatticeSimpError

Record = dict[str, Any]
"""The result of a sentence: number, line, nbest, reachable, unknown, cost and, if requested, optimality gap, losses of
its lattice file, and whether the translation holds the terms."""


def empty_record(number: int, count: int) -> Record:
    """Returns the record of an empty sentence, with one empty hypothesis (if `count`) so that lists cover all
    sentences.
    """
    return {"number": number, "line": "", "nbest": [nbest_entry((), 0.0, {})][:count], "reachable": None}


def nbest_entry(tokens: Sequence[str], cost: float, scores: Mapping[str, float]) -> dict[str, Any]:
    """Returns a hypothesis for the n-best list; a word that is the list's separator is escaped as in Moses.

    Raises:
        LatticeSimpError: a score is not finite.
    """
    features = {name: value + 0.0 for name, value in scores.items()}  # no -0
    words = " ".join(word.replace("|", "&#124;") if word == "|||" else word for word in tokens)
    if not all(map(math.isfinite, [cost, *features.values()])):
        raise LatticeSimpError(f"a hypothesis has a score that is not finite: {words!r}")
    return {"words": words, "features": features, "cost": cost}
