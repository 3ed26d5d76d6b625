"""Clauses as spans, brackets and labels: each form gives back what went in."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.hindi.clause import (
    Clause,
    ClauseType,
    are_nested,
    bracketed,
    nested_order,
    parse_bracketed,
    without_tokens,
)
from lattice_simp.systems.hindi.clauses.labels import Brackets, brackets_of, clauses_of, is_balanced
from lattice_simp.systems.hindi.from_tree import without_crossings
from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token
from lattice_simp.systems.hindi.simplify.clause_tree import verb_chunk

KINDS = list(ClauseType)


def random_clauses(rng, size, start=0, depth=0):
    """Makes nested clauses over tokens `start` to `size`, no two with the same span."""
    results, position = [], start
    while position < size:
        end = int(rng.integers(position + 1, size + 1))
        if rng.random() < 0.7 and (depth == 0 or (position, end) != (start, size)):
            results.append(Clause(position, end, KINDS[rng.integers(len(KINDS))]))
            if depth < 3:
                results += random_clauses(rng, end, position, depth + 1)
        position = end
    return list({(entry.start, entry.end): entry for entry in results}.values())


def test_brackets_and_labels_give_clauses_back():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        words = list(rng.choice(["raam", "(", ")", "(main", "\\(", "\\\\)", "\\"], size=rng.integers(1, 12)))
        clauses = nested_order(random_clauses(rng, len(words)))
        assert are_nested(clauses), seed
        assert parse_bracketed(bracketed(words, clauses, kinds=True)) == (words, clauses), seed
        labels = brackets_of(clauses, len(words))
        assert is_balanced(labels), seed
        assert clauses_of(labels) == clauses, seed
        assert [Brackets.parse(str(label)) for label in labels] == labels, seed
        coloured = bracketed(words, clauses, kinds=True, colours=True)
        assert coloured.count("\x1b[0m") == 2 * len(clauses), seed


def test_crossing_clauses_are_cut():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        spans = np.sort(rng.integers(0, 10, size=(5, 2)), axis=1)
        clauses = [Clause(int(start), int(end) + 1) for start, end in spans]
        cut = without_crossings(clauses)
        assert are_nested(cut), seed
        assert [entry.start for entry in cut] == sorted(clause.start for clause in clauses), seed
        if are_nested(clauses):
            assert cut == nested_order(clauses), seed


def test_clauses_of_removed_tokens_are_gone():
    clauses = [Clause(0, 4), Clause(1, 3), Clause(3, 4)]
    assert without_tokens(clauses, [False, True, True, False]) == [Clause(0, 2), Clause(1, 2)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("( a", "1 unclosed brackets"),
        ("a )", "unmatched closing bracket after word 1"),
        ("( ) a", "empty clause after word 0"),
        ("(verb a )", "unknown clause type 'verb'"),
    ],
)
def test_brackets_that_do_not_match_are_refused(text, message):
    with pytest.raises(LatticeSimpError, match=message):
        parse_bracketed(text)


def test_verbs_are_searched_only_near_the_clause(monkeypatch):
    """Long sentences with many clauses would otherwise take time proportional to the square of their length."""
    tokens, chunks = [], []
    for number in range(200):
        tokens += [Token("राम", "NNP"), Token("सोया", "VM")]
        chunks += [Chunk("NP", 2 * number, 2 * number + 1), Chunk("VGF", 2 * number + 1, 2 * number + 2)]
    sentence, seen = Sentence(tuple(tokens), tuple(chunks)), []
    verbs = Sentence.verbs
    monkeypatch.setattr(Sentence, "verbs", lambda self, chunk: seen.append(chunk) or verbs(self, chunk))
    assert verb_chunk(sentence, range(10, 14)) == 13
    assert verb_chunk(sentence, [12]) is None
    assert verb_chunk(sentence, []) is None
    assert len(seen) <= 2
