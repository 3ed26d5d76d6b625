"""Joins subwords (pieces) into words: byte-pair encoding with `@@`, SentencePiece with `▁`."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from lattice_simp.core.arguments import choice
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import FormatError, warn
from lattice_simp.formats.common import shown

PieceKind: TypeAlias = Literal["none", "bpe", "sentencepiece"]


@dataclass(frozen=True)
class Pieces:
    """The marks of a kind of subwords.

    Attributes:
        before: the prefix of a piece that begins a word; empty if the kind has none.
        after: the suffix of a piece whose word continues; empty if the kind has none.
    """

    before: str = ""
    after: str = ""

    def begins(self, piece: str) -> bool:
        """Returns whether a piece has the mark of a word's beginning."""
        return bool(self.before) and piece.startswith(self.before)

    def goes_on(self, piece: str) -> bool:
        """Returns whether a piece has the mark that its word continues."""
        return bool(self.after) and piece.endswith(self.after)

    def mark_any(self, sentences: Iterable[Iterable[str]]) -> bool:
        """Returns whether a token has one of the marks."""
        return any(self.begins(token) or self.goes_on(token) for tokens in sentences for token in tokens)

    def text(self, piece: str) -> str:
        """Returns a piece without its marks."""
        piece = piece.removeprefix(self.before) if self.before else piece
        return piece.removesuffix(self.after) if self.after else piece

    def join(self, pieces: Iterable[str]) -> tuple[str, ...]:
        """Joins pieces into words; words that consist only of marks are dropped."""
        words: list[str] = []
        open_word = False
        for piece in pieces:
            if open_word and not self.begins(piece):
                words[-1] += self.text(piece)
            else:
                words.append(self.text(piece))
            open_word = self.goes_on(piece) or bool(self.before)
        return tuple(word for word in words if word)

    def groups(self, pieces: Iterable[str]) -> list[list[int]]:
        """Returns the numbers of the pieces of each word that `join` makes."""
        words: list[tuple[str, list[int]]] = []
        open_word = False
        for number, piece in enumerate(pieces):
            if open_word and not self.begins(piece):
                word, numbers = words.pop()
                words.append((word + self.text(piece), [*numbers, number]))
            else:
                words.append((self.text(piece), [number]))
            open_word = self.goes_on(piece) or bool(self.before)
        return [numbers for word, numbers in words if word]


PIECES: Mapping[str, Pieces] = {"bpe": Pieces(after="@@"), "sentencepiece": Pieces(before="▁")}
"""The marks by name: subword-nmt and its successors, and SentencePiece."""


FOREIGN = ("▁", "Ġ", "##", "￭")
"""The prefixes of all kinds: SentencePiece, byte-level BPE, WordPiece, OpenNMT's joiner."""


@dataclass
class MarkCheck:
    """Checks that pieces have the marks of their kind; others would become one long word, or stay as they are.

    Attributes:
        kind: the kind of the pieces.
        path: the path of their file, for errors.
    """

    kind: PieceKind
    path: str | Path | None = None
    _state: Literal["nothing", "unmarked", "marked"] = "nothing"
    _foreign: str = ""

    def see(self, hypotheses: Iterable[Sequence[str]]) -> None:
        """Checks the pieces of a sentence's hypotheses.

        Raises:
            FormatError: a hypothesis of several SentencePiece pieces has no mark.
        """
        marks = pieces_named(self.kind)
        if marks is None or self._state == "marked":
            return
        example = ""
        for tokens in hypotheses:
            if marks.mark_any([tokens]):
                self._state = "marked"
                return
            if len(tokens) > 1 and not any(map(_is_wide, tokens)):
                example = example or " ".join(tokens)
            self._state = "unmarked"
            self._foreign = self._foreign or next((token for token in tokens if _is_foreign(token, marks)), "")
        if marks.before and example:
            message = f"no piece begins with {marks.before!r}, so {shown(example)} would be one word"
            raise FormatError(
                message, path=self.path, remedy=self._remedy("leave out --pieces (pieces=) if these are words")
            )

    def refuse_foreign(self) -> None:
        """Raises FormatError if no piece so far has a mark of this kind, and one has a mark of another kind."""
        if self._state == "unmarked" and self._foreign:
            message = f"no piece has the mark of {self.kind}, and {shown(self._foreign)} has one of another kind"
            raise FormatError(message, path=self.path, remedy=self._remedy("join the pieces with their own program"))

    def finish(self) -> None:
        """Warns, after the last piece of a file, if none had a mark.

        Raises:
            FormatError: the marks are those of another kind.
        """
        self.refuse_foreign()
        marks = pieces_named(self.kind)
        if self._state == "unmarked" and marks is not None and marks.after:
            message = f"no piece has the mark {marks.after!r} of {self.kind}: nothing is joined"
            warn(message, path=self.path, remedy="leave out --pieces (pieces=) if these are words")

    def _remedy(self, otherwise: str) -> str:
        if self._foreign.startswith("▁"):
            return "choose --pieces sentencepiece (pieces='sentencepiece')"
        return "choose --pieces bpe (pieces='bpe')" if self._foreign.endswith("@@") else otherwise


def _is_wide(token: str) -> bool:
    """Returns whether a token is in a script that is written without blanks."""
    return any(unicodedata.east_asian_width(letter) in "WF" for letter in token)


def _is_foreign(token: str, marks: Pieces) -> bool:
    return (token.startswith(FOREIGN) and not marks.begins(token) and token not in FOREIGN) or token.endswith("@@")


def pieces_named(kind: str) -> Pieces | None:
    """Returns the marks of a kind of subwords, or None for `none`.

    Raises:
        LatticeSimpError: the kind is unknown.
    """
    choice(kind, ("none", *PIECES), "pieces")
    return None if kind == "none" else PIECES[kind]


def join_words(tokens: str | Iterable[str], kind: PieceKind) -> tuple[str, ...]:
    """Joins subwords into words.

    >>> join_words("the hous@@ es fell".split(), "bpe")
    ('the', 'houses', 'fell')
    >>> join_words("▁the ▁hous es ▁ fell".split(), "sentencepiece")
    ('the', 'houses', 'fell')

    A last piece whose word should continue is a word, as in the joiners of both programs.

    Raises:
        LatticeSimpError: the kind is unknown.
    """
    pieces = pieces_named(kind)
    words = as_tokens(tokens)
    return words if pieces is None else pieces.join(words)


def joined(hypothesis: Hypothesis, kind: PieceKind) -> Hypothesis:
    """Joins the subwords of a hypothesis into words; the confidence of a word is the product of those of its pieces."""
    pieces, times, confidences = pieces_named(kind), hypothesis.times, hypothesis.confidences
    if pieces is None:
        return hypothesis
    words = [] if times is None and confidences is None else pieces.groups(hypothesis.tokens)
    return replace(
        hypothesis,
        tokens=pieces.join(hypothesis.tokens),
        times=None if times is None else tuple((times[word[0]][0], times[word[-1]][1]) for word in words),
        confidences=None if confidences is None else tuple(math.prod(confidences[n] for n in word) for word in words),
    )
