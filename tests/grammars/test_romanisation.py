"""Romanisation and back: the papers' words, random words, loose spellings."""

from __future__ import annotations

import unicodedata

import pynini
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.grammars.hindi import romanisation
from lattice_simp.grammars.hindi.romanisation import Lexicon, composed, devanagari, letters, romanise, vowel_signs
from lattice_simp.grammars.hindi.transducers import acceptor

PAPER = {
    "राम": "raam",
    "जिसने": "jisne",
    "खाना": "khaanaa",
    "किया": "kiyaa",
    "नहीं": "nahii",
    "है": "hai",
    "गया": "gayaa",
    "पानी": "paanii",
    "लड़का": "ladkaa",
    "पढ़ी": "padhii",
    "दिल्ली": "dillii",
    "जाऊंगा": "jaauungaa",
    "मैं": "main",
    "कविता": "kavitaa",
}

RARE = "ठढण\u093c"
"""Letters that are rare for their romanisation; the last one is the dot of borrowed letters."""

# Rare letters cost so much that a word full of them is not chosen.
syllables = st.builds(
    "{}{}".format,
    st.sampled_from(sorted(set(letters("consonant")) - set("ङञळ"))),
    st.sampled_from(["", *sorted(set(vowel_signs().values()) - set("ृॅॉ")), "ं", "ां", "्र", "्या"]),
)
words = st.builds(
    lambda first, rest: first + "".join(rest),
    st.sampled_from(["", "अ", "आ", "ई", "उ", "ओ"]),
    st.lists(syllables, min_size=1, max_size=5),
)


@pytest.mark.parametrize(("word", "roman"), PAPER.items())
def test_writes_the_papers_words(word: str, roman: str):
    assert romanise(word) == roman


@given(words)
@settings(max_examples=60)
def test_each_word_has_one_romanisation(word: str):
    outputs = pynini.project(pynini.compose(acceptor(composed(word)), romanisation._to_roman()), "output").rmepsilon()
    assert len({text for _, text, _ in outputs.paths(output_token_type="utf8").items()}) == 1


@given(words)
@settings(max_examples=60)
def test_a_listed_word_comes_back(word: str):
    # Marks that the romanisation leaves out (nahii) make other words; a lexicon with the word alone decides, unless
    # rare letters, each of them at a cost, make a word that is not listed cheaper.
    assume(sum(letter in RARE for letter in unicodedata.normalize("NFD", word)) <= 3)
    roman = romanise(word)
    assert devanagari(roman, Lexicon({word: 1})) == composed(word)


@given(words)
@settings(max_examples=40)
def test_without_a_lexicon_the_sound_comes_back(word: str):
    roman = romanise(word)
    assert romanise(devanagari(roman, Lexicon({}))).replace("aa", "a") == roman.replace("aa", "a")


def test_one_letter_is_not_read_as_two_to_save_a_cluster():
    assert devanagari("kakrafaa", Lexicon({})) == composed("कक्रफ़ा")
    assert devanagari("fir", Lexicon({"फिर": 1})) == "फिर"


def test_glides_are_added_after_vowels_only():
    assert devanagari("jaayegaa", Lexicon({"जाएगा": 1})) == "जाएगा"
    assert romanise(devanagari("kankye", Lexicon({}))) == "kankye"


@pytest.mark.parametrize(
    ("word", "spellings"),
    [
        ("राम", "raam ram raama Ram"),
        ("पीकर", "piikar peekar pikar peekara"),
        ("था", "thaa tha"),
        ("मच्छरों", "machchharon machharon machchhron"),
        ("नहीं", "nahii nahiin nahin nahi nahee"),
        ("वह", "vah vaha wah"),
        ("जाएगा", "jaaegaa jaayegaa jayega"),
        ("खाकर", "khaakar khaakara khakara khakar"),
    ],
)
def test_loose_spellings(word: str, spellings: str):
    lexicon = Lexicon({word: 3, "कमल": 5, "मकान": 2, "ठा": 0.1, "रमा": 0.1})
    assert {devanagari(word, lexicon) for word in spellings.split()} == {composed(word)}


def test_frequency_decides_between_spellings():
    assert devanagari("taal", Lexicon({"ताल": 1, "टाल": 50})) == "टाल"
    assert devanagari("taal", Lexicon({"ताल": 50, "टाल": 1})) == "ताल"


def test_what_is_no_word_stays():
    assert [devanagari(text, Lexicon({})) for text in ("1947", ",", "राम", "")] == ["1947", ",", "राम", ""]
    assert [romanise(text) for text in ("1947", "abc", "।", "", "१२")] == ["1947", "abc", ".", "", "12"]


def test_stray_signs_and_joiners():
    assert romanise("क्\u200dया") == "kyaa"
    assert romanise("ा") == "aa"


def test_both_ways_of_writing_a_dot():
    assert romanise("लड\u093cका") == romanise("ल\u095cका") == "ladkaa"


def test_hum_is_the_pronoun():
    lexicon = Lexicon({composed(word): 1 for word in ("हम", "हमने", "हूं")})
    assert [devanagari(word, lexicon) for word in "ham hum humne hun".split()] == ["हम", "हम", "हमने", "हूं"]


@pytest.mark.parametrize("count", [0, -1, float("nan"), float("inf")])
def test_counts_are_above_zero(count: float):
    with pytest.raises(LatticeSimpError, match="above 0"):
        Lexicon({"राम": count})


@pytest.mark.parametrize("cost", ["much", "-1", "nan", "inf"])
def test_a_broken_cost_names_its_line(cost: str, grammar_folder):
    text = f"kind\tletter\tsign\troman\tcost\nvowel\tअ\t\ta\t{cost}\n"
    (grammar_folder / "hindi" / "romanisation.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"romanisation\.tsv:2: not a cost"):
        romanisation._rows.__wrapped__()


def test_very_long_words_stay():
    """The time is proportional to the length: 200,000 letters would take minutes."""
    lexicon = Lexicon({"राम": 1})
    longest = romanisation.LONGEST_WORD
    assert devanagari("a" * longest, lexicon) != "a" * longest
    for word in ("a" * (longest + 1), "kamal" * 40_000):
        assert devanagari(word, lexicon) == word
    assert romanise("क" * (longest + 1)) == "क" * (longest + 1)
