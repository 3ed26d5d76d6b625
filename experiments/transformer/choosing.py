"""Chooses the network's weight beside the Hiero system's cost, and lattice search's beam, on the validation set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from experiments.transformer.sets import SentenceSet
from experiments.transformer.stages import Entry, LatticeSearch, Searched
from lattice_simp import Hypothesis
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.metrics import bleu_tok
from lattice_simp.rescore.lattice_search import LATTICE, MODEL
from lattice_simp.tune.feature_lattice import nbest_lattice
from lattice_simp.tune.mert import MertOptions, minimize_error

SCORES = (LATTICE, MODEL)


def tuned_weight(lists: Sequence[Sequence[Entry]], sentences: SentenceSet) -> dict[str, float]:
    """Returns the network's weight with the highest BLEU of n-best lists; the weight of the Hiero system's cost is 1.

    Returns:
        The `weight`, and BLEU (0 to 100) on the same lists with the weight 1 (`before`) and with this one (`after`).
    """
    symbols = SymbolTable()
    lattices = []
    for entries in lists:
        features = [{LATTICE: -entry.lattice_cost, MODEL: -entry.model_cost} for entry in entries]
        words = [tuple(entry.words.split()) for entry in entries]
        hypotheses = [Hypothesis(tokens, 0.0, scores) for tokens, scores in zip(words, features, strict=True)]
        lattices.append(nbest_lattice(hypotheses, SCORES, symbols))
    references = [[symbols.encode(words)] for words in sentences.references_as_words]
    options = MertOptions(fixed=frozenset((LATTICE,)), signs={MODEL: 1})
    result = minimize_error(lattices, references, dict.fromkeys(SCORES, 1.0), options)
    return {"weight": result.weights[MODEL], "before": 100 * result.initial_score, "after": 100 * result.score}


def beam_figures(
    searches: Sequence[LatticeSearch], searched: Sequence[dict[str, Searched]], sentences: SentenceSet
) -> dict[str, dict[str, Any]]:
    """Returns the mean cost, the BLEU on tokens, and the CPU seconds per sentence of each search."""
    references = [list(sentences.references.tokens or ())]
    figures = {}
    for search in searches:
        results = [sentence[search.name] for sentence in searched]
        figures[search.name] = {
            "beam": search.beam,
            "cost": round(sum(result.cost for result in results) / len(results), 4),
            "bleu": round(bleu_tok().corpus_score([result.words for result in results], references), 4),
            "seconds": round(sum(result.seconds for result in results) / len(results), 4),
        }
    return figures
