"""Features of agreement: the probabilities of a path's n-grams under the mixture of systems and under each system.

The expected n-gram counts of DeNero, Kumar, Chelba and Och (2010), "Model combination for machine translation", with
the posteriors of linear BLEU (`ops/mbr.py`): with the weights of `agreement_weights` the best path has minimum Bayes
risk under the mixture of the systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lattice_simp.core.features import Features
from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON
from lattice_simp.ops.expand_history import HistoryLattice, pruned_history
from lattice_simp.ops.mbr import MbrSettings
from lattice_simp.ops.ngram_posteriors import NgramPosteriors, ngram_posteriors

POSTERIOR, WORDS, NGRAM, AGREEMENT = "Posterior", "Words", "Ngram", "Agreement"
"""The log probability of a path, its length, the posteriors of its n-grams by order, and each system's gain."""

_GAIN = MbrSettings()

MAX_ORDER = _GAIN.max_order


def agreement_weights(systems: int) -> dict[str, float]:
    """Returns the weights of minimum Bayes risk, which grow with the order of n-grams; a word costs 1.

    >>> {name: round(weight, 2) for name, weight in agreement_weights(1).items()}
    {'Posterior': 0.0, 'Words': -1.0, 'Ngram1': 0.31, 'Ngram2': 0.52, 'Ngram3': 0.87, 'Ngram4': 1.45, 'Agreement1': 0.0}
    """
    orders = {f"{NGRAM}{order}": float(gain) for order, gain in enumerate(_GAIN.ngram_gains, 1)}
    gains = {f"{AGREEMENT}{number}": 0.0 for number in range(1, systems + 1)}
    return {POSTERIOR: 0.0, WORDS: -1.0, **orders, **gains}


def with_agreement(
    lattice: Lattice, systems: Sequence[Lattice | None], shares: Sequence[float], max_arcs: int
) -> Lattice:
    """Adds the features of agreement to a lattice, splitting its states by their last words.

    Args:
        lattice: the lattice of candidates; its costs are negative log probabilities. Its features stay.
        systems: the hypotheses of each system with posteriors as costs, or None for a system without hypotheses. They
            share the symbol table of `lattice`.
        shares: the shares of systems in the mixture, which sum to 1 over those with hypotheses.
        max_arcs: the most arcs, to which the lattice is pruned.
    """
    history = pruned_history(lattice, MAX_ORDER, max_arcs)
    expanded = history.lattice
    columns = {name: expanded.features[name] for name in expanded.features}
    columns |= {POSTERIOR: 0.0 - expanded.weights, WORDS: (expanded.olabels != EPSILON).astype(np.float64)}
    by_order, gains = np.zeros((MAX_ORDER, expanded.num_arcs)), {}
    for number, (system, share) in enumerate(zip(systems, shares, strict=True), 1):
        if system is None:
            gains[f"{AGREEMENT}{number}"] = np.zeros(expanded.num_arcs)
            continue
        values = _values_on_arcs(history, ngram_posteriors(system, MAX_ORDER, ignore=()))
        by_order += share * values
        gains[f"{AGREEMENT}{number}"] = _GAIN.ngram_gains @ values
    columns |= {f"{NGRAM}{order}": row for order, row in enumerate(by_order, 1)}
    ends = {POSTERIOR: np.where(np.isfinite(expanded.finals), 0.0 - expanded.finals, 0.0)}
    return replace(
        expanded, features=Features.from_columns({**columns, **gains}, ends, expanded.num_arcs, expanded.num_states)
    )


def _values_on_arcs(history: HistoryLattice, posteriors: NgramPosteriors) -> Floats:
    """Returns a system's posteriors of the n-grams that end at each arc, (max_order, num_arcs)."""
    width = len(history.lattice.symbols)
    keys = posteriors.history.prefixes.astype(np.int64) * width + posteriors.history.words
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    same = np.zeros(len(history.words), dtype=np.int64)  # the system's number of each n-gram; 0 for none
    for row in history.grams:
        grams = np.unique(row[row > 0])
        prefixes = history.prefixes[grams]
        targets = same[prefixes] * width + history.words[grams]
        places = np.minimum(np.searchsorted(keys, targets), len(keys) - 1)
        hit = (keys[places] == targets) & ((same[prefixes] > 0) | (prefixes == 0))
        same[grams] = np.where(hit, order[places], 0)
    return posteriors.values[same][history.grams]
