"""Reads worked examples: sentences in a compact notation, and the file of cases.

A token is `word/TAG`, chunks are between ` | `, and a chunk's tag follows a token's after a colon:
`raam/NNP ne/PSP | khaanaa/NN | khaakara/VM:VGNF | soyaa/VM`. Without it, tokens determine the tag: a verb makes a
finite group (VGF), a conjunction CCP, punctuation BLK, all others NP. Further fields of `Token` are in brackets after
the tag: `katne/VM[root=kaat]:VGNN`. Chunks depend on others if `>head:relation` follows, with the head's number from 1:
`raam/NNP>2:k1 | soyaa/VM`. The word `NULL` stands for an elided one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.tables import read_table
from lattice_simp.systems.hindi.clause import Clause, parse_bracketed
from lattice_simp.systems.hindi.sentence import EMPTY, FINITE, Chunk, Sentence, Token

_COLUMNS = ("id", "source", "stage", "roman", "devanagari", "clauses", "expected", "expected_devanagari", "note")
_TOKEN = re.compile(
    r"(?P<form>\S+)/(?P<tag>[A-Z]+)(?:\[(?P<more>[^\]]*)\])?(?::(?P<chunk>[A-Z]+))?(?:>(?P<head>\d+):(?P<relation>\S+))?"
)
_CHUNK_OF_TAG = {"VM": FINITE, "CC": "CCP", "SYM": "BLK", "RB": "RBP", "JJ": "JJP", "NEG": "NEGP"}


def parse_sentence(text: str) -> Sentence:
    """Reads a sentence in the compact notation.

    >>> sentence = parse_sentence("raam/NNP ne/PSP | paanii/NN | piyaa/VM[root=pii]")
    >>> str(sentence), [chunk.tag for chunk in sentence.chunks], sentence.tokens[3].root
    ('raam ne paanii piyaa', ['NP', 'NP', 'VGF'], 'pii')

    Raises:
        LatticeSimpError: something is not a token, or a field is unknown.
    """
    tokens: list[Token] = []
    chunks: list[Chunk] = []
    for part in text.split(" | "):
        start, tag, head, relation = len(tokens), "", -1, ""
        for word in part.split():
            result = _TOKEN.fullmatch(word)
            if result is None:
                raise LatticeSimpError(f"no token: {word!r} in {text!r}; write word/TAG")
            tokens.append(_token(result))
            tag = result["chunk"] or tag
            if result["head"]:
                head, relation = int(result["head"]) - 1, result["relation"]
        chunks.append(Chunk(tag or _default_chunk(tokens[start:]), start, len(tokens), head, relation))
    return Sentence(tuple(tokens), tuple(chunks))


def _token(match: re.Match[str]) -> Token:
    more = dict(word.partition("=")[::2] for word in (match["more"] or "").split(",") if word)
    if unknown := more.keys() - set(Token.__dataclass_fields__):
        raise LatticeSimpError(f"a token has no field {min(unknown)!r}: {match[0]!r}")
    return Token(match["form"], match["tag"], is_empty=match["form"] == EMPTY, **more)


def _default_chunk(tokens: list[Token]) -> str:
    tags = [token.tag for token in tokens]
    if "VM" in tags:
        return FINITE
    first = tags[0]
    return "NP" if any(tag.startswith(("NN", "PR")) for tag in tags) else _CHUNK_OF_TAG.get(first, "NP")


@dataclass(frozen=True)
class Case:
    """A worked example in one script.

    Attributes:
        name: the id, with `roman` or `devanagari` after it.
        source: its origin.
        stage: the last step of the simplification: a value of `Stage`.
        sentence: the input.
        clauses: the clauses of the input.
        expected: the expected sentences.
    """

    name: str
    source: str
    stage: str
    sentence: Sentence
    clauses: tuple[Clause, ...]
    expected: tuple[str, ...]


def read_cases(path: str | Path) -> Iterator[Case]:
    """Reads the cases of a file, each in both scripts; the bracketed words are the romanised ones.

    Raises:
        FormatError: the table is broken.
        LatticeSimpError: a sentence or its brackets are.
    """
    for row in read_table(path, _COLUMNS):
        words, clauses = parse_bracketed(row["clauses"])
        for script, expected in (("roman", "expected"), ("devanagari", "expected_devanagari")):
            sentence = parse_sentence(row[script])
            if len(sentence) != len(words):
                raise LatticeSimpError(f"case {row['id']}: {len(sentence)} tokens ({script}), {len(words)} in brackets")
            name = f"{row['id']}-{script}"
            yield Case(name, row["source"], row["stage"], sentence, tuple(clauses), tuple(row[expected].split(" || ")))
