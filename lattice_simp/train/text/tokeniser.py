"""Text to tokens and back, with the Moses rules."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lattice_simp.errors import MissingExtraError
from lattice_simp.train.config import Case, Text


@dataclass(frozen=True)
class Tokeniser:
    """Makes tokens of a line of one language, and a line of tokens.

    >>> tokeniser = Tokeniser("en")
    >>> tokeniser.tokens("Don’t, she said.")
    "don 't , she said ."
    >>> tokeniser.text("she said : no .")
    'She said: no.'

    Attributes:
        language: an ISO code.
        tokenise: with the Moses rules (sacremoses), without escapes; else blanks separate tokens.
        normalise: punctuation marks to plain ones first.
        case: `lower` changes the case here; `true` needs the counts of a corpus (`truecase.py`).
    """

    language: str
    tokenise: bool = True
    normalise: bool = True
    case: Case = "lower"

    @cached_property
    def _moses(self) -> tuple[Any, Any, Any]:
        try:
            from sacremoses import MosesDetokenizer, MosesPunctNormalizer, MosesTokenizer
        except ImportError:
            raise MissingExtraError("sacremoses is missing; pip install 'lattice-simp[train]'") from None
        language = self.language
        return MosesTokenizer(language), MosesDetokenizer(language), MosesPunctNormalizer(language)

    def tokens(self, line: str) -> str:
        """Gives the tokens, separated by single blanks."""
        line = " ".join(unicodedata.normalize("NFC", line).split())
        if self.normalise:
            line = self._moses[2].normalize(line)
        if self.tokenise:
            line = self._moses[0].tokenize(line, return_str=True, escape=False)
        if self.case == "lower":
            line = line.lower()
        return " ".join(line.split())

    def text(self, tokens: str) -> str:
        """Gives the line that a reader sees: a capital first, punctuation marks in their places."""
        if not self.tokenise:
            return tokens
        line: str = self._moses[1].detokenize(tokens.split(), unescape=False)
        return line[:1].upper() + line[1:]


def tokenisers(text: Text) -> tuple[Tokeniser, Tokeniser]:
    """Gives the tokenisers of both sides."""
    return (
        Tokeniser(text.source_language, text.tokenise, text.normalise, text.case),
        Tokeniser(text.target_language, text.tokenise, text.normalise, text.case),
    )
