"""Language-model application to word lattices, against a plain loop over KenLM's scores."""

from __future__ import annotations

from pathlib import Path

import kenlm
import numpy as np

import lattice_simp as ls
from experiments.bench.figures import Figures, figure
from experiments.bench.oracle_data import read_by_kenlm, read_without_marks
from experiments.timing import cpu_time
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.shortest_distance import best_cost

LOG_10 = float(np.log(10.0))

ALL = ("multi30k", "europarl-skel", "europarl")
FOR_LOOP = ("multi30k/1", "multi30k/4", "multi30k/2", "multi30k/8")
"""The lattices that are small enough for a Python loop, with 7,000 to 34,000 arcs."""


def measure(shared: Path) -> Figures:
    """Measures best paths of all lattices without a model, and the loop on some of them; equal costs are checked."""
    folder = shared / "data" / "oracles"
    names = {name: sorted((folder / "lattices" / name).glob("*.nolm.txt.gz")) for name in ALL}
    lattices = {path: read_without_marks(path) for paths in names.values() for path in paths}
    models = {
        "multi30k": ls.LanguageModel.read(folder / "hiero-multi30k" / "lm4.arpa.gz"),
        "europarl": ls.LanguageModel.read(folder / "hiero-europarl" / "lm4.filtered.arpa.gz"),
    }

    def model_of(path: Path) -> ls.LanguageModel:
        return models[path.parent.name.split("-")[0]]

    first = next(iter(lattices))
    ls.apply_lm(lattices[first], {"LM": (model_of(first), 1.0)}, beam=0.0)
    with cpu_time() as all_of_them:
        for path, lattice in lattices.items():
            ls.apply_lm(lattice, {"LM": (model_of(path), 1.0)}, beam=0.0)
    arcs = sum(lattice.num_arcs for lattice in lattices.values())
    chosen = [folder / "lattices" / f"{name}.nolm.txt.gz" for name in FOR_LOOP]
    with cpu_time() as ours:
        costs = [best_cost(ls.apply_lm(lattices[path], {"LM": (model_of(path), 1.0)}, beam=0.0)) for path in chosen]
    model = read_by_kenlm(folder / "hiero-multi30k" / "lm4.arpa.gz")
    with cpu_time() as loop:
        loop_costs = [_loop(lattices[path], model) for path in chosen]
    if not np.allclose(costs, loop_costs, atol=1e-3):
        raise AssertionError(f"the loop found other costs: {loop_costs}, not {costs}")
    return {
        "lm_arcs_per_s": figure(arcs / all_of_them.seconds, "lattice arcs / CPU s"),
        "lm_vs_kenlm_loop": figure(ours.seconds, "CPU s", loop.seconds),
    }


def _loop(lattice: Lattice, model: kenlm.Model) -> float:
    """Returns the best cost by dynamic programming over (lattice state, KenLM state), one score at a time."""
    start = kenlm.State()
    model.BeginSentenceWrite(start)
    cells: list[dict[kenlm.State, float]] = [{} for _ in range(lattice.num_states)]
    cells[0][start] = 0.0
    best = float("inf")
    words, labels, weights = lattice.symbols.words, lattice.olabels.tolist(), lattice.weights.tolist()
    offsets, nextstates, finals = lattice.offsets.tolist(), lattice.nextstates.tolist(), lattice.finals.tolist()
    for state in range(lattice.num_states):
        for history, cost in cells[state].items():
            if finals[state] < float("inf"):
                best = min(best, cost + finals[state] - LOG_10 * model.BaseScore(history, "</s>", kenlm.State()))
            for arc in range(offsets[state], offsets[state + 1]):
                following, score = history, 0.0
                if labels[arc]:
                    following = kenlm.State()
                    score = model.BaseScore(history, words[labels[arc]], following)
                total = cost + weights[arc] - LOG_10 * score
                cell = cells[nextstates[arc]]
                if total < cell.get(following, float("inf")):
                    cell[following] = total
    return best
