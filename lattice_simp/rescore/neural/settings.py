"""The settings of a neural training run, from a YAML file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from lattice_simp.rescore.neural.export import Architecture
from lattice_simp.support.settings_file import read_run
from lattice_simp.support.strict_model import StrictModel

_Share = Annotated[float, Field(ge=0, lt=1)]


class TrainingSettings(StrictModel):
    """Settings of training; the defaults train on a million pairs in half an hour on one data-centre GPU.

    Attributes:
        source, target: files with one tokenised sentence per line, plain or compressed.
        output: the folder of the run; the model is written to `model` inside it.
        development_source, development_target: files for validation; by default, there is no validation.
        vocabulary: the number of subwords of both languages together.
        pieces: the kind of subwords, unigram or bpe (SentencePiece's names).
        layers, width, heads, inner: see `Architecture`.
        longest: the maximum number of subwords on each side; longer pairs are left out.
        batch_tokens: the number of target subwords in each update, including padding.
        updates: the number of updates.
        learning_rate: the highest learning rate.
        warmup: the number of updates until the highest learning rate.
        schedule: the decrease of the learning rate after the warm-up, inverse-sqrt or cosine.
        dropout, label_smoothing: shares between 0 and 1.
        clip: the maximum norm of the gradient.
        average: the number of last checkpoints to average.
        checkpoint_every, validate_every, log_every: the number of updates between checkpoints, validations and reports.
        validation_lines: the number of sentences to translate greedily in each validation.
        precision: auto (bf16 on GPUs that have it, else fp16; float32 on CPU), bf16, fp16 or float32.
        device: auto, cpu or cuda.
        threads: the number of torch threads on a CPU; 0 for torch's default.
        seed: the seed of initial weights, order and dropout.
        quantise: the type of the written model's weights, such as int8; empty for float32.
    """

    source: str
    target: str
    output: str
    development_source: str = ""
    development_target: str = ""
    vocabulary: PositiveInt = 16_000
    pieces: Literal["unigram", "bpe"] = "unigram"
    layers: PositiveInt = 6
    width: PositiveInt = 512
    heads: PositiveInt = 8
    inner: PositiveInt = 2048
    longest: PositiveInt = 120
    batch_tokens: PositiveInt = 25_000
    updates: PositiveInt = 10_000
    learning_rate: PositiveFloat = 1e-3
    warmup: PositiveInt = 2000
    schedule: Literal["inverse-sqrt", "cosine"] = "inverse-sqrt"
    dropout: _Share = 0.1
    label_smoothing: _Share = 0.1
    clip: PositiveFloat = 1.0
    average: PositiveInt = 5
    checkpoint_every: PositiveInt = 500
    validate_every: PositiveInt = 1000
    log_every: PositiveInt = 100
    validation_lines: int = 200
    precision: Literal["auto", "bf16", "fp16", "float32"] = "auto"
    device: Literal["auto", "cpu", "cuda"] = "auto"
    threads: NonNegativeInt = 0
    seed: int = 1
    quantise: str = ""

    @model_validator(mode="after")
    def _parts_fit(self) -> TrainingSettings:
        if bool(self.development_source) != bool(self.development_target):
            raise ValueError("give both development_source and development_target, or neither")
        if self.width % self.heads or self.width % 2:
            raise ValueError(f"width {self.width} for {self.heads} heads; take an even multiple of the heads")
        return self

    @property
    def architecture(self) -> Architecture:
        """The sizes of the network."""
        return Architecture(self.layers, self.width, self.heads, self.inner)


def read_settings(path: str | Path, overrides: Sequence[str] = ()) -> TrainingSettings:
    """Reads a YAML file of the fields above, with overrides `name=value`; paths count from the file's folder."""
    files = ("source", "target", "output", "development_source", "development_target")
    return read_run(TrainingSettings, path, overrides, files)
