"""Marker lists, word classes and units."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from lattice_simp.errors import FormatError
from lattice_simp.grammars.hindi.markers import MarkerClass, is_marker, markers, markers_of
from lattice_simp.grammars.hindi.symbols import classes_of, symbols
from lattice_simp.systems.hindi.rules import units_of
from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token

APPENDIX_A = "aur athwaa yaa evam para magar lekin kintu parantu tathaa jabki va isalie kyunki".split()
APPENDIX_B = "jo jiskaa jiske jiski jisko jisse jise jinse jinhen jinhone jinmen jaba".split()


@pytest.mark.parametrize("form", APPENDIX_A)
def test_appendix_a(form):
    assert "A" in {marker.source for marker in markers_of(form)}


@pytest.mark.parametrize("form", APPENDIX_B)
def test_appendix_b(form):
    result = markers_of(form)
    assert "B" in {marker.source for marker in result}
    assert {marker.kind for marker in result} <= {"relative", "temporal"}


def test_both_scripts_and_cases_of_letters_agree():
    for marker in markers():
        assert marker in markers_of(marker.devanagari)
        for spelling in marker.roman:
            assert marker in markers_of(spelling.capitalize())


def test_no_form_stands_twice():
    forms = [marker.devanagari for marker in markers()]
    assert len(forms) == len(set(forms))


def test_every_source_and_class_is_used():
    assert {marker.source for marker in markers()} == {"A", "B", "text", "treebank", "paradigm"}
    assert {marker.kind for marker in markers()} == set(get_args(MarkerClass))


def test_is_marker():
    assert is_marker("कि", "complementiser")
    assert not is_marker("कि", "coordinator")
    assert not is_marker("घर", *get_args(MarkerClass))


@pytest.mark.parametrize(
    "row", ["और\taur\tnonsense\tA", "\taur\tcoordinator\tA", "और\t\tcoordinator\tA", "a\tb\tc\td\te"]
)
def test_broken_lists_name_their_line(row, grammar_folder: Path):
    text = "devanagari\troman\tclass\tsource\n" + row + "\n"
    (grammar_folder / "hindi" / "markers.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"markers\.tsv") as caught:
        markers.__wrapped__()
    assert caught.value.line == 2


@pytest.mark.parametrize("form", ["जिसने", "jisne"])
def test_word_classes_in_both_scripts(form):
    assert classes_of(form) == {"ergative pronoun", "relative"}


@pytest.mark.parametrize(
    ("chunk", "tagged", "symbol"),
    [
        ("NP", "raam_NNP ne_PSP", "NE"),
        ("NP", "राम_NNP ने_PSP", "NE"),
        ("NP", "usne_PRP", "NE"),
        ("NP", "उसने_PRP", "NE"),
        ("NP", "ghar_NN ke_PSP baad_NST", "TIME"),
        ("NP", "घर_NN के_PSP लिए_PSP", "OBL"),
        ("NP", "सोमवार_NNP को_PSP", "TIME"),
        ("NP", "सोमवार_NNP की_PSP", "KA"),
        ("NP", "jis_DEM ghar_NN men_PSP", "REL"),
        ("NP", "जब_PRP", "JAB"),
        ("NP", "तो_PRP", "TO"),
        ("NP", "raam_NNP to_RP", "NP"),
        ("VGF", "कहा_VM है_VAUX", "SAY"),
        ("VGF", "gayaa_VM", "FIN"),
        ("VGNF", "जाकर_VM", "KAR"),
        ("VGNF", "karke_VM", "KAR"),
        ("VGNF", "पहन_VM कर_VAUX", "KAR"),
        ("VGNF", "करते_VM हुए_VAUX", "HUE"),
        ("VGNF", "लगे_VM", "PART"),
        ("VGNN", "करने_VM के_PSP", "GER"),
        ("CCP", "पर_CC", "BUT"),
        ("NP", "घर_NN पर_PSP", "MEN"),
        ("CCP", "न_RP कि_CC", "MISC"),
        ("CCP", "या_CC तो_RP", "AND"),
        ("BLK", "।_SYM", "STOP"),
        ("BLK", "(_SYM", "OTHER"),
        ("NP", "जम्मू_NNPC -_SYM कश्मीर_NNP को_PSP", "KO"),
    ],
)
def test_symbols(chunk, tagged, symbol):
    tokens = tuple(Token(*word.rsplit("_", 1)) for word in tagged.split())
    (unit,) = units_of(Sentence(tokens, (Chunk(chunk, 0, len(tokens)),)))
    assert (unit.symbol, unit.start, unit.end) == (symbol, 0, len(tokens))
    assert symbol in symbols()


def test_signs_at_edges_are_units_and_elided_words_are_none():
    tokens = tuple(
        Token(form, tag, is_empty=form == "NULL")
        for form, tag in [('"', "SYM"), ("a", "NN"), ("-", "SYM"), ("b", "NN"), (",", "SYM"), ("NULL", "VM")]
    )
    sentence = Sentence(tokens, (Chunk("NP", 0, 5), Chunk("VGF", 5, 6, is_empty=True)))
    assert [(unit.symbol, unit.start, unit.end) for unit in units_of(sentence)] == [
        ("QUOTE", 0, 1),
        ("NP", 1, 4),
        ("COMMA", 4, 5),
    ]
