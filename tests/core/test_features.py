"""Features: named rows of scores for arcs and final states."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp.core.features import Features
from lattice_simp.errors import InvalidLatticeError


def make():
    """Returns two features of three arcs and two states."""
    return Features.from_columns({"LM": [-1.0, -2.0, -3.0], "TM": [0.5, 0.0, 1.5]}, {"TM": [0.0, 4.0]}, 3, 2)


def as_dict(features):
    return {name: (features[name].tolist(), features.final(name).tolist()) for name in features}


def test_features_are_a_mapping_in_the_order_of_their_names():
    features = make()
    assert list(features) == list(features.keys()) == ["LM", "TM"]
    assert (len(features), "LM" in features, "lm" in features) == (2, True, False)
    assert {name: column.tolist() for name, column in features.items()} == {
        "LM": [-1.0, -2.0, -3.0],
        "TM": [0.5, 0.0, 1.5],
    }
    assert repr(features) == "Features(LM, TM)"
    for read in (features.__getitem__, features.final):
        with pytest.raises(KeyError, match="lm"):
            read("lm")


def test_columns_without_final_scores_end_with_0():
    features = make()
    assert (features.final("LM").tolist(), features.final("TM").tolist()) == ([0.0, 0.0], [0.0, 4.0])
    assert (features.arcs.shape, features.finals.shape) == ((2, 3), (2, 2))


@pytest.mark.parametrize(
    ("arcs", "finals", "message"),
    [
        ({"x": [1.0] * 2}, None, "'x' does not fit"),
        ({"x": [1.0] * 3}, {"x": [1.0] * 3}, "'x' does not fit"),
        ({"x": [[1.0]] * 3}, None, "'x' must be one list of numbers"),
        ({"x": [1.0] * 3}, {"y": [1.0] * 2}, "'y' has final scores, but none for the arcs"),
    ],
)
def test_columns_that_do_not_fit_are_refused(arcs, finals, message):
    with pytest.raises(InvalidLatticeError, match=message):
        Features.from_columns(arcs, finals, 3, 2)


def test_another_column_of_a_name_takes_the_place_of_the_old_one():
    changed = make().with_column("LM", [7.0, 8.0, 9.0], [1.0, 2.0])
    assert as_dict(changed) == {"TM": ([0.5, 0.0, 1.5], [0.0, 4.0]), "LM": ([7.0, 8.0, 9.0], [1.0, 2.0])}
    assert as_dict(make()) == as_dict(make().with_column("new", [0.0] * 3).without("new"))
    with pytest.raises(InvalidLatticeError, match="'new' does not fit"):
        make().with_column("new", [0.0] * 2)


def test_without_leaves_the_named_out():
    features = make()
    assert as_dict(features.without("LM", "unknown")) == {"TM": ([0.5, 0.0, 1.5], [0.0, 4.0])}
    assert features.without("unknown") is features
    assert len(features.without("LM", "TM")) == 0
    assert features.without("LM", "TM").arcs.shape == (0, 3)


def test_select_orders_and_fills_with_0():
    chosen = make().select(("TM", "none", "LM"))
    assert as_dict(chosen) == {
        "TM": ([0.5, 0.0, 1.5], [0.0, 4.0]),
        "none": ([0.0] * 3, [0.0] * 2),
        "LM": ([-1.0, -2.0, -3.0], [0.0, 0.0]),
    }
    assert make().select(()).arcs.shape == (0, 3)


def test_gather_takes_rows_by_number_and_0_for_none():
    result = make().gather(np.array([2, -1, 0, 2]), np.array([1, -1, 1]))
    assert as_dict(result) == {
        "LM": ([-3.0, 0.0, -1.0, -3.0], [0.0] * 3),
        "TM": ([1.5, 0.0, 0.5, 1.5], [4.0, 0.0, 4.0]),
    }
    nothing = Features.empty(3, 2).gather(np.array([0, -1]), np.array([1]))
    assert (nothing.names, nothing.arcs.shape, nothing.finals.shape) == ((), (0, 2), (0, 1))


def test_sums_along_a_path():
    arcs = np.array([0, 2, 2], dtype=np.int32)
    assert make().of_path(arcs, 1) == {"LM": -7.0, "TM": 7.5}
    assert make().of_path(arcs[:0], 0) == {"LM": 0.0, "TM": 0.0}
    assert Features.empty(3, 2).of_path(arcs, 1) == {}
