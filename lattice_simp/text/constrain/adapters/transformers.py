"""Models of Hugging Face's transformers as generators."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from lattice_simp.core.arguments import methods
from lattice_simp.core.kernel import Longs
from lattice_simp.support.extras import Late
from lattice_simp.text.constrain.adapters import rows_of_parents
from lattice_simp.text.constrain.vocabulary import token_numbers

torch: Any = Late("torch", "causal")


def cache_name(model: Any) -> str:
    """Returns the name of the cache of earlier tokens in a model's arguments and outputs: transformers 5 renamed it."""
    return "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"


class TransformersStep:
    """A step of a model of transformers, causal or encoder-decoder; make one for each search.

    The keys and values of attention are cached and follow the hypotheses. The log-probabilities are the model's own;
    `generate` may change them according to the model's settings, such as forced tokens.

    >>> from lattice_simp.support.extras import extra
    >>> with extra("causal"):
    ...     import torch
    ...     from transformers import GPT2Config, GPT2LMHeadModel
    >>> config = GPT2Config(vocab_size=6, n_embd=8, n_layer=1, n_head=1, bos_token_id=0, eos_token_id=0)
    >>> step = TransformersStep(GPT2LMHeadModel(config), prompt=[3, 4])
    >>> step(np.zeros((1, 0), dtype=np.int64)).shape    # after the prompt alone
    (1, 6)
    >>> step(np.array([[1], [2]])).shape    # after two hypotheses of one token
    (2, 6)
    """

    def __init__(self, model: Any, prompt: Sequence[int], start: Sequence[int] | None = None) -> None:
        """Prepares a search.

        Args:
            model: such as those of `AutoModelForCausalLM` and `AutoModelForSeq2SeqLM`.
            prompt: the tokens before the text; of an encoder-decoder, the source.
            start: the first tokens of the decoder of an encoder-decoder; None for the `decoder_start_token_id` of the
                model's configuration.

        Raises:
            MissingExtraError: torch is not installed.
            TypeError: the model is of another kind, such as its name.
        """
        methods(model, ["config", "device"], "the model", "a model of transformers")
        self._model, self._encoded, self._cache = model, None, None
        self._before = np.zeros((0, 0), dtype=np.int64)
        self._first = prompt = token_numbers(prompt, "a prompt")
        if model.config.is_encoder_decoder:
            self._first = [model.config.decoder_start_token_id] if start is None else token_numbers(start, "a start")
            with torch.inference_mode():
                source = torch.tensor([prompt], device=model.device)
                self._encoded = model.get_encoder()(source).last_hidden_state

    def __call__(self, prefixes: Longs) -> Any:
        """Returns log-probabilities of the next tokens, (beam, vocabulary) float32, for prefixes (beam, length)."""
        with torch.inference_mode():
            device = self._model.device
            if prefixes.shape[1] == 0:
                self._cache = None
                tokens = torch.tensor([self._first], device=device)
            else:
                parents = rows_of_parents(self._before, prefixes)
                if not np.array_equal(parents, np.arange(len(self._before))):
                    self._cache.reorder_cache(torch.from_numpy(parents).to(device))  # type: ignore[attr-defined]
                tokens = torch.from_numpy(prefixes[:, -1:]).to(device)
            self._before = prefixes
            name = cache_name(self._model)
            result = self._model(**self._inputs(tokens), **{name: self._cache}, use_cache=True)
            self._cache = result[name]
            scores = torch.log_softmax(result.logits[:, -1].float(), dim=-1)
            return scores.expand(len(prefixes), -1).cpu().numpy()

    def _inputs(self, tokens: Any) -> dict[str, Any]:
        if self._encoded is None:
            return {"input_ids": tokens}
        encoded = self._encoded.expand(len(tokens), -1, -1)
        return {"decoder_input_ids": tokens, "encoder_outputs": (encoded,)}
