"""The settings of a model's tokenisation, which training writes and translation reads."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import field_validator

from lattice_simp.support.strict_model import StrictModel

TEXT = "text.json"
"""The file of these settings in a model directory."""

Case = Literal["lower", "true", "keep"]


class Text(StrictModel):
    """The settings of tokenisation.

    Attributes:
        source_language, target_language: ISO codes, which select the tokenisation rules.
        tokenise: whether to use the Moses rules (sacremoses); otherwise, text is split at spaces.
        normalise: whether to replace typographic punctuation by plain marks before tokenisation.
        case: `lower` lower-cases all words, `true` truecases the first word of a sentence, `keep` changes nothing.
    """

    source_language: str
    target_language: str
    tokenise: bool = True
    normalise: bool = True
    case: Case = "lower"

    @field_validator("case", mode="before")
    @classmethod
    def _yaml_reads_true_as_a_truth_value(cls, case: Any) -> Any:
        return "true" if case is True else case
