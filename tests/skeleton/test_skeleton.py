"""Skeletons: gaps, gap types, brackets, and the alignment of skeleton words."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lattice_simp.errors import SkeletonError
from lattice_simp.skeleton import Gap, GapType, Skeleton, read_skeletons, skeleton_statistics

TOKENS = st.text(alphabet=r"ab[]\é,", min_size=1, max_size=4)


@st.composite
def skeletons(draw: st.DrawFn, tokens: st.SearchStrategy[str] = TOKENS) -> Skeleton:
    mask = draw(st.lists(st.booleans(), min_size=1, max_size=12).filter(any))
    words = draw(st.lists(tokens, min_size=len(mask), max_size=len(mask)))
    return Skeleton.from_mask(mask, words)


@given(skeletons())
def test_gaps_partition_the_deleted_tokens(skeleton: Skeleton) -> None:
    deleted = [position for gap in skeleton.gaps for position in gap.span]
    assert deleted == [position for position, kept in enumerate(skeleton.mask) if not kept]
    assert all(left.end < right.start for left, right in zip(skeleton.gaps, skeleton.gaps[1:], strict=False))
    assert all(len(gap) > 0 for gap in skeleton.gaps)
    assert len(skeleton.words) + len(deleted) == len(skeleton.tokens)


@given(skeletons())
def test_gap_positions_rebuild_the_sentence(skeleton: Skeleton) -> None:
    rebuilt: list[str] = list(skeleton.words)
    for gap, position in reversed(list(zip(skeleton.gaps, skeleton.gap_positions, strict=True))):
        rebuilt[position:position] = skeleton.tokens[gap.start : gap.end]
    assert tuple(rebuilt) == skeleton.tokens


@given(skeletons())
def test_brackets_round_trip(skeleton: Skeleton) -> None:
    assert Skeleton.from_brackets(skeleton.to_brackets()) == skeleton


@given(skeletons())
def test_masks_round_trip(skeleton: Skeleton) -> None:
    assert Skeleton.from_mask(skeleton.to_mask(), skeleton.tokens) == skeleton


@given(skeletons(tokens=st.sampled_from("ab")))
def test_from_words_takes_the_fewest_gaps_then_the_leftmost(skeleton: Skeleton) -> None:
    outcome = Skeleton.from_words(skeleton.tokens, skeleton.words)
    assert outcome.words == skeleton.words
    candidates = []
    for kept in combinations(range(len(skeleton.tokens)), len(skeleton.words)):
        candidate = Skeleton.from_mask([position in kept for position in range(len(skeleton.tokens))], skeleton.tokens)
        if candidate.words == skeleton.words:
            candidates.append((len(candidate.gaps), kept, candidate))
    assert outcome == min(candidates, key=lambda item: item[:2])[2]


@pytest.mark.parametrize(
    ("mask", "gap_type"),
    [
        ("0011", GapType.START),
        ("1100", GapType.END),
        ("0110", GapType.BRACE),
        ("00100", GapType.BRACE),
        ("1001", GapType.MIDDLE),
        ("10101", GapType.MIDDLE),
        ("0101", GapType.MIXED),
        ("1010", GapType.MIXED),
        ("01010", GapType.MIXED),
        ("0101010", GapType.MIXED),
        ("1111", GapType.NONE),
        ("1", GapType.NONE),
    ],
)
def test_gap_types_follow_the_paper(mask: str, gap_type: GapType) -> None:
    assert Skeleton.from_mask(mask, list("abcdefg")[: len(mask)]).gap_type is gap_type


@pytest.mark.parametrize(
    ("text", "gap_type"),
    [
        ("it rained [[all day]] .", GapType.END),
        ("[[so]] it rained [[all day]] ?", GapType.BRACE),
        ("[[so]] it rained .", GapType.START),
        ("it [[really]] rained [[all day]] .", GapType.MIXED),
        ("it [[really]] rained .", GapType.MIDDLE),
        ('" [[so]] it rained . "', GapType.START),
        ("it rained [[all day .]]", GapType.END),
        ("it rained [[.]]", GapType.NONE),
        ('[["]] it [[really]] rained [[.]]', GapType.MIDDLE),
        ("it rained [[, really ,]] again", GapType.MIDDLE),
        ("[[so it rained]] .", GapType.START),
        (". [[, !]]", GapType.END),
    ],
)
def test_punctuation_at_the_ends_hides_no_gap(text: str, gap_type: GapType) -> None:
    assert Skeleton.from_brackets(text).gap_type is gap_type


def test_gap_types_of_the_first_judgements(shared) -> None:
    """The shares, %, of 1,000 sentences of newstest2013, whose full stops are kept."""
    records = read_skeletons(shared / "data" / "skeletons" / "newstest2013.jsonl.xz")
    result = skeleton_statistics(record.skeletons[0] for record in records)
    shares = {kind.value: round(100 * result[kind].share) for kind in GapType}
    assert shares == {"Middle": 14, "Mixed": 55, "Start": 6, "End": 12, "Brace": 14, "None": 0}


def test_properties() -> None:
    skeleton = Skeleton.from_mask("0110010", list("abcdefg"))
    assert skeleton.gaps == (Gap(0, 1), Gap(3, 5), Gap(6, 7))
    assert skeleton.gap_positions == (0, 2, 3)
    assert skeleton.compression_rate == pytest.approx(3 / 7)
    assert skeleton.words == ("b", "c", "f")
    assert str(skeleton) == "[[a]] b c [[d e]] f [[g]]"


def test_strictness_is_checked_on_demand() -> None:
    whole = Skeleton.from_mask("11", ["a", "b"])
    assert not whole.is_strict
    part = Skeleton.from_mask("10", ["a", "b"])
    assert part.is_strict


@pytest.mark.parametrize(
    ("mask", "tokens", "message"),
    [
        ("10", ["a"], "1 token, but a mask of 2"),
        ("", [], "at least one token"),
        ("00", ["a", "b"], "keeps no token"),
        ("1x", ["a", "b"], "mask position 1 is 'x'"),
        ("11", ["a", ""], "token 1 is ''"),
        ("11", ["a b", "c"], "token 0 is 'a b'"),
        ("1", ["a\tb"], "blanks"),
    ],
)
def test_bad_masks(mask: str, tokens: list[str], message: str) -> None:
    with pytest.raises(SkeletonError, match=message):
        Skeleton.from_mask(mask, tokens)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("a d", "word 2 of the skeleton, 'd', cannot be placed: the sentence does not hold it"),
        ("b a c", "word 2 of the skeleton, 'a', cannot be placed: it comes too late"),
        ("c c", "word 2 of the skeleton, 'c'"),
        ("", "no words"),
    ],
)
def test_words_without_a_place_are_named(words: str, message: str) -> None:
    with pytest.raises(SkeletonError, match=message):
        Skeleton.from_words(["a", "b", "c"], words.split())


def test_a_long_sentence_is_aligned() -> None:
    tokens = ["the"] * 400
    assert Skeleton.from_words(tokens, ["the"] * 150).to_mask() == "1" * 150 + "0" * 250


@pytest.mark.parametrize(
    ("text", "mask"),
    [
        ("a [[ b c ]] d", "1001"),
        ("[[a]] [[b]] c", "001"),
        ("a [ b ] [[c]]", "11110"),
        (r"a \[\[b\]\] [[c]]", "110"),
        (r"[[\[ b \]]] c", "0001"),
    ],
)
def test_bracket_text(text: str, mask: str) -> None:
    assert Skeleton.from_brackets(text).to_mask() == mask


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a [[b", "never closed"),
        ("a b]]", "closes no gap"),
        ("[[a [[b]] c]] d", "do not nest"),
        ("[[[[a]] b", "do not nest"),
        ("un[[believ]]able", r"whole tokens; put blanks before \[\[ and after \]\]$"),
        ("a [[ ]] b", "is empty"),
        ("a [[]] b", "is empty"),
        ("[[a b]]", "keeps no token"),
        ("", "at least one token"),
    ],
)
def test_broken_bracket_text(text: str, message: str) -> None:
    with pytest.raises(SkeletonError, match=message):
        Skeleton.from_brackets(text)
