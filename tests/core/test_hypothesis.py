"""One type for hypotheses of all origins."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from lattice_simp.core.hypothesis import Hypothesis, as_hypotheses
from lattice_simp.core.lattice import Lattice


def test_text_and_score_follow_from_tokens_and_cost():
    hypothesis = Hypothesis(("a", "small", "cat"), 2.5, {"LM": -2.0})
    assert (hypothesis.text, hypothesis.score, hypothesis.features["LM"]) == ("a small cat", -2.5, -2.0)
    nothing = Hypothesis(())
    assert (nothing.text, nothing.cost, dict(nothing.features), nothing.inputs) == ("", 0.0, {}, ())
    assert str(nothing.score) == "0.0"  # not -0.0, which files would show
    assert nothing.arcs.tolist() == []


def test_where_a_hypothesis_was_found_does_not_matter_to_equality():
    hypothesis = Hypothesis(("a",), 1.0, {"x": 2.0}, np.array([3], dtype=np.int32), (7,))
    assert hypothesis == Hypothesis(("a",), 1.0, {"x": 2.0})
    for changes in ({"tokens": ("b",)}, {"cost": 1.5}, {"features": {"x": 1.0}}):
        assert hypothesis != dataclasses.replace(hypothesis, **changes)


def test_equal_hypotheses_are_one_entry_of_a_set():
    hypothesis = Hypothesis(("a",), 1.0, {"x": 2.0}, np.array([3], dtype=np.int32), (7,))
    assert {hypothesis, Hypothesis(("a",), 1.0, {"x": 2.0}), Hypothesis(("a",), 1.0, {"x": 2})} == {hypothesis}
    assert len({hypothesis, Hypothesis(("a",), 1.0), Hypothesis(("a",), 2.0, {"x": 2.0}), Hypothesis(("b",), 1.0)}) == 4


def test_hypotheses_do_not_change_and_share_nothing():
    first, second = Hypothesis(("a",)), Hypothesis(("b",))
    assert first.features is not second.features
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.cost = 1.0


def test_a_lattice_in_place_of_hypotheses_is_refused_with_the_remedy():
    with pytest.raises(TypeError, match=r"expected hypotheses, not Lattice\(.*pass the best paths: nbest"):
        as_hypotheses(Lattice.from_strings("a cat"))
