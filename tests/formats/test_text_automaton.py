"""Automata of text accept the texts that regular expressions of their definition match."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

import lattice_simp as ls
from lattice_simp.errors import EmptyLatticeError, LatticeSimpError
from lattice_simp.formats.generators.automaton import complement, is_separator, separators, text_automaton

CHARACTERS = "ab ,"
WORDS = ("a", "ab", "b", ",", "a,b")
TEXTS = ["".join(text) for length in range(7) for text in itertools.product(CHARACTERS, repeat=length)]


def random_hypotheses(rng, words=WORDS):
    """Returns strings of words with the places of their gaps."""
    count = int(rng.integers(1, 4))
    strings = [tuple(rng.choice(words, size=rng.integers(0, 4)).tolist()) for _ in range(count)]
    gaps = [{place for place in range(len(string) + 1) if rng.random() < 0.6} for string in strings]
    return strings, gaps


def acceptor_of(strings, gaps):
    return ls.gappy_acceptor([(string, 0.0) for string in strings], positions=gaps)


def words_pattern(string, gaps):
    """The pattern of words joined by single blanks; a gap is any number of words."""
    units = []
    for place in range(len(string) + 1):
        units += ["(?: [^ ]+)*"] * (place in gaps) + [f" {re.escape(entry)}" for entry in string[place : place + 1]]
    return "".join(units)


def text_pattern(string, gaps, spaced="ab"):
    """The pattern of text: a gap is any text, but words do not begin or end within another word. Blanks separate words,
    except at marks and letters that are not `spaced`; no tone sign follows a word.
    """

    def bounded(word):
        before = f"(?<![{spaced}])" * (word[0] in spaced)
        after = f"(?![{spaced if word[-1] in spaced else ''}\u0e48])" * (not is_separator(word[-1]))
        return before + re.escape(word) + after

    pattern = ""
    for place in range(len(string) + 1):
        if place in gaps:
            pattern += ".*"
        elif 0 < place < len(string):
            pattern += " ?"  # letters side by side are no words
        pattern += "".join(map(bounded, string[place : place + 1]))
    return pattern


@pytest.mark.parametrize("spacing", ["words", "text"])
@pytest.mark.parametrize(("count", "least"), [(8, 1_600), pytest.param(25, 5_000, marks=pytest.mark.slow)])
def test_texts_are_those_of_the_definition(spacing, count, least):
    accepted = 0
    for seed in range(count):
        strings, gaps = random_hypotheses(np.random.default_rng(seed))
        automaton = text_automaton(acceptor_of(strings, gaps), spacing)
        if spacing == "words":  # the pattern is of the text after a blank
            patterns = [re.compile(words_pattern(*entry)) for entry in zip(strings, gaps, strict=True)]
            expected = {
                text for text in TEXTS if any(pattern.fullmatch(f" {text}" if text else "") for pattern in patterns)
            }
        else:
            patterns = [re.compile(text_pattern(*entry)) for entry in zip(strings, gaps, strict=True)]
            expected = {text for text in TEXTS if any(pattern.fullmatch(text) for pattern in patterns)}
        assert {text for text in TEXTS if automaton.accepts(text)} == expected, (seed, strings, gaps)
        accepted += len(expected)
    assert accepted > least


RUNNING = "a日กก\u0e48 ,"
RUNNING_WORDS = ("a", "日", "日a", "ก", "ก\u0e48", "a日", ",", "日ก")
RUNNING_TEXTS = ["".join(text) for size in range(6) for text in itertools.product(sorted({*RUNNING}), repeat=size)]


@pytest.mark.parametrize("spacing", ["text", "running"])
@pytest.mark.parametrize(("count", "least"), [(6, 800), pytest.param(15, 2_000, marks=pytest.mark.slow)])
def test_words_of_scripts_without_blanks_stand_anywhere(spacing, count, least):
    """Words may be within running text of Han or Thai, beside Latin words and, with `running`, within them."""
    accepted = 0
    for seed in range(count):
        strings, gaps = random_hypotheses(np.random.default_rng(seed), RUNNING_WORDS)
        automaton = text_automaton(acceptor_of(strings, gaps), spacing)
        spaced = "a" if spacing == "text" else "\0"
        patterns = [re.compile(text_pattern(*entry, spaced)) for entry in zip(strings, gaps, strict=True)]
        expected = {text for text in RUNNING_TEXTS if any(pattern.fullmatch(text) for pattern in patterns)}
        assert {text for text in RUNNING_TEXTS if automaton.accepts(text)} == expected, (seed, strings, gaps)
        accepted += len(expected)
    assert accepted > least


def test_terms_in_running_text():
    """In scripts without blanks, a term may be within a word; in others, only with `running`."""
    sentences = {
        "東京": "昨日東京へ行きました。",
        "コンピュータ": "新しいコンピュータを買う",
        "AI": "これはAIです",
        "法案": "议会通过了法案。",
        "ข้าว": "ผมกินข้าวแล้ว",
        "ເຂົ້າ": "ຂ້ອຍກິນເຂົ້າແລ້ວ",
        "ភាសា": "ខ្ញុំរៀនភាសាខ្មែរ",
        "မြန်မာ": "ကျွန်တော်မြန်မာစကားပြောသည်",
        "བོད": "ང་བོད་ཡིག་སློབ་ཀྱི་ཡོད།",
    }
    for term, sentence in sentences.items():
        automaton = text_automaton(ls.term_acceptor([term]), "text")
        assert automaton.accepts(sentence), term
        assert automaton.accepts(term), term
        assert not automaton.accepts(sentence.replace(term, "")), term
        assert not text_automaton(ls.term_acceptor([term]), "words").accepts(sentence), term
    for term, sentence in {"학교": "저는 학교에서 왔습니다", "Gesetz": "ein Gesetzentwurf", "AI": "AIDS"}.items():
        assert not text_automaton(ls.term_acceptor([term]), "text").accepts(sentence), term
        assert text_automaton(ls.term_acceptor([term]), "running").accepts(sentence), term
    assert not text_automaton(ls.term_acceptor(["กา"]), "text").accepts("กา\u0e48")


def test_the_automaton_is_deterministic_and_minimal():
    """No state has two arcs for a character, all states reach an end, and no two states are equivalent."""
    for seed in range(20):
        strings, gaps = random_hypotheses(np.random.default_rng(seed))
        automaton = text_automaton(acceptor_of(strings, gaps), "text")
        futures = [()] * len(automaton.arcs)
        for _ in automaton.arcs:
            futures = [
                (automaton.finals[state], tuple((first, hash(futures[to])) for first, to in automaton.arcs[state]))
                for state in range(len(futures))
            ]
        assert len(set(futures)) == len(futures), seed
        assert all(len({first for first, _ in leaving}) == len(leaving) for leaving in automaton.arcs), seed


def test_lattices_with_epsilons_and_unreachable_states():
    lattice = ls.Lattice.from_arcs(
        [0, 1, 0, 3],
        [0, 1, 2, 1],
        [0.0] * 4,
        [1, 2, 2, 4],
        [np.inf, np.inf, 0.0, np.inf, np.inf],
        ls.SymbolTable(list("ab")),
    )
    automaton = text_automaton(lattice)
    assert {text for text in TEXTS if automaton.accepts(text)} == {"a", "b"}
    assert len(automaton.arcs) == 2


def test_control_characters_are_in_words_alone():
    automaton = text_automaton(ls.gappy_acceptor([("a\u0085b", 0.0)]))
    assert automaton.accepts("é a\u0085b 日本")
    assert not automaton.accepts("\u0085 a\u0085b")
    assert not automaton.accepts("a\u0085b\n")


def test_a_leading_blank():
    automaton = text_automaton(ls.Lattice.from_strings([("a b", 0.0)]), leading_blank=True)
    assert [text for text in TEXTS if automaton.accepts(text)] == ["a b", " a b"]


def test_separators_are_no_letters():
    ranges = [(first, last) for result in (separators(), complement(separators())) for first, last in result]
    assert sorted(ranges)[0][0] == 0
    assert all(before[1] + 1 == after[0] for before, after in itertools.pairwise(sorted(ranges)))
    letters = "".join(chr(point) for first, last in separators() for point in range(first, last + 1))
    assert not [letter for letter in letters if letter.isalpha()]


def test_what_has_no_text():
    rho = ls.gappy_acceptor([("a b", 0.0)], loops="rho")
    with pytest.raises(LatticeSimpError, match="make the acceptor with sigma loops"):
        text_automaton(rho)
    with pytest.raises(LatticeSimpError, match="unknown spacing 'x'"):
        text_automaton(rho, "x")
    with pytest.raises(EmptyLatticeError, match="accepts nothing"):
        text_automaton(ls.Lattice.from_strings([]))
    with pytest.raises(LatticeSimpError, match="more than 3 states"):
        text_automaton(ls.Lattice.from_strings([("abcdef", 0.0)]), max_states=3)
    table = ls.SymbolTable(["a"])
    transducer = ls.Lattice.from_arcs([0], [1], [0.0], [1], [np.inf, 0.0], table, inputs=([0], table))
    with pytest.raises(LatticeSimpError, match="transducer"):
        text_automaton(transducer)
