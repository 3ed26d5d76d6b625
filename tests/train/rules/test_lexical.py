"""Word translation probabilities and lexical weights against their definition (Koehn, Och and Marcu 2003)."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp.train.rules.extract import Limits, RuleSides
from lattice_simp.train.rules.lexical import LexicalTable, lexical_weights

NULL = None
LEAST = 1e-7


def as_dictionary(table):
    """Returns the table in the form of `brute_tables`."""

    def word(number):
        return NULL if number == 0 else number - 1

    return {
        (word(key >> 32), word(key & (2**32 - 1))): probabilities
        for key, *probabilities in zip(
            table.pairs.tolist(), table.target_given_source.tolist(), table.source_given_target.tolist(), strict=True
        )
    }


def check_tables(table, expected):
    actual = as_dictionary(table)
    assert actual.keys() == expected.keys()
    for pair, probabilities in expected.items():
        assert actual[pair] == pytest.approx(probabilities, rel=1e-12)
    assert (np.diff(table.pairs) > 0).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_tables_are_shares_of_links(seed, training, random_pairs, brute_tables):
    pairs = random_pairs(seed, 60, words=6)
    run = training(pairs, shard_lines=25).run("lexical")
    check_tables(LexicalTable.read(run.folders["lexical"]), brute_tables(pairs))
    assert run.counted["lexical"] == {"word_pairs": len(brute_tables(pairs))}


@pytest.mark.parametrize("merge_after", [0, 1, 150, 10**9])
@pytest.mark.parametrize("shard_lines", [7, 50])
def test_merging_does_not_change_the_tables(
    merge_after, shard_lines, training, random_pairs, monkeypatch, brute_tables
):
    monkeypatch.setattr("lattice_simp.rescore.counts.MERGE_AFTER", merge_after)
    pairs = random_pairs(5, 50)
    run = training(pairs, shard_lines=shard_lines).run("lexical")
    check_tables(LexicalTable.read(run.folders["lexical"]), brute_tables(pairs))


def test_pairs_without_words_or_links_count(training):
    pairs = [([], [], [], 0), ([3], [], [], 0), ([], [1], [], 0), ([3], [1], [], 0)]
    run = training(pairs, shard_lines=1).run("lexical")
    assert as_dictionary(LexicalTable.read(run.folders["lexical"])) == {(3, NULL): [1.0, 1.0], (NULL, 1): [1.0, 1.0]}


# ---------------------------------------------------------------- lexical weights


def rule_arrays(rules):
    def flat(rows, kind):
        offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
        return offsets, np.array([value for row in rows for value in row], dtype=kind)

    points = [[value for point in rule.points for value in point] for rule in rules]
    return RuleSides(
        *flat([rule.source for rule in rules], np.int32),
        *flat([rule.target for rule in rules], np.int32),
        *flat(points, np.uint8),
    )


@pytest.mark.parametrize("of_target", [True, False])
@pytest.mark.parametrize("seed", range(2))
def test_lexical_weights_are_products_of_means(
    seed, of_target, training, random_pairs, brute_rules, brute_tables, brute_weight
):
    pairs = random_pairs(seed + 10, 60, words=15)
    rules = list({rule: None for pair in pairs for rule in brute_rules(pair, Limits(8, 5, 2))})
    assert len(rules) > 200
    known = pairs[:30]  # the table does not hold all pairs of words
    run = training(known).run("lexical")
    table = LexicalTable.read(run.folders["lexical"])
    probabilities = table.target_given_source if of_target else table.source_given_target
    actual = lexical_weights(rule_arrays(rules), table.pairs, probabilities, of_target, LEAST)
    tables = brute_tables(known)
    expected = [brute_weight(rule, tables, of_target, LEAST) for rule in rules]
    assert actual.tolist() == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert expected != [brute_weight(rule, tables, of_target, 1.0) for rule in rules]
