"""Better than the paper's figures on the hand-marked sentences."""

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
    return [(str(one.kind), one.start, one.end) for one in clauses]


def inner(sentence: Sentence, spans: list[Span]) -> list[Span]:
    """Punctuation and elided words at the edges do not count."""
    kept = [token.tag != "SYM" and not token.is_empty for token in sentence.tokens]
    found = []
    for kind, start, end in spans:
        positions = [position for position in range(start, end) if kept[position]]
        if positions:
            found.append((kind, positions[0], positions[-1] + 1))
    return found


def f1(found: list, wanted: list) -> float:
    return 2 * sum((Counter(found) & Counter(wanted)).values()) / (len(found) + len(wanted))


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

    finite, finite_gold = ([one for one in spans if one[2] != "nonfin"] for spans in (hits, gold))
    assert f1([(*one[:2], *one[3:]) for one in finite], [(*one[:2], *one[3:]) for one in finite_gold]) > 0.94
    assert f1(finite, finite_gold) > 0.93
    non_finite = [one for one in gold if one[2] == "nonfin"]
    assert len([one for one in non_finite if one in hits]) / len(non_finite) > 0.63
