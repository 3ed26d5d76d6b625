"""Text to tokens and back, with the Moses rules; Hindi text with those of the Hindi tools, so that both fit.

The rules are those of sacremoses as it is: 30 to 60 microseconds a line to normalise punctuation and to tokenise, each.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from lattice_simp.errors import FormatError, MissingExtraError
from lattice_simp.hindi.text.sentences import hindi_tokens
from lattice_simp.train.config import Case, Text
from lattice_simp.train.text.truecase import Casing, read_casing, truecased
from lattice_simp.translate.model_files import TEXT

Side = Literal["source", "target"]

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
        normalised: Callable[[str], str] = _sacremoses().MosesPunctNormalizer(self.language).normalize
        return normalised

    @cached_property
    def _tokenised(self) -> Callable[[str], str]:
        if self.language == "hi":
            return hindi_tokens
        moses = _sacremoses().MosesTokenizer(self.language)
        return lambda line: str(moses.tokenize(line, return_str=True, escape=False))

    @cached_property
    def _detokenised(self) -> Callable[[str], str]:
        moses = _sacremoses().MosesDetokenizer(self.language)
        return lambda tokens: str(moses.detokenize(tokens.split(), unescape=False))

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


@dataclass(frozen=True)
class FrontEnd:
    """Makes tokens of lines of either side, and lines of tokens.

    Attributes:
        source, target: the tokenisers.
        casings: the usual forms of words by side, for truecased models.
    """

    source: Tokeniser
    target: Tokeniser
    casings: dict[Side, Casing] = field(default_factory=dict)

    @classmethod
    def read(cls, model: str | Path) -> FrontEnd:
        """Reads a model directory's text.json, and its casing files.

        Raises:
            FormatError: the model has none (its text must come tokenised), or the file is broken.
        """
        path = Path(model) / TEXT
        if not path.is_file():
            remedy = "tokenise the text as the model's training text was"
            raise FormatError("is not there: the model says nothing about its tokens", path=path, remedy=remedy)
        try:
            text = Text.model_validate(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, ValidationError) as error:
            raise FormatError(f"no text settings: {str(error).splitlines()[0]}", path=path, remedy="fix it") from None
        sides: tuple[Side, ...] = ("source", "target") if text.case == "true" else ()
        return cls(*tokenisers(text), {side: read_casing(Path(model) / f"casing.{side}.txt") for side in sides})

    def tokens(self, line: str, side: Side = "source") -> str:
        """Returns a line's tokens, separated by blanks."""
        found = (self.source if side == "source" else self.target).tokens(line)
        return truecased(found, self.casings[side]) if side in self.casings else found

    def text(self, tokens: str, side: Side = "target") -> str:
        """Returns the line that a reader sees."""
        return (self.source if side == "source" else self.target).text(tokens)


def _sacremoses() -> Any:
    try:
        import sacremoses
    except ImportError:
        raise MissingExtraError("sacremoses is missing; pip install 'lattice-simp[train]'") from None
    return sacremoses
