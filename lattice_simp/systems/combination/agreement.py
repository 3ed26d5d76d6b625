"""Features of agreement: how probable a path's n-grams are by all systems, and by each of them.

The expected n-gram counts of DeNero, Kumar, Chelba and Och (2010), "Model combination for machine translation", with
the posteriors of linear BLEU (`ops/mbr.py`): by the weights of `agreement_weights` the best path is that of minimum
Bayes risk under the mixture of the systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lattice_simp.core.features import Features
from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON
from lattice_simp.ops.history import HistoryLattice, pruned_history
from lattice_simp.ops.mbr import MbrSettings
from lattice_simp.ops.ngram_posteriors import NgramPosteriors, ngram_posteriors

POSTERIOR, WORDS, NGRAM, AGREEMENT = "Posterior", "Words", "Ngram", "Agreement"
"""The log probability of a path, its length, the posteriors of its n-grams of each order, each system's gain."""

_GAIN = MbrSettings()

MAX_ORDER = _GAIN.max_order


def agreement_weights(systems: int) -> dict[str, float]:
    """Returns the weights of minimum Bayes risk: those of n-grams rise with their length, a word costs 1.

    >>> {name: round(weight, 2) for name, weight in agreement_weights(1).items()}
    {'Posterior': 0.0, 'Words': -1.0, 'Ngram1': 0.31, 'Ngram2': 0.52, 'Ngram3': 0.87, 'Ngram4': 1.45, 'Agreement1': 0.0}
    """
    orders = {f"{NGRAM}{order}": float(gain) for order, gain in enumerate(_GAIN.ngram_gains, 1)}
    own = {f"{AGREEMENT}{number}": 0.0 for number in range(1, systems + 1)}
    return {POSTERIOR: 0.0, WORDS: -1.0, **orders, **own}


def with_agreement(
    lattice: Lattice, systems: Sequence[Lattice | None], shares: Sequence[float], max_arcs: int
) -> Lattice:
    """Returns a lattice with the features of agreement, its states split by their last words.

    Args:
        lattice: whose paths are chosen from; its costs are negative log probabilities.
        systems: the hypotheses of each system, with posteriors as costs; None for one that has none, which agrees
            with nothing. Their words are numbered by the table of `lattice`.
        shares: of the systems in the mixture; they sum to 1 over those that are there.
        max_arcs: the lattice is pruned until it has so many.
    """
    history = pruned_history(lattice, MAX_ORDER, max_arcs)
    made = history.lattice
    columns = {POSTERIOR: 0.0 - made.weights, WORDS: (made.olabels != EPSILON).astype(np.float64)}
    by_order, gains = np.zeros((MAX_ORDER, made.num_arcs)), {}
    for number, (system, share) in enumerate(zip(systems, shares, strict=True), 1):
        if system is None:
            gains[f"{AGREEMENT}{number}"] = np.zeros(made.num_arcs)
            continue
        own = _values_on_arcs(history, ngram_posteriors(system, MAX_ORDER))
        by_order += share * own
        gains[f"{AGREEMENT}{number}"] = _GAIN.ngram_gains @ own
    columns |= {f"{NGRAM}{order}": row for order, row in enumerate(by_order, 1)}
    ends = {POSTERIOR: np.where(np.isfinite(made.finals), 0.0 - made.finals, 0.0)}
    return replace(made, features=Features.from_columns({**columns, **gains}, ends, made.num_arcs, made.num_states))


def _values_on_arcs(history: HistoryLattice, known: NgramPosteriors) -> Floats:
    """Returns the posteriors, by a system, of the n-grams that each arc ends, (max_order, num_arcs)."""
    width = len(history.lattice.symbols)
    keys = known.history.prefixes.astype(np.int64) * width + known.history.words
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    same = np.zeros(len(history.words), dtype=np.int64)  # the system's number of each n-gram; 0 for none
    for row in history.grams:
        grams = np.unique(row[row > 0])
        prefixes = history.prefixes[grams]
        wanted = same[prefixes] * width + history.words[grams]
        places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        hit = (keys[places] == wanted) & ((same[prefixes] > 0) | (prefixes == 0))
        same[grams] = np.where(hit, order[places], 0)
    return known.values[same][history.grams]
