"""The best well-formed bracketings against all labellings, one by one."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from lattice_simp.systems.hindi.clauses.bracket_lattice import BracketSearch
from lattice_simp.systems.hindi.clauses.crf import best_rests
from lattice_simp.systems.hindi.clauses.labels import Brackets
from lattice_simp.systems.hindi.clauses.rule_costs import START, RuleCosts, TokenClass, final_cost, step

LABELS = ("-/0", "-/1", "-/2", "coord/0", "coord/1", "main+nonfin/0", "main/0", "nonfin/1")


def by_hand(scores, transitions, tokens, labels, costs):
    """Returns (cost, labelling) of every well-formed labelling, costs against the best labelling of all."""
    scores, transitions = scores.tolist(), transitions.tolist()
    every = [((), 0.0, (START, 0.0))]
    for outcome, token in zip(scores, tokens, strict=True):
        longer = []
        for chosen, score, state in every:
            for label, brackets in enumerate(labels):
                moved = state and step(state[0], brackets, token, costs)
                between = transitions[chosen[-1]][label] if chosen else 0.0
                after = moved and (moved[0], state[1] + moved[1])
                longer.append(((*chosen, label), score + between + outcome[label], after))
        every = longer
    best = max(score for _, score, _ in every)
    whole = ((chosen, state[1] - score, final_cost(state[0], costs)) for chosen, score, state in every if state)
    return sorted(
        (cost + last + best, " ".join(LABELS[label] for label in chosen))
        for chosen, cost, last in whole
        if last is not None
    )


def test_the_best_bracketings_are_those_of_all_labellings():
    for seed in range(25):
        rng = np.random.default_rng(seed)
        scores = 6 * rng.normal(size=(rng.integers(1, 5), len(LABELS)))
        transitions = rng.normal(size=(len(LABELS), len(LABELS)))
        tokens = [TokenClass(int(integer)) for integer in rng.integers(0, 4, size=len(scores))]
        costs = RuleCosts()
        wanted = by_hand(scores, transitions, tokens, tuple(map(Brackets.parse, LABELS)), costs)
        n = min(7, len(wanted))
        hypotheses = BracketSearch(LABELS, transitions, costs).nbest(scores, tokens, n)
        assert [cost for _, cost in hypotheses] == pytest.approx([cost for cost, _ in wanted[:n]]), seed
        assert [" ".join(map(str, first)) for first, _ in hypotheses] == [words for _, words in wanted[:n]], seed


def test_without_a_well_formed_labelling_nothing_comes_back():
    search = BracketSearch(["-/1"], np.zeros((1, 1)), RuleCosts())
    assert search.nbest(np.zeros((2, 1)), [TokenClass.OTHER] * 2) == []


def test_the_best_rests_lead_to_the_best_of_all_labellings():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        scores, transitions = rng.normal(size=(4, 3)), rng.normal(size=(3, 3))
        every = (
            sum(scores[position, label] for position, label in enumerate(chosen))
            + sum(transitions[first, second] for first, second in pairwise(chosen))
            for chosen in product(range(3), repeat=4)
        )
        assert (scores[0] + best_rests(scores, transitions)[0]).max() == pytest.approx(max(every)), seed


def test_breaches_of_rules_cost_what_the_settings_say():
    costs = RuleCosts(no_verb=1.0, two_verbs=2.0, wrong_verb=4.0, outside=8.0, lonely=16.0, complementiser=32.0)
    verb, other, ki = TokenClass.FINITE_VERB, TokenClass.OTHER, TokenClass.COMPLEMENTISER

    def cost(*steps):
        stack, total = START, 0.0
        for text, token in steps:
            stack, spent = step(stack, Brackets.parse(text), token, costs)
            total += spent
        return total + final_cost(stack, costs)

    assert cost(("main/0", other), ("-/1", verb)) == 0
    assert cost(("main/0", other), ("-/1", other)) == 1
    assert cost(("main/0", verb), ("-/1", verb)) == 2
    assert cost(("nonfin/1", verb)) == 4
    assert cost(("-/0", verb)) == 8
    assert cost(("coord/1", verb)) == 16
    assert cost(("coord/1", verb), ("coord/1", verb)) == 0
    assert cost(("main/0", verb), ("-/1", ki)) == 32
    assert step(START, Brackets.parse("-/1"), other, costs) is None
