"""Pieces of words (subwords) and how they make words: byte-pair encoding with `@@`, SentencePiece with `▁`."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import FormatError, LatticeSimpError, warn
from lattice_simp.formats.common import shown

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


FOREIGN = ("▁", "Ġ", "##", "￭")
"""What pieces of other kinds begin with: SentencePiece, byte-level BPE, WordPiece, OpenNMT's joiner."""


@dataclass
class MarkCheck:
    """Finds pieces that are none of their kind: joining them would make one word of a sentence, or change nothing.

    Attributes:
        kind: of the pieces.
        path: of their file, for errors.
    """

    kind: PieceKind
    path: str | Path | None = None
    _state: Literal["nothing", "unmarked", "marked"] = "nothing"
    _foreign: str = ""

    def see(self, hypotheses: Iterable[Sequence[str]]) -> None:
        """Looks at the pieces of one sentence's hypotheses.

        Raises:
            FormatError: SentencePiece's pieces of several words, none with its mark.
        """
        pieces = pieces_named(self.kind)
        if pieces is None or self._state == "marked":
            return
        example = ""
        for tokens in hypotheses:
            if any(pieces.begins(token) or pieces.goes_on(token) for token in tokens):
                self._state = "marked"
                return
            if len(tokens) > 1 and not any(map(_is_wide, tokens)):
                example = example or " ".join(tokens)
            self._state = "unmarked"
            self._foreign = self._foreign or next((token for token in tokens if _is_foreign(token, pieces)), "")
        if pieces.before and example:
            message = f"no piece begins with {pieces.before!r}, so {shown(example)} would be one word"
            raise FormatError(message, path=self.path, remedy=self._remedy("leave --pieces (pieces=) out for words"))

    def refuse_foreign(self) -> None:
        """Raises FormatError where no piece that was seen has a mark of the kind, and one has that of another."""
        if self._state == "unmarked" and self._foreign:
            message = f"no piece has the mark of {self.kind}, and {shown(self._foreign)} has one of another kind"
            raise FormatError(message, path=self.path, remedy=self._remedy("join the pieces with their own program"))

    def finish(self) -> None:
        """Complains, or warns, of pieces without any mark, once all of a file have been seen.

        Raises:
            FormatError: the marks are those of another kind.
        """
        self.refuse_foreign()
        pieces = pieces_named(self.kind)
        if self._state == "unmarked" and pieces is not None and pieces.after:
            message = f"no piece has the mark {pieces.after!r} of {self.kind}: nothing is joined"
            warn(message, path=self.path, remedy="leave --pieces (pieces=) out for words")

    def _remedy(self, otherwise: str) -> str:
        if self._foreign.startswith("▁"):
            return "choose --pieces sentencepiece (pieces='sentencepiece')"
        return "choose --pieces bpe (pieces='bpe')" if self._foreign.endswith("@@") else otherwise


def _is_wide(token: str) -> bool:
    """Returns whether a token is of a script that is written without blanks."""
    return any(unicodedata.east_asian_width(letter) in "WF" for letter in token)


def _is_foreign(token: str, pieces: Pieces) -> bool:
    return (token.startswith(FOREIGN) and not pieces.begins(token) and token not in FOREIGN) or token.endswith("@@")


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


def join_words(tokens: str | Iterable[str], kind: PieceKind) -> tuple[str, ...]:
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
    words = as_tokens(tokens)
    return words if pieces is None else pieces.join(words)


def joined(hypothesis: Hypothesis, kind: PieceKind) -> Hypothesis:
    """Returns a hypothesis with the words that its pieces make."""
    return hypothesis if kind == "none" else replace(hypothesis, tokens=join_words(hypothesis.tokens, kind))
