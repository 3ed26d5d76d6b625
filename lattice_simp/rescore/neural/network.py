"""The Transformer (Vaswani et al. 2017) with norms before each part, as functions of named weights.

The weights are those of `export.weight_shapes`, so they are written as they are trained. One matrix of embeddings
serves both sides and the output.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from lattice_simp.rescore.neural.export import Architecture, sinusoids, weight_shapes
from lattice_simp.support.extras import Late

if TYPE_CHECKING:
    import torch  # type: ignore[import-not-found,unused-ignore]
    from torch import Tensor
    from torch.nn import functional
else:
    torch, functional = Late("torch", "neural-training"), Late("torch.nn.functional", "neural-training")

Weights = Mapping[str, "Tensor"]


def initial_weights(shape: Architecture, vocabulary: int, seed: int, device: torch.device) -> dict[str, Tensor]:
    """Returns random weights, the same for the same seed: Glorot and Bengio's (2010) for matrices."""
    generator = torch.Generator().manual_seed(seed)
    weights: dict[str, Tensor] = {}
    for name, size in weight_shapes(shape, vocabulary).items():
        if name == "embedding.weight":
            weight = torch.randn(size, generator=generator) * shape.width**-0.5
        elif len(size) == 2:
            weight = (2 * torch.rand(size, generator=generator) - 1) * math.sqrt(6 / sum(size))
        else:
            weight = torch.full(size, 1.0 if name.endswith("norm.weight") else 0.0)
        weights[name] = weight.to(device).requires_grad_()
    return weights


@dataclass(frozen=True)
class Transformer:
    """A network: its shape, its weights, and its dropout, the share of values that training drops."""

    shape: Architecture
    weights: Weights
    dropout: float = 0.0

    @cached_property
    def encodings(self) -> Tensor:
        """The encodings of the positions, (positions, width)."""
        encodings = torch.from_numpy(sinusoids(self.shape.positions, self.shape.width))
        return encodings.to(self.weights["embedding.weight"].device)

    def logits(self, source: Tensor, inputs: Tensor) -> Tensor:
        """Returns the (sentences, length, vocabulary) logits after each of the inputs."""
        return self.decode(*self.encode(source), inputs)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the encoder's output and the mask of its positions."""
        # The unknown piece has the number that pads short rows; before the end of a sentence it counts.
        positions = torch.arange(1, source.shape[1] + 1, device=source.device)
        lengths = ((source != 0) * positions).amax(dim=1, keepdim=True)
        mask = (positions <= lengths)[:, None, None, :]
        values = self._embed(source)
        for number in range(self.shape.layers):
            values = values + self._attend(f"encoder.{number}.attention", values, None, mask)
            values = values + self._feed(f"encoder.{number}.feed", values)
        return self._norm("encoder_norm", values), mask

    def decode(self, memory: Tensor, mask: Tensor, inputs: Tensor) -> Tensor:
        """Returns the logits after each of the inputs."""
        values = self._embed(inputs)
        for number in range(self.shape.layers):
            # Padding is at the ends of rows, which earlier pieces do not attend to.
            values = values + self._attend(f"decoder.{number}.attention", values, None, None)
            values = values + self._attend(f"decoder.{number}.cross", values, memory, mask)
            values = values + self._feed(f"decoder.{number}.feed", values)
        return functional.linear(self._norm("decoder_norm", values), self.weights["embedding.weight"])

    def _embed(self, pieces: Tensor) -> Tensor:
        values = functional.embedding(pieces, self.weights["embedding.weight"]) * math.sqrt(self.shape.width)
        return self._drop(values + self.encodings[: pieces.shape[1]])

    def _attend(self, name: str, values: Tensor, memory: Tensor | None, mask: Tensor | None) -> Tensor:
        """Attends to `memory` or to the values themselves: to those in the mask, or without one to earlier ones."""
        normed = self._norm(f"{name}.norm", values)
        if memory is None:
            parts = self._linear(f"{name}.joint", normed).chunk(3, dim=-1)
        else:
            parts = (self._linear(f"{name}.query", normed), *self._linear(f"{name}.joint", memory).chunk(2, dim=-1))
        rows, _, width = values.shape
        heads = self.shape.heads
        queries, keys, contents = (
            part.reshape(rows, part.shape[1], heads, width // heads).transpose(1, 2) for part in parts
        )
        attended = functional.scaled_dot_product_attention(
            queries, keys, contents, attn_mask=mask, dropout_p=self.dropout, is_causal=mask is None
        )
        return self._drop(self._linear(f"{name}.out", attended.transpose(1, 2).reshape(values.shape)))

    def _feed(self, name: str, values: Tensor) -> Tensor:
        inner = self._linear(f"{name}.inner", self._norm(f"{name}.norm", values)).relu()
        return self._drop(self._linear(f"{name}.outer", self._drop(inner)))

    def _linear(self, name: str, values: Tensor) -> Tensor:
        return functional.linear(values, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _norm(self, name: str, values: Tensor) -> Tensor:
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return functional.layer_norm(values, (self.shape.width,), weight, bias)

    def _drop(self, values: Tensor) -> Tensor:
        return dropped(values, self.dropout) if self.dropout else values


def dropped(values: Tensor, share: float) -> Tensor:
    """Sets a random share of the values to zero, and scales up the others to compensate.

    On a CPU, torch draws 64 bits for each value, which takes a sixth of an update's time; 16 bits are enough.
    """
    if values.device.type != "cpu":
        return functional.dropout(values, share)
    draws = torch.empty(-(-values.numel() // 4), dtype=torch.int64).random_(-(2**63), None).view(torch.int16)
    kept = draws[: values.numel()].view(values.shape) >= round(share * 2**16) - 2**15
    return values * (kept.to(values.dtype) / (1 - share))


def greedy(network: Transformer, source: Tensor, longest: int, start: int, end: int) -> Tensor:
    """Returns the (sentences, up to `longest`) most probable pieces between start and end; pieces after it are void."""
    memory, mask = network.encode(source)
    pieces = torch.full((len(source), 1), start, dtype=torch.int64, device=source.device)
    is_finished = torch.zeros(len(source), dtype=torch.bool, device=source.device)
    for _ in range(longest):
        best = network.decode(memory, mask, pieces)[:, -1].argmax(dim=-1)
        pieces = torch.cat([pieces, best[:, None]], dim=1)
        is_finished |= best == end
        if bool(is_finished.all()):
            break
    return pieces[:, 1:]
