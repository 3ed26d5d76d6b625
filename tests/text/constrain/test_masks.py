"""Masks as bits against the tokens that are allowed, one by one, and their effect on scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import lattice_simp as ls
from lattice_simp.errors import LatticeSimpError
from lattice_simp.text.constrain.constraint import ENDED
from lattice_simp.text.constrain.utf8 import DEAD


def is_allowed(mask, row, token):
    """Reads a bit as xgrammar and llguidance do."""
    return token < 32 * mask.shape[1] and bool((int(mask[row, token // 32]) >> (token % 32)) & 1)


def test_bits_are_those_of_single_tokens():
    """The bits are those of tokens that `advance` accepts; the sizes of vocabularies are near multiples of 32."""
    pieces = [bytes([97 + number // 8, 97 + number % 8]) for number in range(64)]
    for size in (31, 32, 33, 65):
        tokens = [None, *pieces[: size - 1]]
        strings = [(pieces[number].decode(), 0.0) for number in (0, 7, 29, 30, 31, 62) if number < size - 1]
        constraint = ls.TokenConstraint.of(ls.Lattice.from_strings(strings), tokens, 0)
        states = [0, constraint.state([1]), ENDED, DEAD, 0]
        mask = constraint.mask(states)
        assert (mask.shape, mask.dtype) == ((5, -(-size // 32)), np.uint32)
        for row, state in enumerate(states):
            for token in range(32 * mask.shape[1]):
                wanted = token < size and (
                    token == 0 if state == ENDED else constraint.advance(state, token) != DEAD and state != DEAD
                )
                assert is_allowed(mask, row, token) == wanted, (size, state, token)
        assert constraint.mask([]).shape == (0, -(-size // 32))
        assert constraint.mask(np.array(states, dtype=np.int32)).tolist() == mask.tolist()


def test_a_mask_may_be_changed():
    """The cached row stays."""
    constraint = ls.TokenConstraint.of(ls.Lattice.from_strings([("a", 0.0)]), [None, b"a"], 0)
    mask = constraint.mask([0])
    mask[:] = 0
    assert constraint.mask([0]).tolist() == [[2]]


NUMBERS = st.sampled_from([0, 2**32 - 1]) | st.integers(0, 2**32 - 1)
SHAPES = st.tuples(st.integers(1, 3), st.integers(1, 12))
MASKS = SHAPES.flatmap(lambda shape: arrays(np.uint32, shape, elements=NUMBERS))
PADDING = st.integers(-31, 40)


def masked(scores, mask):
    expected = np.array(scores)
    for row, token in np.ndindex(*scores.shape):
        if not is_allowed(mask, row, token):
            expected[row, token] = -np.inf
    return expected


@given(MASKS, PADDING, st.sampled_from([np.float16, np.float32, np.float64]), st.booleans())
def test_forbidden_scores_become_minus_infinity(mask, padding, dtype, by_column):
    rows, width = len(mask), 32 * mask.shape[1] + padding
    scores = np.random.default_rng(0).normal(size=(rows, width)).astype(dtype, order="F" if by_column else "C")
    expected = masked(scores, mask)
    mask.flags.writeable = False
    assert ls.apply_mask(scores, mask) is None
    assert np.array_equal(scores, expected)


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_tensors_of_torch(name):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    rng = np.random.default_rng(1)
    for width in (60, 70):
        mask = rng.integers(2**32, size=(2, 2), dtype=np.uint32)
        scores = torch.tensor(rng.normal(size=(2, width)), dtype=getattr(torch, name), requires_grad=True)
        expected = masked(scores.detach().to(torch.float32).numpy(), mask)
        ls.apply_mask(scores, mask)
        assert np.array_equal(scores.detach().to(torch.float32).numpy(), expected)


def test_scores_that_do_not_fit():
    mask = np.zeros((2, 2), dtype=np.uint32)
    frozen = np.zeros((2, 40))
    frozen.flags.writeable = False
    for scores, message in (
        (np.zeros((1, 40)), r"scores of the shape \(1, 40\) for a mask of the shape \(2, 2\)"),
        (np.zeros((2, 32)), "scores of the shape"),
        (np.zeros(40), "scores of the shape"),
        (np.zeros((2, 40), dtype=np.int64), "scores must be floats of 2, 4 or 8 bytes, not int64"),
        (np.zeros((2, 40), dtype=">f4"), "scores must be floats"),
        (frozen, "read-only"),
    ):
        with pytest.raises(LatticeSimpError, match=message):
            ls.apply_mask(scores, mask)
    with pytest.raises(LatticeSimpError, match="a mask must be a table of uint32"):
        ls.apply_mask(np.zeros((2, 40)), mask.astype(np.int32))
