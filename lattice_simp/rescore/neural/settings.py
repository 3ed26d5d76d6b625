"""The settings of a neural training run, from a YAML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from lattice_simp.errors import FormatError
from lattice_simp.rescore.neural.export import Architecture
from lattice_simp.support.extras import extra


@dataclass(frozen=True)
class TrainingSettings:
    """How a model is trained; as they stand, for a million pairs in half an hour on one data-centre GPU.

    Attributes:
        source, target: tokenised lines, plain or packed.
        output: the folder of the run; the model goes into `model` inside it.
        development_source, development_target: for validation; none if empty.
        vocabulary: pieces of both languages together;  pieces: unigram or bpe (SentencePiece's names).
        layers, width, heads, inner: see `Architecture`.
        longest: pairs with more pieces on a side are left out.
        batch_tokens: padded target pieces of an update.
        updates: how many.
        learning_rate: the highest;  warmup: updates until there;  schedule: inverse-sqrt or cosine behind it.
        dropout, label_smoothing: shares.
        clip: the highest norm of the gradient.
        average: how many of the last checkpoints are averaged.
        checkpoint_every, validate_every, log_every: updates.
        validation_lines: sentences that are translated greedily.
        precision: auto (bf16 on GPUs that have it, else fp16; float32 on CPU), bf16, fp16 or float32.
        device: auto, cpu or cuda.
        seed: of weights, order and dropout.
        quantise: the written model's weights, such as int8; empty for float32.
    """

    source: str
    target: str
    output: str
    development_source: str = ""
    development_target: str = ""
    vocabulary: int = 16_000
    pieces: str = "unigram"
    layers: int = 6
    width: int = 512
    heads: int = 8
    inner: int = 2048
    longest: int = 120
    batch_tokens: int = 25_000
    updates: int = 10_000
    learning_rate: float = 1e-3
    warmup: int = 2000
    schedule: str = "inverse-sqrt"
    dropout: float = 0.1
    label_smoothing: float = 0.1
    clip: float = 1.0
    average: int = 5
    checkpoint_every: int = 500
    validate_every: int = 1000
    log_every: int = 100
    validation_lines: int = 200
    precision: str = "auto"
    device: str = "auto"
    seed: int = 1
    quantise: str = ""

    @property
    def architecture(self) -> Architecture:
        return Architecture(self.layers, self.width, self.heads, self.inner)


_CHOICES = {
    "pieces": ("unigram", "bpe"),
    "schedule": ("inverse-sqrt", "cosine"),
    "precision": ("auto", "bf16", "fp16", "float32"),
    "device": ("auto", "cpu", "cuda"),
}
_POSITIVE = (
    "vocabulary layers width heads inner longest batch_tokens updates warmup average checkpoint_every "
    "validate_every log_every learning_rate clip"
).split()
_FILES = ("source", "target", "output", "development_source", "development_target")


def read_settings(path: str | Path, overrides: Sequence[str] = ()) -> TrainingSettings:
    """Reads a YAML file of the fields above; paths count from the file's folder.

    Args:
        path: the file.
        overrides: `name=value` texts that go over it.

    Raises:
        FormatError: names the field that is wrong.
        MissingExtraError: PyYAML is not installed.
    """
    with extra("train"):
        import yaml
    try:
        values = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        for text in overrides:
            name, equals, value = text.partition("=")
            if not equals:
                raise FormatError(f"the override {text!r} is no name=value", path=path, remedy="write updates=2000")
            values[name] = yaml.safe_load(value)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", path=path, remedy="check the name") from None
    except (yaml.YAMLError, UnicodeDecodeError, TypeError) as error:
        raise FormatError(f"no YAML fields: {' '.join(str(error).split())}", path=path, remedy="mend it") from None
    if not isinstance(values, dict):
        raise FormatError("holds no fields", path=path, remedy="write `name: value` lines")
    return _checked(values, Path(path))


def _checked(values: dict[str, Any], path: Path) -> TrainingSettings:
    kinds: dict[str, type] = {
        one.name: {"str": str, "int": int, "float": float}[str(one.type)] for one in fields(TrainingSettings)
    }
    for name, value in values.items():
        if name not in kinds:
            raise FormatError(f"unknown field {name}", path=path, remedy=f"known are {', '.join(kinds)}")
        if kinds[name] is float and isinstance(value, (int, str)):
            value = values[name] = _number(value)  # YAML takes 1e-3 for text
        if isinstance(value, bool) or not isinstance(value, kinds[name]):
            raise FormatError(f"{name}: {value!r} is no {kinds[name].__name__}", path=path, remedy="mend this field")
        if name in _CHOICES and value not in _CHOICES[name]:
            raise FormatError(f"{name}: {value!r}", path=path, remedy=f"known are {', '.join(_CHOICES[name])}")
        if name in _POSITIVE and isinstance(value, (int, float)) and not value > 0:
            raise FormatError(f"{name}: {value} is not positive", path=path, remedy="mend this field")
    missing = [name for name in ("source", "target", "output") if name not in values]
    if missing:
        raise FormatError(f"the field {missing[0]} is missing", path=path, remedy="add it")
    for name in ("dropout", "label_smoothing"):
        if not 0 <= float(values.get(name, 0)) < 1:
            raise FormatError(f"{name}: {values[name]} is not in 0..1", path=path, remedy="mend this field")
    paths = {name: str(path.parent / values[name]) for name in _FILES if values.get(name)}
    settings = TrainingSettings(**(values | paths))
    if bool(settings.development_source) != bool(settings.development_target):
        raise FormatError("one development file without the other", path=path, remedy="give both, or none")
    if settings.width % settings.heads or settings.width % 2:
        raise FormatError(
            f"width {settings.width} for {settings.heads} heads", path=path, remedy="take an even multiple of the heads"
        )
    return settings


def _number(value: int | str) -> float | str:
    try:
        return float(value)
    except ValueError:
        return str(value)
