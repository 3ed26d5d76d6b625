"""Several language models on one lattice, exactly, each with its own score column."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import split_tokens
from lattice_simp.lm.model import LanguageModel
from lattice_simp.lm.optimistic import optimistic_costs, order_view
from lattice_simp.ops.apply_lm import apply_lm
from lattice_simp.ops.nbest import nbest


@dataclass(frozen=True)
class WeightedModel:
    """A language model, its weight, and the name of its score column."""

    name: str
    model: LanguageModel
    weight: float


def apply_lms(
    lattice: Lattice,
    models: Sequence[WeightedModel],
    *,
    beam: float | None = None,
    word_penalty: float = 0.0,
    invisible: Collection[str] = (),
) -> Lattice:
    """Adds the costs of several models; with a beam, it bounds the sum of all costs.

    The models come one after the other. While later ones are still missing, each word carries the least cost that
    they can give it, and a real path's full cost bounds what may be dropped, so nothing within the beam is lost.

    See `apply_lm` for the arguments and errors.
    """
    if not models:
        return lattice
    first, rest = models[0], models[1:]
    if not rest or beam is None:
        for place, own in enumerate(models):
            penalty = word_penalty if place == 0 else 0.0
            lattice = apply_lm(
                lattice, own.model, own.weight, beam=beam, word_penalty=penalty, name=own.name, invisible=invisible
            )
        return lattice
    bounds = [_least_costs(lattice, own, invisible) for own in rest]
    least = np.sum([costs for costs, _ in bounds], axis=0)
    hopeful = replace(lattice, weights=lattice.weights + least[lattice.olabels])

    def with_first(own_beam: float) -> Lattice:
        return apply_lm(
            hopeful,
            first.model,
            first.weight,
            beam=own_beam,
            word_penalty=word_penalty,
            name=first.name,
            invisible=invisible,
        )

    candidate = nbest(with_first(0.0), 1)
    if not candidate:
        return apply_lms(with_first(0.0), rest, beam=beam, invisible=invisible)
    words = [word for word in split_tokens(candidate[0].words) if word not in invisible]
    hoped = sum(float(least[hopeful.symbols.find(word) or 0]) for word in words) + sum(end for _, end in bounds)
    missing = sum(-own.weight * own.model.score(words) for own in rest) - hoped
    scored = with_first(max(missing, 0.0) + beam)
    scored = replace(scored, weights=scored.weights - least[scored.olabels])
    return apply_lms(scored, rest, beam=beam, invisible=invisible)


def _least_costs(lattice: Lattice, own: WeightedModel, invisible: Collection[str]) -> tuple[Floats, float]:
    """Returns the least cost of each label over all histories, and that of `</s>`; 0 for labels that no model sees."""
    labels = np.flatnonzero(np.bincount(lattice.olabels, minlength=1))
    labels = np.array(
        [label for label in labels.tolist() if label and lattice.symbols[label] not in invisible], dtype=np.int64
    )
    restricted = own.model.restrict([lattice.symbols[label] for label in labels.tolist()])
    view = order_view(restricted, optimistic_costs(restricted), 1, own.weight)
    costs = np.zeros(len(lattice.symbols))
    costs[labels] = view.match_cost[restricted.word_ids]
    return costs, float(view.match_cost[view.end])
