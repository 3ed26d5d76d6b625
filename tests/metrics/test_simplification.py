"""Edits, unchanged and identical outputs, sentences, syllables and FKGL."""

from __future__ import annotations

import pytest
from metrics.corpora import random_sentences, with_mistakes
from word_edits import edits

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.grammars.english.stops import abbreviations
from lattice_simp.metrics import (
    count_sentences,
    edits_reference,
    edits_source,
    fkgl,
    identical,
    sentences,
    split,
    unchanged,
)
from lattice_simp.metrics.edits import word_edits
from lattice_simp.metrics.syllables import _rules, count_syllables

# ---------------------------------------------------------------- edits


def test_edits_are_those_of_the_definition():
    for seed in range(20):
        lines = random_sentences(8, seed)
        others = with_mistakes(lines, 0.5, seed) if seed % 2 else random_sentences(8, seed + 100)
        expected = [
            edits(line.lower().split(), other.lower().split()) for line, other in zip(lines, others, strict=True)
        ]
        assert word_edits(lines, others).tolist() == expected, seed


def test_edits_to_the_source_and_to_the_nearest_reference():
    source = ["The cat sat on the mat .", "it rained", "we left"]
    outputs = ["the cat sat .", "it rained", ""]
    references = [["a cat sat .", "it was wet", "we went"], ["the cat slept there .", "It rained", "all of us left"]]
    assert edits_source().corpus_score(outputs, references, source) == pytest.approx((3 + 0 + 2) / 3)
    assert edits_reference(2).corpus_score(outputs, references) == pytest.approx((1 + 0 + 2) / 3)
    assert unchanged().corpus_score(outputs, references, source) == pytest.approx(100 / 3)
    assert identical(2).corpus_score(outputs, references) == pytest.approx(100 / 3)
    assert identical(1).corpus_score(outputs, references[:1]) == 0


def test_directions():
    directions = [metric.higher_is_better for metric in (edits_source(), unchanged(), split(), sentences())]
    assert directions == [None] * 4  # neither much nor little is better
    assert (edits_reference().higher_is_better, identical().higher_is_better, fkgl().higher_is_better) == (0, 1, 0)


@pytest.mark.parametrize("make", [edits_source, unchanged, split])
def test_what_compares_with_the_source_asks_for_it(make):
    with pytest.raises(LatticeSimpError, match="needs --source"):
        make().corpus_score(["a"], [["a"]])
    with pytest.raises(LatticeSimpError, match="the source has 2 lines for 1"):
        make().corpus_score(["a"], [["a"]], ["a", "b"])


# ---------------------------------------------------------------- sentences

COUNTS = [
    ("", 0),
    (".", 0),
    ('. " )', 0),
    ("it fell", 1),
    ("it fell .", 1),
    ("it fell . .", 1),
    ("it fell . it broke .", 2),
    ("it fell . it broke", 2),
    ('" it fell . "', 1),
    ("it fell ( at noon . ) it broke .", 2),
    ("why ? because .", 2),
    ("why ?! oh !!! well .", 3),
    ("well ... it fell .", 1),
    ("well … it fell .", 1),
    ("it costs 3.50 at smith inc. in may .", 1),
    ("mr . low met dr . high . they spoke .", 2),
    ("Mr . Low met J . K . High . They spoke .", 2),
    ("it is no . 5 of vol . ii .", 1),
    ("he said no . she left .", 2),
    ("lt . col . hill left .", 1),
    ("he sat . she left the sun . 5 came .", 3),
    ("she and i . they left .", 2),
    ("in the u . s . they speak so .", 1),
    ("it was in 1960 . he left .", 2),
    ("वह आया । वह सोया ।", 2),
    ("it fell . it broke.", 2),
]


@pytest.mark.parametrize(("line", "expected"), COUNTS)
def test_sentences_of_a_line(line, expected):
    assert count_sentences(line) == expected


def test_joined_sentences_are_as_many():
    alone = [line for line, expected in COUNTS if expected == 1 and line.endswith((".", '"'))]
    assert len(alone) > 5
    assert count_sentences(" ".join(alone)) == len(alone)


def test_split_outputs_and_sentences_of_outputs():
    source = ["it fell and broke .", "he came . she left", "one ."]
    outputs = ["it fell . it broke .", "he came . she left .", ""]
    assert split().corpus_score(outputs, [source], source) == pytest.approx(100 / 3)
    assert sentences().corpus_score(outputs, [source]) == pytest.approx(4 / 3)


def test_abbreviations_are_without_their_stop():
    assert not any(word.endswith(".") for word in abbreviations())


# ---------------------------------------------------------------- syllables and grades

SYLLABLES = {
    1: "a the he whole make makes shared walked played league eye three through gauge dreamed rules called I aye "
    "friend queen caused shoe ski health types".split(),
    2: "table people wanted naked useful something therefore business every marriage nation special create poem "
    "being going seeing player royal mayor lion diet quiet science centre acre lonely tables boxes churches minutes "
    "ordered hundred sacred sizes movement apple million friendly social fluent Russian don't-go".split(),
    3: "media radio period serious various area theory idea video actual musician scientist influence opinion tourism "
    "violin medium employer government element united beautiful example created achievement religious royalty "
    "government's".split(),
    4: "society associate political original information geography scientific experience".split(),
    5: "university simultaneous individual organization imagination communication".split(),
}


def test_syllables_of_words():
    wrong = {
        word: (count_syllables(word), expected)
        for expected, words in SYLLABLES.items()
        for word in words
        if count_syllables(word) != expected
    }
    assert wrong == {}


def test_case_hyphens_and_digits():
    assert count_syllables("RADIO") == 3
    assert count_syllables("well-known") == count_syllables("well") + count_syllables("known")
    assert count_syllables("1960") == count_syllables("3.5") == count_syllables("bbc") == 1
    assert count_syllables("don’t") == count_syllables("don't") == 1
    assert count_syllables("café") == 2


def test_every_rule_of_syllables_changes_its_example():
    from lattice_simp.support.tables import grammar_table

    for row, (pattern, change) in zip(grammar_table("english/syllables.tsv"), _rules(), strict=True):
        word, expected = row["example"].split()
        assert pattern.search(word), row
        assert change, row
        assert count_syllables(word) == int(expected), row


def test_a_broken_rule_names_its_line(grammar_folder):
    (grammar_folder / "english" / "syllables.tsv").write_text("pattern\tchange\texample\n(e\t1\tbee 1\n", "utf-8")
    _rules.cache_clear()
    try:
        with pytest.raises(FormatError, match=r"syllables\.tsv:2: .*regular expression"):
            _rules()
    finally:
        _rules.cache_clear()


def test_the_grade_by_hand():
    """11 words of 14 syllables in 3 sentences; punctuation marks and parts of words are no words."""
    outputs = ["the old mayor did n't come .", "she was the employer 's friend ! why ?"]
    grade = fkgl()
    assert grade.rows(outputs, [outputs]).tolist() == [[1, 5, 6], [2, 6, 8]]
    assert grade.corpus_score(outputs, [outputs]) == pytest.approx(0.39 * 11 / 3 + 11.8 * 14 / 11 - 15.59)


def test_the_grade_of_nothing_is_0():
    assert fkgl().corpus_score(["", " . "], [["a", "b"]]) == 0
    assert fkgl().score([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]).tolist() == pytest.approx([0.0, 0.39 + 11.8 - 15.59])


def test_longer_words_and_sentences_raise_the_grade():
    easy, long_words, long_sentences = (
        ["it fell . it broke ."],
        ["society fell . it broke ."],
        ["it fell so it broke ."],
    )
    grades = [fkgl().corpus_score(lines, [lines]) for lines in (easy, long_words, long_sentences)]
    assert grades[0] < min(grades[1:])
