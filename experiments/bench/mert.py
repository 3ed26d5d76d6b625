"""Lattice MERT on reference lattices: BLEU and CPU time, against n-best MERT and against envelopes in plain Python."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from experiments.bench.figures import Figures, figure, timed
from lattice_simp import Lattice, SymbolTable, nbest
from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.formats import read
from lattice_simp.scores.bleu import References
from lattice_simp.tune.envelope import hypotheses
from lattice_simp.tune.feature_lattice import nbest_lattice
from lattice_simp.tune.hulls import LINE, hulls
from lattice_simp.tune.mert import MertOptions, evaluate, minimize_error
from lattice_simp.tune.scores import lattice_under, weighted

FOLDER = "data/oracles/lmert"
SENTENCES, FEATURES = 20, 12
SEEDS = (1, 2, 3)
LIST_LENGTH = 100
SMALLEST = 6
"""The number of smallest lattices for the envelopes in plain Python."""

HIFST_SECONDS, HIFST_BLEU = 22.05, 0.333766

Line = tuple[float, float, tuple[int, ...]]


def measure(shared: Path) -> Figures:
    """Tunes from the recorded start weights with the default options, without compilation time.

    `mert_oracle_bleu` is the mean over some seeds, `mert_oracle_cpu_s` the mean seconds; their baselines are the same
    search on n-best lists of the start weights, scored on the whole lattices.
    """
    lattices, references, start = task(shared / FOLDER)
    names, symbols = tuple(start), lattices[0].symbols
    lists = [nbest_lattice(nbest(lattice_under(lattice, start), LIST_LENGTH), names, symbols) for lattice in lattices]
    minimize_error(lattices[:1], references[:1], start, MertOptions(max_rounds=1))  # compiles
    counts = [References.of(entry) for entry in references]
    ours, other = [], []
    for seed in SEEDS:
        optimum, seconds = timed(minimize_error, lattices, references, start, MertOptions(seed=seed))
        ours.append((optimum.score, seconds))
        listed, seconds = timed(minimize_error, lists, references, start, MertOptions(seed=seed))
        other.append((evaluate(lattices, counts, list(listed.weights.values())), seconds))
    (bleu, cpu), (list_bleu, list_cpu) = np.mean(ours, axis=0).tolist(), np.mean(other, axis=0).tolist()
    figures: Figures = {"mert_oracle_bleu": figure(bleu, "BLEU", list_bleu, **{"HiFST lmert": HIFST_BLEU})}
    figures["mert_oracle_bleu"]["ratio"] = bleu / list_bleu
    figures["mert_oracle_cpu_s"] = figure(cpu, "CPU s", list_cpu, **{"HiFST lmert": HIFST_SECONDS})
    figures["mert_envelopes"] = figure(*envelope_seconds(lattices, np.array(list(start.values()))))
    return figures


def task(folder: Path) -> tuple[list[Lattice], list[list[Ints]], dict[str, float]]:
    """Returns the lattices, the references and the start weights."""
    names = [str(number) for number in range(1, FEATURES + 1)]
    paths = [folder / "lats" / f"{number}.txt.gz" for number in range(1, SENTENCES + 1)]
    symbols = SymbolTable()
    lattices = [read(path, "features", symbols, feature_names=names, removed=("1", "2")) for path in paths]
    lines = (folder / "refs.txt").read_text(encoding="utf-8").splitlines()
    start = map(float, (folder / "params.initial.txt").read_text(encoding="utf-8").replace(",", " ").split())
    return lattices, [[symbols.encode(line.split())] for line in lines], dict(zip(names, start, strict=True))


def envelope_seconds(lattices: list[Lattice], weights: npt.NDArray[np.float64]) -> tuple[float, str, float]:
    """Returns the CPU seconds for the envelopes of the smallest lattices along all axes, and those of plain Python."""
    smallest = sorted(lattices, key=lambda lattice: lattice.num_arcs)[:SMALLEST]
    tasks = [(lattice, weights, direction) for lattice in smallest for direction in np.eye(FEATURES)]
    envelope(*tasks[0])
    hulls, seconds = timed(lambda: [envelope(*task) for task in tasks])
    plain, plain_seconds = timed(lambda: [plain_envelope(*task) for task in tasks])
    for (_, offsets, labels), lines in zip(hulls, plain, strict=True):
        words = [line[2] for line in lines]
        changes = sum(left != right for left, right in pairwise(words))
        if changes != len(offsets) - 2 or words[-1] != tuple(labels[offsets[-2] :].tolist()):
            raise AssertionError("the envelopes differ from those in plain Python")
    return seconds, "CPU s", plain_seconds


def envelope(
    lattice: Lattice, weights: npt.NDArray[np.float64], direction: npt.NDArray[np.float64]
) -> tuple[Floats, Longs, Ints]:
    """Returns the best hypotheses along a line of weights: their beginnings, the offsets of words, and the words."""
    lattice = lattice.topsorted()
    arrays = (lattice.features.arcs, lattice.features.finals)
    lines = [np.stack([weighted(scores, direction), weighted(scores, weights)]) for scores in arrays]
    pool, begin, end = hulls(lattice.arcs, *lines, np.inf, np.empty(1024, dtype=LINE))
    return hypotheses(lattice.arcs, pool, begin, end)


def plain_envelope(
    lattice: Lattice, weights: npt.NDArray[np.float64], direction: npt.NDArray[np.float64]
) -> list[Line]:
    """Returns (slope, intercept, words) of the hull's lines by the same recursion, one list of lines for each state."""
    slopes, intercepts = (direction @ lattice.features.arcs).tolist(), (weights @ lattice.features.arcs).tolist()
    hulls: list[list[Line]] = [[] for _ in range(lattice.num_states)]
    for state in reversed(range(lattice.num_states)):
        lines: list[Line] = []
        if np.isfinite(lattice.finals[state]):
            scores = lattice.features.finals[:, state]
            lines.append((float(scores @ direction), float(scores @ weights), ()))
        for arc in range(lattice.offsets[state], lattice.offsets[state + 1]):
            word = int(lattice.olabels[arc])
            first = (word,) if word else ()
            for slope, intercept, rest in hulls[lattice.nextstates[arc]]:
                lines.append((slope + slopes[arc], intercept + intercepts[arc], first + rest))
        hulls[state] = _upper_hull(lines)
    return hulls[0]


def _upper_hull(lines: list[Line]) -> list[Line]:
    hull: list[Line] = []
    for line in sorted(lines, key=lambda line: line[:2]):
        while hull:
            slope, intercept, _ = hull[-1]
            if slope < line[0]:
                before = hull[-2] if len(hull) > 1 else None
                crossing = (intercept - line[1]) / (line[0] - slope)
                if before is None or crossing > (before[1] - intercept) / (slope - before[0]):
                    break
            hull.pop()
        hull.append(line)
    return hull
