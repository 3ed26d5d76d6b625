"""Punctuation after deletion."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lattice_simp.text.english.punctuation import COMMA, STOP, mark_kind, mark_pairs, place_punctuation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[in october] , [she] sang .", "sang ."),
        ("[in october] , she sang .", "she sang ."),
        ("she , [an actress] , sang .", "she sang ."),
        ("she sang , [and danced] .", "she sang ."),
        ("she , who sang [well] , danced .", "she , who sang , danced ."),
        ("the town ( [then] small ) grew .", "the town ( small ) grew ."),
        ("the town ( [then small] ) grew .", "the town grew ."),
        ('he said : " [well] , no . "', 'he said : " no . "'),
        ('" [no] , " he said .', "he said ."),
        ('he cried " stop ! " [and ran]', 'he cried " stop ! "'),
        ("it rained . [it snowed] .", "it rained ."),
        ("[it rained] . it snowed .", "it snowed ."),
        ("it [rained] . it snowed .", "it . it snowed ."),
        ("[a] ; b , [c] ; d", "b d"),
    ],
)
def test_cases(text, expected):
    tokens, keep, inside = [], [], False
    for piece in text.split():
        inside = inside or piece.startswith("[")
        tokens.append(piece.strip("[]"))
        keep.append(not inside)
        inside = inside and not piece.endswith("]")
    mask = place_punctuation(tokens, keep)
    assert " ".join(token for token, kept in zip(tokens, mask, strict=True) if kept) == expected


def test_a_list_keeps_a_comma_when_a_member_goes():
    tokens = "apples , pears , and plums".split()
    keep = [token != "pears" for token in tokens]
    assert place_punctuation(tokens, keep)[1] is False
    assert place_punctuation(tokens, keep, [position == 1 for position in range(6)])[1] is True


@given(st.lists(st.sampled_from(["a", "b", ",", "-", "(", ")", '"', "."]), max_size=12), st.randoms())
def test_no_comma_is_out_of_place(tokens, random):
    keep = [random.random() < 0.5 for _ in tokens]
    mask = place_punctuation(tokens, keep)
    words = [position for position, token in enumerate(tokens) if mark_kind(token) is None]
    assert all(mask[position] == keep[position] for position in words)
    kept = [mark_kind(token) for token, stays in zip(tokens, mask, strict=True) if stays]
    if not any(keep[position] for position in words):
        assert not kept
        return
    assert kept[0] != COMMA
    assert kept[-1] != COMMA
    assert all(first != COMMA or other not in (COMMA, STOP) for first, other in itertools.pairwise(kept))
    assert all(mask[first] == mask[last] for first, last in mark_pairs(tokens))
