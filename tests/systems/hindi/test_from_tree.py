"""Clauses of dependency trees, on constructed sentences that each show one convention."""

from __future__ import annotations

import re

import pytest

from lattice_simp.errors import FormatError
from lattice_simp.systems.hindi.clause import bracketed
from lattice_simp.systems.hindi.from_tree import clauses_of_tree, conjunctions, is_pronoun, pronouns
from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token

_CHUNK = re.compile(r"(\w+):(\S*)>(\d+|-) (.+)")
_WORD_TAGS = {"ने": "PSP", "को": "PSP", "जब": "PRP", "जो": "PRP"}
_TAGS = {"VGF": "VM", "VGNF": "VM", "VGNN": "VM", "CCP": "CC", "BLK": "SYM"}


def tree(text):
    """Reads `NP:k1>2 राम ने | VGF:>- सोया`: chunk tag, relation, head's position from 1, words."""
    tokens, chunks = [], []
    for part in text.split(" | "):
        tag, relation, head, words = _CHUNK.fullmatch(part).groups()
        start = len(tokens)
        tokens += [Token(word, _WORD_TAGS.get(word) or _TAGS.get(tag, "NN")) for word in words.split()]
        chunks.append(Chunk(tag, start, len(tokens), -1 if head == "-" else int(head) - 1, relation))
    return Sentence(tuple(tokens), tuple(chunks))


CASES = [
    # A participle shares its agent with the verb that it modifies …
    ("NP:k1>3 राम | NP:k2>3 खाना | VGNF:vmod>4 खाकर | VGF:>- सोया", "(main राम (nonfin खाना खाकर ) सोया )"),
    # … unless that verb has one of its own.
    ("NP:k1>2 सूरज | VGNF:vmod>4 निकलते | NP:k1>4 राम | VGF:>- उठा", "(main (nonfin सूरज निकलते ) राम उठा )"),
    # A participle before a noun keeps what it has.
    ("NP:k1>2 राम | VGNF:nmod__k1inv>3 देखा | NP:k1>4 घर | VGF:>- गिरा", "(main (nonfin राम देखा ) घर गिरा )"),
    # A complement is inside its matrix clause, and begins with its subordinator.
    (
        "NP:k1>2 राम ने | VGF:>- कहा | CCP:k2>2 कि | NP:k1>5 वह | VGF:ccof>3 गया | BLK:rsym>2 ।",
        "(main राम ने कहा (comp कि वह गया ) । )",
    ),
    # Without `ki`, the relation tells.
    ("NP:k1>2 राम ने | VGF:>- कहा | NP:k1>4 तुम | VGF:k2>2 जाओ", "(main राम ने कहा (comp तुम जाओ ) )"),
    # Coordinate clauses have nothing around them at the top, and the conjunction in none …
    ("NP:k1>2 राम | VGF:ccof>3 गया | CCP:>- और | VGF:ccof>3 सोया", "(coord राम गया ) और (coord सोया )"),
    # … and one clause around them below.
    (
        "VGF:>- कहा | CCP:k2>1 कि | NP:k1>4 राम | VGF:ccof>5 गया | CCP:ccof>2 और | VGF:ccof>5 सोया",
        "(main कहा (comp कि (coord राम गया ) और (coord सोया ) ) )",
    ),
    # Relative clauses; those of time and manner are adverbial.
    ("NP:k1>4 लड़का | NP:k1>3 जो | VGF:nmod__relc>1 खेला | VGF:>- गया", "(main लड़का (rel जो खेला ) गया )"),
    ("NP:k7t>2 जब | VGF:vmod>4 आया | NP:k1>4 राम | VGF:>- गया", "(main (adv जब आया ) राम गया )"),
    ("NP:k7t>2 जब | VGF:nmod__relc>3 आया | NP:k7t>4 समय | VGF:>- गया", "(main (adv जब आया ) समय गया )"),
    ("NP:k1>2 जो | VGF:vmod>3 आया | VGF:>- गया", "(main (rel जो आया ) गया )"),
    # Nouns that begin as the pronouns do are none.
    ("NP:k2p>2 जबलपुर | VGF:nmod__relc>3 गया | NP:k1>4 राम | VGF:>- सोया", "(main (rel जबलपुर गया ) राम सोया )"),
    ("NP:k1>2 जोशी | VGF:vmod>3 आया | VGF:>- गया", "(main (adv जोशी आया ) गया )"),
    # A condition is adverbial; the main clause holds it.
    ("NP:k1>2 राम | VGF:ccof>3 आया | CCP:>- तो | NP:k1>5 वह | VGF:ccof>3 गया", "(main (adv राम आया ) तो वह गया )"),
    # A subordinator between two clauses makes the second one its own.
    (
        "NP:k1>2 राम | VGF:ccof>3 गया | CCP:>- जबकि | NP:k1>5 वह | VGF:ccof>3 सोया",
        "(main राम गया (adv जबकि वह सोया ) )",
    ),
    # A connective at the beginning belongs to no clause, other ones do.
    ("CCP:>- लेकिन | NP:k1>3 राम | VGF:ccof>1 गया", "लेकिन (main राम गया )"),
    ("CCP:>- हालांकि | NP:k1>3 राम | VGF:ccof>1 गया", "(main हालांकि राम गया )"),
    # Gerunds are nouns, and so are conjoined nouns.
    ("NP:k2>2 घर | VGNN:k7t>5 जाने | NP:ccof>4 राम | CCP:k1>5 और | VGF:>- सोया", "(main घर जाने राम और सोया )"),
]


@pytest.mark.parametrize(("text", "wanted"), CASES)
def test_conventions(text, wanted):
    sentence = tree(text)
    words = [token.form for token in sentence.tokens]
    assert bracketed(words, clauses_of_tree(sentence), kinds=True) == wanted


def test_crossing_spans_are_cut():
    sentence = tree("NP:k2>4 घर | NP:k1>3 राम | VGF:>- बोला | VGF:k2>3 गया | NP:k7t>3 कल")
    spans = [(clause.start, clause.end) for clause in clauses_of_tree(sentence)]
    assert spans == [(0, 5), (0, 4)]


def test_a_tree_with_a_circle_ends():
    chunks = (Chunk("NP", 0, 1, 1, "k1"), Chunk("VGF", 1, 2, 0, "k2"), Chunk("VGF", 2, 3))
    sentence = Sentence((Token("a"), Token("b"), Token("c")), chunks)
    assert [(clause.start, clause.end) for clause in clauses_of_tree(sentence)] == [(2, 3)]


def test_thousands_of_clauses_in_one_another():
    """Conjunctions that each join a verb and the next conjunction: deeper than Python's recursion."""
    tags = ["VGF", "CCP"] * 1500 + ["VGF"]
    heads = [at + 1 if tag == "VGF" else at - 2 for at, tag in enumerate(tags)]
    heads[1], heads[-1] = -1, len(tags) - 2
    chunks = tuple(Chunk(tag, at, at + 1, head, "ccof") for at, (tag, head) in enumerate(zip(tags, heads, strict=True)))
    clauses = clauses_of_tree(Sentence((Token("गया", "VM"),) * len(tags), chunks))
    assert [(clause.start, str(clause.kind)) for clause in clauses] == [(at, "coord") for at in range(0, 3001, 2)]


def test_an_elided_phrase_at_the_end_is_a_clause():
    sentence = Sentence((Token("राम"),), (Chunk("NP", 0, 1), Chunk("VGF", 1, 1, 0, "vmod")))
    assert [(clause.start, clause.end) for clause in clauses_of_tree(sentence)] == [(1, 1)]


@pytest.mark.parametrize(
    ("form", "tag", "role", "wanted"),
    [
        ("जबसे", "PRP", "temporal", True),
        ("जब", "PRPC", "temporal", True),
        ("जबकि", "CC", "temporal", True),
        ("जब", "RB", "temporal", True),
        ("जब", "NST", "temporal", True),
        ("जबलपुर", "", "temporal", True),
        ("जबरन", "RB", "temporal", False),
        ("जबलपुर", "NNPC", "temporal", False),
        ("जब्त", "JJ", "temporal", False),
        ("जिसमें", "PRP", "relative", True),
        ("जिस", "DEM", "relative", True),
        ("जितना", "QF", "relative", True),
        ("जो", "RP", "relative", True),
        ("जो", "CCC", "relative", True),
        ("जब", "PRP", "relative", False),
        ("जोड़कर", "VM", "relative", False),
        ("जिन्ना", "NNP", "relative", False),
    ],
)
def test_pronouns_are_known_by_form_and_tag(form, tag, role, wanted):
    assert is_pronoun(Token(form, tag), role) == wanted


@pytest.mark.parametrize(
    ("read", "text", "line", "message"),
    [
        (
            conjunctions,
            "devanagari\trole\nकि\tcomplementizer\n",
            2,
            "unknown role 'complementizer' .*complementiser",
        ),
        (conjunctions, "# one\ndevanagari\trole\nकि\n", 3, "unknown role ''"),
        (
            lambda: pronouns("temporal"),
            "prefix\trole\nजब\ttemporl\n",
            2,
            "unknown role 'temporl' .*temporal, relative",
        ),
        (lambda: pronouns("temporal"), "prefix\trole\nजब\ttemporal\n\trelative\n", 3, "empty column prefix"),
    ],
)
def test_broken_tables_are_named(grammar_folder, read, text, line, message):
    for name in ("conjunctions", "clause_pronouns"):
        (grammar_folder / "hindi" / f"{name}.tsv").write_text(text, encoding="utf-8")
    for table in (conjunctions, pronouns):
        table.cache_clear()
    try:
        with pytest.raises(FormatError, match=rf".tsv:{line}: {message}"):
            read()
    finally:
        for table in (conjunctions, pronouns):
            table.cache_clear()
