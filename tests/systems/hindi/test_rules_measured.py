"""The rules exceed the paper's figures on the hand-marked sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from lattice_simp.systems.hindi.clause import Clause
from lattice_simp.systems.hindi.formats.treebank import read_marked, read_treebank
from lattice_simp.systems.hindi.rules import rule_clauses
from lattice_simp.systems.hindi.sentence import Sentence

Span = tuple[str, int, int]


def spans_of(clauses: Iterable[Clause]) -> list[Span]:
    return [(str(clause.kind), clause.start, clause.end) for clause in clauses]


def inner(sentence: Sentence, spans: list[Span]) -> list[Span]:
    """Removes punctuation and elided words at the edges, which do not count."""
    kept = [token.tag != "SYM" and not token.is_empty for token in sentence.tokens]
    results = []
    for kind, start, end in spans:
        positions = [position for position in range(start, end) if kept[position]]
        if positions:
            results.append((kind, positions[0], positions[-1] + 1))
    return results


def f1(predicted: list, wanted: list) -> float:
    return 2 * sum((Counter(predicted) & Counter(wanted)).values()) / (len(predicted) + len(wanted))


@pytest.mark.slow
def test_better_than_the_paper(shared):
    wanted = read_marked(shared / "data/hindi/clauses-dev.tsv")
    hits: list[tuple] = []
    gold: list[tuple] = []
    for file, sentence in read_treebank(shared / "data/hindi/treebank/hdtb-ssf.tar.xz", [], only=wanted):
        if marked := wanted[file].pop(sentence.id, None):
            key = file, sentence.id
            hits += [(*key, *span) for span in inner(sentence, spans_of(rule_clauses(sentence)))]
            gold += [(*key, *span) for span in inner(sentence, spans_of(marked))]
    assert not any(wanted.values()), "sentences that the treebank lacks"

    finite, finite_gold = ([span for span in spans if span[2] != "nonfin"] for spans in (hits, gold))
    assert (
        f1([(*entry[:2], *entry[3:]) for entry in finite], [(*entry[:2], *entry[3:]) for entry in finite_gold]) > 0.94
    )
    assert f1(finite, finite_gold) > 0.93
    non_finite = [entry for entry in gold if entry[2] == "nonfin"]
    assert len([entry for entry in non_finite if entry in hits]) / len(non_finite) > 0.63
