"""Groups of sentences: by skeletons, by length, by labels from a file."""

from __future__ import annotations

import pytest

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.metrics import (
    Groups,
    align_skeletons,
    gap_count_groups,
    gap_type_groups,
    length_groups,
    read_groups,
)
from lattice_simp.skeleton import Skeleton, SkeletonRecord

MASKS = ["1011", "0101", "0111", "1110", "0110", "1111"]
SKELETONS = [Skeleton.from_mask(mask, list("abcd")) for mask in MASKS]


def test_gap_types_come_in_the_order_of_the_paper():
    groups = gap_type_groups([*SKELETONS[::-1], None])
    assert groups.order == ("Middle", "Mixed", "Start", "End", "Brace", "None")
    assert groups.labels == ("None", "Brace", "End", "Start", "Mixed", "Middle", None)
    assert groups.left_out == 1
    assert groups.rows("Brace").tolist() == [1]
    assert gap_type_groups(SKELETONS[2:3]).order == ("Start",)


def test_many_gaps_share_a_group():
    skeletons = [Skeleton.from_mask("10" * gaps + "1", ["x"] * (2 * gaps + 1)) for gaps in (7, 1, 4, 3, 0)]
    groups = gap_count_groups(skeletons)
    assert groups.labels == ("4 or more", "1", "4 or more", "3", "0")
    assert groups.order == ("0", "1", "3", "4 or more")


def test_edges_belong_to_the_shorter_group():
    groups = length_groups([0, 10, 11, 20, 21, 12], edges=[10, 11, 20])
    assert groups.labels == ("up to 10", "up to 10", "11", "12-20", "over 20", "12-20")
    assert groups.order == ("up to 10", "11", "12-20", "over 20")


@pytest.mark.parametrize("edges", [[], [5, 5], [7, 3], [-1, 4]])
def test_edges_that_do_not_increase_are_refused(edges):
    with pytest.raises(LatticeSimpError, match="increasing"):
        length_groups([1], edges)


def test_labels_without_a_place_in_the_order_come_last():
    assert Groups.of("kind", ["c", "a", None, "b", "c"], ["b", "z"]).order == ("b", "c", "a")


def record(line: int, *masks: str) -> SkeletonRecord:
    return SkeletonRecord(f"id{line}", line, tuple(Skeleton.from_mask(mask, list("abcd")) for mask in masks))


def test_skeletons_of_some_sentences_go_by_their_lines():
    result = align_skeletons([record(2, "1011", "0111"), record(0, "1110")], 4, mask_index=1)
    assert [skeleton and skeleton.to_mask() for skeleton in result] == ["1110", None, "0111", None]


def test_as_many_skeletons_as_sentences_go_in_order():
    result = align_skeletons([record(7, "1011"), record(3, "1110")], 2)
    assert [skeleton.to_mask() for skeleton in result] == ["1011", "1110"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [([0, 3], r"s\.jsonl:2: a skeleton of line 4, but the text has 3 lines"), ([1, 1], "a second record of line 2")],
)
def test_skeletons_of_other_sentences_are_refused(lines, message):
    with pytest.raises(FormatError, match=message):
        align_skeletons([record(line, "1011") for line in lines], 3, path="s.jsonl")


def test_labels_are_read_from_a_file(tmp_path):
    (tmp_path / "labels").write_text("news\n\n talk \nnews\n", encoding="utf-8")
    groups = read_groups(tmp_path / "labels", 4)
    assert groups.labels == ("news", None, "talk", "news")
    with pytest.raises(FormatError, match="has 4 lines, but the first reference has 3 lines"):
        read_groups(tmp_path / "labels", 3)
    (tmp_path / "labels").write_text("\n\n", encoding="utf-8")
    with pytest.raises(FormatError, match="no label"):
        read_groups(tmp_path / "labels", 2)
