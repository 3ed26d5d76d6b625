"""Starts of non-finite clauses: training of the regression, and moved clauses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lattice_simp.errors import FormatError
from lattice_simp.systems.hindi.clause import Clause, ClauseType, are_nested
from lattice_simp.systems.hindi.clauses.crf import CrfSettings
from lattice_simp.systems.hindi.clauses.model import ClauseModel
from lattice_simp.systems.hindi.clauses.participles import StartClassifier
from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token

pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed (the extra 'hindi')")

NOUNS, PLACES, VERBS = ("raam", "siitaa", "mohan"), ("ghar", "bagh"), ("gayaa", "soyaa")
MAIN = Clause(0, 7, ClauseType.MAIN)


def sentence_of(subject: str, place: str, thing: str, verb: str) -> Sentence:
    """Makes `SUBJECT ne PLACE men THING khaakar VERB`, five phrases."""
    tokens = (
        Token(subject, "NNP", subject), Token("ne", "PSP"), Token(place, "NN", place), Token("men", "PSP"),
        Token(thing, "NN", thing), Token("khaakar", "VM", "khaa"), Token(verb, "VM", verb),
    )  # fmt: skip
    chunks = (Chunk("NP", 0, 2), Chunk("NP", 2, 4), Chunk("NP", 4, 5), Chunk("VGNF", 5, 6), Chunk("VGF", 6, 7))
    return Sentence(tokens, chunks)


def participle(start: int) -> Clause:
    return Clause(start, 6, ClauseType.NON_FINITE)


def examples(start: int) -> list[tuple[Sentence, list[Clause]]]:
    """Returns sentences whose participle's clause always starts at the same token."""
    return [
        (sentence_of(subject, place, thing, verb), [MAIN, participle(start)])
        for subject in NOUNS
        for place in PLACES
        for thing in ("rotii", "phal")
        for verb in VERBS
    ]


NEW = sentence_of("gita", "shahar", "chaaval", "aayaa")


@pytest.mark.parametrize("start", [2, 4, 5])
@pytest.mark.parametrize("before", [0, 2, 4, 5])
def test_a_clause_starts_where_those_of_the_examples_do(start, before):
    classifier = StartClassifier.train(examples(start))
    assert classifier.moved(NEW, [MAIN, participle(before)]) == [MAIN, participle(start)]


def test_no_start_lies_beyond_a_finite_verb():
    tokens = (*NEW.tokens, *NEW.tokens)
    shifted = tuple(Chunk(chunk.tag, chunk.start + 7, chunk.end + 7) for chunk in NEW.chunks)
    odds = StartClassifier.train(examples(2)).odds(Sentence(tokens, NEW.chunks + shifted))
    assert {verb: sorted(odd) for verb, odd in odds.items()} == {3: [0, 1, 2, 3], 8: [5, 6, 7, 8]}


@pytest.mark.parametrize(
    "other",
    [Clause(2, 5, ClauseType.RELATIVE), Clause(2, 6, ClauseType.COORDINATE), Clause(0, 4, ClauseType.RELATIVE)],
)
def test_no_clause_is_crossed_or_covered(other):
    result = StartClassifier.train(examples(2)).moved(NEW, [MAIN, other, participle(5)])
    assert are_nested(result)
    assert other in result
    assert len({(entry.start, entry.end) for entry in result}) == 3


def test_without_a_clause_or_a_participle_nothing_moves():
    classifier = StartClassifier.train(examples(2))
    assert classifier.moved(NEW, [MAIN]) == [MAIN]
    finite = replace(NEW, chunks=(*NEW.chunks[:3], Chunk("VGF", 5, 7)))
    assert classifier.moved(finite, [MAIN, participle(4)]) == [MAIN, participle(4)]


def test_without_examples_the_start_stays():
    classifier = StartClassifier.train([(NEW, [MAIN])])
    for start in (0, 2, 4, 5):
        assert classifier.moved(NEW, [MAIN, participle(start)]) == [MAIN, participle(start)]


def test_models_keep_their_classifier(tmp_path):
    pairs = examples(4)
    plain = ClauseModel.train(pairs, settings=CrfSettings(max_iterations=30))
    assert plain.clauses(NEW) == [MAIN, participle(4)]
    model = replace(plain, participles=StartClassifier.train(examples(2)))
    model.write(tmp_path)
    for each in (model, ClauseModel.read(tmp_path)):
        assert each.clauses(NEW) == [MAIN, participle(2)]
    (tmp_path / "participles.crf").unlink()
    with pytest.raises(FormatError, match=r"participles\.crf"):
        ClauseModel.read(tmp_path)
