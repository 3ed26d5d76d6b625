"""The sizes of a joint model, and how it is trained, from a YAML file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from lattice_simp.support import settings_file

_Positive = Annotated[int, Field(gt=0)]
_PositiveFloat = Annotated[float, Field(gt=0)]


class JointSettings(BaseModel):
    """How a joint model is trained; with bf16, 25 million words took 70 minutes of one core.

    Attributes:
        work: the folder of a training run with its stages `number` and `align`.
        output: the folder of this run; the model goes into `joint.scorer` inside it.
        source_words, target_words: the number of most frequent words of each side, which get separate symbols.
        least_word: rarer words are the unknown word; the others share the symbol of their class.
        classes: the number of classes of target words;  sweeps: the most sweeps of the exchange algorithm.
        source_width, target_width: the widths of the embeddings;  hidden: the width of the two hidden layers.
        longest: pairs with more words on a side are left out.
        epochs: passes over the corpus (1.5 is one and a half).
        batch_words: target words in each update.
        learning_rate: the highest;  warmup: updates until there; it falls as half a cosine after that.
        clip: the highest norm of the gradient.
        held_out: how many sentence pairs, evenly spread over the corpus, are used for measurement only.
        checkpoint_every, log_every: after how many updates.
        precision: float32, or bf16 for the products of matrices.
        threads: the threads of torch; 0 for the number of cores.
        seed: the seed of weights and order.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    work: str
    output: str
    source_words: _Positive = 30_000
    target_words: _Positive = 20_000
    least_word: _Positive = 2
    classes: _Positive = 200
    sweeps: _Positive = 6
    source_width: _Positive = 256
    target_width: _Positive = 192
    hidden: _Positive = 512
    longest: _Positive = 100
    epochs: _PositiveFloat = 2.5
    batch_words: _Positive = 5000
    learning_rate: _PositiveFloat = 1e-3
    warmup: _Positive = 300
    clip: _PositiveFloat = 1.0
    held_out: int = 1000
    checkpoint_every: _Positive = 250
    log_every: _Positive = 50
    precision: str = Field("float32", pattern="^(float32|bf16)$")
    threads: int = 0
    seed: int = 1


def read_settings(path: str | Path, overrides: Sequence[str] = ()) -> JointSettings:
    """Reads a YAML file of the fields above, with overrides `name=value`; paths count from the file's folder.

    Raises:
        FormatError: names the field that is wrong.
    """
    values = settings_file.read_settings(path, overrides)
    settings = settings_file.checked_settings(JointSettings, values, path)
    folder = Path(path).parent
    return settings.model_copy(update={"work": str(folder / settings.work), "output": str(folder / settings.output)})
