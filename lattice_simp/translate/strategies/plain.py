"""Translation without a skeleton."""

from __future__ import annotations

from dataclasses import replace

from lattice_simp.core.lattice import Lattice
from lattice_simp.translate.derivation import StepLattice
from lattice_simp.translate.lattice_decoder import LatticeDecoder
from lattice_simp.translate.parse import SourceParse
from lattice_simp.translate.result import Translation
from lattice_simp.translate.search.cubes.item_pruning import kept_items
from lattice_simp.translate.search.exact.decode import lower_bound, optimal_rules
from lattice_simp.translate.source import Sentence
from lattice_simp.translate.strategies.task import Task

ONE_OF_ARCS = 20
"""A lattice that serves only to find the best translation needs one in this many arcs."""


def translate(decoder: LatticeDecoder, task: Task) -> Translation:
    """Returns the translations of the sentence alone."""
    gap = None
    if decoder.settings.exact is not None:
        lattice, gap = certified(decoder, task.source)
    elif decoder.settings.optimality_gap is not None:
        lattice, gap = bounded(decoder, task.source)
    else:
        lattice = decoder.lattice(task.source)
    return Translation(task.words, "plain", lattice, decoder.grammar, optimality_gap=gap)


def certified(decoder: LatticeDecoder, sentence: Sentence) -> tuple[Lattice, float]:
    """Returns the lattice of translations and its optimality gap: by how much its best one may miss the optimum (nats).

    With a gap of 0, the lattice is certain to hold the best translation and, in a nested grammar, every translation
    within the beam of `settings.exact`. If the search reaches its limits before, the lattice is that of the pruned
    search. Other grammars are decoded exactly.

    Raises:
        EmptyLatticeError: the sentence has no translation.
    """
    parse, limits = decoder.parse(sentence), decoder.settings.exact
    if not decoder.grammar.nests or limits is None:
        return _pruned(decoder, parse)[0].named(), 0.0
    models, penalty = decoder.models, decoder.word_penalty
    rules, lower = optimal_rules(parse, models, penalty, _known_cost(decoder, parse), limits)
    if rules is None:
        scored, upper = _pruned(decoder, parse)
        return scored.named(), max(upper - lower, 0.0)
    return decoder.scored(rules, limits.beam).named(), 0.0


def bounded(decoder: LatticeDecoder, sentence: Sentence) -> tuple[Lattice, float]:
    """Returns the lattice of `LatticeDecoder.lattice`, and a bound of its optimality gap (nats).

    The bound is that of a relaxation of the language models; grammars that do not nest are decoded exactly.

    Raises:
        EmptyLatticeError: the sentence has no translation.
    """
    parse, bound = decoder.parse(sentence), decoder.settings.optimality_gap
    scored, upper = _pruned(decoder, parse)
    if not decoder.grammar.nests or bound is None:
        return scored.named(), 0.0
    return scored.named(), upper - lower_bound(parse, decoder.models, decoder.word_penalty, upper, bound)


def _pruned(decoder: LatticeDecoder, parse: SourceParse) -> tuple[StepLattice, float]:
    """Returns the lattice of the pruned search, scored with language models, and the cost of its best translation."""
    scored = decoder.scored(parse.lattice(decoder.kept_items), decoder.settings.beam)
    return scored, decoder.operations.nbest(scored.lattice, 1)[0].cost


def _known_cost(decoder: LatticeDecoder, parse: SourceParse) -> float:
    """Returns the cost of the pruned search's best translation, for which a small lattice is enough."""
    cubes = replace(decoder.settings.cubes, max_arcs=max(decoder.settings.cubes.max_arcs // ONE_OF_ARCS, 1))
    rules = parse.lattice(lambda items: kept_items(items, decoder.models, decoder.word_penalty, cubes))
    return decoder.operations.nbest(decoder.with_models(rules.lattice, 0.0), 1)[0].cost
