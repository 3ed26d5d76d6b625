"""The agreement of two judgements of each sentence: figures by hand, from files to the page."""

from __future__ import annotations

import json
import re

import pytest

from experiments.agreement.__main__ import confusion, counts_of, f1, main, nested, random_f1, two_judgements
from lattice_simp.errors import LatticeSimpError
from lattice_simp.skeleton import Skeleton, SkeletonRecord

ROWS = (("1100", "1110"), ("0011", "1101"), ("10", "10"))
NEEDS = "is not installed (the extra 'annotation')"


def records(rows=ROWS):
    results = []
    for number, masks in enumerate(rows):
        words = tuple(f"w{place}" for place in range(len(masks[0])))
        skeletons = tuple(Skeleton.from_mask(mask, words) for mask in masks)
        results.append(SkeletonRecord(f"talk.{number}", number, skeletons, ("Zoe", "Ada")[: len(masks)]))
    return results


def test_confusion_and_limits():
    judgements = two_judgements(records())
    counts = counts_of(judgements)
    assert counts.tolist() == [[4, 2, 3, 2], [4, 2, 3, 1], [2, 1, 1, 1]]
    assert confusion(counts) == {"both": 0.4, "short_alone": 0.1, "long_alone": 0.3, "none": 0.2}
    assert f1(judgements) == pytest.approx((4 / 5 + 2 / 5 + 1) / 3)
    assert f1(nested(counts)) == pytest.approx((4 / 5 + 4 / 5 + 1) / 3)
    assert random_f1(counts) == pytest.approx((2 * 1.5 / 5 + 2 * 1.5 / 5 + 2 * 0.5 / 2) / 3)
    assert counts_of(nested(counts)).tolist() == [[4, 2, 3, 2], [4, 2, 3, 2], [2, 1, 1, 1]]


def test_sentences_without_two_judgements_are_refused():
    with pytest.raises(LatticeSimpError, match=r"'talk\.1' has 1 skeletons; two are wanted"):
        two_judgements(records((("10", "11"), ("10",))))
    with pytest.raises(LatticeSimpError, match="no sentences"):
        two_judgements([])


@pytest.mark.slow
def test_the_page_has_the_figures(tmp_path):
    for name in ("crowdkit", "nltk"):
        pytest.importorskip(name, reason=f"{name} {NEEDS}")
    (tmp_path / "made.jsonl").write_text("".join(record.to_json() + "\n" for record in records()), encoding="utf-8")
    (tmp_path / "config.yaml").write_text(f"data: {tmp_path}\nsets: {{news: made.jsonl}}\n", encoding="utf-8")
    main([str(tmp_path)])
    page = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    figures = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["sets"]["news"]
    # Of 20 judgements 12 are "keep", and 4 of 10 tokens are judged differently: 1 - 19 * 4 / (12 * 8).
    assert figures["alpha"] == pytest.approx(1 - 19 * 4 / (12 * 8))
    assert figures["alpha_nested"] == pytest.approx(1 - 19 * 2 / (12 * 8))
    assert (figures["same"], figures["contained"]) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert figures["short_within_long"] == pytest.approx(4 / 5)
    assert figures["short_reliability"] == pytest.approx(figures["long_reliability"], abs=0.1)
    values = {row[0]: row[1:] for row in (re.split(r" \| ", line.strip("| ")) for line in page.splitlines()) if row[1:]}
    assert values["news"][:5] == ["10", "40.0", "10.0", "30.0", "20.0"]
    assert "| news | 3 | 0.500 | 0.667 | 0.733 | 0.867 |" in page
