"""The papers' worked examples and variants of them, in both scripts."""

from __future__ import annotations

import re

import pytest

from lattice_simp.support.tables import grammar_table
from lattice_simp.systems.hindi.clause import Clause, bracketed, parse_bracketed
from lattice_simp.systems.hindi.rules import rule_clauses
from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token

COLUMNS = ("source", "tagged", "devanagari", "clauses", "status", "note")
KNOWN_FAILURE = "known failure"


def read_tagged(text: str) -> Sentence:
    """Reads `NP[raam_NNP ne_PSP] VGF[soyaa_VM]`."""
    tokens: list[Token] = []
    chunks = []
    for tag, inside in re.findall(r"(\w+)\[(.*?)\](?= |$)", text):
        start = len(tokens)
        tokens += [Token(*word.rsplit("_", 1)) for word in inside.split()]
        chunks.append(Chunk(tag, start, len(tokens)))
    return Sentence(tuple(tokens), tuple(chunks))


def with_words(sentence: Sentence, words: list[str]) -> Sentence:
    tokens = tuple(Token(word, token.tag) for word, token in zip(words, sentence.tokens, strict=True))
    return Sentence(tokens, sentence.chunks)


def without_signs(sentence: Sentence, clauses: list[Clause]) -> list[Clause]:
    """Removes punctuation at a clause's edges, which does not count."""
    signs = [token.tag == "SYM" for token in sentence.tokens]

    def inner(clause: Clause) -> Clause:
        positions = [position for position in range(clause.start, clause.end) if not signs[position]]
        return Clause(positions[0], positions[-1] + 1, clause.kind)

    return [inner(clause) for clause in clauses]


def cases() -> list:
    results = []
    for name in ("papers", "variants"):
        for row in grammar_table(f"hindi/cases/{name}.tsv", COLUMNS):
            marks = [pytest.mark.xfail(strict=True, reason=row["note"])] if row["status"] == KNOWN_FAILURE else []
            for script in ("roman", "devanagari"):
                results.append(pytest.param(row, script, marks=marks, id=f"{row['source']} {script}"))
    return results


@pytest.mark.parametrize(("row", "script"), cases())
def test_worked_example(row, script):
    words, wanted = parse_bracketed(row["clauses"])
    sentence = read_tagged(row["tagged"])
    assert [token.form for token in sentence.tokens][: len(words)] == words, "only signs at the end may be missing"
    if script == "devanagari":
        sentence = with_words(sentence, row["devanagari"].split())
    forms = [token.form for token in sentence.tokens]
    result = without_signs(sentence, rule_clauses(sentence))
    wanted_text = bracketed(forms, without_signs(sentence, wanted), kinds=True)
    assert bracketed(forms, result, kinds=True) == wanted_text
