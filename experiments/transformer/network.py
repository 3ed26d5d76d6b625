"""The Transformer: trains it if necessary, loads it as a scorer, and translates with it alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from experiments.transformer.sets import VALIDATION
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.stage import Run, read_json, write_json
from lattice_simp.rescore.neural.scorer import ScoringOptions, TranslationScorer
from lattice_simp.rescore.neural.settings import TrainingSettings, read_settings
from lattice_simp.rescore.neural.training import MODEL, train

FINISHED = "finished.json"
"""The file of a finished run with its settings. A longer run continues from there."""

_BLANK = "▁"
"""SentencePiece's mark of the blank before a word."""


def network_settings(training: Path, languages: tuple[str, str], work: Path) -> TrainingSettings:
    """Reads the settings of a training run with text and folder inside `work`."""
    files = {"output": "training"}
    for side, language in zip(("source", "target"), languages, strict=True):
        files |= {side: f"text/train.{language}", f"development_{side}": f"text/{VALIDATION}.{language}"}
    overrides = [f"{name}={os.path.relpath(work / file, training.parent)}" for name, file in files.items()]
    return read_settings(training, overrides)


def trained_network(settings: TrainingSettings, run: Run) -> Path:
    """Trains a network, or resumes its training; returns the folder of its CTranslate2 model.

    Raises:
        MissingExtraError: it is not trained, and torch is not installed.
    """
    folder = Path(settings.output)
    marker, configured = folder / FINISHED, settings.model_dump(mode="json")
    if marker.is_file() and read_json(marker) == configured:
        run.say(f"network: done before ({settings.updates:,} updates)")
        return folder / MODEL
    run.begin("network")
    model = train(settings, run.say)
    write_json(marker, configured)
    return model


def read_network(model: Path, compute_type: str) -> TranslationScorer:
    """Loads a network for one core."""
    return TranslationScorer.read(model, ScoringOptions("cpu", compute_type, threads=1))


def translated(scorer: TranslationScorer, source: Sequence[str], beam: int) -> str:
    """Returns the token line of the network's own beam search.

    Raises:
        LatticeSimpError: the network's pieces are not SentencePiece's.
    """
    pieces = scorer.segmentation.source(source)
    if not all(piece.startswith(_BLANK) for piece in pieces[:1]):
        raise LatticeSimpError(f"{pieces[0]!r} is not a piece of SentencePiece, of which words can be made again")
    longest = 2 * len(pieces) + 10
    output = scorer.translator.translate_batch([pieces], beam_size=beam, max_decoding_length=longest, disable_unk=True)[
        0
    ]
    return " ".join("".join(output.hypotheses[0]).replace(_BLANK, " ").split())
