"""Converts parallel lines to numbered pieces, and these to batches."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Longs
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError, LatticeSimpError, one_line
from lattice_simp.rescore.neural.export import END, START, UNKNOWN
from lattice_simp.rescore.neural.segmentation import sentencepiece
from lattice_simp.rescore.neural.settings import TrainingSettings
from lattice_simp.rescore.vocabulary import Sentences
from lattice_simp.support.atomic import replacing
from lattice_simp.support.parallel import parallel_lines
from lattice_simp.support.textio import read_lines

UNKNOWN_ID, START_ID, END_ID = 0, 1, 2

VOID = -1
"""The target where there is no piece to predict."""

PIECE_MODEL = "pieces.spm"

_PIECE_LINES = 1_000_000
"""The most lines from which pieces are learned."""

_NOISE = 0.15
"""Sentences are sorted by length times a random factor this far around 1, so that batches differ from pass to pass."""


class Pairs(NamedTuple):
    """Sentence pairs as numbers of pieces, without start and end."""

    source: Sentences
    target: Sentences

    def batch(self, rows: Longs) -> tuple[Longs, Longs, Longs]:
        """Returns (sentences, longest) source pieces with the end, target pieces after the start, and with the end.

        Short rows are padded with 0, those of the pieces to predict with `VOID`.
        """
        source, target = _padded(self.source, rows, 0), _padded(self.target, rows, VOID)
        inputs = np.zeros_like(target)
        inputs[:, 0], inputs[:, 1:] = START_ID, np.maximum(target[:, :-1], 0)
        return source, inputs, target


def _padded(side: Sentences, rows: Longs, filler: int) -> Longs:
    begins = side.offsets[rows]
    lengths = side.offsets[rows + 1] - begins
    table = np.full((len(rows), int(lengths.max()) + 1), filler, dtype=np.int64)
    positions = np.arange(table.shape[1])
    inside = positions < lengths[:, None]
    table[inside] = side.words[(begins[:, None] + positions)[inside]]
    table[np.arange(len(rows)), lengths] = END_ID
    return table


def train_pieces(settings: TrainingSettings, path: Path) -> None:
    """Learns the pieces of both sides together; the file appears when it is complete."""
    names = (settings.source, settings.target)
    lines = (line for pair in zip(*(read_lines(name) for name in names), strict=False) for line in pair)
    try:
        with replacing(path) as growing:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=lines,
                model_prefix=str(growing),
                vocab_size=settings.vocabulary,
                model_type=settings.pieces,
                character_coverage=0.9999,
                normalization_rule_name="identity",  # our tokens are normalised already
                input_sentence_size=2 * _PIECE_LINES,
                hard_vocab_limit=False,
                unk_id=UNKNOWN_ID,
                bos_id=START_ID,
                eos_id=END_ID,
                unk_piece=UNKNOWN,
                bos_piece=START,
                eos_piece=END,
                minloglevel=2,
            )
            os.replace(f"{growing}.model", growing)
    except (RuntimeError, OSError) as error:
        remedy = "set `vocabulary` to a number that fits the text, and check that the disk is not full"
        raise LatticeSimpError(f"{path}: SentencePiece cannot learn pieces: {one_line(error)} ({remedy})") from error


def piece_names(path: Path) -> list[str]:
    """Returns the pieces of a model by number."""
    processor = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return [processor.IdToPiece(number) for number in range(processor.GetPieceSize())]


def read_pairs(source: str, target: str, pieces: Path, longest: int, lines: int | None = None) -> Pairs:
    """Reads parallel lines (by default all) as pieces; skips pairs with an empty or too long side.

    Raises FormatError for files of different lengths, or without a usable pair.
    """
    processor = sentencepiece.SentencePieceProcessor(model_file=str(pieces))
    encode = cache(processor.EncodeAsIds)

    def numbers(line: str) -> list[int]:
        return [piece for word in split_tokens(line) for piece in encode(word)]  # as hypotheses are scored

    kept: list[tuple[list[int], list[int]]] = []
    for source_line, target_line in islice(parallel_lines(source, target), lines):
        sides = numbers(source_line), numbers(target_line)
        if all(0 < len(side) <= longest for side in sides):
            kept.append(sides)
    if not kept:
        raise FormatError("holds no usable pair", path=source, remedy="give longer files, or raise `longest`")
    return Pairs(*map(Sentences.of, zip(*kept, strict=True)))


def batches(pairs: Pairs, batch_tokens: int, seed: int, epoch: int) -> list[Longs]:
    """Returns the rows of the batches of one pass: sentences of like lengths, batches in random order.

    A batch has at most `batch_tokens` padded pieces on either side (one sentence at least). The same seed and pass
    give the same batches, so a killed run resumes where it was.
    """
    rng = np.random.default_rng([seed, epoch])
    lengths = np.maximum(np.diff(pairs.source.offsets), np.diff(pairs.target.offsets)) + 1
    order = np.argsort(lengths * rng.uniform(1 - _NOISE, 1 + _NOISE, len(lengths)), kind="stable")
    slices = list(_cut(order, lengths, batch_tokens))
    return [slices[number] for number in rng.permutation(len(slices)).tolist()]


def _cut(order: Longs, lengths: Longs, batch_tokens: int) -> Iterator[Longs]:
    begin, longest = 0, 0
    for end, row in enumerate(order.tolist()):
        longest = max(longest, int(lengths[row]))
        if end > begin and longest * (end - begin + 1) > batch_tokens:
            yield order[begin:end]
            begin, longest = end, int(lengths[row])
    if begin < len(order):
        yield order[begin:]
