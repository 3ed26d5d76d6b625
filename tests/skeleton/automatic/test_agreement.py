"""Agreement and pairs, by hand."""

from __future__ import annotations

import pytest

from lattice_simp.errors import FormatError, LatticeSimpError, SkeletonError
from lattice_simp.skeleton import GapType, Skeleton, SkeletonRecord
from lattice_simp.skeleton.automatic import agreement, compare_records, read_pairs, token_f1

TOKENS = tuple("abcd")


def masks(*texts):
    return tuple(Skeleton.from_mask(text, TOKENS) for text in texts)


def test_figures_by_hand():
    result = agreement([masks("1100", "0011"), masks("1111")], [masks("1001", "0111"), masks("1111")])
    # First sentence: 2*1/4 and 2*1/5; second: 1.
    assert result.f1_by_reference == pytest.approx(((0.5 + 1) / 2, 0.4))
    assert result.mean_f1 == pytest.approx((0.45 + 1) / 2)
    assert result.best_f1 == pytest.approx((0.5 + 1) / 2)
    assert result.oracle_f1 == pytest.approx((0.8 + 1) / 2)
    assert (result.exact, result.rate, result.sentences) == (0.5, 0.75, 2)
    assert result.reference_rate == pytest.approx((0.5 + 0.75 + 1) / 3)
    assert result.gap_types[GapType.END] == 0.5


def test_records_are_matched_by_id():
    gold = [SkeletonRecord("x", 0, masks("1100")), SkeletonRecord("y", 1, masks("0011"))]
    assert compare_records(gold, [SkeletonRecord("y", 5, masks("0011"))]).exact == 1.0
    with pytest.raises(LatticeSimpError, match="no record with the same id"):
        compare_records(gold, [SkeletonRecord("z", 0, masks("0011"))])
    with pytest.raises(LatticeSimpError, match="the same id"):
        compare_records(gold, [gold[0], gold[0]])
    with pytest.raises(SkeletonError, match="'x' have different tokens"):
        compare_records(gold, [SkeletonRecord("x", 0, (Skeleton.from_mask("10", ["a", "b"]),))])


def test_other_sentences_cannot_be_compared():
    with pytest.raises(SkeletonError, match="different sentences"):
        token_f1(masks("1100")[0], Skeleton.from_mask("10", ["a", "b"]))
    with pytest.raises(LatticeSimpError, match="0 sentences"):
        agreement([], [])


def test_pairs(tmp_path):
    (tmp_path / "a").write_text("Today it rained .\nno pair\n\nThe end .\n", encoding="utf-8")
    (tmp_path / "b").write_text("It rained .\nno other\nx\n\n", encoding="utf-8")
    skeletons, others = read_pairs(tmp_path / "a", tmp_path / "b")
    assert [skeleton.to_brackets() for skeleton in skeletons] == ["[[Today]] it rained ."]
    assert others == 1
    (tmp_path / "b").write_text("It rained .\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"b: ends after 1 line, but .*a has more"):
        read_pairs(tmp_path / "a", tmp_path / "b")
