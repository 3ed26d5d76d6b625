"""The losses of a pruned search, against the optima that the exact search certifies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from experiments.search.decoding import Record


def losses(records: Sequence[Record], exact: Sequence[Record], certain: float) -> dict[str, Any]:
    """Returns costs, times and search errors of a system.

    Args:
        records: the records of the system, one per sentence.
        exact: the records of the exact search for the same sentences.
        certain: the nats below which a gap counts as 0.

    Returns:
        `cost` of all sentences (nats) and `cpu_seconds` a sentence. Of the sentences with a proven optimum: the share
        of search errors (`errors`), the `mean_loss` and the `largest_loss` (nats), and the number of translations that
        `undercut` the optimum, which must be 0. `different`: the number of different strings, since an error may be
        another derivation of the same string. `reported_gap`: the mean of the optimality gaps that the system reports,
        and `reported_certain`: the number of those below `certain`.
    """
    optima = np.array([record["cost"] for record in exact])
    sure = np.array([record["gap"] < certain for record in exact])
    lost = np.array([record["cost"] for record in records])[sure] - optima[sure]
    gaps = [record["gap"] for record in records if record["gap"] is not None]
    return {
        "cost": round(sum(record["cost"] for record in records), 4),
        "cpu_seconds": round(float(np.mean([record["cpu_seconds"] for record in records])), 4),
        "certified": int(sure.sum()),
        "errors": round(float(np.mean(lost > certain)), 4) if len(lost) else None,
        "mean_loss": round(float(np.mean(lost)), 4) if len(lost) else None,
        "largest_loss": round(float(np.max(lost)), 4) if len(lost) else None,
        "undercut": int(np.sum(lost < -certain)),
        "different": sum(record["line"] != other["line"] for record, other in zip(records, exact, strict=True)),
        "reported_gap": round(float(np.mean(gaps)), 4) if gaps else None,
        "reported_certain": sum(gap < certain for gap in gaps),
    }
