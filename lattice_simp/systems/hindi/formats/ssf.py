"""Reads the Shakti Standard Format: one token or bracket a line, with chunks and feature structures.

Bharati, Sangal and Sharma 2007, "SSF: Shakti Standard Format Guide".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from lattice_simp.errors import FormatError
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.hindi.formats.problems import broken_sentence, report
from lattice_simp.systems.hindi.sentence import (
    EMPTY,
    EMPTY_CHUNK,
    MORPHOLOGY,
    Chunk,
    Sentence,
    Token,
    find_cycle,
    without_hollow,
)

_SENTENCE = re.compile(r"<Sentence\s+id=['\"]?([^'\">]*)['\"]?[^>]*>")
_END = "</Sentence>"
_ADDRESS = re.compile(r"[0-9]+(\.[0-9]+)*")
_FEATURE = re.compile(r"(\w+)=(?:'([^']*)'|\"([^\"]*)\"|([^\s>]+))")
_JOINED = "-JOIN"
"""The treebank's form of a hyphen inside a word that it splits."""


def read_ssf(
    path: Path, problems: list[FormatError] | None = None, lines: Iterable[str] | None = None
) -> Iterator[Sentence]:
    """Reads the sentences of a file.

    Lines outside sentences are skipped, as files have various headers. A token outside brackets forms a chunk; of
    nested brackets the innermost counts. The word `NULL` is elided, and `null` in elided phrases.

    >>> lines = ["<Sentence id='1'>", "1\\t((\\tNP\\t<fs name='NP' drel='k1:VGF'>",
    ...     "1.1\\tराम\\tNNP\\t<fs af='राम,n,m'>",
    ...     "\\t))", "2\\t((\\tVGF\\t<fs name='VGF'>", "2.1\\tसोया\\tVM\\t", "\\t))", "</Sentence>"]
    >>> [(str(sentence), sentence.chunks[0].relation) for sentence in read_ssf(Path("x.ssf"), lines=lines)]
    [('राम सोया', 'k1')]

    The arguments are those of `read_conllu`.

    Raises:
        FormatError: a line is broken, a sentence has no end, a dependency has no or an unknown head, or the
            dependencies form a cycle.
    """
    for name, first, block in _blocks(read_lines(path) if lines is None else lines):
        try:
            yield _sentence(name, first, block, path)
        except FormatError as error:
            report(error, problems)


def _blocks(lines: Iterable[str]) -> Iterator[tuple[str, int, list[str]]]:
    """Yields each sentence's name, the number of its first line, and its lines including the end."""
    name, first = "", 0
    block: list[str] = []
    inside = False
    for number, line in enumerate(lines, start=1):
        begins = _SENTENCE.search(line)
        if begins or (_END in line and not inside):
            if inside:
                yield name, first, block
            name, first, block, inside = begins[1] if begins else "", number, [line], True
        elif inside:
            block.append(line)
        if inside and _END in line:
            yield name, first, block
            inside = False
    if inside:
        yield name, first, block


def _sentence(name: str, first: int, lines: list[str], path: Path) -> Sentence:
    if not _SENTENCE.search(lines[0]):
        raise broken_sentence(f"{_END} without the beginning of a sentence", path, first)
    if _END not in lines[-1]:
        raise broken_sentence(f"the sentence {name!r} has no end", path, first)
    current = _Open(path)
    for number, line in enumerate(lines[1:-1], start=first + 1):
        if line.strip():
            current.read(line, number)
    chunks = current.with_heads()
    if not current.tokens:
        raise broken_sentence(f"the sentence {name!r} has no tokens", path, first)
    return Sentence(tuple(current.tokens), without_hollow(chunks), name)


class _Open:
    """A sentence that is being read."""

    def __init__(self, path: Path) -> None:
        self.path, self.in_chunk = path, False
        self.tokens: list[Token] = []
        self.chunks: list[Chunk] = []
        self.names: dict[str, int] = {}
        self.heads: list[tuple[str, int]] = []

    def read(self, line: str, number: int) -> None:
        fields = [field.strip() for field in line.split("\t")]
        if "))" in fields[:2]:
            self.in_chunk = False
            return
        if len(fields) < 3 or not _ADDRESS.fullmatch(fields[0]):
            raise broken_sentence(f"expected a token, `((` or `))`, found {line.strip()[:60]!r}", self.path, number)
        features = _features(fields[3] if len(fields) > 3 else "")
        if fields[1] == "((":  # tokens between brackets, or in outer ones, form separate chunks
            self.begin_chunk(fields[2], features, number)
            return
        if not self.in_chunk:
            self.begin_chunk(fields[2], {}, number)
        self.tokens.append(_token(fields[1], fields[2], features, in_empty=self.chunks[-1].is_empty))
        self.chunks[-1] = replace(self.chunks[-1], end=len(self.tokens))

    def begin_chunk(self, tag: str, features: dict[str, str], number: int) -> None:
        self.names.setdefault(features.get("name") or f"({len(self.chunks)})", len(self.chunks))
        dependency = features.get("drel") or features.get("dmrel") or ""
        relation, _, head = dependency.partition(":")
        if dependency and not head:
            raise broken_sentence(
                f"a dependency without a chunk: {dependency!r}; write, for example, `drel='k1:VGF'`", self.path, number
            )
        self.heads.append((head, number))
        start, is_empty = len(self.tokens), tag.startswith(EMPTY_CHUNK)
        self.chunks.append(Chunk(tag.removeprefix(EMPTY_CHUNK), start, start, -1, relation, is_empty))
        self.in_chunk = True

    def with_heads(self) -> list[Chunk]:
        headed = []
        for chunk, (head, number) in zip(self.chunks, self.heads, strict=True):
            if head and head not in self.names:
                raise broken_sentence(f"a chunk depends on the unknown chunk {head!r}", self.path, number)
            headed.append(replace(chunk, head=self.names[head] if head else -1))
        if (position := find_cycle([chunk.head for chunk in headed])) is not None:
            raise broken_sentence("a chunk is on a cycle of dependencies", self.path, self.heads[position][1])
        return headed


def _token(form: str, tag: str, features: dict[str, str], *, in_empty: bool) -> Token:
    values = (features.get("af", "").split(",") + [""] * len(MORPHOLOGY))[: len(MORPHOLOGY)]
    form = "-" if form == _JOINED else form or EMPTY
    return Token(form, tag, *values, is_empty=form == EMPTY or (in_empty and form.upper() == EMPTY))


def _features(text: str) -> dict[str, str]:
    """Parses `<fs name='NP' drel='k1:VGF'>`."""
    return {name: single or double or bare for name, single, double, bare in _FEATURE.findall(text)}
