"""N-gram language models as scorers; they ignore the source.

To apply an n-gram model to a whole lattice exactly, use `lattice_simp.apply_lm`: its state is finite and small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, jit
from lattice_simp.errors import FormatError
from lattice_simp.lm import LanguageModel
from lattice_simp.lm.automaton import END, LOG_10, NgramAutomaton, follow
from lattice_simp.lm.binary import is_binary, open_kenlm
from lattice_simp.rescore.kind import FILE, ScorerKind
from lattice_simp.rescore.scorer import PrefixScorer, Scorer, State
from lattice_simp.support.extras import Late

kenlm = Late("kenlm")


class NgramScorer(PrefixScorer):
    """Scores with the n-grams of an ARPA model; a `PrefixScorer` whose states are the model's n-grams.

    >>> text = "\\\\data\\\\\\nngram 1=4\\n\\n\\\\1-grams:\\n-9 <unk>\\n0 <s> 0\\n-0.5 a\\n-0.25 </s>\\n\\\\end\\\\\\n"
    >>> scorer = NgramScorer(LanguageModel.from_bytes(text.encode()))
    >>> scorer.score([], [["a", "a"], []]).round(4).tolist()
    [2.8782, 0.5756]
    """

    needs_source: ClassVar[bool] = False

    def __init__(self, model: LanguageModel) -> None:
        self.model = model

    @classmethod
    def read(cls, path: str | Path) -> NgramScorer:
        """Reads an ARPA file (its arrays are cached as a `LanguageModel`'s are); raises FormatError if it is broken."""
        if is_binary(path):
            raise FormatError("is a KenLM binary", path=path, remedy="use KenlmScorer")
        return cls(LanguageModel.read(path))

    def score(self, source: Sequence[str], hypotheses: Sequence[Sequence[str]]) -> Floats:
        return 0.0 - self.model.scores(hypotheses)

    def start(self, source: Sequence[str]) -> State:
        return self.model.ngrams.start

    def extend(self, states: Sequence[State], words: Sequence[str]) -> tuple[Floats, list[State]]:
        costs, following = self.extend_nodes(states, self.model.word_ids(words))
        return costs, following.tolist()

    def extend_nodes(self, states: Sequence[State], words: Ints) -> tuple[Floats, Ints]:
        """Returns (states,) float64, the costs of unigrams (states,) int32 in nats, and the n-grams after them."""
        ngrams = self.model.ngrams
        return _extended(ngrams, np.array(states, dtype=np.int32), words, int(ngrams.levels[-2]))

    def end(self, states: Sequence[State]) -> Floats:
        return self.extend_nodes(states, np.full(len(states), self.model.ngrams.end, dtype=np.int32))[0]


@jit
def _extended(model: NgramAutomaton, nodes: Ints, words: Ints, longest: int) -> tuple[Floats, Ints]:
    """Follows one word from each node; nodes from `longest` on have the model's full order and extend nothing."""
    children, word, suffix, backoff = model.children, model.word, model.suffix, model.backoff
    costs, following = np.empty(len(nodes)), np.empty(len(nodes), dtype=np.int32)
    for index in range(len(nodes)):
        matched, penalty = follow(nodes[index], words[index], 0.0, children, word, suffix, backoff)
        costs[index] = (penalty + model.cost[matched]) * model.unit
        following[index] = matched if matched < longest else suffix[matched]
    return costs, following


@dataclass(frozen=True)
class KenlmScorer(PrefixScorer):
    """Scores with a `kenlm.Model`, which may be a binary one; a `PrefixScorer` whose states are KenLM's."""

    needs_source: ClassVar[bool] = False

    model: Any

    @classmethod
    def read(cls, path: str | Path) -> KenlmScorer:
        """Reads a KenLM binary or an ARPA file; raises FormatError if KenLM cannot read it."""
        return cls(open_kenlm(path))

    def score(self, source: Sequence[str], hypotheses: Sequence[Sequence[str]]) -> Floats:
        return np.array([-LOG_10 * self.model.score(" ".join(words)) for words in hypotheses], dtype=np.float64)

    def start(self, source: Sequence[str]) -> State:
        state = kenlm.State()
        self.model.BeginSentenceWrite(state)
        return state

    def extend(self, states: Sequence[State], words: Sequence[str]) -> tuple[Floats, list[State]]:
        costs, following = np.empty(len(words)), []
        for number, (state, word) in enumerate(zip(states, words, strict=True)):
            after = kenlm.State()
            costs[number] = -LOG_10 * self.model.BaseScore(state, word, after)
            following.append(after)
        return costs, following

    def end(self, states: Sequence[State]) -> Floats:
        return self.extend(states, [END] * len(states))[0]


def _read(path: Path) -> dict[str, Scorer]:
    return {"NGram": KenlmScorer.read(path) if is_binary(path) else NgramScorer.read(path)}


KIND = ScorerKind(FILE, _read)
