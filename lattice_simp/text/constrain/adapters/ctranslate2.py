"""Models of CTranslate2 as generators.

CTranslate2 does not expose the decoder's state, so each call processes the prompt and the whole prefixes again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.text.constrain.adapters import log_softmax


class Ctranslate2GeneratorStep:
    """A step of a `ctranslate2.Generator`."""

    def __init__(self, generator: Any, prompt: Sequence[int]) -> None:
        """Prepares a search after a prompt of at least one token, which may be the start-of-sentence token."""
        self._generator, self._prompt = generator, list(prompt)

    def __call__(self, prefixes: Longs) -> Floats:
        """Returns log-probabilities of the next tokens, (beam, vocabulary), for prefixes (beam, length)."""
        rows = [self._prompt + prefix for prefix in prefixes.tolist()]
        scores = np.array(self._generator.forward_batch(rows, return_log_probs=True))
        last: Floats = scores[:, -1].astype(np.float64)
        return last


class Ctranslate2TranslatorStep:
    """A step of a `ctranslate2.Translator`, which returns logits in half precision."""

    def __init__(self, translator: Any, source: Sequence[str], vocabulary: Sequence[str]) -> None:
        """Prepares a search.

        Args:
            translator: the model.
            source: the tokens of the source sentence, in the form of the model's training data.
            vocabulary: the tokens of the target language by number, such as the lines of `shared_vocabulary.json`.
        """
        self._translator, self._source, self._vocabulary = translator, list(source), vocabulary

    def __call__(self, prefixes: Longs) -> Floats:
        """Returns log-probabilities of the next tokens, (beam, vocabulary), for prefixes (beam, length)."""
        results = self._translator.translate_batch(
            [self._source] * len(prefixes),
            target_prefix=[[self._vocabulary[token] for token in prefix] for prefix in prefixes.tolist()],
            beam_size=1,
            min_decoding_length=0,
            max_decoding_length=prefixes.shape[1] + 1,
            return_logits_vocab=True,
        )
        return log_softmax(np.array([np.array(result.logits[0][-1]) for result in results], dtype=np.float64))
