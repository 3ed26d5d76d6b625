"""Models of llama-cpp-python as generators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lattice_simp.core.arguments import methods
from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.text.constrain.adapters import log_softmax
from lattice_simp.text.constrain.vocabulary import token_numbers


class LlamaCppStep:
    """A step of a `llama_cpp.Llama` that was made with `logits_all=True`.

    The model holds one text at a time, so hypotheses are evaluated one after the other, each from the first token in
    which it differs from the text before.

    >>> class Llama:  # instead of llama_cpp.Llama("model.gguf", logits_all=True)
    ...     n_tokens, scores = 0, np.zeros((8, 2))
    ...     def reset(self):
    ...         self.n_tokens = 0
    ...     def eval(self, tokens):
    ...         self.n_tokens += len(tokens)
    >>> step = LlamaCppStep(Llama(), prompt=[1])
    >>> step(np.array([[0], [1]])).round(3).tolist()
    [[-0.693, -0.693], [-0.693, -0.693]]
    """

    def __init__(self, llama: Any, prompt: Sequence[int]) -> None:
        """Prepares a search after a prompt of at least one token, such as the output of `llama.tokenize`.

        Raises:
            TypeError: the model is of another kind.
        """
        methods(llama, ["reset", "eval", "scores"], "the model", "a llama_cpp.Llama")
        self._llama, self._prompt, self._held = llama, token_numbers(prompt, "a prompt"), list[int]()
        llama.reset()

    def __call__(self, prefixes: Longs) -> Floats:
        """Returns log-probabilities of the next tokens, (beam, vocabulary), for prefixes (beam, length)."""
        return np.stack([self._next(self._prompt + prefix) for prefix in prefixes.tolist()])

    def _next(self, tokens: list[int]) -> Floats:
        """Returns log-probabilities after some tokens; the last one is always evaluated."""
        pairs = zip(tokens[:-1], self._held, strict=False)
        common = next((place for place, (token, evaluated) in enumerate(pairs) if token != evaluated), None)
        common = min(len(tokens) - 1, len(self._held)) if common is None else common
        self._llama.n_tokens = common
        self._llama.eval(tokens[common:])
        self._held = tokens
        return log_softmax(np.array(self._llama.scores[self._llama.n_tokens - 1], dtype=np.float64))
