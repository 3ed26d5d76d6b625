"""Hypothesis lattices against enumeration of all decisions."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest
from helpers import best_by_string
from simplifier_model import OPERATIONS
from simplify_cases import SOURCES

from lattice_simp.systems.simplify.analysis import analyse
from lattice_simp.systems.simplify.hypotheses import FEATURES, decision_scores, hypotheses
from lattice_simp.systems.simplify.operations import OperationModel

MOST_LEAPS = 9


def subsets(leaps):
    """Yields all sets of deletions that may be done together: of two, none is within the other."""
    for chosen in chain.from_iterable(combinations(leaps, size) for size in range(len(leaps) + 1)):
        if not any(split.is_within(other) for split in chosen for other in chosen):
            yield chosen


def expected_costs(alternatives, model):
    """Returns {words: least minus the sum of all features}."""
    costs = {}
    for variant in alternatives.variants:
        leaps = [leap for leap in variant.leaps if leap.end < len(variant.tokens)]
        for chosen in subsets(leaps):
            gone = {index for leap in chosen for index in range(leap.begin, leap.end)}
            words = tuple(token.text for index, token in enumerate(variant.tokens) if index not in gone)
            total = variant.scores.copy()
            for leap in leaps:
                if leap in chosen:
                    total += decision_scores(leap, model)[0]
                elif not any(leap.is_within(other) for other in chosen):
                    total += decision_scores(leap, model)[1]
            costs[words] = min(costs.get(words, np.inf), -total.sum())
    return costs


def test_the_lattice_holds_every_choice_at_its_score(parsed):
    checked = 0
    for source in SOURCES:
        alternatives = hypotheses(analyse(parsed(source)), OPERATIONS)
        if max(len(variant.leaps) for variant in alternatives.variants) > MOST_LEAPS:
            continue
        weights = -sum(alternatives.lattice.features[name] for name in FEATURES)
        lattice = type(alternatives.lattice).from_arcs(
            alternatives.lattice.sources,
            alternatives.lattice.olabels,
            weights,
            alternatives.lattice.nextstates,
            alternatives.lattice.finals,
            alternatives.lattice.symbols,
        )
        assert best_by_string(lattice) == pytest.approx(expected_costs(alternatives, OPERATIONS)), source
        checked += 1
    assert checked > 20


def test_states_tell_variants_and_tokens(parsed):
    for source in SOURCES:
        alternatives = hypotheses(analyse(parsed(source)), OPERATIONS)
        lattice = alternatives.lattice
        assert len(alternatives.state_tokens) == lattice.num_states - 2
        for arc in range(lattice.num_arcs):
            if lattice.nextstates[arc] < lattice.num_states - 1:
                variant, token = alternatives.state_tokens[lattice.nextstates[arc] - 1]
                assert alternatives.variants[variant].tokens[token].text == lattice.symbols[lattice.olabels[arc]]


def test_nothing_need_be_done(parsed):
    for source in SOURCES:
        analysis = analyse(parsed(source))
        alternatives = hypotheses(analysis, OperationModel(), split=False, deletions=lambda deletion: False)
        [words] = best_by_string(alternatives.lattice)
        assert [word.lower() for word in words] == [word.lower() for word in analysis.tokens]


def test_first_words_are_cased_as_within_a_sentence(parsed):
    alternatives = hypotheses(analyse(parsed("The judge left .")), OperationModel())
    assert alternatives.variants[0].tokens[0].text == "the"
    alternatives = hypotheses(analyse(parsed("Paris is a city .")), OperationModel())
    assert alternatives.variants[0].tokens[0].text == "Paris"
