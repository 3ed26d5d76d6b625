"""The probabilities of operations, their backing off, and their file."""

from __future__ import annotations

import math

import pytest

from lattice_simp.errors import FormatError
from lattice_simp.systems.simplify.operations import EVEN_ODDS, OperationModel


def test_what_was_never_seen_has_even_odds():
    assert OperationModel().probability(("relation", "0-2", "in")) == EVEN_ODDS


def test_rare_features_follow_coarser_ones():
    """One deletion of one chance says little; a hundred of a hundred say nearly all."""
    often = {("modifier", "", word): (0.0, 50.0) for word in ("not", "only", "first")}
    model = OperationModel({**often, ("modifier", "", "rare"): (1.0, 1.0), ("modifier", "", "very"): (100.0, 100.0)})
    unseen, rare, very = (model.probability(("modifier", "", word)) for word in ("unseen", "rare", "very"))
    assert unseen < rare < very < 1.0
    assert rare < 0.7
    assert very > 0.95


def test_each_feature_backs_off_to_the_coarser_one_by_its_chances():
    """Written out: the coarser estimate counts as `prior` chances, and even odds at the top."""
    done = {"in": (3.0, 4.0), "on": (1.0, 6.0)}
    counts = {("relation", "0-2", word): row for word, row in done.items()}
    for prior in (2.0, 0.5, 10.0):
        model = OperationModel({**counts, ("relation", "2-5", "in"): (0.0, 5.0)}, prior)
        kind = (4.0 + prior * 0.5) / (15.0 + prior)
        short, long = (4.0 + prior * kind) / (10.0 + prior), (0.0 + prior * kind) / (5.0 + prior)
        expected = {
            ("relation", "0-2", "in"): (3.0 + prior * short) / (4.0 + prior),
            ("relation", "0-2", "on"): (1.0 + prior * short) / (6.0 + prior),
            ("relation", "0-2", "at"): short,
            ("relation", "2-5", "in"): (0.0 + prior * long) / (5.0 + prior),
            ("relation", "5-", "in"): kind,
            ("modifier", "", "in"): 0.5,
        }
        for feature, probability in expected.items():
            assert model.probability(feature) == pytest.approx(probability), (prior, feature)
    assert OperationModel(counts).prior == 2.0


def test_counts_of_one_feature_add_up():
    rows = [(("split", "relative"), 1.0, 2.0), (("split", "clause"), 0.5, 1.0), (("split", "relative"), 0.25, 3.0)]
    model = OperationModel.from_counts(rows)
    assert model.counts == {("split", "relative"): (1.25, 5.0), ("split", "clause"): (0.5, 1.0)}


def test_logs_are_of_both_outcomes():
    model = OperationModel({("split", "relative"): (3.0, 4.0)})
    done, not_done = model.log_odds(("split", "relative"))
    assert math.exp(done) + math.exp(not_done) == pytest.approx(1.0)


def test_a_written_table_is_read_back(tmp_path):
    counts = {("split", "relative", "agent patient", ""): (1.5, 2.0), ("modifier", "", "very tall"): (0.0, 3.0)}
    OperationModel(counts).write(tmp_path / "operations.tsv")
    assert OperationModel.read(tmp_path / "operations.tsv").counts == counts


@pytest.mark.parametrize("line", ["1", "a\tb\tsplit", "3\t2\tsplit", "1\tnan\tsplit", "1\t2\t", "-1\t2\tsplit"])
def test_a_broken_row_is_named(tmp_path, line):
    path = tmp_path / "operations.tsv"
    path.write_text(f"done\tchances\tfeature\n1\t2\tsplit\n{line}\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"operations.tsv:3: .*not a row.*write done<TAB>chances"):
        OperationModel.read(path)
