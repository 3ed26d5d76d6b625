"""Linear-chain models of token sequences (Lafferty, McCallum and Pereira 2001), trained as averaged perceptrons.

The training is Collins 2002; python-crfsuite does it, and finds the best labels.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.crfsuite import crfsuite, open_tagger

Features = list[list[bytes]]
"""For each token, the names of the features that hold, in UTF-8: the library takes bytes as they are."""

REMEDY = "train the analyser again"
_LIBRARY = ("tagging Hindi text", "hindi")
_SEED = 1


@dataclass(frozen=True)
class CrfSettings:
    """How a model is trained.

    Attributes:
        epochs: how often the perceptron sees each sentence.
        min_count: features that hold for fewer tokens are left out.
    """

    epochs: int = 12
    min_count: int = 2


@dataclass(frozen=True)
class Crf:
    """A trained model; `train` makes one, `load` reads one from its file.

    Attributes:
        tagger: a `pycrfsuite.Tagger`.
    """

    tagger: Any

    @classmethod
    def train(cls, path: Path, sequences: Iterable[tuple[Features, Sequence[str]]], settings: CrfSettings) -> Crf:
        """Trains a model on features and labels, and writes it into a file.

        Raises:
            MissingExtraError: python-crfsuite is not installed.
            LatticeSimpError: fewer than two labels to tell apart.
        """
        # The averaged perceptron: as accurate here as maximum likelihood, in a tenth of the time.
        trainer = crfsuite(*_LIBRARY).Trainer(algorithm="ap", verbose=False)
        trainer.set_params(
            {
                "max_iterations": settings.epochs,
                "epsilon": 0.0,
                "feature.minfreq": settings.min_count,
                "feature.possible_transitions": True,
            }
        )
        seen: Counter[str] = Counter()
        for features, labels in sequences:
            trainer.append(features, labels)
            seen.update(labels)
        if len(seen) < 2:
            raise LatticeSimpError(f"{sum(seen.values())} tokens to train on, with {len(seen)} different labels")
        _start_random_numbers()
        trainer.train(str(path))
        return cls.load(path)

    @classmethod
    def load(cls, path: Path) -> Crf:
        """Reads a model from its file.

        Raises:
            FormatError: the file is missing or broken.
            MissingExtraError: python-crfsuite is not installed.
        """
        return cls(open_tagger(path, *_LIBRARY, REMEDY))

    def labels(self, features: Features) -> list[str]:
        """Returns the most probable sequence of labels."""
        return self.tagger.tag(features) if features else []


def _start_random_numbers() -> None:
    """Makes the next training repeatable: the library shuffles sentences by the C library's numbers."""
    ctypes.CDLL(None).srand(_SEED)
