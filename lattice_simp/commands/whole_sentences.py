"""Warnings where tokens are whole sentences, as in text of languages without blanks between words."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.scripts import whole_sentences
from lattice_simp.core.symbols import split_tokens
from lattice_simp.text.sacrebleu_tokenisers import choose_tokeniser

REMEDY = "make tokens first: `lattice-simp lattice tokens` with --language or --tokeniser, of all files"

_LISTS = 200
"""Lists whose first hypotheses are looked at."""


def warn_of_whole_sentences(lines: Iterable[Sequence[str]], name: object, remedy: str = REMEDY) -> bool:
    """Says on stderr that the tokens of lines are whole sentences; returns whether they are."""
    suspects = whole_sentences(lines)
    if suspects:
        print(f"{name}: whole sentences are single tokens; {remedy}", file=sys.stderr)
    return suspects


def checked_lists(
    groups: Iterable[tuple[int, list[Hypothesis]]], name: object, remedy: str = REMEDY
) -> Iterator[tuple[int, list[Hypothesis]]]:
    """Yields n-best lists as they are, and warns once if their tokens are whole sentences."""
    seen: list[Sequence[str]] = []
    for number, entries in groups:
        yield number, entries
        if len(seen) < _LISTS:
            seen += [entries[0].tokens] if entries else []
            if len(seen) == _LISTS:
                warn_of_whole_sentences(seen, name, remedy)
    if len(seen) < _LISTS:
        warn_of_whole_sentences(seen, name, remedy)


def warn_of_lines(lines: Iterable[str], name: object) -> None:
    """Warns as `warn_of_whole_sentences`, of lines of tokens."""
    warn_of_whole_sentences(map(split_tokens, lines), name)


def chosen_tokeniser(name: str | None, language: str | None) -> str:
    """Returns the name of a tokeniser that was given, or of the one that fits a language; says what that one lacks."""
    if name is not None:
        return name
    choice = choose_tokeniser(language)
    if choice.note:
        print(f"lattice-simp: {choice.note}", file=sys.stderr)
    return choice.name
