"""Pieces of words (subwords) and how they make words: byte-pair encoding with `@@`, SentencePiece with `▁`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.errors import LatticeSimpError

PieceKind: TypeAlias = Literal["none", "bpe", "sentencepiece"]


@dataclass(frozen=True)
class Pieces:
    """The marks of pieces.

    Attributes:
        before: what a piece begins with where a word begins; empty if words are not marked so.
        after: what a piece ends with where its word goes on; empty if words are not marked so.
    """

    before: str = ""
    after: str = ""

    def begins(self, piece: str) -> bool:
        """Returns whether a piece says by itself that a word begins with it."""
        return bool(self.before) and piece.startswith(self.before)

    def goes_on(self, piece: str) -> bool:
        """Returns whether a piece says by itself that its word goes on after it."""
        return bool(self.after) and piece.endswith(self.after)

    def text(self, piece: str) -> str:
        """Returns a piece without its marks."""
        piece = piece.removeprefix(self.before) if self.before else piece
        return piece.removesuffix(self.after) if self.after else piece

    def join(self, pieces: Iterable[str]) -> tuple[str, ...]:
        """Returns the words of pieces; a word without a letter but for its marks is left out."""
        words: list[str] = []
        open_word = False
        for piece in pieces:
            if open_word and not self.begins(piece):
                words[-1] += self.text(piece)
            else:
                words.append(self.text(piece))
            open_word = self.goes_on(piece) or bool(self.before)
        return tuple(word for word in words if word)


PIECES: Mapping[str, Pieces] = {"bpe": Pieces(after="@@"), "sentencepiece": Pieces(before="▁")}
"""By name: subword-nmt, and what follows it; SentencePiece."""


def pieces_named(kind: str) -> Pieces | None:
    """Returns the marks of a kind of pieces, None for `none`.

    Raises:
        LatticeSimpError: the kind is unknown.
    """
    if kind == "none":
        return None
    if kind not in PIECES:
        raise LatticeSimpError(f"unknown pieces {kind!r} (choose one of none, {', '.join(PIECES)})")
    return PIECES[kind]


def join_words(tokens: Iterable[str], kind: PieceKind) -> tuple[str, ...]:
    """Returns the words that pieces make.

    >>> join_words("the hous@@ es fell".split(), "bpe")
    ('the', 'houses', 'fell')
    >>> join_words("▁the ▁hous es ▁ fell".split(), "sentencepiece")
    ('the', 'houses', 'fell')

    A last piece whose word goes on is a word, as the joiners of both programs have it.

    Raises:
        LatticeSimpError: the kind is unknown.
    """
    pieces = pieces_named(kind)
    return tuple(tokens) if pieces is None else pieces.join(tokens)


def joined(hypothesis: Hypothesis, kind: PieceKind) -> Hypothesis:
    """Returns a hypothesis with the words that its pieces make."""
    return hypothesis if kind == "none" else replace(hypothesis, tokens=join_words(hypothesis.tokens, kind))
