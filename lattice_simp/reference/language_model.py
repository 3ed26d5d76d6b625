"""Language models as deterministic acceptors: one state for each history, every word's backed-off cost on its own arc.

Backoff arcs without a word would give a string the cost of its cheapest path, which may back off where the model holds
the longer n-gram; so they are expanded, at (histories x words) arcs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
import pynini

from lattice_simp.core.arguments import finite_real
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.marks import MARKS
from lattice_simp.core.symbols import EPSILON
from lattice_simp.errors import LatticeSimpError
from lattice_simp.lm.model import LanguageModel
from lattice_simp.reference.paths import prune

MAX_ARCS = 1_000_000
"""The most arcs of a model's acceptor (seconds, some hundred MB)."""

Gram = tuple[int, ...]


def apply_lm(
    lattice: Lattice,
    models: Mapping[str, tuple[LanguageModel, float]],
    *,
    beam: float | None = None,
    word_penalty: float = 0.0,
    ignore: Collection[str] = MARKS,
) -> Lattice:
    """Scores every string of a lattice with language models, and adds the costs to its paths.

    >>> from lattice_simp.reference.paths import nbest
    >>> model = LanguageModel.from_bytes(
    ...     b"\\\\data\\\\\\nngram 1=5\\n\\\\1-grams:\\n-9 <unk>\\n0 <s> 0\\n-1 a\\n-2 b\\n-0.5 </s>\\n\\\\end\\\\")
    >>> scored = apply_lm(Lattice.from_strings([("a", 2.0), ("b", 0.0)]), {"LM": (model, 0.5)})
    >>> [(path.text, round(path.cost, 3)) for path in nbest(scored, 2)]   # (2 + 0.5) * ln 10 / 2
    [('b', 2.878), ('a', 3.727)]

    The arguments are those of `ops`; the models' names are not used, since features are left out.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
        LatticeSimpError: a weight is not finite, or a model is too large over the lattice's words.
    """
    is_word = ~np.isin(lattice.olabels, [EPSILON, *(lattice.symbols.find(word) or EPSILON for word in ignore)])
    lattice = replace(lattice, weights=lattice.weights + word_penalty * is_word).connected()
    for name, (model, weight) in models.items():
        finite_real(weight, f"the weight of the language model {name}")
        acceptor = _acceptor(lattice, model, weight, ignore)
        joint = pynini.compose(lattice.to_pynini(), acceptor.to_pynini().arcsort())
        lattice = Lattice.from_pynini(joint, lattice.symbols, lattice.isymbols).connected()
    return prune(lattice, beam)


def _acceptor(lattice: Lattice, model: LanguageModel, weight: float, ignore: Collection[str]) -> Lattice:
    """Returns the acceptor of all strings over the lattice's words, each at its weighted cost."""
    symbols = lattice.symbols
    labels = [label for label in np.unique(lattice.olabels).tolist() if label != EPSILON]
    ignored_labels = [label for label in labels if symbols[label] in ignore]
    scored_labels = [label for label in labels if label not in ignored_labels]
    restricted = model.restrict([symbols[label] for label in scored_labels])
    words = dict(zip(scored_labels, restricted.vocabulary.tolist(), strict=True))
    ngrams: dict[Gram, tuple[float, float]] = {}  # the cost, and that of backing off
    gram_of: dict[int, Gram] = {restricted.root: ()}
    parents = restricted.parents.tolist()
    for node in range(restricted.root):  # shorter n-grams come first
        gram = gram_of[node] = (*gram_of[parents[node]], int(restricted.word[node]))
        ngrams[gram] = (float(restricted.cost[node]), float(restricted.backoff[node]))
    arcs: list[tuple[int, int, float, int]] = []
    finals: list[float] = []
    histories = [_history(ngrams, (restricted.start,), model.order)]
    state_of = {histories[0]: 0}
    for state, history in enumerate(histories):
        for label, word in words.items():
            following = _history(ngrams, (*history, word), model.order)
            if following not in state_of:
                state_of[following] = len(histories)
                histories.append(following)
            arcs.append((state, label, weight * _cost(ngrams, history, word), state_of[following]))
        arcs += [(state, label, 0.0, state) for label in ignored_labels]
        finals.append(weight * _cost(ngrams, history, restricted.end))
        if len(arcs) > MAX_ARCS:
            raise LatticeSimpError(
                f"{len(labels)} words after more than {state} histories are too many for the engine openfst; "
                "use the engine arrays"
            )
    sources, arc_labels, costs, targets = zip(*arcs, strict=True) if arcs else ((), (), (), ())
    return Lattice.from_arcs(sources, arc_labels, costs, targets, finals, symbols)


def _cost(ngrams: dict[Gram, tuple[float, float]], history: Gram, word: int) -> float:
    """Returns the cost of a word by the textbook's recursion."""
    if (*history, word) in ngrams:
        return ngrams[(*history, word)][0]
    return ngrams.get(history, (0.0, 0.0))[1] + _cost(ngrams, history[1:], word)


def _history(ngrams: dict[Gram, tuple[float, float]], words: Gram, order: int) -> Gram:
    """Returns the longest suffix of the last `order - 1` words that the model holds; longer ones change no cost."""
    kept = words[max(0, len(words) - order + 1) :]
    while kept and kept not in ngrams:
        kept = kept[1:]
    return kept
