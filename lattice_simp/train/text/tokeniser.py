"""Text to tokens and back, with the Moses rules; Hindi text with those of the Hindi tools, so that both fit."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from lattice_simp.hindi.text.sentences import hindi_tokens
from lattice_simp.train.config import Case, Text
from lattice_simp.train.text.moses import moses_detokeniser, moses_normaliser, moses_tokeniser

_BEFORE_DANDA = re.compile(" (?=[।॥])")
"""Blanks that the Moses rules leave before the full stops of Indic scripts."""


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
        tokenise: with the Moses rules (sacremoses), without escapes, and Hindi as `hindi/text/sentences.py` does; else
            blanks separate tokens.
        normalise: punctuation marks to plain ones first.
        case: `lower` changes the case here; `true` needs the counts of a corpus (`truecase.py`).
    """

    language: str
    tokenise: bool = True
    normalise: bool = True
    case: Case = "lower"

    @cached_property
    def _normalised(self) -> Callable[[str], str]:
        return moses_normaliser(self.language)

    @cached_property
    def _tokenised(self) -> Callable[[str], str]:
        return hindi_tokens if self.language == "hi" else moses_tokeniser(self.language)

    @cached_property
    def _detokenised(self) -> Callable[[str], str]:
        return moses_detokeniser(self.language)

    def tokens(self, line: str) -> str:
        """Returns the tokens, separated by single blanks."""
        line = " ".join(unicodedata.normalize("NFC", line).split())
        if self.normalise:
            line = self._normalised(line)
        if self.tokenise:
            line = self._tokenised(line)
        return " ".join(self.cased(line).split())

    def cased(self, tokens: str) -> str:
        """Returns tokens in the case that this tokeniser's have."""
        return tokens.lower() if self.case == "lower" else tokens

    def text(self, tokens: str) -> str:
        """Returns the line that a reader sees: a capital first, punctuation marks in their places."""
        if not self.tokenise:
            return tokens
        line = _BEFORE_DANDA.sub("", self._detokenised(tokens))
        return line[:1].upper() + line[1:]


def tokenisers(text: Text) -> tuple[Tokeniser, Tokeniser]:
    """Returns the tokenisers of both sides."""
    return (
        Tokeniser(text.source_language, text.tokenise, text.normalise, text.case),
        Tokeniser(text.target_language, text.tokenise, text.normalise, text.case),
    )
