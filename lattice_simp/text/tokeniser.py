"""Tokenises and detokenises text with the Moses rules, and Hindi with the rules of the Hindi tools, so that both agree.

The Moses rules are those of sacremoses; normalising punctuation and tokenising each take 30 to 60 microseconds a line.
These rules split words at blanks, so languages without blanks (Chinese, Japanese, Thai and others) use one of
sacrebleu's tokenisers.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from lattice_simp.core.scripts import is_unspaced
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError
from lattice_simp.support.extras import Late
from lattice_simp.support.json_text import parse_json
from lattice_simp.support.textio import decode, read_bytes
from lattice_simp.text.hindi.sentences import hindi_tokens
from lattice_simp.text.sacrebleu_tokenisers import PIECES, best_tokeniser, is_unspaced_language, tokeniser
from lattice_simp.text.settings import TEXT, Case, Text
from lattice_simp.text.spacing import escaped_like, has_words, joined_quotes, marked_like, spaced_like, untokenised
from lattice_simp.text.truecase import Casing, read_casing, truecased

sacremoses = Late("sacremoses", "text")

Side = Literal["source", "target"]

_BEFORE_DANDA = re.compile(" (?=[।॥])")
"""The blanks that the Moses rules leave before the full stops of Indic scripts."""

_PIECE_BLANK = "▁"


@dataclass(frozen=True)
class Tokeniser:
    """Converts lines of a language to tokens, and tokens to lines.

    >>> tokeniser = Tokeniser("en")
    >>> tokeniser.tokens("Don’t, she said.")
    "don 't , she said ."
    >>> tokeniser.text("she said : no .")
    'She said: no.'
    >>> chinese = Tokeniser("zh")
    >>> chinese.tokens("我用Python 3写。"), chinese.text("我 用 Python 3 写 。")
    ('我 用 python 3 写 。', '我用Python 3写。')

    Attributes:
        language: an ISO code.
        tokenise: whether to use the Moses rules (sacremoses) without escapes, and for Hindi the rules of
            `text/hindi/sentences.py`; otherwise blanks separate tokens.
        normalise: whether to replace punctuation marks by plain ones before the Moses rules.
        case: `lower` lower-cases all words; `true` truecases first words by `casing`.
        casing: the usual forms of words, for first words.
        name: one of `text.sacrebleu_tokenisers.TOKENISERS`, instead of the Moses rules. None chooses the best one for
            languages written without blanks, and the Moses rules for all others.
    """

    language: str
    tokenise: bool = True
    normalise: bool = True
    case: Case = "lower"
    casing: Casing = field(default_factory=dict)
    name: str | None = None

    @property
    def _named(self) -> str | None:
        """The name of sacrebleu's tokeniser, or None for the Moses rules."""
        if self.name is None and is_unspaced_language(self.language):
            return best_tokeniser(self.language)
        return self.name

    @cached_property
    def _normalised(self) -> Callable[[str], str]:
        moses = sacremoses.MosesPunctNormalizer(self.language)
        return lambda line: str(moses.normalize(line))

    @cached_property
    def _tokenised(self) -> Callable[[str], str]:
        if self._named is not None:
            split = tokeniser(self._named)
            return lambda line: " ".join(split(line))
        if self.language == "hi":
            return hindi_tokens
        moses = sacremoses.MosesTokenizer(self.language)
        return lambda line: str(moses.tokenize(line, return_str=True, escape=False))

    @cached_property
    def _detokenised(self) -> Callable[[str], str]:
        moses = sacremoses.MosesDetokenizer(self.language)
        return lambda tokens: str(moses.detokenize(tokens.split(), unescape=False))

    def tokens(self, line: str) -> str:
        """Returns the tokens, separated by single blanks."""
        line = self._plain(line)
        if self.tokenise:
            line = self._tokenised(line)
        return self.cased(" ".join(self._parts(line)))

    def _plain(self, line: str) -> str:
        """Returns a line with single blanks and plain punctuation marks."""
        line = " ".join(self._parts(unicodedata.normalize("NFC", line)))
        return self._normalised(line) if self.normalise and self._named is None else line

    def _parts(self, line: str) -> list[str]:
        """Splits text at all white space, and tokens at blanks only."""
        return line.split() if self.tokenise else split_tokens(line)

    def cased(self, tokens: str) -> str:
        """Converts tokens to the case of this tokeniser's output."""
        return tokens.lower() if self.case == "lower" else truecased(tokens, self.casing)

    def text(self, tokens: str) -> str:
        """Returns tokens as a line for readers, detokenised and with a capital first letter."""
        if not self.tokenise:
            return tokens
        if self._named in PIECES:
            return "".join(tokens.split()).replace(_PIECE_BLANK, " ").strip()
        if self._named == "char":
            return "".join(tokens.split())
        if is_unspaced_language(self.language):
            return _joined(tokens.split())
        line = _BEFORE_DANDA.sub("", self._detokenised(tokens))
        return line[:1].upper() + line[1:]

    def text_like(self, tokens: str, source: str) -> str:
        """Returns tokens as a line for readers, with the blanks, quotes and escapes of its source.

        >>> Tokeniser("en", case="keep").text_like('he left 24 / 7 , she said . "', 'He left 24/7, she insisted."')
        'He left 24/7, she said."'
        """
        text = self.spaced_text(tokens, source)
        return escaped_like(marked_like(text, untokenised(source)) if self.normalise else text, source)

    def spaced_text(self, tokens: str, source: str) -> str:
        """Returns tokens as a line for readers, with the blanks of its source between neighbours.

        >>> Tokeniser("en", case="keep").spaced_text('rule 1 ( a ) is " old " .', "Rule 1(a) is ``ancient''.")
        'Rule 1(a) is "old".'
        """
        plain = untokenised(source)
        source_tokens = self.tokens(plain).split()
        lines = (joined_quotes(plain), self._plain(plain))  # normalisation writes blanks around some marks
        line = next((line for line in lines if has_words(line, source_tokens)), plain)
        return spaced_like(tokens.split(), self.text(tokens), source_tokens, line)

    def retokenised(self, line: str) -> str:
        """Returns the tokens of a line that may be tokens already, with the escapes of the Moses tokeniser.

        >>> Tokeniser("en").retokenised("they &apos;ve left .")
        "they 've left ."
        """
        return self.tokens(untokenised(line))


def english_tokenisers() -> tuple[Tokeniser, Tokeniser]:
    """Returns the tokenisers of both sides for English text that keeps its case."""
    english = Tokeniser("en", case="keep")
    return english, english


def tokenisers(text: Text, casings: Path | None = None) -> tuple[Tokeniser, Tokeniser]:
    """Returns the tokenisers of both sides; `casings` is the folder of casing files, which truecasing needs."""
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
    """Reads the tokenisers of both sides from a model directory: its text.json, and its casing files."""
    path = Path(model) / TEXT
    if not path.is_file():
        remedy = "tokenise the text as the model's training text was"
        raise FormatError("is missing, so the model's tokenisation is unknown", path=path, remedy=remedy)
    values = parse_json(decode(read_bytes(path), path), path=path, remedy="fix it")
    try:
        text = Text.model_validate(values)
    except ValueError as error:
        raise FormatError(f"invalid text settings: {str(error).splitlines()[0]}", path=path, remedy="fix it") from None
    return tokenisers(text, path.parent)


def _joined(tokens: list[str]) -> str:
    """Joins tokens of a language without blanks; only letters and digits of other scripts get blanks between them."""
    text = ""
    for token in tokens:
        apart = text and _is_spaced(text[-1]) and _is_spaced(token[0])
        text += f" {token}" if apart else token
    return text


def _is_spaced(character: str) -> bool:
    return character.isalnum() and not is_unspaced(character)
