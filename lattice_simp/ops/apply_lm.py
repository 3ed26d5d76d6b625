"""Exact application of language models to a lattice, within a beam.

The lattice is split by each model's state, so that every path carries exactly the cost that the model gives to its
string; `lm_search.py` bounds the split from the start, so that only what the beam can keep is ever built.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from lattice_simp.core.arguments import beam_of, finite_real
from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.marks import MARKS
from lattice_simp.core.symbols import EPSILON, as_tokens
from lattice_simp.errors import LatticeSimpError
from lattice_simp.lm.automaton import START
from lattice_simp.lm.model import LanguageModel
from lattice_simp.lm.relax import relax
from lattice_simp.ops.lm_product import NO_WORD
from lattice_simp.ops.lm_search import search
from lattice_simp.ops.nbest import nbest
from lattice_simp.ops.prune import prune

Models: TypeAlias = Mapping[str, tuple[LanguageModel, float]]
"""Language models with their weights, by the names of their features."""


def apply_lm(
    lattice: Lattice,
    models: Models,
    *,
    beam: float | None = None,
    word_penalty: float = 0.0,
    ignore: Collection[str] = MARKS,
) -> Lattice:
    """Scores every string of a lattice with language models, and adds the costs to its paths.

    >>> import lattice_simp as ls
    >>> model = ls.LanguageModel.from_bytes(
    ...     b"\\\\data\\\\\\nngram 1=5\\n\\\\1-grams:\\n-9 <unk>\\n0 <s> 0\\n-1 a\\n-2 b\\n-0.5 </s>\\n\\\\end\\\\")
    >>> scored = ls.apply_lm(ls.Lattice.from_strings([("a", 2.0), ("b", 0.0)]), {"LM": (model, 0.5)}, beam=0.0)
    >>> [(path.text, round(path.cost, 3)) for path in ls.nbest(scored, 2)]   # (2 + 0.5) * ln 10 / 2
    [('b', 2.878)]

    To replace old scores, subtract them from the costs first: `apply_lm(lattice.without_feature("lm"), {"lm": (model,
    lattice.header.scales["lm"])})`. If no feature holds them, give the old model a negative weight.

    Models are applied one after the other. Until a model is applied, each word has the least cost that the model can
    give it, and the full cost of a complete path bounds the search, so no path within the beam is lost.

    Args:
        lattice: acyclic; its output labels are words, epsilons are skipped.
        models: the models by the names of the features that receive their scores (natural log probabilities), each
            with its weight, the factor of its costs. A negative weight subtracts the model's costs; then all paths
            are scored before the lattice is pruned.
        beam: keep every path that costs at most this much more than the best one (nats, all models included); None
            keeps all paths.
        word_penalty: a cost for each word.
        ignore: words that the models do not see, as if they were epsilons (they get no word penalty either). By default
            the marks of sentence ends, silence and noise that speech lattices have as words: `MARKS`.

    Returns:
        A topologically sorted lattice. The score of an arc may contain backoff weights that belong to the next word;
        the sums over complete paths are exact.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
        LatticeSimpError: a weight is not finite, or a feature exists already.
    """
    require_lattice("apply_lm", lattice)
    _check(lattice, models, beam)
    word_penalty = finite_real(word_penalty, "the word penalty")
    names, ignore = list(models), frozenset(as_tokens(ignore))
    lattice = _penalised(lattice, word_penalty, ignore)
    if not names:
        return lattice.connected() if beam is None else prune(lattice, beam)
    first, later = names[0], {name: models[name] for name in names[1:]}
    bounded = all(weight >= 0.0 for _, weight in models.values())  # no model lowers a cost
    if not later or beam is None or not bounded:
        limit = beam if bounded else None
        for name in names:
            lattice = _apply(lattice, name, models[name], limit, ignore)
        return lattice if bounded or beam is None else prune(lattice, beam)
    bounds = [_least_costs(lattice, *models[name], ignore) for name in later]
    least = np.sum([costs for costs, _ in bounds], axis=0)
    hopeful = replace(lattice, weights=lattice.weights + least[lattice.olabels])
    best = _apply(hopeful, first, models[first], 0.0, ignore)
    candidate = nbest(best, ignore=())
    if not candidate:
        return apply_lm(best, later, beam=beam, ignore=ignore)
    words = [word for word in candidate[0].tokens if word not in ignore]
    estimated = sum(float(least[hopeful.symbols.find(word) or 0]) for word in words) + sum(end for _, end in bounds)
    missing = sum(-weight * model.score(words) for model, weight in later.values()) - estimated
    scored = _apply(hopeful, first, models[first], max(missing, 0.0) + beam, ignore)
    scored = replace(scored, weights=scored.weights - least[scored.olabels])
    return apply_lm(scored, later, beam=beam, ignore=ignore)


def without_model(
    lattice: Lattice, model: LanguageModel, weight: float = 1.0, *, ignore: Collection[str] = MARKS
) -> Lattice:
    """Subtracts a model's cost of each string from the costs of the lattice, exactly.

    Args:
        lattice: acyclic.
        model: the model whose costs the lattice contains.
        weight: the factor of its costs.
        ignore: words that the model does not see.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
        LatticeSimpError: the weight is not finite.
    """
    name = next(filter(lambda free: free not in lattice.features, ("old", *map(str, range(len(lattice.features) + 1)))))
    scored = apply_lm(lattice, {name: (model, 0.0 - weight)}, ignore=ignore)
    return scored.without_features(name)


def _unseen(lattice: Lattice, ignore: Collection[str]) -> list[int]:
    """Returns the labels that are not words: epsilon, and those of the words to ignore."""
    return [EPSILON, *(label for label in map(lattice.symbols.find, ignore) if label is not None)]


def _penalised(lattice: Lattice, word_penalty: float, ignore: Collection[str]) -> Lattice:
    """Adds a cost for each word.

    The header's word score is that of all labels but epsilon, as in SLF files, so it changes only if all are words.
    """
    if not word_penalty:
        return lattice
    is_word = ~np.isin(lattice.olabels, _unseen(lattice, ignore))
    lattice = replace(lattice, weights=lattice.weights + word_penalty * is_word)
    if (is_word != (lattice.olabels != EPSILON)).any():
        return lattice
    return replace(lattice, header=lattice.header.with_word_score(0.0 - word_penalty))


def _check(lattice: Lattice, models: Models, beam: float | None) -> None:
    if not isinstance(models, Mapping) or not all(map(_is_weighted, models.values())):
        remedy = "{'LM': (LanguageModel.read(path), weight)}"
        raise TypeError(f"apply_lm takes models by name, {remedy}, not {models!r:.80}")
    for name, (_, weight) in models.items():
        finite_real(weight, f"the weight of the language model {name}")
        if name in lattice.features:
            raise LatticeSimpError(
                f"the lattice has a feature {name!r} already; give this model another name, "
                f"or take the old scores out first: lattice.without_feature({name!r})"
            )
    beam_of(beam)


def _is_weighted(value: object) -> bool:
    return isinstance(value, Sequence) and len(value) == 2 and isinstance(value[0], LanguageModel)


def _apply(
    lattice: Lattice,
    name: str,
    weighted: tuple[LanguageModel, float],
    beam: float | None,
    ignore: Collection[str],
) -> Lattice:
    model, weight = weighted
    lattice = lattice.connected()
    if lattice.empty:
        return lattice.with_feature(name, np.zeros(0), np.zeros(0))
    used = np.flatnonzero(np.bincount(lattice.olabels))
    successors = _successors(lattice, ignore) if model.needs_successors else None
    restricted = model.restrict([lattice.symbols[label] for label in used.tolist()], successors)
    word_of_label = np.full(len(lattice.symbols), NO_WORD, dtype=np.int32)
    word_of_label[used] = restricted.vocabulary
    word_of_label[_unseen(lattice, ignore)] = NO_WORD
    words = word_of_label[lattice.olabels]
    # A weight of 0 or less gives no bounds: split by the model's states, then prune.
    search_weight = weight if weight > 0.0 else 1.0
    split = search(lattice.arcs._replace(labels=words), restricted, search_weight, beam if weight > 0.0 else None)
    is_end = np.isfinite(split.end_costs) & np.isfinite(lattice.finals[split.states])
    costs = (1.0 / search_weight) * split.costs
    end_costs = np.where(is_end, (1.0 / search_weight) * split.end_costs, 0.0)
    scored = lattice.gather(
        split.arcs,
        split.offsets,
        split.nextstates,
        split.states,
        weights=lattice.weights[split.arcs] + weight * costs,
        finals=np.where(is_end, lattice.finals[split.states] + weight * end_costs, np.inf),
    )
    header = scored.header.with_scale(name, weight)
    scored = replace(scored.with_feature(name, 0.0 - costs, 0.0 - end_costs), header=header).connected()
    return scored if weight > 0.0 or beam is None else prune(scored, beam)


def _successors(lattice: Lattice, ignore: Collection[str]) -> dict[str, list[str]]:
    """Returns the words that can follow `<s>` and each word of a lattice, also across arcs that the model skips."""
    unseen = set(_unseen(lattice, ignore))
    after: list[set[int]] = [set() for _ in range(lattice.num_states)]  # the next words from each state
    for state in range(lattice.num_states - 1, -1, -1):
        for arc in range(int(lattice.offsets[state]), int(lattice.offsets[state + 1])):
            label = int(lattice.olabels[arc])
            after[state] |= after[lattice.nextstates[arc]] if label in unseen else {label}
    following: dict[int, set[int]] = {}
    for label, target in set(zip(lattice.olabels.tolist(), lattice.nextstates.tolist(), strict=True)):
        following.setdefault(label, set()).update(after[target])
    names = lattice.symbols
    named = {names[label]: [names[word] for word in words] for label, words in following.items()}
    return {**named, START: [names[label] for label in after[0]]}


def _least_costs(
    lattice: Lattice, model: LanguageModel, weight: float, ignore: Collection[str]
) -> tuple[Floats, float]:
    """Returns the least cost of each label, and of `</s>`, over all histories; 0 for labels that the model skips."""
    labels = np.flatnonzero(np.bincount(lattice.olabels, minlength=1))
    labels = np.array(
        [label for label in labels.tolist() if label and lattice.symbols[label] not in ignore], dtype=np.int64
    )
    restricted = model.restrict([lattice.symbols[label] for label in labels.tolist()])
    least = relax(restricted, 1).scaled(weight).cost
    costs = np.zeros(len(lattice.symbols))
    costs[labels] = least[restricted.vocabulary]
    return costs, float(least[restricted.end])
