"""Tokens: those of sacremoses, and text again."""

from __future__ import annotations

import random

import pytest
from helpers import needs

from lattice_simp.errors import MissingExtraError
from lattice_simp.support.extras import Late
from lattice_simp.text.settings import Text
from lattice_simp.text.tokeniser import Tokeniser, tokenisers

needs("text", "sacremoses")

sacremoses = Late("sacremoses")

SENTENCES = {
    "en": [
        "Mr. Smith paid $3,500.50 (in U.S. dollars), didn't he?",
        "The 1960's were “wild” – or so they say… No. 5 isn't here... See e.g. fig. 3.",
        "'Tis the end.' said he: \"go away.\" He went, (slowly) ; and 20 % stayed .",
        "http://example.org/a_b?c=d a@b.co.uk <b>bold</b> #tag @user &amp; [x|y]",
    ],
    "fr": [
        "L'homme n'a pas dit « bonjour » aujourd'hui, qu'il soit là ou non : c'est vrai !",
        "M. Dupont et Mme. Durand ont 1 234,50 € (env.) ; p. ex. l'art. 5.",
    ],
    "de": ["Das kostet 3.500,50 EUR, z. B. am 3. Mai – „nicht mehr“, sagte Dr. Müller.", "Geht's? Ja... usw."],
    "mr": ["हे एक वाक्य आहे। किंमत १,००० रु. आहे?"],
    "fi": ["EU:ssa ja USA:n välillä, ns. 20:een."],
}
LETTERS = "ab. ,.'\"()[]1٣%:;?!„“”–—´‘‚’…«»`-éº Zz..ँ/<>&@।¿\u00a0\t#*|"


def by_sacremoses(language: str, line: str) -> str:
    line = " ".join(line.split())
    line = sacremoses.MosesPunctNormalizer(language).normalize(line)
    return " ".join(sacremoses.MosesTokenizer(language).tokenize(line, escape=False))


@pytest.mark.parametrize("language", SENTENCES)
def test_tokens_are_those_of_sacremoses(language):
    tokeniser = Tokeniser(language, case="keep")
    for sentence in SENTENCES[language]:
        assert tokeniser.tokens(sentence) == by_sacremoses(language, sentence)


@pytest.mark.parametrize("language", SENTENCES)
def test_tokens_of_random_text_are_those_of_sacremoses(language):
    choose = random.Random(language)
    tokeniser = Tokeniser(language, case="keep")
    normaliser = sacremoses.MosesPunctNormalizer(language)
    moses = sacremoses.MosesTokenizer(language)
    for _ in range(1000):
        line = " ".join("".join(choose.choices(LETTERS, k=choose.randrange(50))).split())
        expected = moses.tokenize(normaliser.normalize(line), escape=False)
        assert tokeniser.tokens(line) == " ".join(expected), line


def test_full_stops_depend_on_the_next_word():
    tokeniser = Tokeniser("en", case="keep")
    assert tokeniser.tokens("Go on. Now") == "Go on . Now"
    assert tokeniser.tokens("Go on. now") == "Go on. now"
    assert tokeniser.tokens("No. 5 No. x Mr. X U.S. He.") == by_sacremoses("en", "No. 5 No. x Mr. X U.S. He.")


def test_white_space_and_composition_do_not_count():
    tokeniser = Tokeniser("fr", case="keep")
    assert tokeniser.tokens(" cafe\u0301\u00a0\u2003noir\t\r ") == "café noir"
    assert tokeniser.tokens("") == tokeniser.tokens(" \u00a0") == ""


def test_settings_switch_the_steps_off():
    line = "« A.B »  C’D, fin."
    assert Tokeniser("fr", tokenise=False, normalise=False, case="keep").tokens(line) == "« A.B » C’D, fin."
    assert Tokeniser("fr", tokenise=False, normalise=False).tokens(line) == "« a.b » c’d, fin."
    assert Tokeniser("fr", tokenise=False, case="true").tokens(line) == '" A.B " C\'D, fin.'
    assert Tokeniser("fr", normalise=False, case="keep").tokens(line) == "« A.B » C ’ D , fin ."


def test_hindi_tokens_are_those_of_the_hindi_tools():
    pytest.importorskip("indicnlp", reason="the Indic NLP Library is not installed (the extra 'hindi')")
    tokeniser = Tokeniser("hi")
    tokens = tokeniser.tokens("“वाक्य” है| मूल्य १,००० रु-भर है?")
    assert tokens == '" वाक्य " है । मूल्य १,००० रु - भर है ?'
    assert tokeniser.tokens(tokens) == tokens
    assert tokeniser.text("हाँ , ( नहीं ) ।") == "हाँ, (नहीं)।"


def test_text_reads_as_people_write():
    assert Tokeniser("en").text('he said , " do n\'t go ( now ) ! "') == 'He said, "do n\'t go (now)!"'
    assert Tokeniser("fr").text("l' homme est là .") == "L'homme est là."
    assert Tokeniser("en").text("") == ""
    assert Tokeniser("en", tokenise=False).text("a , b") == "a , b"


def test_both_sides_have_their_language():
    source, target = tokenisers(Text(source_language="fr", target_language="en", case="true", normalise=False))
    assert source == Tokeniser("fr", normalise=False, case="true")
    assert target == Tokeniser("en", normalise=False, case="true")


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sacremoses", None)
    with pytest.raises(MissingExtraError, match=r"sacremoses is missing; pip install 'lattice-simp\[text\]'"):
        Tokeniser("en").tokens("a")
    assert Tokeniser("en", tokenise=False, normalise=False).tokens("A") == "a"
