"""Causal language models of transformers as scorers, such as Llama, Gemma or Qwen, with or without a prompt.

A model's folder is written by `save_pretrained`. It may contain `lattice_simp.json` with the text around a hypothesis:

    {"prompt": "German: Ein Hund.\\nEnglish: A dog.\\nGerman: {source}\\nEnglish:",   {source} is the sentence
     "between": " ", "end": "\\n",     between the prompt and the hypothesis, and after it
     "detokenise": {"source": "de", "target": "en"},   Moses tokens become text first (sacremoses)
     "capitalise": true}             the first letter of each sentence becomes a capital one

The cost of a hypothesis is that of its pieces (subwords) and of the end, given the prompt. The network reads common
beginnings of prompts and of hypotheses once (`piece_tree.py`) if all layers of the model respect attention masks.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.errors import FormatError, LatticeSimpError, one_line
from lattice_simp.rescore.kind import ScorerKind
from lattice_simp.rescore.neural.segmentation import detokeniser, read_settings
from lattice_simp.rescore.piece_tree import ReadPrompt, Scored, reads_trees, tree_costs, with_outputs
from lattice_simp.support.extras import Late
from lattice_simp.text.constrain.adapters.transformers import cache_name

CONTENT = "causal"
"""The content of a folder with a causal model."""

CONFIG = "config.json"
"""The file that identifies a folder written by transformers."""

MOST_SCORES = 1 << 26
"""The most scores of pieces in a batch, 4 bytes each: 256 MiB. The network needs two to three such arrays."""

torch, transformers = Late("torch", "causal"), Late("transformers", "causal")


@dataclass(frozen=True)
class CausalSettings:
    """The settings in `lattice_simp.json`; the module's documentation describes them."""

    prompt: str = ""
    between: str = ""
    end: str = ""
    detokenise: dict[str, str] = field(default_factory=dict)
    capitalise: bool = False

    @property
    def needs_source(self) -> bool:
        """Whether the prompt contains the source sentence."""
        return "{source}" in self.prompt


Words = Sequence[str]


@dataclass(frozen=True, eq=False)
class CausalScorer:
    """Scores texts with a causal language model.

    Attributes:
        model: a `PreTrainedModel` of transformers, such as `AutoModelForCausalLM.from_pretrained(...)`.
        tokenizer: its tokenizer.
        settings: the prompt, and the conversion of tokens to text.
        pieces: the pieces of the output layer, to which each call adds those of its hypotheses; None for all. A small
            model spends most of its time on the pieces of all its languages.
    """

    model: Any
    tokenizer: Any
    settings: CausalSettings = CausalSettings()
    pieces: frozenset[int] | None = None
    _read: deque[ReadPrompt] = field(default_factory=deque, init=False)  # empty during a call

    @property
    def needs_source(self) -> bool:
        """Whether scores depend on a source sentence."""
        return self.settings.needs_source

    @classmethod
    def read(cls, folder: str | Path) -> CausalScorer:
        """Loads a model's folder; raises FormatError if it has no causal model, or a broken one."""
        path = Path(folder)
        if not (path / CONFIG).is_file():
            raise FormatError(f"holds no {CONFIG}", path=path, remedy="give a folder that save_pretrained has written")
        settings = read_settings(path, CausalSettings)
        _ = torch.tensor  # without torch, transformers can be imported but has no models
        try:
            model = transformers.AutoModelForCausalLM.from_pretrained(path, local_files_only=True)
            tokenizer = transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)
        except Exception as error:  # the libraries raise many types for damaged files
            reason = one_line(error)
            raise FormatError(f"transformers cannot load it: {reason}", path=path, remedy="save it again") from None
        return cls(model.eval(), tokenizer, settings)

    def only_pieces_of(self, lines: Iterable[str]) -> CausalScorer:
        """Restricts the output layer to the pieces of these lines of text and of line ends."""
        texts = (self.settings.between + line + self.settings.end for line in lines)
        return replace(self, pieces=frozenset(piece for text in texts for piece in self._pieces(text)))

    def score(self, source: Words, hypotheses: Sequence[Words]) -> Floats:
        """Returns the (hypotheses,) costs in nats, including the end; equal texts are scored once.

        Raises:
            LatticeSimpError: there is no text before the first piece, or a text is longer than the model can read.
        """
        texts = [self._text(words, "target") for words in hypotheses]
        prompt = self._prompt(source)
        pieces = {text: self._pieces(self.settings.between + text + self.settings.end) for text in dict.fromkeys(texts)}
        self._check_length(len(prompt) + max(map(len, pieces.values()), default=0))
        costs = dict(zip(pieces, self._costs(prompt, list(pieces.values())).tolist(), strict=True))
        return np.array([costs[text] for text in texts], dtype=np.float64)

    def _text(self, words: Words, side: str) -> str:
        language = self.settings.detokenise.get(side)
        text = detokeniser(language)(words) if language else " ".join(words)
        return text[:1].upper() + text[1:] if self.settings.capitalise else text

    def _pieces(self, text: str) -> list[int]:
        pieces: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return pieces

    def _prompt(self, source: Words) -> list[int]:
        """Returns the pieces before a hypothesis: the model's begin-of-text piece, if it has one, and the prompt."""
        prompt = self.settings.prompt.replace("{source}", self._text(source, "source"))
        first = self.tokenizer.bos_token_id
        pieces = [*([] if first is None else [first]), *self._pieces(prompt)]
        if not pieces:
            raise LatticeSimpError("the model has no begin-of-text token; give a prompt")
        return pieces

    def _check_length(self, length: int) -> None:
        most = getattr(self.model.config, "max_position_embeddings", None) or length
        if length > most:
            raise LatticeSimpError(f"the longest text has {length} subwords; shorten it to the model's limit, {most}")

    def _costs(self, prompt: Sequence[int], texts: Sequence[Sequence[int]]) -> Floats:
        """Returns (texts,) the costs of pieces after a prompt."""
        longest = len(prompt) + max(map(len, texts), default=0)
        with torch.inference_mode():
            scored = with_outputs(self.model, None if self.pieces is None else self.pieces.union(*texts))
            if not reads_trees(self.model, longest):
                return self._plain_costs(scored, prompt, texts)
            before = self._read.pop() if self._read else ReadPrompt()
            costs = tree_costs(scored, before, prompt, texts, MOST_SCORES)
            self._read.append(before)
        return costs

    def _plain_costs(self, scored: Scored, prompt: Sequence[int], texts: Sequence[Sequence[int]]) -> Floats:
        """Returns the costs of texts that are read in parallel, without sharing common beginnings."""
        costs = np.zeros(len(texts))
        order = sorted((number for number, text in enumerate(texts) if text), key=lambda number: len(texts[number]))
        before = None
        if len(prompt) > 1:
            before = scored.model(self._tensor([prompt[:-1]]), use_cache=True)[cache_name(scored.model)]
        for batch in batches(order, list(map(len, texts)), MOST_SCORES // len(scored.pieces)):
            costs[batch] = self._batch_costs(scored, prompt, before, [texts[number] for number in batch])
        return costs

    def _batch_costs(
        self, scored: Scored, prompt: Sequence[int], before: Any, texts: Sequence[Sequence[int]]
    ) -> Floats:
        """Returns the costs of a batch of texts; `before` is the cache of the prompt without its last piece."""
        longest = max(map(len, texts))
        rows = [[prompt[-1], *text[:-1], *[0] * (longest - len(text))] for text in texts]
        mask = [[1] * (len(prompt) + len(text) - 1) + [0] * (longest - len(text)) for text in texts]
        cache = copy.deepcopy(before)  # the network adds to it
        if cache is not None:
            cache.batch_repeat_interleave(len(texts))
        scores = scored.model(
            self._tensor(rows),
            attention_mask=self._tensor(mask),
            **{cache_name(scored.model): cache},
            use_cache=cache is not None,
        ).logits
        columns = self._tensor([[*scored.columns(text), *[0] * (longest - len(text))] for text in texts])
        log_probs = scores.gather(2, columns[:, :, None])[:, :, 0].double() - scores.logsumexp(2).double()
        is_piece = np.array([[place < len(text) for place in range(longest)] for text in texts])
        costs: Floats = -np.where(is_piece, log_probs.cpu().numpy(), 0.0).sum(axis=1)
        return costs

    def _tensor(self, rows: Sequence[Sequence[int]]) -> Any:
        return torch.tensor(rows, dtype=torch.long, device=self.model.device)


def batches(order: Sequence[int], lengths: Sequence[int], most: int) -> list[list[int]]:
    """Divides texts, the shortest first, into batches of at most `most` pieces with padding, and at least one text.

    >>> batches([0, 1, 2], [1, 2, 3], 4)
    [[0, 1], [2]]
    """
    batches: list[list[int]] = []
    for number in order:
        if batches and (len(batches[-1]) + 1) * lengths[number] <= most:
            batches[-1].append(number)
        else:
            batches.append([number])
    return batches


KIND = ScorerKind(CONTENT, lambda path: {"Causal": CausalScorer.read(path)})
