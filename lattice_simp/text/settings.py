"""How a model's text becomes tokens: the settings that training writes and translation reads."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, field_validator

TEXT = "text.json"
"""The file of a model directory that holds these settings."""

Case = Literal["lower", "true", "keep"]


class Text(BaseModel):
    """How text becomes tokens.

    Attributes:
        source_language, target_language: ISO codes; they choose the tokeniser's rules.
        tokenise: with the Moses rules (sacremoses); else the text is split at blanks.
        normalise: punctuation marks to plain ones, before the tokeniser.
        case: lower-case everything, truecase the first words, or keep all.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    source_language: str
    target_language: str
    tokenise: bool = True
    normalise: bool = True
    case: Case = "lower"

    @field_validator("case", mode="before")
    @classmethod
    def _yaml_reads_true_as_a_truth_value(cls, case: Any) -> Any:
        return "true" if case is True else case
