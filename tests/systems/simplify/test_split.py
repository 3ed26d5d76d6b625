"""Splits: how each construction reads as two sentences, and what holds for any choice of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from simplify_cases import SOURCES, SPLITS

from lattice_simp.errors import LatticeSimpError
from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.systems.simplify.candidates import COPULA, event_pairs, split_candidates
from lattice_simp.systems.simplify.graphs.dependency_graph import dependency_graph
from lattice_simp.systems.simplify.inflection import finite_form
from lattice_simp.systems.simplify.sentence import source_sentence, words
from lattice_simp.systems.simplify.split import (
    SplitKind,
    apply_splits,
    compatible,
)
from lattice_simp.text.english.punctuation import mark_kind


def text(sentences):
    return " || ".join(" ".join(words(sentence)) for sentence in sentences)


@pytest.mark.parametrize("source", dict.fromkeys(row["source"] for row in SPLITS))
def test_the_splits_of_a_sentence(parsed, source):
    """All splits of the sentence are in the table, and no others; `-` for a sentence that must stay whole."""
    parse = parsed(source)
    expected = [
        (row["kind"], row["restrictive"], row["result"])
        for row in SPLITS
        if row["source"] == source and row["kind"] != "-"
    ]
    splits = [
        (split.kind.value, "yes" if split.restrictive else "no", text(apply_splits(parse.tokens, [split])))
        for split in split_candidates(parse)
    ]
    assert splits == expected


def test_the_table_has_each_kind():
    assert {row["kind"] for row in SPLITS} == {*SplitKind, "-"} - {SplitKind.EVENT, SplitKind.REPORT, SplitKind.LINK}


@pytest.mark.parametrize("source", SOURCES)
def test_no_split_returns_the_sentence(parsed, source):
    tokens = parsed(source).tokens
    assert apply_splits(tokens, []) == (source_sentence(tokens),)


def subsets(parse, rng, count):
    """Returns random sets of splits, mostly of compatible ones, with the set of all among them if it is one."""
    splits = split_candidates(parse)
    drawn = [[split for split in splits if rng.random() < 0.6] for _ in range(count)]
    return [chosen for chosen in (list(splits), *drawn) if compatible(chosen)]


@pytest.mark.parametrize("source", SOURCES)
def test_every_word_is_in_one_sentence_or_dropped(parsed, source):
    parse, rng = parsed(source), np.random.default_rng(3)
    for chosen in subsets(parse, rng, 5):
        sentences = apply_splits(parse.tokens, chosen)
        said = [
            token.position
            for sentence in sentences
            for token in sentence
            if token.position is not None and not token.copied
        ]
        dropped = {position for split in chosen for position in split.dropped}
        expected = {position for position, token in enumerate(parse.tokens) if mark_kind(token) is None} - dropped
        assert len(said) == len(set(said)), text(sentences)
        assert {position for position in said if mark_kind(parse.tokens[position]) is None} == expected, text(sentences)


@pytest.mark.parametrize("source", SOURCES)
def test_sentences_are_well_formed(parsed, source):
    parse, rng = parsed(source), np.random.default_rng(4)
    for chosen in subsets(parse, rng, 5):
        sentences = apply_splits(parse.tokens, chosen)
        assert len(sentences) == len(chosen) + 1
        for sentence in sentences if chosen else ():
            first = next(token.text for token in sentence if mark_kind(token.text) is None)
            kinds = [mark_kind(token.text) for token in sentence]
            assert first[:1] == first[:1].upper(), text(sentences)
            *_, last = (token.text for token in sentence if mark_kind(token.text) not in ("close", "quote"))
            assert last.endswith((".", "!", "?")), text(sentences)
            assert kinds[0] not in ("comma", "stop"), text(sentences)
            assert ("comma", "comma") not in set(pairwise(kinds)), text(sentences)
            assert ("comma", "stop") not in set(pairwise(kinds)), text(sentences)


@pytest.mark.parametrize("source", SOURCES)
def test_no_negation_is_lost_or_made(parsed, source):
    parse = parsed(source)

    def negations(tokens):
        return sum(token.lower() in word_set("negations") for token in tokens)

    for chosen in subsets(parse, np.random.default_rng(5), 5):
        sentences = apply_splits(parse.tokens, chosen)
        assert negations(word for sentence in sentences for word in words(sentence)) == negations(parse.tokens)


def test_splits_within_splits(parsed):
    parse = parsed("The king met Anna , who knew Paul , who sold books .")
    splits = split_candidates(parse)
    assert compatible(splits)
    assert text(apply_splits(parse.tokens, splits)) == "The king met Anna . || Anna knew Paul . || Paul sold books ."


def test_a_copy_has_no_clause_that_has_left(parsed):
    parse = parsed("The tower , a ruin since 1820 , was sold and became a museum .")
    whole = "The tower was sold . || The tower became a museum . || The tower was a ruin since 1820 ."
    assert text(apply_splits(parse.tokens, split_candidates(parse))) == whole


@pytest.mark.parametrize(
    ("source", "result"),
    [
        (  # "two years later" is two years after 2001
            "The ship , which was sold in 1990 , sank in 2001 and was raised two years later .",
            "The ship sank in 2001 . || The ship was raised two years later . || The ship was sold in 1990 .",
        ),
        (
            "The ship , a ferry from Kiel , sank in 1911 , and forty people died .",
            "The ship sank in 1911 . || Forty people died . || The ship was a ferry from Kiel .",
        ),
        (  # the description of an object follows it
            "The king met Anna , who was a baker , and he left for Rome .",
            "The king met Anna . || Anna was a baker . || He left for Rome .",
        ),
    ],
)
def test_a_description_of_the_subject_does_not_stand_between_coordinated_statements(parsed, source, result):
    parse = parsed(source)
    assert text(apply_splits(parse.tokens, split_candidates(parse))) == result


def test_a_comma_that_ends_a_fronted_clause_stays(parsed):
    parse = parsed("After the king met the duke , who ruled the south , he went home .")
    relative = [split for split in split_candidates(parse) if split.kind is SplitKind.RELATIVE]
    assert (
        text(apply_splits(parse.tokens, relative))
        == "After the king met the duke , he went home . || The duke ruled the south ."
    )


def test_splits_that_overlap_are_refused(parsed):
    parse = parsed("The old painter , who lived in Rome , sold his house .")
    (split,) = split_candidates(parse)
    assert not compatible([split, split])
    with pytest.raises(LatticeSimpError, match="overlap"):
        apply_splits(parse.tokens, [split, split])


def test_roles_are_the_feature(parsed):
    relative, apposition = (
        split_candidates(parsed(source))[0]
        for source in (
            "The old painter , who lived in Rome , sold his house .",
            "Anna Lind , a famous singer , left the city .",
        )
    )
    assert relative.roles == (("agent", "patient"), ("agent", "in"))
    assert apposition.roles == (("agent", "patient"), COPULA)


def test_pairs_of_events_have_core_roles(parsed):
    graph = dependency_graph(parsed("The old painter , who lived in Rome , sold his house ."))
    assert [roles for _, _, roles in event_pairs(graph)] == [(("agent", "in"), ("agent", "patient"))]


@pytest.mark.parametrize(
    ("participle", "lemma", "past", "present"),
    [
        ("describing", "describe", "described", "describes"),
        ("planning", "plan", "planned", "plans"),
        ("playing", "play", "played", "plays"),
        ("studying", "study", "studied", "studies"),
        ("reaching", "reach", "reached", "reaches"),
        ("agreeing", "agree", "agreed", "agrees"),
        ("making", "make", "made", "makes"),
        ("going", "go", "went", "goes"),
        ("having", "have", "had", "has"),
        ("being", "be", "was", "is"),
        ("lying", "lie", "lay", "lies"),
    ],
)
def test_finite_forms(participle, lemma, past, present):
    assert finite_form(participle, lemma, past=True, plural=False) == past
    assert finite_form(participle, lemma, past=False, plural=False) == present
