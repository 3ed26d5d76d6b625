"""Options of commands that read lattices and n-best lists: how to interpret their labels and scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from lattice_simp.commands.shared.options import COST_HELP, IGNORE_HELP, PIECES_HELP, PLF_SCORES_HELP, SCALES_HELP
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.marks import MARKS
from lattice_simp.core.reweight import rescale
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats import KALDI, check_labels
from lattice_simp.formats.common import finite
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.formats.moses.plf import Scores as PlfScores
from lattice_simp.formats.nbest import stream_sentences
from lattice_simp.formats.pieces import PieceKind
from lattice_simp.ops.join_pieces import join_pieces
from lattice_simp.support.options import option
from lattice_simp.support.textio import readable

Options = TypeVar("Options")

_WRITTEN = {"sausages": ("symbols_path",), "plf": ("scores",)}
"""The options of each writer, except for those of Kaldi's formats."""


@dataclass(frozen=True)
class LabelOptions:
    """How to interpret the labels of a lattice file."""

    symbols: Path | None = option(None, "symbols", "OpenFst symbol table for numeric labels")
    isymbols: Path | None = option(None, "isymbols", "symbol table for input labels, if different")
    words: bool = option(False, "words", "treat numeric labels in AT&T text as words")
    pieces: PieceKind = option("none", "pieces", PIECES_HELP)
    cost: str | None = option(None, "cost", COST_HELP)
    scales: str | None = option(None, "scales", SCALES_HELP)
    frame_shift: float | None = option(None, "frame-shift", "seconds per frame of Kaldi's alignments (default: 0.01)")
    output_symbols: Path | None = option(
        None, "output-symbols", "words.txt for Kaldi output (default: that of --symbols)"
    )
    plf_scores: PlfScores | None = option(None, "plf-scores", f"{PLF_SCORES_HELP}; for input and output")

    def of_lists(self, path: str) -> dict[str, Any]:
        """Returns the arguments for `stream_sentences`.

        Raises:
            FormatError: an option describes labels, which n-best lists do not have.
        """
        check_labels(self._labels, "nbest", path)
        scales = None if self.scales is None else scales_of(self.scales)
        return {"pieces": self.pieces, "cost": self.cost, "scales": scales}

    def of_lattices(self, path: str) -> dict[str, Any]:
        """Returns the arguments for readers of lattice formats.

        Raises:
            FormatError: an option is for n-best lists only.
        """
        if self.cost is not None:
            raise FormatError("is not an n-best list", path=path, remedy="leave --cost out")
        return self._labels

    @property
    def ignored(self) -> frozenset[str]:
        """The labels that are not words; none here, since these options are of commands that keep all labels."""
        return frozenset()

    @property
    def for_lists(self) -> LabelOptions:
        """The options that apply to n-best lists, for commands whose label options concern another file."""
        return LabelOptions(pieces=self.pieces, cost=self.cost)

    def of_output(self, format: str) -> dict[str, Any]:
        """Returns the arguments for the writer of a format."""
        values = {
            "symbols_path": self.output_symbols or self.symbols,
            "frame_shift": self.frame_shift,
            "scores": self.plf_scores,
        }
        names = ("symbols_path", "frame_shift") if format in KALDI else _WRITTEN.get(format, ())
        return {name: values[name] for name in names if values[name] is not None}

    def of_input(self, format: str | None, output: str) -> LabelOptions:
        """Returns the options for reading, without those that only the output's format has.

        Args:
            format: the input's format; None for an n-best list, whose writer has no times either.
            output: the output's format.
        """
        labels = self
        if output in KALDI and format is not None and format not in KALDI:
            labels = replace(labels, frame_shift=None)
        return replace(labels, plf_scores=None) if output == "plf" != format else labels

    def prepared(self, lattice: Lattice) -> Lattice:
        """Returns a lattice with the options applied: joins its pieces and weights its features.

        Raises:
            LatticeSimpError: the lattice has no such pieces or no such feature.
        """
        lattice = join_pieces(lattice, self.pieces)
        return lattice if self.scales is None else rescale(lattice, scales_of(self.scales))

    @property
    def _labels(self) -> dict[str, Any]:
        values: dict[str, Any] = {"symbols_path": self.symbols, "isymbols_path": self.isymbols}
        values |= {"frame_shift": self.frame_shift, "scores": self.plf_scores}
        options: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
        return options | ({"numeric": False} if self.words else {})


@dataclass(frozen=True)
class WordOptions(LabelOptions):
    """How to interpret the labels of a lattice file, and which of them are not words."""

    ignore: list[str] | None = option(None, "ignore", IGNORE_HELP)
    keep_marks: bool = option(False, "keep-marks", "count sentence ends, silence and noise (<s>, !SIL, ...) as words")

    @property
    def ignored(self) -> frozenset[str]:
        """The labels that are not words."""
        return ignored_labels(self.ignore, keep_marks=self.keep_marks)


@dataclass(frozen=True)
class ListFile:
    """N-best lists, and how to read them.

    Attributes:
        path: the file, or - for standard input.
        first_id, pieces, cost: as for `stream_sentences`.
        ignored: labels that are not words.
    """

    path: str
    first_id: int
    pieces: PieceKind
    cost: str | None
    ignored: frozenset[str]

    @contextmanager
    def sentences(self) -> Iterator[Iterator[Sentence]]:
        """Yields the lists as a stream.

        Raises:
            FormatError: the file is broken.
        """
        with readable(self.path) as file:
            yield stream_sentences(file, self.first_id, pieces=self.pieces, cost=self.cost, ignore=self.ignored)


NO_OPTIONS = LabelOptions()


def scales_of(text: str) -> dict[str, float]:
    """Returns the weights of features.

    >>> scales_of("acoustic=0.1,graph=1")
    {'acoustic': 0.1, 'graph': 1.0}

    Raises:
        LatticeSimpError: not NAME=NUMBER, separated by commas.
    """
    scales = dict[str, float]()
    for part in text.split(","):
        name, _, number = part.strip().rpartition("=")
        scale = finite(number)
        if not name or scale is None or name in scales:
            raise LatticeSimpError(f"--scales: {part.strip()!r} is not NAME=NUMBER; write acoustic=0.1,graph=1")
        scales[name] = scale
    return scales


def take_options(kind: type[Options], settings: dict[str, Any]) -> Options:
    """Removes the fields of a dataclass from a command's settings, and returns them as the dataclass."""
    names = [part.name for part in fields(kind) if part.name in settings]  # type: ignore[arg-type]
    return kind(**{name: settings.pop(name) for name in names})


def ignored_labels(ignore: Sequence[str] | None, *, keep_marks: bool = False) -> frozenset[str]:
    """Returns the labels that are not words: those of --ignore, and the marks."""
    return frozenset(split_tokens(" ".join(ignore or ()).replace("\n", " "))) | (frozenset() if keep_marks else MARKS)
