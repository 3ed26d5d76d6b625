"""The text front end of a trained model: lines to the tokens it was trained on, and its tokens to lines."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from lattice_simp.errors import FormatError
from lattice_simp.train.config import Text
from lattice_simp.train.text.tokeniser import Tokeniser, tokenisers
from lattice_simp.train.text.truecase import Casing, read_casing, truecased
from lattice_simp.translate.model_files import TEXT

Side = Literal["source", "target"]


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
            raise FormatError(f"no text settings: {str(error).splitlines()[0]}", path=path, remedy="mend it") from None
        sides: tuple[Side, ...] = ("source", "target") if text.case == "true" else ()
        return cls(*tokenisers(text), {side: read_casing(Path(model) / f"casing.{side}.txt") for side in sides})

    def tokens(self, line: str, side: Side = "source") -> str:
        """Returns a line's tokens, separated by blanks."""
        found = (self.source if side == "source" else self.target).tokens(line)
        return truecased(found, self.casings[side]) if side in self.casings else found

    def text(self, tokens: str, side: Side = "target") -> str:
        """Returns the line that a reader sees."""
        return (self.source if side == "source" else self.target).text(tokens)
