"""Gappy composition, against the same relation expanded for OpenFst.

The task: 1000 skeleton hypotheses (random halves of a lattice's own best strings) and a lattice of about 10,000 arcs.
OpenFst has no matcher for loops that consume any word, so the baseline expands each loop to one arc for every word of
the lattice, sorts the arcs and composes.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pynini
import pywrapfst

from experiments.bench.figures import Figures, fastest, figure, timed
from lattice_simp import GappyAcceptor, Lattice, compose_gappy, gappy_acceptor, nbest, prune, read
from lattice_simp.core.shortest_distance import best_cost
from lattice_simp.ops.gappy_acceptor import Loops

LATTICE = "data/oracles/lattices/multi30k/7.lm.total.txt.gz"
ARCS, HYPOTHESES, KEPT, SEED = 10_000, 1000, 0.5, 1
BEAM = 10.0
REPEATS = 3
TOLERANCE = 1e-3
"""The largest difference of best costs, in nats; OpenFst sums in single precision."""


def measure(shared: Path) -> Figures:
    """Measures both on the same task: the fastest of several runs each, without compilation.

    Figures without a suffix have sigma loops; `beam` has a beam of 10 nats, while OpenFst's result stays unpruned.
    """
    full, hypotheses = task(shared)
    figures: Figures = {}
    kinds: tuple[Loops, Loops] = ("sigma", "rho")
    for loops in kinds:
        skeleton = gappy_acceptor(hypotheses, loops=loops, symbols=full.symbols)
        plain, compose_only, least = min(_plain(skeleton, full) for _ in range(REPEATS))
        prefix = "gappy_vs_pynini" + ("_rho" if loops == "rho" else "")
        for name, beam in ((prefix, None), (f"{prefix}_beam", BEAM)):
            compose_gappy(full, skeleton, beam=beam)
            joint, seconds = fastest(REPEATS, partial(compose_gappy, full, skeleton, beam=beam))
            if abs(best_cost(joint) - least) > TOLERANCE:
                raise AssertionError(f"{name}: the best cost is {best_cost(joint)}, but OpenFst's {least}")
            figures[name] = figure(seconds, "CPU s", plain)
        figures[f"{prefix}_compose_only"] = figure(figures[prefix]["value"], "CPU s", compose_only)
    return figures


def task(shared: Path, arcs: int = ARCS, count: int = HYPOTHESES) -> tuple[Lattice, list[tuple[str, float]]]:
    """Returns the full lattice and the skeleton hypotheses, always the same."""
    full = prune(read(shared / LATTICE), max_arcs=arcs)
    rng = np.random.default_rng(SEED)
    best = nbest(full, count)
    hypotheses: dict[str, float] = {}
    while len(hypotheses) < count:
        path = best[rng.integers(len(best))]
        words = np.array(path.text.split()[1:-1])  # without <s> and </s>
        kept = rng.random(len(words)) < KEPT
        if kept.any():
            hypotheses.setdefault(" ".join(words[kept]), KEPT * path.cost)
    return full, list(hypotheses.items())


def _plain(skeleton: GappyAcceptor, full: Lattice) -> tuple[float, float, float]:
    """Composes with OpenFst alone; returns the time, the part without expanding loops, and the best cost."""
    fst, writing = timed(_expanded, skeleton, full)
    joint, composing = timed(lambda: pynini.compose(full.to_pynini(), fst))
    return writing + composing, composing, float(pywrapfst.shortestdistance(joint, reverse=True)[joint.start()])


def _expanded(skeleton: GappyAcceptor, full: Lattice) -> Any:
    """Returns the gappy acceptor for OpenFst, each loop expanded to all words of the full lattice, arcs sorted."""
    fst = skeleton.acceptor.to_pynini()
    words = np.unique(full.olabels).tolist()
    for state in np.flatnonzero(skeleton.has_loop).tolist():
        labels = {arc.ilabel for arc in fst.arcs(state)} if skeleton.loops == "rho" else set()
        for word in words:
            if word not in labels:
                fst.add_arc(state, pywrapfst.Arc(word, word, 0.0, state))
    return fst.arcsort()
