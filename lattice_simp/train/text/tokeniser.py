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

from lattice_simp.errors import FormatError
from lattice_simp.hindi.text.sentences import hindi_tokens
from lattice_simp.support.extras import extra
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
        case: `lower` changes the case; `true` does what `casing` says.
        casing: the usual forms of words, for first words.
    """

    language: str
    tokenise: bool = True
    normalise: bool = True
    case: Case = "lower"
    casing: Casing = field(default_factory=dict)

    @cached_property
    def _normalised(self) -> Callable[[str], str]:
        moses = _sacremoses().MosesPunctNormalizer(self.language)
        return lambda line: str(moses.normalize(line))

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
        return self.cased(" ".join(line.split()))

    def cased(self, tokens: str) -> str:
        """Returns tokens in the case that this tokeniser's have."""
        return tokens.lower() if self.case == "lower" else truecased(tokens, self.casing)

    def text(self, tokens: str) -> str:
        """Returns the line that a reader sees: a capital first, punctuation marks in their places."""
        if not self.tokenise:
            return tokens
        line = _BEFORE_DANDA.sub("", self._detokenised(tokens))
        return line[:1].upper() + line[1:]


def tokenisers(text: Text, casings: Path | None = None) -> tuple[Tokeniser, Tokeniser]:
    """Returns the tokenisers of both sides; with a folder of casing files, those of truecased text truecase, too."""
    source, target = (
        Tokeniser(
            language,
            text.tokenise,
            text.normalise,
            text.case,
            read_casing(casings / f"casing.{side}.txt") if casings and text.case == "true" else {},
        )
        for language, side in ((text.source_language, "source"), (text.target_language, "target"))
    )
    return source, target


def model_tokenisers(model: str | Path) -> tuple[Tokeniser, Tokeniser]:
    """Reads the tokenisers of both sides from a model directory: its text.json, and its casing files.

    Raises:
        FormatError: the model has none (its text must come tokenised), or the file is broken.
    """
    path = Path(model) / TEXT
    if not path.is_file():
        remedy = "tokenise the text as the model's training text was"
        raise FormatError("is not there: the model says nothing about its tokens", path=path, remedy=remedy)
    try:
        text = Text.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except ValueError as error:
        raise FormatError(f"no text settings: {str(error).splitlines()[0]}", path=path, remedy="fix it") from None
    return tokenisers(text, path.parent)


def _sacremoses() -> Any:
    with extra("train"):
        import sacremoses
    return sacremoses
