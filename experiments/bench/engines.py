"""The two engines on the same tasks: a lattice of some thousand arcs, operation by operation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from experiments.bench.figures import Figures, fastest, figure
from experiments.bench.gappy import TOLERANCE, task
from experiments.bench.oracle_data import MULTI30K, WEIGHTS, load
from lattice_simp import Lattice, prune
from lattice_simp.core.shortest_distance import best_cost
from lattice_simp.engines import ENGINES, Engine
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.openfst_lattice import openfst_lattice

ARCS, HYPOTHESES, PATHS = 2000, 100, 100
BEAM = 4.0
REPEATS = 3
SENTENCE = 5


def measure(shared: Path) -> Figures:
    """Measures CPU seconds of the arrays; the baseline is OpenFst, so the ratio is the speed-up of the arrays.

    The fastest of several runs counts, without compilation.
    """
    full, hypotheses = task(shared, ARCS, HYPOTHESES)
    grammar, model, sentences = load(shared, MULTI30K)
    decoder = Decoder(grammar, {"LM": model}, WEIGHTS)
    words = sentences[SENTENCE]
    rules = {
        "arrays": lambda: decoder.rules(words).lattice,
        "openfst": lambda: openfst_lattice(grammar, decoder.costs, words, decoder.settings),
    }
    unscored = prune(rules["arrays"]().project_output(), max_arcs=ARCS)
    parts = {full.symbols[int(np.bincount(full.olabels).argmax())]: Lattice.from_strings(hypotheses[:10])}

    def run(name: Engine) -> dict[str, Callable[[], Any]]:
        engine = ENGINES[name]
        sigma, rho = (engine.gappy_acceptor(hypotheses, loops=loops) for loops in ("sigma", "rho"))
        return {
            "gappy_acceptor": lambda: engine.gappy_acceptor(hypotheses),
            "compose_sigma": lambda: engine.compose_gappy(full, sigma),
            "compose_rho": lambda: engine.compose_gappy(full, rho),
            "prune": lambda: engine.prune(full, BEAM),
            "nbest": lambda: engine.nbest(full, PATHS),
            "replace": lambda: engine.replace(full, parts),
            "apply_lm": lambda: engine.apply_lm(unscored, decoder.models, beam=BEAM),
            "rules_lattice": rules[name],
        }

    figures: Figures = {}
    arrays, openfst = run("arrays"), run("openfst")
    for operation, fast in arrays.items():
        fast()
        (result, seconds), (expected, plain) = (fastest(REPEATS, call) for call in (fast, openfst[operation]))
        if operation != "gappy_acceptor" and abs(_best(result) - _best(expected)) > TOLERANCE:
            raise AssertionError(f"{operation}: the best cost is {_best(result)}, but OpenFst's {_best(expected)}")
        figures[f"engines_{operation}"] = figure(seconds, "CPU s", plain)
    return figures


def _best(result: Any) -> float:
    return best_cost(result) if isinstance(result, Lattice) else float(result[0].cost)
