"""BLEU, chrF and TER: sacrebleu's statistics of each sentence, and the formulas of `scores` over many sums at once.

The statistics come from sacrebleu's own classes (Post 2018, "A Call for Clarity in Reporting BLEU Scores"), so tokens,
n-grams and edits are theirs. The formulas work on arrays, since a significance test needs thousands of scores; their
results equal sacrebleu's up to the last bits of a float.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats
from lattice_simp.metrics.metric import Form, Metric, References
from lattice_simp.scores.bleu import bleu_logs
from lattice_simp.scores.chrf import chrf_score
from lattice_simp.scores.edits import error_rate
from lattice_simp.scores.ngrams import ORDER
from lattice_simp.support.extras import Late
from lattice_simp.text.sacrebleu_tokenisers import USUAL, scorer_tokeniser

sacrebleu = Late("sacrebleu")  # imported only by commands that score


def bleu_tok(num_references: int = 1) -> Metric:
    """Returns BLEU on lower-cased tokens: sacrebleu's `-tok none -lc`, as in older papers.

    >>> metric = bleu_tok()
    >>> round(metric.corpus_score(["the cat sat there ."], [["The cat sat here ."]]), 2)
    42.73
    >>> metric.signature.split("|v")[0]
    'nrefs:1|case:lc|eff:no|tok:none|smooth:exp'
    """
    scorer = sacrebleu.BLEU(tokenize="none", lowercase=True, force=True)
    return _metric("BLEU-tok", True, scorer, _bleu, num_references, (Form.TOKENS,))


def bleu(num_references: int = 1, *, tokeniser: str = USUAL, lowercase: bool = False) -> Metric:
    """Returns BLEU on text, with one of sacrebleu's tokenisers.

    >>> metric = bleu(tokeniser="zh")
    >>> metric.name, round(metric.corpus_score(["我们爱吃苹果。"], [["我们爱吃梨子。"]]), 2)
    ('BLEU-zh', 43.47)

    Raises:
        LatticeSimpError: as `text.sacrebleu_tokenisers.tokeniser`.
    """
    scorer_tokeniser(tokeniser)  # reports a missing package
    scorer = sacrebleu.BLEU(tokenize=tokeniser, lowercase=lowercase, force=True)
    return _metric(f"BLEU-{tokeniser}", True, scorer, _bleu, num_references, (Form.TEXT,))


def bleu_13a(num_references: int = 1, *, lowercase: bool = False) -> Metric:
    """Returns BLEU on text, with sacrebleu's default tokeniser (that of mteval-v13a).

    >>> round(bleu_13a().corpus_score(["The cat sat there."], [["The cat sat here."]]), 2)
    42.73
    """
    return bleu(num_references, lowercase=lowercase)


def chrf(num_references: int = 1, *, lowercase: bool = False) -> Metric:
    """Returns the character n-gram F-score chrF2 (Popović 2015), sacrebleu's default settings.

    >>> round(chrf().corpus_score(["The cat sat there."], [["The cat sat here."]]), 2)
    81.76
    """
    return _metric("chrF2", True, sacrebleu.CHRF(lowercase=lowercase), _chrf, num_references)


def ter(num_references: int = 1, *, asian: bool = False, tokens: bool = False) -> Metric:
    """Returns the translation edit rate (Snover et al. 2006) by sacrebleu's defaults: lower case, words between blanks.

    >>> ter().corpus_score(["the cat sat there ."], [["the cat sat here ."]])
    20.0
    >>> ter(asian=True).corpus_score(["我爱梨。"], [["我爱茶。"]])
    25.0

    Args:
        num_references: the number of references.
        asian: use Tercom's normalisation, whose words are single Chinese characters and Japanese kanji.
        tokens: read only tokens, for languages with blanks only between clauses.
    """
    scorer = sacrebleu.TER(normalized=asian, asian_support=asian)
    return _metric("TER", False, scorer, _ter, num_references, (Form.TOKENS,) if tokens else (Form.TEXT, Form.TOKENS))


def _metric(
    name: str,
    higher_is_better: bool,
    scorer: Any,
    formula: Callable[[npt.ArrayLike], Floats],
    num_references: int,
    reads: tuple[Form, ...] = (Form.TEXT, Form.TOKENS),
) -> Metric:
    scorer.num_refs = num_references

    def statistics(hypotheses: Sequence[str], references: References) -> Floats:
        return np.array(scorer._extract_corpus_statistics(hypotheses, references), dtype=np.float64)

    return Metric(
        name, higher_is_better, str(scorer.get_signature()), statistics, formula, reads, num_references=num_references
    )


def _bleu(sums: npt.ArrayLike) -> Floats:
    """Returns BLEU of sums of: length, closest reference's length, matches and totals by order."""
    rows = np.asarray(sums, dtype=np.float64)
    matches, totals = rows[..., 2 : 2 + ORDER], rows[..., 2 + ORDER :]
    brevity, precision = bleu_logs(matches, totals, rows[..., 1], smooth=True, scale=100.0)
    return np.asarray(np.exp(brevity) * np.exp(precision))


def _chrf(sums: npt.ArrayLike) -> Floats:
    """Returns chrF of sums of three numbers an order: n-grams of the hypothesis, of the reference, and matches."""
    rows = np.asarray(sums, dtype=np.float64)
    return 100.0 * chrf_score(rows[..., 0::3], rows[..., 1::3], rows[..., 2::3])


def _ter(sums: npt.ArrayLike) -> Floats:
    """Returns TER of sums of: edits, mean length of the references."""
    rows = np.asarray(sums, dtype=np.float64)
    return 100.0 * error_rate(rows[..., 0], rows[..., 1])
