"""From a chart to the lattice of its best translations, or to a lower bound of their costs."""

from __future__ import annotations

from lattice_simp.ops.apply_lm import Models
from lattice_simp.translate.derivation import StepLattice
from lattice_simp.translate.parse import SourceParse
from lattice_simp.translate.search.exact.bounds import SLACK
from lattice_simp.translate.search.exact.context_model import context_model
from lattice_simp.translate.search.exact.contexts import chart_with_contexts
from lattice_simp.translate.search.exact.limits import ExactSearch, GapBound
from lattice_simp.translate.search.exact.search import search
from lattice_simp.translate.search.exact.unpack import Unpacking


def optimal_rules(
    parse: SourceParse, models: Models, word_penalty: float, upper: float, limits: ExactSearch
) -> tuple[StepLattice | None, float]:
    """Searches a parse for its best translations under rules, language models and word penalty.

    Args:
        parse: the items of a sentence.
        models: the language models with their weights.
        word_penalty: the cost of a word.
        upper: the cost of a known translation.
        limits: the time and memory limits, and the beam beyond the best translation.

    Returns:
        The lattice of the rules, as the decoder makes it, with every translation within the beam, or None if the search
        did not finish or found nothing better; and a lower bound of the cost of any translation, which is the cost of
        the best one if the search finished.
    """
    searched, model, top_steps = chart_with_contexts(parse, models, word_penalty)
    certificate = search(searched, context_model(model), model.order, upper, limits)
    if certificate.forest is None:
        return None, certificate.lower
    store, arcs, states = Unpacking(certificate.forest, searched, top_steps).lattice(len(parse.items.cost))
    return parse.step_lattice(store, arcs, states), certificate.lower


def lower_bound(parse: SourceParse, models: Models, word_penalty: float, upper: float, bound: GapBound) -> float:
    """Returns a lower bound of the cost of any translation, by a relaxation of the language models; at most `upper`.

    Args:
        parse, models, word_penalty, upper: see `optimal_rules`.
        bound: the relaxation to use.
    """
    searched, model, _ = chart_with_contexts(parse, models, word_penalty)
    lower = search(searched, context_model(model), model.order, upper, ExactSearch(), bound.order).lower
    return lower if lower < upper - SLACK else upper
