"""Better than the paper's figures on the hand-marked sentences."""

from __future__ import annotations

import tarfile
from collections import Counter
from pathlib import Path

import pytest

from lattice_simp.hindi.formats.ssf import read_ssf
from lattice_simp.hindi.rules.pipeline import rule_clauses
from lattice_simp.hindi.sentence import Sentence

Span = tuple[str, int, int]


def hand_marked(path: Path) -> dict[tuple[str, str], list[Span]]:
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        key, _, clauses = line.partition("\t")
        file, _, sentence = key.partition("#")
        found[file, sentence] = [read_span(text) for text in clauses.split()]
    return found


def read_span(text: str) -> Span:
    kind, _, places = text.partition(":")
    start, _, end = places.partition("-")
    return kind, int(start) - 1, int(end)


def inner(sentence: Sentence, spans: list[Span]) -> list[Span]:
    """Punctuation and elided words at the edges do not count."""
    kept = [token.tag != "SYM" and not token.is_empty for token in sentence.tokens]
    found = []
    for kind, start, end in spans:
        places = [place for place in range(start, end) if kept[place]]
        if places:
            found.append((kind, places[0], places[-1] + 1))
    return found


def f1(found: list, wanted: list) -> float:
    return 2 * sum((Counter(found) & Counter(wanted)).values()) / (len(found) + len(wanted))


@pytest.mark.slow
def test_better_than_the_paper(shared, tmp_path):
    wanted = hand_marked(shared / "data/hindi/clauses-dev.tsv")
    files = {file for file, _ in wanted}
    with tarfile.open(shared / "data/hindi/treebank/hdtb-ssf.tar.xz") as archive:
        for member in archive:
            if Path(member.name).name in files:
                (tmp_path / Path(member.name).name).write_bytes(archive.extractfile(member).read())
    hits: list[tuple] = []
    gold: list[tuple] = []
    for file in sorted(files):
        for sentence in read_ssf(tmp_path / file, []):
            if marked := wanted.pop((file, sentence.id), None):
                key = file, sentence.id
                clauses = [(str(one.kind), one.start, one.end) for one in rule_clauses(sentence)]
                hits += [(*key, *span) for span in inner(sentence, clauses)]
                gold += [(*key, *span) for span in inner(sentence, marked)]
    assert not wanted, "sentences that the treebank lacks"

    finite, finite_gold = ([one for one in spans if one[2] != "nonfin"] for spans in (hits, gold))
    assert f1([(*one[:2], *one[3:]) for one in finite], [(*one[:2], *one[3:]) for one in finite_gold]) > 0.94
    assert f1(finite, finite_gold) > 0.93
    non_finite = [one for one in gold if one[2] == "nonfin"]
    assert len([one for one in non_finite if one in hits]) / len(non_finite) > 0.63
