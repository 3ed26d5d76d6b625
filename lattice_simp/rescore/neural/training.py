"""Trains a small Transformer on tokenised lines and writes it as a CTranslate2 model.

    source: train.en              # tokens of `lattice-simp text tokenise`
    target: train.fr
    output: build/neural          # the run's folder; the model goes into build/neural/model
    development_source: dev.en
    development_target: dev.fr

A killed run resumes from its last checkpoint; `settings.py` has the other settings.
"""

from __future__ import annotations

import importlib
import shutil
from itertools import pairwise
from pathlib import Path

from lattice_simp.rescore.neural.data import PIECE_MODEL, piece_names, read_pairs, train_pieces
from lattice_simp.rescore.neural.export import export_model
from lattice_simp.rescore.neural.loop import Say, Training, Validation, averaged_weights
from lattice_simp.rescore.neural.run_folder import check_same_run
from lattice_simp.rescore.neural.segmentation import SegmentationSettings, sentencepiece
from lattice_simp.rescore.neural.settings import TrainingSettings
from lattice_simp.support.atomic import replacing
from lattice_simp.support.extras import extra
from lattice_simp.support.plurals import counted

MODEL, SETTINGS = "model", "settings.json"

_FREE = frozenset(
    "updates average checkpoint_every validate_every log_every validation_lines quantise device threads precision "
    "output development_source development_target".split()
)
"""Settings that may change when a run resumes."""


def train(settings: TrainingSettings, say: Say = lambda text: None) -> Path:
    """Trains, averages the last checkpoints, and returns the folder of the CTranslate2 model.

    Raises:
        LatticeSimpError: text that does not fit, or a folder that holds a run with other settings.
        MissingExtraError: torch, SentencePiece or CTranslate2 is not installed.
    """
    for library in ("sentencepiece", "ctranslate2", "torch"):  # so that the last of them is not missed at the end
        with extra("neural-training"):
            importlib.import_module(library)
    folder = Path(settings.output)
    folder.mkdir(parents=True, exist_ok=True)
    check_same_run(settings, folder / SETTINGS, _FREE)
    pieces = folder / PIECE_MODEL
    if not pieces.is_file():
        train_pieces(settings, pieces)
    names = piece_names(pieces)
    pairs = read_pairs(settings.source, settings.target, pieces, settings.longest)
    say(f"{counted(pairs.source.num_sentences, 'pair')}, {counted(len(names), 'piece')}")
    validation = _held_out(settings, pieces) if settings.development_source else None
    Training(settings, len(names), folder, say).run(pairs, validation)
    model = folder / MODEL
    with replacing(model) as growing:
        export_model(growing, settings.architecture, averaged_weights(folder), names, settings.quantise)
        shutil.copyfile(pieces, growing / PIECE_MODEL)
        SegmentationSettings(source=PIECE_MODEL, target=PIECE_MODEL).write(growing)
        shutil.rmtree(model, ignore_errors=True)  # of an earlier run
    return model


def _held_out(settings: TrainingSettings, pieces: Path) -> Validation:
    processor = sentencepiece.SentencePieceProcessor(model_file=str(pieces))
    files = settings.development_source, settings.development_target
    pairs = read_pairs(*files, pieces, settings.longest, settings.validation_lines)

    def to_words(numbers: list[int]) -> str:
        return str(processor.DecodeIds(numbers))

    begins = pairs.target.offsets.tolist()
    references = [to_words(pairs.target.words[begin:end].tolist()) for begin, end in pairwise(begins)]
    return Validation(pairs, to_words, references)
