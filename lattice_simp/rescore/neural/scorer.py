"""Translation models of CTranslate2 as scorers.

CTranslate2 scores whole target sentences, all positions at once, and exposes no decoder state that could be extended.
So each prefix is scored from its beginning, in one batch with all others of a call: n words take n passes over up to n
positions instead of n steps. A pass also returns the probability of the end, so `end` takes no time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.errors import FormatError, LatticeSimpError, one_line
from lattice_simp.rescore.kind import FOLDER, ScorerKind
from lattice_simp.rescore.neural.segmentation import Segmentation
from lattice_simp.rescore.scorer import PrefixScorer, State
from lattice_simp.support.extras import Late


@dataclass(frozen=True)
class ScoringOptions:
    """How a model runs.

    Attributes:
        device: cpu, cuda, or auto.
        compute_type: a compute type of CTranslate2, such as int8 or float16.
        batch_tokens: padded target tokens of a batch.
        workers: the number of batches to run in parallel.
        threads: the threads of each worker; 0 for CTranslate2's own choice.
    """

    device: str = "auto"
    compute_type: str = "default"
    batch_tokens: int = 8192
    workers: int = 1
    threads: int = 0


@dataclass(frozen=True)
class _Prefix:
    """A state: the source's subwords, the words so far, and the costs of these and of the end after them."""

    source: tuple[str, ...]
    words: tuple[str, ...]
    cost: float
    end: float


@dataclass(frozen=True, eq=False)
class TranslationScorer(PrefixScorer):
    """Scores with a translation model; a `PrefixScorer`.

    If the model's subwords are cut from whole sentences (`joined` false, or text that is detokenised), a word may
    change how the words before it are cut; its cost is then the difference of the two prefixes' costs, and may be
    negative.

    Attributes:
        translator: a `ctranslate2.Translator`.
        segmentation: maps tokens to subwords.
        batch_tokens: padded target tokens of a batch.
    """

    translator: Any
    segmentation: Segmentation
    batch_tokens: int = 8192

    @classmethod
    def read(cls, folder: str | Path, options: ScoringOptions | None = None) -> TranslationScorer:
        """Loads a model's folder: CTranslate2's files, and the subwords' (`segmentation.py`).

        Raises:
            FormatError: the folder holds no model, or its subwords are missing.
            MissingExtraError: CTranslate2 is not installed.
        """
        scoring = options or ScoringOptions()
        if not (Path(folder) / "model.bin").is_file():
            raise FormatError("holds no CTranslate2 model", path=folder, remedy="convert one, or check the path")
        load = Late("ctranslate2", "neural").Translator
        try:
            translator = load(
                str(folder),
                device=scoring.device,
                compute_type=scoring.compute_type,
                inter_threads=scoring.workers,
                intra_threads=scoring.threads,
            )
        except Exception as error:  # the library raises many types for damaged files
            reason = one_line(error)
            raise FormatError(f"CTranslate2 cannot load it: {reason}", path=folder, remedy="convert it again") from None
        return cls(translator, Segmentation.read(folder), scoring.batch_tokens)

    def score(self, source: Sequence[str], hypotheses: Sequence[Sequence[str]]) -> Floats:
        """Returns the (hypotheses,) costs in nats, the end included; equal hypotheses are scored once."""
        distinct = list(dict.fromkeys(tuple(words) for words in hypotheses))
        words, ends = self._costs(self.segmentation.source(source), distinct)
        cost_of = dict(zip(distinct, (words + ends).tolist(), strict=True))
        return np.array([cost_of[tuple(words)] for words in hypotheses], dtype=np.float64)

    def start(self, source: Sequence[str]) -> State:
        pieces = tuple(self.segmentation.source(source))
        words, ends = self._costs(pieces, [()])
        return _Prefix(pieces, (), float(words[0]), float(ends[0]))

    def extend(self, states: Sequence[State], words: Sequence[str]) -> tuple[Floats, list[State]]:
        if not states:
            return np.zeros(0), []
        source = states[0].source
        prefixes = [(*state.words, word) for state, word in zip(states, words, strict=True)]
        costs, ends = self._costs(source, prefixes)
        following: list[State] = [
            _Prefix(source, prefix, cost, end)
            for prefix, cost, end in zip(prefixes, costs.tolist(), ends.tolist(), strict=True)
        ]
        return costs - np.array([state.cost for state in states]), following

    def end(self, states: Sequence[State]) -> Floats:
        return np.array([state.end for state in states], dtype=np.float64)

    def _costs(self, source: Sequence[str], prefixes: Sequence[Sequence[str]]) -> tuple[Floats, Floats]:
        """Returns the costs of the words of each prefix, and of the end after it."""
        if not prefixes:
            return np.zeros(0), np.zeros(0)
        first = list(self.segmentation.target_prefix)
        targets = [first + self.segmentation.target(words) for words in prefixes]
        try:
            results = self.translator.score_batch(
                [list(source)] * len(targets),
                targets,
                max_batch_size=self.batch_tokens,
                batch_type="tokens",
                max_input_length=0,
                offset=len(first),
            )
        except (RuntimeError, ValueError) as error:
            raise LatticeSimpError(f"CTranslate2 cannot score a sentence: {one_line(error)}") from error
        logs = [result.log_probs for result in results]
        return np.array([0.0 - sum(row[:-1]) for row in logs]), np.array([0.0 - row[-1] for row in logs])


KIND = ScorerKind(FOLDER, lambda path: {"Neural": TranslationScorer.read(path)})
