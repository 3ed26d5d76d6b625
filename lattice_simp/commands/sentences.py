"""What the translate command reads: sentences, their skeletons, and skeleton hypotheses from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from lattice_simp.errors import FormatError
from lattice_simp.formats.nbest import read_nbest
from lattice_simp.formats.textio import read_lines
from lattice_simp.skeleton import Skeleton, SkeletonRecord, read_brackets, read_skeletons

ALL_MASKS = "all"


@dataclass(frozen=True)
class Sentence:
    """One task: tokens, masks of its skeletons, and hypotheses (words, cost) for the skeleton."""

    words: tuple[str, ...]
    masks: tuple[str, ...] = ()
    hypotheses: tuple[tuple[str, float], ...] | None = None


def read_sentences(
    source: str | None, skeletons: Path | None, mask_index: str, skeleton_nbest: Path | None
) -> Iterator[Sentence]:
    """Yields the sentences of the input, each with its skeletons.

    Without `source`, the sentences are those of the skeleton file.

    Raises:
        FormatError: files of different lengths, or skeletons of other sentences; names the line.
    """
    lines = read_lines(source) if source is not None else None
    masks = _read_masks(skeletons, mask_index) if skeletons else None
    nbest = (hypotheses for _, hypotheses in read_nbest(skeleton_nbest)) if skeleton_nbest else None
    for number, (line, own, hypotheses) in enumerate(
        zip_longest(lines or (), masks or (), nbest or (), fillvalue=None), start=1
    ):
        if (lines is not None and line is None) or (masks is not None and own is None):
            shorter = skeletons if own is None else source
            raise FormatError("ends before the other file does", path=shorter, line=number, remedy="align the files")
        words = tuple(line.split()) if line is not None else own[0].tokens if own else ()
        if own and own[0].tokens != words:
            raise FormatError(
                "the skeleton's tokens are not those of the sentence",
                path=skeletons,
                line=number,
                remedy="tokenise alike",
            )
        given = tuple((entry.words, entry.cost) for entry in hypotheses or ()) or None
        yield Sentence(words, tuple(skeleton.to_mask() for skeleton in own or ()), given)


def read_records(path: Path) -> Iterator[SkeletonRecord]:
    """Yields the records of a skeleton file, JSON lines or bracket text, told by its first line."""
    if _is_json(path):
        yield from read_skeletons(path)
        return
    for number, skeleton in enumerate(read_brackets(path)):
        yield SkeletonRecord(str(number), number, (skeleton,))


def _read_masks(path: Path, mask_index: str) -> Iterator[list[Skeleton]]:
    """Yields each sentence's skeletons: all of them, or the one with the index (the last one, where it has fewer)."""
    for record in read_records(path):
        skeletons = list(record.skeletons)
        yield skeletons if mask_index == ALL_MASKS else [skeletons[min(int(mask_index), len(skeletons) - 1)]]


def _is_json(path: Path) -> bool:
    return next((line for line in read_lines(path) if line.strip()), "").lstrip().startswith('{"')
