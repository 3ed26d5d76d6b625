"""The plan of a study: balanced for any numbers, and the same again."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("pydantic", reason="pydantic is not installed (the extra 'judging')")

from lattice_simp.systems.judging.design import Role, latin_square, plan
from lattice_simp.systems.judging.study import Design
from tests.systems.judging.small_study import PREFERENCE, example, make_study


def spread(values, conditions):
    """Returns the largest difference of the counts of conditions."""
    counts = np.bincount(values.ravel(), minlength=conditions)
    return counts.max() - counts.min()


def test_latin_squares_are_balanced_for_any_numbers():
    for conditions in range(1, 9):
        for items in range(1, 18):
            square = latin_square(items, 20, conditions)
            for raters in range(1, 21):
                part = square[:raters]
                numbers = f"{conditions} conditions, {items} items, {raters} raters"
                assert (part == latin_square(items, raters, conditions)).all(), numbers
                assert max(spread(row, conditions) for row in part) <= 1, numbers
                assert max(spread(column, conditions) for column in part.T) <= 1, numbers
                assert spread(part, conditions) <= 1, numbers


def test_each_rater_judges_each_item_once_and_all_systems_alike():
    study = make_study(items=10, systems="abcde", raters=5)
    seen = Counter()
    for place in range(5):
        trials = plan(study, place)
        assert sorted(trial.number for trial in trials) == list(range(10))
        assert set(Counter(trial.systems for trial in trials).values()) == {2}
        seen.update((trial.number, trial.systems) for trial in trials)
    assert set(seen.values()) == {1}
    assert len(seen) == 50


def test_pairs_are_shown_in_both_orders_alike():
    for design, count in ((Design.LATIN_SQUARE, 1), (Design.ALL, 3)):
        study = make_study(items=12, systems="abc", raters=6, questions=PREFERENCE, design=design)
        shown = Counter()
        for place in range(6):
            trials = plan(study, place)
            assert len(trials) == 12 * count, design
            shown.update(trial.systems for trial in trials)
        assert len(shown) == 6
        assert max(shown.values()) - min(shown.values()) <= 1, design
    orders = Counter((trial.number, trial.systems) for place in range(6) for trial in plan(study, place))
    assert set(orders.values()) == {3}  # for each item, each order for half of the raters


def test_all_outputs_of_an_item_are_far_apart():
    study = make_study(items=8, systems="abc", raters=2, design=Design.ALL)
    trials = plan(study, 1)
    assert sorted((trial.number, *trial.systems) for trial in trials) == [(n, s) for n in range(8) for s in "abc"]
    rounds = [trials[start : start + 8] for start in range(0, 24, 8)]
    assert all(sorted(trial.number for trial in part) == list(range(8)) for part in rounds)


def test_training_comes_first_and_checks_are_spread():
    for checks in range(1, 5):
        study = make_study(items=12, checks=tuple(map(example, range(checks))), training=(example(0), example(1)))
        for place in range(3):
            trials = plan(study, place)
            roles = [trial.role for trial in trials]
            assert roles[:2] == [Role.TRAINING] * 2
            assert Counter(roles) == {Role.TRAINING: 2, Role.CHECK: checks, Role.ITEM: 12}
            places = [number for number, role in enumerate(roles) if role is Role.CHECK]
            assert [trials[number].number for number in places] == list(range(checks))
            assert all(first < second for first, second in pairwise(places))
            assert roles[2] is Role.ITEM


def test_the_order_depends_on_the_seed_and_the_rater_alone():
    study = make_study(items=20, raters=2)
    assert plan(study, 0) == plan(study, 0) == plan(make_study(items=20, raters=9), 0)
    assert plan(study, 0) != plan(study, 1)
    assert plan(study, 0) != plan(make_study(items=20, raters=2, seed=2), 0)
