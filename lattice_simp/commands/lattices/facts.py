"""The facts that `lattice-simp lattice info` prints about a lattice."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.count_paths import count_paths, log_count, unweighted
from lattice_simp.ops.determinize import determinize
from lattice_simp.ops.nbest import nbest

COUNTED_STATES = 10_000
"""The most states of a determinised lattice whose strings are counted."""

COUNTED_ARCS = 20_000
"""The most arcs of a lattice with several paths for a string whose strings are counted."""

BATCH_FACTS = ("kind", "states", "arcs", "words", "acyclic", "paths", "best cost", "best string")
"""The columns of the table of many lattices."""

_MAX_POWER_SHOWN = 300
"""The largest power of ten that is safely within floating point."""

ROUNDING = 1e-12
"""The relative error of sums of logarithms."""

_NOT_COUNTED = "not counted"


def facts_of(lattice: Lattice, ignored: Collection[str], strings: bool = True) -> dict[str, str]:
    """Returns the facts about a lattice, by name; counting its strings takes longer than all others."""
    lattice = lattice.without_words(ignored)
    facts = {
        "kind": "acceptor" if lattice.is_acceptor else "transducer",
        "states": str(lattice.num_states),
        "arcs": str(lattice.num_arcs),
        "final states": str(int((lattice.finals < float("inf")).sum())),
        "epsilon arcs": str(int((lattice.olabels == 0).sum())),
        "words": str(len(set(lattice.olabels.tolist()) - {0})),
        "acyclic": "yes" if lattice.is_acyclic else "no",
    }
    if lattice.features:
        facts["features"] = " ".join(lattice.features)
    if lattice.is_acyclic:
        facts["paths"] = _path_count(lattice)
        if strings:
            facts["strings"] = _string_count(lattice)
        for path in nbest(lattice, ignore=ignored):
            facts |= {"best cost": f"{path.cost:.6f}", "best string": path.text}
    return facts


def _path_count(lattice: Lattice) -> str:
    """Returns the number of paths; only its power of ten if it is beyond floating point."""
    power = log_count(lattice) / math.log(10.0)
    if power < _MAX_POWER_SHOWN:
        return f"{count_paths(lattice):.6g}"
    return f"10^{math.floor(power * (1.0 + ROUNDING))}"


def _string_count(lattice: Lattice) -> str:
    """Returns the number of distinct strings, or `_NOT_COUNTED` if counting would take long."""
    lattice = unweighted(lattice.project_output().connected())
    ways = np.unique(lattice.sources.astype(np.int64) * len(lattice.symbols) + lattice.olabels)
    if len(ways) < lattice.num_arcs or lattice.has_epsilons():  # several paths may have the same string
        if lattice.num_arcs > COUNTED_ARCS:
            return _NOT_COUNTED
        try:
            lattice = determinize(lattice, max_states=COUNTED_STATES)
        except LatticeSimpError:
            return _NOT_COUNTED
    return _path_count(lattice)
