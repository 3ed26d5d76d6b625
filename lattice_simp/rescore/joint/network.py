"""The network of a joint model in torch, for training; `model.py` computes the same in numpy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from lattice_simp.core.kernel import Longs
from lattice_simp.rescore.joint.examples import Batch
from lattice_simp.rescore.joint.model import AROUND, WIDTH
from lattice_simp.support.extras import Late

if TYPE_CHECKING:
    import torch  # type: ignore[import-not-found,unused-ignore]
    from torch.nn import functional
else:
    torch, functional = Late("torch", "neural-training"), Late("torch.nn.functional", "neural-training")


def initial_weights(shapes: dict[str, tuple[int, ...]], seed: int) -> dict[str, torch.Tensor]:
    """Returns random weights: even for matrices (Glorot and Bengio 2010), small ones for outputs, no biases."""
    generator = torch.Generator().manual_seed(seed)
    weights = {}
    for name, shape in shapes.items():
        weight = torch.zeros(shape)
        if name.endswith("_embedding"):
            weight.normal_(0.0, 0.1, generator=generator)
        elif len(shape) == 2:
            bound = 0.02 if name.endswith("_output") else math.sqrt(6.0 / sum(shape))
            weight.uniform_(-bound, bound, generator=generator)
        weights[name] = weight.requires_grad_()
    return weights


def hidden_layer(weights: dict[str, torch.Tensor], batch: Batch) -> torch.Tensor:
    """Returns the (target words, hidden) last hidden layer."""
    filled = torch.from_numpy(batch.filled)[:, None]
    rows = functional.embedding(torch.from_numpy(batch.source), weights["source_embedding"]) * filled
    for name in ("first_convolution", "second_convolution"):
        windows = functional.linear(_windows(rows, WIDTH), weights[name].T, weights[name + "_bias"])
        rows = (rows + functional.glu(windows, dim=1)) * filled
    around = _windows(rows, AROUND) @ weights["source_hidden"]
    histories = functional.embedding(torch.from_numpy(batch.histories), weights["target_embedding"]).flatten(1)
    first = around[torch.from_numpy(batch.rows)] + histories @ weights["target_hidden"] + weights["hidden_bias"]
    return functional.relu(
        functional.linear(functional.relu(first), weights["second_hidden"].T, weights["second_bias"])
    )


def costs(weights: dict[str, torch.Tensor], batch: Batch, class_begins: Longs) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the sums of the costs of the words' classes, and of the words in their classes, in nats."""
    hidden = hidden_layer(weights, batch)
    classes = np.searchsorted(class_begins, batch.words, side="right") - 1
    order = np.argsort(classes, kind="stable")
    logits = functional.linear(hidden, weights["class_output"].T, weights["class_bias"]).float()
    class_cost = functional.cross_entropy(logits, torch.from_numpy(classes), reduction="sum")
    counts = np.bincount(classes, minlength=len(class_begins) - 1).tolist()
    sizes = np.diff(class_begins).tolist()
    words_of_class = torch.from_numpy(batch.words[order] - class_begins[classes[order]]).split(counts)
    # One split each, whose gradient is one concatenation; the gradient of a slice would be as large as the matrix.
    outputs, biases = weights["word_output"].split(sizes), weights["word_bias"].split(sizes)
    grouped = hidden[torch.from_numpy(order)].split(counts)
    word_cost = hidden.new_zeros((), dtype=torch.float32)
    for number, (count, size) in enumerate(zip(counts, sizes, strict=True)):
        if count and size > 1:
            logits = functional.linear(grouped[number], outputs[number], biases[number]).float()
            word_cost = word_cost + functional.cross_entropy(logits, words_of_class[number], reduction="sum")
    return class_cost, word_cost


def _windows(rows: torch.Tensor, width: int) -> torch.Tensor:
    """Returns (rows, width * columns): each row with its neighbours, zeros beyond the ends."""
    half = width // 2
    padded = functional.pad(rows, (0, 0, half, half))
    return torch.cat([padded[shift : shift + len(rows)] for shift in range(width)], dim=1)
