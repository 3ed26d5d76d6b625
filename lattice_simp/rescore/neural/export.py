"""Writes a Transformer's weights as a CTranslate2 model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lattice_simp.support.extras import Late

Array = npt.NDArray[np.float32]

UNKNOWN, START, END = "<unk>", "<s>", "</s>"
"""The first pieces of every vocabulary, in this order; 0 also pads short sentences."""


@dataclass(frozen=True)
class Architecture:
    """The shape of a Transformer with one vocabulary for both sides, norms before each part, and ReLU.

    Attributes:
        layers: the layers of the encoder, and as many of the decoder.
        width: the width of the embeddings.
        heads: the number of heads that share it.
        inner: the width between the two feed-forward parts.
        positions: the longest sentence, in pieces.
    """

    layers: int = 6
    width: int = 512
    heads: int = 8
    inner: int = 2048
    positions: int = 1024


def sinusoids(positions: int, width: int) -> Array:
    """Returns the (positions, width) encodings of Vaswani et al. (2017, section 3.5)."""
    rates = np.exp(np.arange(0, width, 2) * (-np.log(10000.0) / width))
    angles = np.arange(positions)[:, None] * rates
    encodings = np.empty((positions, width), dtype=np.float32)
    encodings[:, 0::2], encodings[:, 1::2] = np.sin(angles), np.cos(angles)[:, : width // 2]
    return encodings


def weight_shapes(shape: Architecture, vocabulary: int) -> dict[str, tuple[int, ...]]:
    """Returns the names and shapes of all weights of `network.py`."""
    width = shape.width
    shapes: dict[str, tuple[int, ...]] = {"embedding.weight": (vocabulary, width)}

    def linear(name: str, inputs: int, outputs: int) -> None:
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (outputs, inputs), (outputs,)

    def norm(name: str) -> None:
        shapes[f"{name}.weight"] = shapes[f"{name}.bias"] = (width,)

    for side in ("encoder", "decoder"):
        for number in range(shape.layers):
            layer = f"{side}.{number}"
            norm(f"{layer}.attention.norm")
            linear(f"{layer}.attention.joint", width, 3 * width)
            linear(f"{layer}.attention.out", width, width)
            if side == "decoder":
                norm(f"{layer}.cross.norm")
                linear(f"{layer}.cross.query", width, width)
                linear(f"{layer}.cross.joint", width, 2 * width)
                linear(f"{layer}.cross.out", width, width)
            norm(f"{layer}.feed.norm")
            linear(f"{layer}.feed.inner", width, shape.inner)
            linear(f"{layer}.feed.outer", shape.inner, width)
        norm(f"{side}_norm")
    return shapes


def export_model(
    folder: str | Path, shape: Architecture, weights: Mapping[str, Array], pieces: Sequence[str], quantise: str = ""
) -> None:
    """Writes the model; creates the folder and replaces files in it.

    `weights` has the names and shapes of `weight_shapes`; `<unk>`, `<s>` and `</s>` are the first pieces; `quantise` is
    a quantisation of CTranslate2, such as int8, or empty for 32-bit floats.
    """
    spec = Late("ctranslate2.specs", "neural").TransformerSpec.from_config(shape.layers, shape.heads, pre_norm=True)
    encodings = sinusoids(shape.positions, shape.width)
    embedding = np.ascontiguousarray(weights["embedding.weight"], dtype=np.float32)
    spec.encoder.embeddings[0].weight = spec.decoder.embeddings.weight = spec.decoder.projection.weight = embedding
    for side, stack in (("encoder", spec.encoder), ("decoder", spec.decoder)):
        stack.position_encodings.encodings = encodings
        _norm(stack.layer_norm, weights, f"{side}_norm")
        for number, layer in enumerate(stack.layer):
            name = f"{side}.{number}"
            _attention(layer.self_attention, weights, f"{name}.attention", ("joint", "out"))
            if side == "decoder":
                _attention(layer.attention, weights, f"{name}.cross", ("query", "joint", "out"))
            _norm(layer.ffn.layer_norm, weights, f"{name}.feed.norm")
            _linear(layer.ffn.linear_0, weights, f"{name}.feed.inner")
            _linear(layer.ffn.linear_1, weights, f"{name}.feed.outer")
    spec.register_source_vocabulary(list(pieces))
    spec.register_target_vocabulary(list(pieces))
    spec.config.add_source_eos = True
    spec.config.layer_norm_epsilon = 1e-5
    spec.validate()
    spec.optimize(quantization=quantise or None)
    Path(folder).mkdir(parents=True, exist_ok=True)
    spec.save(str(folder))


def _attention(spec: Any, weights: Mapping[str, Array], name: str, parts: Sequence[str]) -> None:
    _norm(spec.layer_norm, weights, f"{name}.norm")
    for linear, part in zip(spec.linear, parts, strict=True):
        _linear(linear, weights, f"{name}.{part}")


def _linear(spec: Any, weights: Mapping[str, Array], name: str) -> None:
    spec.weight, spec.bias = (
        np.ascontiguousarray(weights[f"{name}.{part}"], dtype=np.float32) for part in ("weight", "bias")
    )


def _norm(spec: Any, weights: Mapping[str, Array], name: str) -> None:
    spec.gamma, spec.beta = (np.asarray(weights[f"{name}.{part}"], dtype=np.float32) for part in ("weight", "bias"))
