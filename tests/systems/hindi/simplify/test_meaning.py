"""Splits that would change the meaning, or leave a sentence that does not stand alone, are made only on request."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter
from pathlib import Path

import pytest
from systems.hindi.simplify.cases import parse_sentence

from lattice_simp.support.tables import Row, read_table
from lattice_simp.systems.hindi.clause import parse_bracketed
from lattice_simp.systems.hindi.simplify import Simplified, simplify


def simplified(tagged: str, clauses: str, *, every_clause: bool = False) -> Simplified:
    return simplify(parse_sentence(tagged), parse_bracketed(clauses)[1], every_clause=every_clause)


COLUMNS = ("name", "tagged", "clauses", "expected", "reason")
ROWS = list(read_table(Path(__file__).with_name("meaning.tsv"), COLUMNS))
SPLIT = [row for row in ROWS if row["expected"]]
KEPT = [row for row in ROWS if row["reason"]]


@pytest.mark.parametrize("row", SPLIT, ids=itemgetter("name"))
def test_statements_that_stand_alone_are_split(row: Row):
    assert str(simplified(row["tagged"], row["clauses"])) == row["expected"]


@pytest.mark.parametrize("row", KEPT, ids=itemgetter("name"))
def test_other_clauses_stay_and_say_why(row: Row):
    careful = simplified(row["tagged"], row["clauses"])
    assert len(careful.sentences) == 1
    assert any(row["reason"] in why for _, why in careful.kept_together), careful.kept_together
    assert len(simplified(row["tagged"], row["clauses"], every_clause=True).sentences) > 1


def test_what_follows_a_kept_complement_may_belong_to_it():
    tagged = (
        "राम/NNP | नहीं/NEG चाहता/VM | कि/CC | सीता/NNP | बड़े/JJ घर/NN में/PSP | गई/VM | और/CC | मोहन/NNP | घर/NN में/PSP | "
        "आया/VM"
    )
    clauses = "(coord राम नहीं चाहता (comp कि सीता बड़े घर में गई ) ) और (coord मोहन घर में आया )"
    assert len(simplified(tagged, clauses).sentences) == 1


def test_a_relative_pronoun_inside_a_kept_clause_stays():
    tagged = (
        "राम/NNP | जहां/PRP | बाहर/NST | रहा/VM | ,/SYM | वहां/PRP | सीता/NNP | घर/NN में/PSP | रही/VM | और/CC | "
        "मोहन/NNP | दूर/NST | गया/VM"
    )
    clauses = "(coord (adv राम जहां बाहर रहा ) , वहां सीता घर में रही ) और (coord मोहन दूर गया )"
    assert str(simplified(tagged, clauses)).startswith("राम जहां बाहर रहा , वहां सीता घर में रही")


@pytest.mark.parametrize(("is_parsed", "count"), [(False, 2), (True, 1)])
def test_the_subject_in_a_parser_s_tree_is_not_certain(is_parsed, count):
    forms = "मोहन/NNP | आज/NN | घर/NN में/PSP | रोटी/NN[gender=f,number=sg] | खाकर/VM:VGNF | सोया/VM"
    sentence = parse_sentence(forms)
    links = [(5, "k1"), (5, "k7t"), (4, "k7p"), (4, "k2"), (5, "vmod"), (-1, "")]
    chunks = [
        replace(chunk, head=head, relation=relation)
        for chunk, (head, relation) in zip(sentence.chunks, links, strict=True)
    ]
    tree = replace(sentence, chunks=tuple(chunks), is_parsed=is_parsed)
    clauses = parse_bracketed("(main मोहन आज (nonfin घर में रोटी खाकर ) सोया )")[1]
    assert len(simplify(tree, clauses).sentences) == count
    assert len(simplify(tree, clauses, every_clause=True).sentences) == 2


def test_a_question_without_a_tag_keeps_its_mark():
    tagged = "तुम/PRP | कहाँ/NN | जा/VM रहे/VAUX हो/VAUX | और/CC | कब/WQ | लौटोगे/VM | ?/SYM"
    result = simplified(tagged, "(coord तुम कहाँ जा रहे हो ) और (coord कब लौटोगे ) ?", every_clause=True)
    assert str(result) == "तुम कहाँ जा रहे हो ? | तुम कब लौटोगे ?"


def test_a_form_before_the_progressive_is_a_root():
    tagged = "वह/PRP>4:k1 | गाना/NN>3:k2 | गाते/VM हुए/VAUX:VGNF>4:vmod | चला/VM[root=चल,tam=yA] रहा/VAUX था/VAUX"
    result = simplified(tagged, "(main वह (nonfin गाना गाते हुए ) चला रहा था )", every_clause=True)
    assert str(result) == "वह गाना गा रहा था | वह चला रहा था"


def test_a_clause_with_a_subject_shares_none():
    tagged = (
        "यह/DEM दवा/NN>3:k1 | सुरक्षित/JJ>3:k1s | है/VM>4:ccof | और/CC | "
        "इससे/PRP>7:k3 | कोई/PRP नुकसान/NN>7:pof | नहीं/NEG होगा/VM>4:ccof"
    )
    clauses = "(coord यह दवा सुरक्षित है ) और (coord इससे कोई नुकसान नहीं होगा )"
    assert str(simplified(tagged, clauses, every_clause=True)) == "यह दवा सुरक्षित है | इससे कोई नुकसान नहीं होगा"
