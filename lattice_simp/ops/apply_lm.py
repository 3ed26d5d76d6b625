"""Exact application of a language model to a lattice, within a beam.

The lattice is split by the model's state, so that every path carries the very cost that the model gives to its
string; `lm_search.py` bounds the split from the start, so that only what the beam can keep is ever built.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON
from lattice_simp.errors import LatticeSimpError
from lattice_simp.lm.binary import START
from lattice_simp.lm.model import LanguageModel
from lattice_simp.ops.lm_search import LatticeArrays, ScoredEdges, search
from lattice_simp.ops.prune import prune


def apply_lm(
    lattice: Lattice,
    model: LanguageModel,
    weight: float = 1.0,
    *,
    beam: float | None = None,
    word_penalty: float = 0.0,
    name: str = "lm",
    invisible: Collection[str] = (),
) -> Lattice:
    """Adds the model's cost of every string to the paths of a lattice.

    >>> import lattice_simp as ls
    >>> model = ls.LanguageModel.from_bytes(
    ...     b"\\\\data\\\\\\nngram 1=5\\n\\\\1-grams:\\n-9 <unk>\\n0 <s> 0\\n-1 a\\n-2 b\\n-0.5 </s>\\n\\\\end\\\\")
    >>> scored = ls.apply_lm(ls.Lattice.from_strings([("a", 2.0), ("b", 0.0)]), model, weight=0.5, beam=0.0)
    >>> [(path.words, round(path.cost, 3)) for path in ls.nbest(scored, 2)]   # (2 + 0.5) * ln 10 / 2
    [('b', 2.878)]

    Args:
        lattice: acyclic; its output labels are words, epsilons are skipped; `<s>` and `</s>` are not among them.
        model: the language model.
        weight: what the model's costs are multiplied with; not negative.
        beam: keep every path that costs at most so much more than the best one (nats); None keeps all paths.
        word_penalty: a cost for each word.
        invisible: words that the model does not see, as if they were epsilons (they get no word penalty either).
        name: the score column that receives the model's unweighted cost of each arc, in nats.

    Returns:
        A topologically sorted lattice. An arc's share of the model's cost may contain backoff weights that only the
        next word makes due; the sums over complete paths are exact.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
        LatticeSimpError: the weight is negative, or the column exists already.
    """
    if weight < 0 or not np.isfinite(weight):
        raise LatticeSimpError(f"the language model's weight is {weight}; give a finite number that is not negative")
    if beam is not None and not beam >= 0:
        raise LatticeSimpError(f"the beam is {beam}; give a number of nats from 0 up")
    if name in lattice.scores:
        raise LatticeSimpError(f"the lattice has a score column {name!r} already; give this model another name")
    lattice = lattice.connected()
    if lattice.empty:
        return replace(
            lattice,
            scores={**lattice.scores, name: np.zeros(0)},
            final_scores={**lattice.final_scores, name: np.zeros(0)},
        )
    used = np.flatnonzero(np.bincount(lattice.olabels))
    successors = _successors(lattice, invisible) if model.needs_successors else None
    restricted = model.restrict([lattice.symbols[label] for label in used.tolist()], successors)
    word_of_label = np.full(len(lattice.symbols), -1, dtype=np.int32)
    word_of_label[used] = restricted.word_ids
    word_of_label[EPSILON] = -1
    word_of_label[[label for label in map(lattice.symbols.find, invisible) if label is not None]] = -1
    words = word_of_label[lattice.olabels]
    weights = lattice.weights + word_penalty * (words >= 0)
    arrays = LatticeArrays(lattice.offsets, words, weights, lattice.nextstates, lattice.finals)
    # Without a weight nothing of the model's cost counts, but its column is wanted all the same: split, then prune.
    search_weight = weight or 1.0
    edges = search(arrays, restricted, search_weight, beam if weight else None)
    scored = _assemble(lattice, arrays, edges, edges.scaled(1.0 / search_weight), weight, name)
    return scored if weight or beam is None else prune(scored, beam)


def _successors(lattice: Lattice, invisible: Collection[str]) -> dict[str, list[str]]:
    """Returns the words that can stand behind each word of a lattice, and behind `<s>`, through unseen arcs too."""
    unseen = {EPSILON, *(lattice.symbols.find(word) for word in invisible)}
    behind: list[set[int]] = [set() for _ in range(lattice.num_states)]  # words that a state offers next
    for state in range(lattice.num_states - 1, -1, -1):
        for arc in range(int(lattice.offsets[state]), int(lattice.offsets[state + 1])):
            label = int(lattice.olabels[arc])
            behind[state] |= behind[lattice.nextstates[arc]] if label in unseen else {label}
    following: dict[int, set[int]] = {}
    for label, target in set(zip(lattice.olabels.tolist(), lattice.nextstates.tolist(), strict=True)):
        following.setdefault(label, set()).update(behind[target])
    names = lattice.symbols
    named = {names[label]: [names[after] for after in words] for label, words in following.items()}
    return {**named, START: [names[label] for label in behind[0]]}


def _assemble(
    lattice: Lattice, arrays: LatticeArrays, edges: ScoredEdges, costs: tuple[Floats, Floats], weight: float, name: str
) -> Lattice:
    """Builds the split lattice, its score columns included; `costs` are the model's own, unweighted."""
    arcs, states = edges.arcs, edges.states
    is_end = np.isfinite(edges.end_model_cost) & np.isfinite(lattice.finals[states])
    column, final_column = costs[0], np.where(is_end, costs[1], 0.0)
    offsets = np.zeros(len(states) + 1, dtype=np.int32)
    np.cumsum(np.bincount(edges.sources, minlength=len(states)), out=offsets[1:])
    olabels = lattice.olabels[arcs]
    return replace(
        lattice,
        offsets=offsets,
        olabels=olabels,
        ilabels=olabels if lattice.ilabels is lattice.olabels else lattice.ilabels[arcs],
        weights=arrays.weights[arcs] + weight * column,
        nextstates=edges.targets,
        finals=np.where(is_end, lattice.finals[states] + weight * final_column, np.inf),
        scores={**{k: v[arcs] for k, v in lattice.scores.items()}, name: column},
        final_scores={
            **{k: np.where(is_end, v[states], 0.0) for k, v in lattice.final_scores.items()},
            name: final_column,
        },
    ).connected()
