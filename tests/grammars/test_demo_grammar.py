"""The grammar: its tables, its cases, its transducers, and the committed test sentences."""

from __future__ import annotations

import json

import pytest
import pywrapfst

from lattice_simp.grammars.demo.lexicon import Lexicon
from lattice_simp.grammars.demo.sample import draw
from lattice_simp.grammars.demo.vocabulary import MARKS
from lattice_simp.support.tables import grammar_path, grammar_table

CASES = list(grammar_table("demo/cases.tsv", full=True))
TABLES = ["adjectives", "adverbials", "controls", "intransitives", "nouns", "verbs"]
SUBSEQUENCE_SHARE = 0.95


def words_of(pair):
    return " ".join(pair.english), " ".join(pair.german)


def contains(sentence, part):
    """Returns whether `part` is a subsequence of `sentence`."""
    rest = iter(sentence)
    return all(word in rest for word in part)


@pytest.fixture(scope="module")
def records():
    return [json.loads(line) for line in grammar_path("demo/data/test.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def references():
    return grammar_path("demo/data/test.de").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["english"])
def test_case(relation, case):
    assert case["german"] in relation.translations(case["english"].split(), case["mask"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["english"])
def test_the_skeleton_of_a_case_is_a_sentence(relation, case):
    kept = [word for word, keep in zip(case["english"].split(), case["mask"], strict=True) if keep == "1"]
    assert relation.translations(kept)


@pytest.mark.parametrize(
    ("english", "mask"),
    [
        ("the bill that the mayor had watered was passed .", None),  # who waters bills?
        ("the plan was rejected yesterday .", "101111"),  # no gap
        ("the plan was rejected in may .", "1111011"),  # half a gap
        ("the plan of the council was .", None),
        ("the zebra was closed .", None),
    ],
)
def test_not_in_the_grammar(relation, english, mask):
    assert relation.translations(english.split(), mask) == []


def test_a_mask_chooses_between_readings(relation):
    english = "the librarians published the petition that was rejected on friday .".split()
    within = "die bibliothekarinnen veröffentlichten die petition , die am freitag zurückgewiesen wurde ."
    beside = "die bibliothekarinnen veröffentlichten die petition , die zurückgewiesen wurde , am freitag ."
    assert beside in relation.translations(english, "11111111001")
    assert within not in relation.translations(english, "11111111001")
    # One deleted run of words may be one gap or two.
    assert {beside, within} <= set(relation.translations(english, "11111000001"))


@pytest.mark.parametrize("table", TABLES)
def test_table(table):
    rows = list(grammar_table(f"demo/{table}.tsv", full=True))
    identifiers = [row["id"] for row in rows]
    assert len(set(identifiers)) == len(identifiers)
    for row in rows:
        assert all(value and value == value.strip() for value in row.cells.values()), row
        # `|`, `_` and `#` have a meaning in symbols; brackets and bars have one in the rule table.
        assert not any(set(value) & set("_#[]<>") for key, value in row.cells.items() if key != "id"), row


def test_classes_have_nouns():
    lexicon = Lexicon()
    kinds = {noun.kind for noun in lexicon.nouns}
    for entry in (*lexicon.verbs, *lexicon.adjectives):
        assert entry.classes <= kinds, entry


def test_sentences_are_finite_and_connected(relation):
    wanted = pywrapfst.ACYCLIC | pywrapfst.ACCESSIBLE | pywrapfst.COACCESSIBLE
    assert relation.sentences.properties(wanted, True) == wanted


def test_spelling_is_functional(relation):
    # The loops of one state begin with distinct symbols, so the transducer is as deterministic as possible.
    inputs = [arc.ilabel for arc in relation.spelling.arcs(relation.spelling.start()) if arc.ilabel]
    assert len(set(inputs)) == len(inputs)


def test_random_sentences_are_accepted_with_their_masks(relation):
    pairs = draw(relation, 60, seed=5)
    assert pairs == draw(relation, 60, seed=5)
    for pair in pairs:
        for mask in (None, *pair.masks()):
            assert " ".join(pair.german) in relation.translations(pair.english, mask)
        assert not MARKS & {*pair.english, *pair.german}
        assert all(0 <= i < len(pair.english) and 0 <= j < len(pair.german) for i, j in pair.links)


def test_references_are_in_the_relation(relation, records, references):
    assert len(records) == len(references)
    for number, (record, reference) in enumerate(zip(records, references, strict=True)):
        assert (record["id"], record["line"]) == (f"demo.{number}", number)
        assert reference in relation.translations(record["tokens"], record["keep"][0])


def test_skeletons_translate_to_parts_of_the_references(relation, records, references):
    result = 0
    for record, reference in zip(records, references, strict=True):
        skeleton = [word for word, keep in zip(record["tokens"], record["keep"][0], strict=True) if keep == "1"]
        translations = relation.translations(skeleton)
        assert translations, skeleton
        result += any(contains(reference.split(), translation.split()) for translation in translations)
    assert result / len(records) >= SUBSEQUENCE_SHARE, f"{result} of {len(records)}"
