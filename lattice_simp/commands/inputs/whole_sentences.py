"""Warnings about tokens that are not words: whole sentences, as in languages without blanks, or pieces of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from lattice_simp.commands.shared.messages import say
from lattice_simp.core.scripts import whole_sentences
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.formats.pieces import PIECES
from lattice_simp.text.sacrebleu_tokenisers import choose_tokeniser

REMEDY = "make tokens first: `lattice-simp lattice tokens` with --language or --tokeniser, of all files"

SAMPLES = 200
"""The number of sentences to examine."""

Item = TypeVar("Item")
Sample = TypeVar("Sample")


def warn_of_whole_sentences(lines: Iterable[Sequence[str]], name: object, remedy: str = REMEDY) -> bool:
    """Warns on stderr if the tokens of lines are whole sentences; returns whether they are."""
    suspects = whole_sentences(lines)
    if suspects:
        say(f"{name}: whole sentences are single tokens; {remedy}")
    return suspects


def checked_lists(sentences: Iterable[Sentence], name: object, remedy: str = REMEDY) -> Iterator[Sentence]:
    """Yields n-best lists unchanged, and warns once if their tokens are whole sentences."""
    return sampled(sentences, _first_hypothesis, partial(warn_of_whole_sentences, name=name, remedy=remedy))


def lists_of_words(sentences: Iterable[Sentence], name: object) -> Iterator[Sentence]:
    """Yields n-best lists unchanged, and warns once if their tokens are pieces of words."""
    return sampled(sentences, _first_hypothesis, partial(warn_of_pieces, name=name))


def _first_hypothesis(sentence: Sentence) -> Sequence[str] | None:
    return sentence.hypotheses[0].tokens if sentence.hypotheses else None


def warn_of_pieces(lines: Iterable[Sequence[str]], name: object) -> bool:
    """Warns on stderr if tokens are pieces of words, and names the option that joins them; returns whether they are."""
    piece = first_piece(lines)
    if piece is not None:
        kind, example = piece
        say(f"{name}: tokens are pieces of words ({example}); to join them, give --pieces {kind}")
    return piece is not None


def first_piece(lines: Iterable[Sequence[str]]) -> tuple[str, str] | None:
    """Returns the kind of the pieces among tokens, and the first piece; None if all tokens may be words."""
    tokens = [token for line in lines for token in line]
    for kind, marks in PIECES.items():
        for token in tokens:
            if marks.mark_any([[token]]) and marks.text(token):
                return kind, token
    return None


def sampled(
    items: Iterable[Item], sample: Callable[[Item], Sample | None], check: Callable[[list[Sample]], object]
) -> Iterator[Item]:
    """Yields items unchanged, and checks the first `SAMPLES` samples of them once; a sample may be None."""
    samples: list[Sample] = []
    for item in items:
        yield item
        if len(samples) < SAMPLES and (part := sample(item)) is not None:
            samples.append(part)
            if len(samples) == SAMPLES:
                check(samples)
    if len(samples) < SAMPLES:
        check(samples)


def chosen_tokeniser(name: str | None, language: str | None) -> str:
    """Returns `name`, or the best installed tokeniser for a language; prints a note if it is not the best of all."""
    if name is not None:
        return name
    choice = choose_tokeniser(language)
    if choice.note:
        say(f"lattice-simp: {choice.note}")
    return choice.name
