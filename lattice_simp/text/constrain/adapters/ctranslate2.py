"""Models of CTranslate2 as generators.

CTranslate2 does not expose the decoder's state, so each call processes the prompt and the whole prefixes again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lattice_simp.core.arguments import methods
from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.core.symbols import as_tokens
from lattice_simp.text.constrain.adapters import log_softmax
from lattice_simp.text.constrain.vocabulary import token_numbers


class Ctranslate2GeneratorStep:
    """A step of a `ctranslate2.Generator`.

    >>> class Generator:  # instead of ctranslate2.Generator("model")
    ...     def forward_batch(self, rows, return_log_probs):
    ...         return [[[-1.0 - token, -0.5] for token in row] for row in rows]
    >>> step = Ctranslate2GeneratorStep(Generator(), prompt=[1])
    >>> step(np.array([[0], [1]])).tolist()
    [[-1.0, -0.5], [-2.0, -0.5]]
    """

    def __init__(self, generator: Any, prompt: Sequence[int]) -> None:
        """Prepares a search after a prompt of at least one token, which may be the start-of-sentence token.

        Raises:
            TypeError: the model is of another kind.
        """
        methods(generator, ["forward_batch"], "the model", "a ctranslate2.Generator")
        self._generator, self._prompt = generator, token_numbers(prompt, "a prompt")

    def __call__(self, prefixes: Longs) -> Floats:
        """Returns log-probabilities of the next tokens, (beam, vocabulary), for prefixes (beam, length)."""
        rows = [self._prompt + prefix for prefix in prefixes.tolist()]
        scores = np.array(self._generator.forward_batch(rows, return_log_probs=True))
        last: Floats = scores[:, -1].astype(np.float64)
        return last


class Ctranslate2TranslatorStep:
    """A step of a `ctranslate2.Translator`, which returns logits in half precision.

    >>> from types import SimpleNamespace
    >>> class Translator:  # instead of ctranslate2.Translator("model")
    ...     def translate_batch(self, sources, target_prefix, **options):
    ...         return [SimpleNamespace(logits=[[[0.0, 0.0]]]) for source in sources]
    >>> step = Ctranslate2TranslatorStep(Translator(), source=["one", "cat"], vocabulary=["</s>", "katze"])
    >>> step(np.array([[1]])).round(3).tolist()
    [[-0.693, -0.693]]
    """

    def __init__(self, translator: Any, source: Sequence[str], vocabulary: Sequence[str]) -> None:
        """Prepares a search.

        Args:
            translator: the model.
            source: the tokens of the source sentence, in the form of the model's training data.
            vocabulary: the tokens of the target language by number, such as the lines of `shared_vocabulary.json`.

        Raises:
            TypeError: the model is of another kind.
        """
        methods(translator, ["translate_batch"], "the model", "a ctranslate2.Translator")
        self._translator, self._source, self._vocabulary = translator, list(as_tokens(source)), vocabulary

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
