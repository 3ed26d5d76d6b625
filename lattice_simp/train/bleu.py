"""BLEU in two columns: on lower-cased tokens, and on text as readers see it."""

from __future__ import annotations

from typing import NamedTuple

from lattice_simp.evaluate import bleu_13a, bleu_tok
from lattice_simp.train.text.tokeniser import Tokeniser


class Score(NamedTuple):
    """Scores (0 to 100) and what sacrebleu says of how they were computed."""

    bleu_tok_lc: float
    bleu_13a: float
    signature_tok_lc: str
    signature_13a: str


def bleu(hypotheses: list[str], references: list[list[str]], originals: list[list[str]], tokeniser: Tokeniser) -> Score:
    """Scores translations.

    Args:
        hypotheses: token lines.
        references: the token lines of each reference.
        originals: the lines of each reference as its file has them.
        tokeniser: makes text of the hypotheses' tokens.
    """
    tokens, text = bleu_tok(len(references)), bleu_13a(len(originals), lowercase=tokeniser.case == "lower")
    return Score(
        round(tokens.corpus_score(hypotheses, references), 4),
        round(text.corpus_score([tokeniser.text(line) for line in hypotheses], originals), 4),
        tokens.signature,
        text.signature,
    )
