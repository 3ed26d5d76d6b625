"""Shared by experiments with a Transformer of their own corpora: its training text, its translations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.files import write_lines
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.shards import SIDES, read_shard, shard_paths
from lattice_simp.rescore.neural.scorer import ScoringOptions, TranslationScorer

_BLANK = "▁"
"""SentencePiece's mark of the blank before a word."""


def write_pairs(prepared: Path, names: tuple[str, str], folder: Path) -> None:
    """Writes the sides of a training run's pairs as token lines, to files with these names."""
    folder.mkdir(parents=True, exist_ok=True)
    for side, name in zip(SIDES, names, strict=True):
        shards = (read_shard(path, [side])[side].to_pylist() for path in shard_paths(prepared))
        write_lines(folder / name, (line for shard in shards for line in shard))


def read_network(model: Path, compute_type: str) -> TranslationScorer:
    """Loads a network for one core."""
    return TranslationScorer.read(model, ScoringOptions("cpu", compute_type, threads=1))


def translated(scorer: TranslationScorer, source: Sequence[str], beam: int) -> str:
    """Returns the token line of the network's own beam search."""
    pieces = scorer.segmentation.source(source)
    if not all(piece.startswith(_BLANK) for piece in pieces[:1]):
        raise LatticeSimpError(f"{pieces[0]!r} is not a piece of SentencePiece, of which words can be made again")
    longest = 2 * len(pieces) + 10
    output = scorer.translator.translate_batch([pieces], beam_size=beam, max_decoding_length=longest, disable_unk=True)[
        0
    ]
    return " ".join("".join(output.hypotheses[0]).replace(_BLANK, " ").split())
