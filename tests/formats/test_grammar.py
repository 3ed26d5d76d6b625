"""Grammars of lattices, checked with the engines of other programs."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from helpers import best_by_string, random_lattice

import lattice_simp as ls
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats.generators.automaton import LAST, text_automaton
from lattice_simp.formats.generators.expression import MAX_SIZE
from lattice_simp.formats.generators.grammar import format_gbnf, format_lark, format_regex

CHARACTERS = "ab ,"
WORDS = ("a", "ab", ",")
HARD = 'x"y \\ back\\slash é日 \u200d😀 [^a-z] <b> /* # | ^- \u0085a \\x85a \u0085'
"""Quotation marks, backslashes, special characters of classes and patterns, and invisible characters."""


FORMS = (
    "Gesetz Haus Hund Katze Auto Schule Kind Mann Frau Buch Tisch Stuhl Lampe Wasser Brot Milch Fisch Baum Blume Tee"
)
TERMS = [[form, f"{form}e", f"{form}es"] for form in FORMS.split()]


def random_acceptor(rng):
    strings = [rng.choice(WORDS, size=rng.integers(1, 4)).tolist() for _ in range(int(rng.integers(1, 4)))]
    gaps = [{place for place in range(len(string) + 1) if rng.random() < 0.4} for string in strings]
    return ls.gappy_acceptor([(string, 0.0) for string in strings], positions=gaps)


def expected(acceptor, spacing, texts):
    automaton = text_automaton(acceptor, spacing)
    return {text for text in texts if automaton.accepts(text)}


class _Regex(str):
    """Marks a text as a regular expression, not a grammar."""


class Bytes:
    """A tokeniser of bytes."""

    eos_token_id, bos_token_id = 256, None
    tokens = (*(bytes([byte]) for byte in range(256)), b"<eos>")
    special_token_ids = (256,)

    def __call__(self, text):
        return list(text if isinstance(text, bytes) else text.encode())


@pytest.fixture(scope="module")
def guidance():
    """Returns the texts up to a length that llguidance accepts, by a walk through all allowed prefixes."""
    library = pytest.importorskip("llguidance", reason="llguidance is not installed")
    tokens = library.LLTokenizer(library.TokenizerWrapper(Bytes()))

    def matcher(grammar):
        read = (
            library.LLMatcher.grammar_from_regex if isinstance(grammar, _Regex) else library.LLMatcher.grammar_from_lark
        )
        llmatcher = library.LLMatcher(tokens, read(grammar))
        assert not llmatcher.is_error(), llmatcher.get_error()
        return llmatcher

    def walk(state, text, length):
        if state.is_accepting():
            yield text
        for entry in CHARACTERS if length else "":
            after = state.deep_copy()
            if after.try_consume_tokens(list(entry.encode())) == 1:
                yield from walk(after, text + entry, length - 1)

    def accepted(grammar, length):
        return set(walk(matcher(grammar), "", length))

    def accepts(grammar, text):
        state, arguments = matcher(grammar), list(text.encode())
        return state.try_consume_tokens(arguments) == len(arguments) and state.is_accepting()

    accepted.accepts = accepts
    return accepted


def texts_up_to(length):
    return ["".join(entry) for size in range(length + 1) for entry in itertools.product(CHARACTERS, repeat=size)]


@pytest.mark.parametrize("spacing", ["words", "text"])
@pytest.mark.parametrize("seeds", [3, pytest.param(8, marks=pytest.mark.slow)])
def test_lark_accepts_what_the_acceptor_does(seeds, spacing):
    lark = pytest.importorskip("lark", reason="lark is not installed")
    texts = texts_up_to(4)
    for seed in range(seeds):
        acceptor = random_acceptor(np.random.default_rng(seed))
        parser = lark.Lark(format_lark(acceptor, spacing), parser="earley", lexer="dynamic_complete")
        actual = set()
        for text in texts:
            try:
                parser.parse(text)
                actual.add(text)
            except lark.exceptions.LarkError:
                continue
        assert actual == expected(acceptor, spacing, texts), seed


@pytest.mark.parametrize("spacing", ["words", "text"])
@pytest.mark.parametrize("seeds", [8, pytest.param(25, marks=pytest.mark.slow)])
def test_llguidance_accepts_what_the_acceptor_does(guidance, seeds, spacing):
    gbnf = pytest.importorskip("llguidance.gbnf_to_lark", reason="llguidance is not installed")
    texts = texts_up_to(5)
    for seed in range(seeds):
        acceptor = random_acceptor(np.random.default_rng(seed))
        wanted = expected(acceptor, spacing, texts)
        assert guidance(format_lark(acceptor, spacing), 5) == wanted, seed
        assert guidance(gbnf.gbnf_to_lark(format_gbnf(acceptor, spacing)), 5) == wanted, seed
        assert guidance(_Regex(format_regex(acceptor, spacing)), 5) == wanted, seed


@pytest.mark.parametrize(
    ("written", "compiler", "spacing"),
    [
        (format_gbnf, "compile_grammar", "words"),
        (format_gbnf, "compile_grammar", "text"),
        (format_regex, "compile_regex", "text"),
    ],
)
def test_xgrammar_accepts_what_the_acceptor_does(written, compiler, spacing):
    xgrammar = pytest.importorskip("xgrammar", reason="xgrammar is not installed")
    vocabulary = xgrammar.TokenizerInfo(list(Bytes.tokens), stop_token_ids=[256])
    texts = texts_up_to(4)
    for seed in range(8):
        acceptor = random_acceptor(np.random.default_rng(seed))
        compiled = getattr(xgrammar.GrammarCompiler(vocabulary), compiler)(written(acceptor, spacing))
        actual = set()
        for text in texts:
            matcher = xgrammar.GrammarMatcher(compiled, terminate_without_stop_token=False)
            if all(matcher.accept_token(byte) for byte in text.encode()) and matcher.accept_token(256):
                actual.add(text)
        assert actual == expected(acceptor, spacing, texts), seed


def test_special_characters_in_xgrammar():
    xgrammar = pytest.importorskip("xgrammar", reason="xgrammar is not installed")
    compiler = xgrammar.GrammarCompiler(xgrammar.TokenizerInfo(list(Bytes.tokens), stop_token_ids=[256]))
    for lattice in (ls.gappy_acceptor([(HARD, 0.0)]), ls.Lattice.from_strings([(HARD, 0.0)])):
        for spacing in ("words", "text"):
            matcher = xgrammar.GrammarMatcher(compiler.compile_grammar(format_gbnf(lattice, spacing)))
            assert all(matcher.accept_token(byte) for byte in HARD.encode())
            assert matcher.accept_token(256)


@pytest.mark.parametrize("gaps", [False, True])
def test_special_characters(guidance, gaps):
    gbnf = pytest.importorskip("llguidance.gbnf_to_lark", reason="llguidance is not installed")
    lark = pytest.importorskip("lark", reason="lark is not installed")
    lattice = ls.gappy_acceptor([(HARD, 0.0)]) if gaps else ls.Lattice.from_strings([(HARD, 0.0)])
    for grammar in (format_lark(lattice), gbnf.gbnf_to_lark(format_gbnf(lattice)), _Regex(format_regex(lattice))):
        assert guidance.accepts(grammar, HARD)
        assert not guidance.accepts(grammar, HARD[:-1])
        assert guidance.accepts(grammar, f"日 {HARD}") == gaps
    parser = lark.Lark(format_lark(lattice), parser="earley", lexer="dynamic_complete")
    parser.parse(HARD)
    with pytest.raises(lark.exceptions.LarkError):
        parser.parse(HARD[:-1])


def test_random_lattices_of_words(guidance):
    """Epsilons, equal strings of several paths, unused states: the texts are the strings."""
    for seed in range(15):
        lattice = random_lattice(np.random.default_rng(seed), 6, ["a", "b", "cd"], epsilon=True)
        strings = {" ".join(words) for words in best_by_string(lattice)}
        if not strings:
            continue
        grammar = format_lark(lattice)
        assert all(guidance.accepts(grammar, text) for text in sorted(strings)[:20]), seed
        others = {f"{text} {text}" for text in strings} | {text[:-1] for text in strings if text}
        assert not any(guidance.accepts(grammar, text) for text in sorted(others - strings)[:20]), seed


def test_one_rule_a_state_and_none_unused(tmp_path):
    acceptor = ls.gappy_acceptor([("a b", 0.0), ("a c", 1.0)])
    ls.write(acceptor, tmp_path / "x.gbnf", spacing="text")
    text = (tmp_path / "x.gbnf").read_text(encoding="utf-8")
    assert text == format_gbnf(acceptor, "text")
    names = [line.split(" ::= ")[0] for line in text.splitlines()]
    assert len(set(names)) == len(names)
    assert all(f" {name}\n" in text or f" {name} " in text for name in names[1:])
    for ending, formatted in (("lark", format_lark), ("regex", format_regex)):
        ls.write(acceptor, tmp_path / f"x.{ending}")
        assert (tmp_path / f"x.{ending}").read_text(encoding="utf-8") == formatted(acceptor)


def test_grammars_are_not_read(tmp_path):
    (tmp_path / "x.gbnf").write_text('root ::= "a"\n', encoding="utf-8")
    with pytest.raises(FormatError, match="cannot be read"):
        ls.read(tmp_path / "x.gbnf", "gbnf")


def test_no_number_of_a_character_runs_into_what_follows():
    """xgrammar takes all hexadecimal digits after `\\x`."""
    for lattice in (ls.gappy_acceptor([(HARD, 0.0), ("abc", 0.0)]), ls.Lattice.from_strings([(HARD, 0.0)])):
        for spacing in ("words", "text"):
            grammar = format_gbnf(lattice, spacing)
            assert re.search(r"(?<!\\)(\\\\)*\\x[0-9a-f]{2}", grammar)
            assert not re.search(r"(?<!\\)(\\\\)*\\x[0-9a-f]{2}[0-9a-fA-F]", grammar)


# ---------------------------------------------------------------- regular expressions


def matches(lattice, spacing="words", **options):
    return re.compile(format_regex(lattice, spacing, **options)).fullmatch


@pytest.mark.parametrize("spacing", ["words", "text", "running"])
@pytest.mark.parametrize("leading_blank", [False, True])
@pytest.mark.parametrize("seeds", [8, pytest.param(25, marks=pytest.mark.slow)])
def test_expressions_match_what_the_automaton_accepts(seeds, spacing, leading_blank):
    """All texts of four characters up to five of them."""
    texts = texts_up_to(5)
    for seed in range(seeds):
        acceptor = random_acceptor(np.random.default_rng(seed))
        match = matches(acceptor, spacing, leading_blank=leading_blank)
        automaton = text_automaton(acceptor, spacing, leading_blank=leading_blank)
        assert {text for text in texts if match(text)} == {text for text in texts if automaton.accepts(text)}, seed


def test_expressions_of_random_lattices():
    """Epsilons, equal strings of several paths, and texts without gaps."""
    for seed in range(60):
        lattice = random_lattice(np.random.default_rng(seed), 7, ["a", "b", "ab"], epsilon=True)
        strings = {" ".join(words) for words in best_by_string(lattice)}
        if strings:
            match = matches(lattice)
            assert {text for text in texts_up_to(6) if match(text)} == {text for text in strings if len(text) <= 6}, (
                seed
            )
            assert all(map(match, strings)), seed


@pytest.mark.parametrize("seeds", [12, pytest.param(40, marks=pytest.mark.slow)])
def test_expressions_of_cycles(seeds):
    """Cycles through several states, which are not gaps."""
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        sources, targets = rng.integers(4, size=(2, 9))
        finals = np.where(rng.random(4) < 0.5, 0.0, np.inf)
        finals[3] = 0.0
        symbols = ls.SymbolTable(["a", "b", ","])
        lattice = ls.Lattice.from_arcs(sources, rng.integers(4, size=9), np.zeros(9), targets, finals, symbols)
        try:
            automaton = text_automaton(lattice)
        except LatticeSimpError:
            continue
        match = matches(lattice)
        texts = texts_up_to(6)
        assert {text for text in texts if match(text)} == {text for text in texts if automaton.accepts(text)}, seed


def test_every_character_of_a_class_matches():
    """Python reads classes with all code points at their edges, and special characters within brackets."""
    for spacing in ("words", "text", "running"):
        acceptor = ls.gappy_acceptor([("é<>[a", 0.0)])
        automaton, match = text_automaton(acceptor, spacing), matches(acceptor, spacing)
        edges = {
            point for ranges in automaton.classes for pair in ranges for edge in pair for point in (edge - 1, edge + 1)
        }
        points = {point for point in (*range(0x180), *edges) if 0 <= point <= LAST and not 0xD800 <= point < 0xE000}
        for point in points:
            for text in (f"{chr(point)} é<>[a", f"é<>[a{chr(point)}"):
                assert bool(match(text)) == automaton.accepts(text), (spacing, hex(point))


def test_special_characters_in_expressions():
    for lattice in (ls.gappy_acceptor([(HARD, 0.0)]), ls.Lattice.from_strings([(HARD, 0.0)])):
        assert matches(lattice)(HARD)
        assert not matches(lattice)(HARD[:-1])
        assert bool(matches(lattice)(f"日 {HARD}")) == isinstance(lattice, ls.GappyAcceptor)


def test_expressions_of_terms_are_small():
    """Each additional term adds its letters and one gap."""
    for spacing, longest in (("words", 200), ("text", 4_500), ("running", 700)):
        sizes = [len(format_regex(ls.term_acceptor(TERMS[:count]), spacing)) for count in (1, 5, 20)]
        assert sizes[0] < sizes[1] < sizes[2] < 20 * longest
        assert len(format_lark(ls.term_acceptor(TERMS), spacing)) < 6_000
    assert format_regex(ls.term_acceptor([["Haus", "Hauses"]]), "words").count("Hau(?:se)?s") == 1
    assert format_regex(ls.Lattice.from_strings([("", 0.0)])) == ""
    assert format_lark(ls.Lattice.from_strings([("", 0.0)])) == "start:\n"
    assert format_lark(ls.Lattice.from_strings([("", 0.0), ("a", 0.0)])) == 'start: "a" |\n'


def test_classes_of_punctuation_in_llguidance(guidance):
    """Rust reads some characters after a backslash as word boundaries."""
    marks = [character for character in map(chr, range(33, 127)) if not character.isalnum()]
    for left in ([], ["[", "<"], ["^", "-"], [";", "=", "?"]):
        lattice = ls.Lattice.from_strings([(mark, 0.0) for mark in marks if mark not in left])
        for grammar in (format_lark(lattice), _Regex(format_regex(lattice))):
            assert {mark for mark in marks if guidance.accepts(grammar, mark)} == {*marks} - {*left}


def test_terms_in_llguidance(guidance):
    text = "Das " + ", ein ".join(form for form, *_ in TERMS)
    for spacing in ("words", "text"):
        spelt = text.replace(",", " ,") if spacing == "words" else text
        acceptor = ls.term_acceptor(TERMS)
        for grammar in (format_lark(acceptor, spacing), _Regex(format_regex(acceptor, spacing))):
            assert guidance.accepts(grammar, spelt)
            assert not guidance.accepts(grammar, spelt[:-1])


def crossing(states, rng):
    """Returns a lattice whose arcs lead from every state to every other one; each has its own word."""
    sources, targets = np.nonzero(~np.eye(states, dtype=bool))
    symbols = ls.SymbolTable(f"w{number}" for number in range(len(sources)))
    finals = np.full(states, np.inf)
    finals[-1] = 0.0
    return ls.Lattice.from_arcs(
        sources, np.arange(1, len(sources) + 1), rng.random(len(sources)), targets, finals, symbols
    )


def test_expressions_that_would_be_too_large_are_refused():
    lattice = crossing(12, np.random.default_rng(1))
    with pytest.raises(LatticeSimpError, match=f"more than {MAX_SIZE:,} characters"):
        format_regex(lattice)
    assert "\ns1: " in format_lark(lattice)
    nested = ls.Lattice.from_strings([(" ".join(["a"] * count), 0.0) for count in range(1, 400)])
    with pytest.raises(LatticeSimpError, match="groups within each other"):
        format_regex(nested)
    assert "\ns1: " in format_lark(nested)
    long = ls.Lattice.from_strings([("a " * 2000 + end, 0.0) for end in ("b", "c")])
    assert matches(long)("a " * 2000 + "c")
