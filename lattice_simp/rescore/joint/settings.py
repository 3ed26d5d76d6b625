"""The sizes and the training settings of a joint model, from a YAML file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from lattice_simp.support.settings_file import read_run
from lattice_simp.support.strict_model import StrictModel


class JointSettings(StrictModel):
    """Settings of a joint model's training; with bf16, 25 million words took 70 minutes on one core.

    Attributes:
        work: the work folder of a training run that has finished the stages `number` and `align`.
        output: the folder of this run; the model is written to `joint.scorer` inside it.
        source_words, target_words: the number of most frequent words of each side that get separate symbols.
        least_word: the minimum count of other words; rarer words are unknown, others share a symbol by class.
        classes: the number of classes of target words.
        sweeps: the maximum number of sweeps of the exchange algorithm, which finds the classes.
        source_width, target_width: the widths of the embeddings.
        hidden: the width of the two hidden layers.
        longest: the maximum number of words on each side; longer pairs are left out.
        epochs: the number of passes over the corpus, for example 1.5.
        batch_words: the number of target words in each update.
        learning_rate: the highest learning rate; after the warm-up, it falls as half a cosine.
        warmup: the number of updates until the highest learning rate.
        clip: the maximum norm of the gradient.
        held_out: the number of sentence pairs, evenly spread over the corpus, that are used only for measurement.
        checkpoint_every, log_every: the number of updates between checkpoints and between reports.
        precision: float32, or bf16 for matrix products.
        threads: the number of torch threads; 0 for the number of cores.
        seed: the seed of initial weights and order.
    """

    work: str
    output: str
    source_words: PositiveInt = 30_000
    target_words: PositiveInt = 20_000
    least_word: PositiveInt = 2
    classes: PositiveInt = 200
    sweeps: PositiveInt = 6
    source_width: PositiveInt = 256
    target_width: PositiveInt = 192
    hidden: PositiveInt = 512
    longest: PositiveInt = 100
    epochs: PositiveFloat = 2.5
    batch_words: PositiveInt = 5000
    learning_rate: PositiveFloat = 1e-3
    warmup: PositiveInt = 300
    clip: PositiveFloat = 1.0
    held_out: int = 1000
    checkpoint_every: PositiveInt = 250
    log_every: PositiveInt = 50
    precision: Literal["float32", "bf16"] = "float32"
    threads: NonNegativeInt = 0
    seed: int = 1


def read_settings(path: str | Path, overrides: Sequence[str] = ()) -> JointSettings:
    """Reads a YAML file of the fields above, with overrides `name=value`; paths count from the file's folder."""
    return read_run(JointSettings, path, overrides, ("work", "output"))
