"""Lattices in Kaldi's form: arcs with graph and acoustic costs, and alignments, of which only the lengths are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from lattice_simp.core.arcs import start_first
from lattice_simp.core.feature_names import TIME
from lattice_simp.core.features import Features
from lattice_simp.core.header import Header
from lattice_simp.core.kernel import Bools, Floats, Longs
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON, EPSILON_SYMBOL, SymbolTable
from lattice_simp.errors import FormatError, InvalidLatticeError
from lattice_simp.formats.common import (
    LOST_FEATURES,
    LOST_HEADER,
    Losses,
    checked_lattice,
    header_parts,
    natural,
    require_acceptor,
    shown,
)
from lattice_simp.formats.openfst.symbols import read_labels
from lattice_simp.formats.openfst.text import EPSILON_NAMES

GRAPH, ACOUSTIC = "graph", "acoustic"
"""The features: scores of the decoding graph (language model, lexicon, transitions) and of the acoustic model."""

FRAME_SHIFT = 0.01
"""The usual frame shift in seconds; models that skip frames have a multiple of it, often 0.03."""

_NUMBERS = "pass --symbols words.txt, or --words if the numbers are words; in Python: symbols_path=, numeric=False"
_UNKNOWN = "a label without a word", "pass the words.txt of this model"
_NOT_A_NUMBER = (
    "a label that is not a natural number",
    "leave words.txt out if the labels are words; to write numbers, pass --output-symbols",
)
_ROUNDING = 1e-9  # the relative error of sums of costs
_WHOLE = 1e-3  # the largest distance of a time from a whole number of frames


Labels: TypeAlias = tuple[Longs, SymbolTable]
"""The label ids, (arcs,), and their table."""


@dataclass(frozen=True)
class ReadOptions:
    """Options of the readers.

    Attributes:
        symbols: the table that numbers the words; None for a new one in each lattice.
        words: the words of Kaldi's numbers; None if labels are words.
        numeric: False if numbers are words.
        frame_shift: the frame shift in seconds.
    """

    symbols: SymbolTable | None = None
    words: Mapping[int, str] | None = None
    numeric: bool | None = None
    frame_shift: float = FRAME_SHIFT

    @classmethod
    def of(
        cls,
        symbols: SymbolTable | None,
        symbols_path: str | Path | None,
        numeric: bool | None,
        frame_shift: float = FRAME_SHIFT,
    ) -> ReadOptions:
        """Returns the options, with the words of a symbol table, if there is one."""
        return cls(symbols, None if symbols_path is None else read_labels(symbols_path), numeric, frame_shift)

    def refuse_numbers(self, are_numbers: bool, path: str | Path | None, line: int | None = None) -> None:
        """Refuses labels that are all numbers, unless there is a table of words, or numbers are words.

        Raises:
            FormatError: the labels are numbers without words.
        """
        if are_numbers and self.words is None and self.numeric is None:
            raise FormatError("labels are numbers", path=path, line=line, remedy=_NUMBERS)

    def symbol_table(self) -> SymbolTable:
        """Returns the symbol table for the next lattice."""
        return SymbolTable.of(self.symbols)

    def labels(self, fields: Sequence[str], path: str | Path | None, lines: Sequence[int | None]) -> Labels:
        """Returns the labels of fields, which are words or their numbers.

        Raises:
            FormatError: a number has no word; the message names its line, one of `lines`.
        """
        symbols = self.symbol_table()
        words = {field: self._known(field) or "" for field in dict.fromkeys(fields)}
        if "" in words.values():
            unknown = next(field for field, word in words.items() if not word)
            self.word(unknown, path, lines[fields.index(unknown)])
        real_words = [word for word in words.values() if word not in EPSILON_NAMES]
        numbers = dict(zip(real_words, symbols.encode(real_words).tolist(), strict=True))
        ids = {field: numbers.get(word, EPSILON) for field, word in words.items()}
        return np.fromiter(map(ids.__getitem__, fields), dtype=np.int64, count=len(fields)), symbols

    def word(self, field: str, path: str | Path | None, line: int | None) -> str:
        """Returns the word of a field.

        Raises:
            FormatError: the field is not a number, or has no word.
        """
        word = self._known(field)
        if word is None:
            problem, remedy = _NOT_A_NUMBER if natural(field) is None else _UNKNOWN
            raise FormatError(f"{problem}: {shown(field)}", path=path, line=line, remedy=remedy)
        return word

    def _known(self, field: str) -> str | None:
        """Returns the word of a field, or None; the number 0 is the empty word."""
        if self.words is None or field == "<eps>":
            return field
        number = natural(field)
        return None if number is None else EPSILON_SYMBOL if number == EPSILON else self.words.get(number)


@dataclass(frozen=True)
class KaldiArcs:
    """The arcs and final states of a lattice.

    Attributes:
        sources, nextstates: (arcs,)
        costs: (arcs, 2) graph and acoustic costs.
        frames: (arcs,) lengths of the alignments.
        end_costs: (states, 2); infinite where a state is not final.
        end_frames: (states,)
    """

    sources: Longs
    nextstates: Longs
    costs: Floats
    frames: Longs
    end_costs: Floats
    end_frames: Longs

    def lattice(
        self, labels: Labels, options: ReadOptions, *, name: str, start: int, path: str | Path | None
    ) -> Lattice:
        """Returns the lattice; its feature `time` is in seconds, and missing if no arc has an alignment.

        Raises:
            FormatError: a cost is not finite, or a state does not exist.
        """
        is_final: Bools = np.all(np.isfinite(self.end_costs), axis=1)  # type: ignore[assignment]  # of rows: an array
        ends = np.column_stack((np.where(is_final[:, None], self.end_costs, np.inf), self.end_frames * is_final))
        try:
            sources, nextstates, ends = start_first(start if len(ends) else 0, self.sources, self.nextstates, ends)
        except InvalidLatticeError as error:
            raise FormatError(str(error), path=path, remedy="is the file damaged?") from error
        is_final = np.isfinite(ends[:, 0])
        scores = np.column_stack((0.0 - self.costs, self.frames * options.frame_shift))
        end_scores = np.where(is_final[:, None], ends * (-1.0, -1.0, options.frame_shift) + 0.0, 0.0)
        count = 3 if self.frames.any() or self.end_frames.any() else 2
        names = (GRAPH, ACOUSTIC, TIME)[:count]
        features = Features(names, scores.T[:count].copy(), end_scores.T[:count].copy())
        ids, symbols = labels
        end_costs = ends[:, 0] + ends[:, 1]
        lattice = checked_lattice(
            path, sources, ids, self.costs.sum(axis=1), nextstates, end_costs, symbols, features=features
        )
        return replace(lattice, header=Header(name, {GRAPH: 1.0, ACOUSTIC: 1.0}))

    @classmethod
    def of(cls, lattice: Lattice, frame_shift: float) -> KaldiArcs:
        """Returns the arcs of an acceptor, with unscaled costs; the graph cost is the cost without the acoustic part.

        Raises:
            InvalidLatticeError: the lattice is a transducer.
        """
        require_acceptor(lattice, "Kaldi")
        graph, end_graph = _graph_costs(lattice)
        acoustic, end_acoustic = _columns(lattice, ACOUSTIC)
        time, end_time = _columns(lattice, TIME)
        is_final = np.isfinite(lattice.finals)
        end_costs = np.column_stack((end_graph, 0.0 - end_acoustic))
        return cls(
            lattice.sources.astype(np.int64),
            lattice.nextstates.astype(np.int64),
            np.column_stack((graph, 0.0 - acoustic)),
            _frames(time, frame_shift),
            np.where(is_final[:, None], end_costs, np.inf),
            _frames(end_time * is_final, frame_shift),
        )


def written_words(lattice: Lattice, numbers: Mapping[str, int] | None) -> dict[int, str]:
    """Returns the text of each label that occurs: its word or, with a table, its number.

    Raises:
        InvalidLatticeError: a word has no number, or the text cannot hold it.
    """
    words = {label: lattice.symbols[label] for label in np.unique(lattice.olabels).tolist() if label != EPSILON}
    for word in words.values():
        if numbers is not None and not numbers.get(word):
            zero = ", except 0, which means epsilon" if word in numbers else ""
            raise InvalidLatticeError(f"the table has no number for {shown(word)}{zero} (add it to words.txt)")
        if numbers is None and (word in EPSILON_NAMES or not word or any(blank in word for blank in " \t\r\n")):
            raise InvalidLatticeError(f"Kaldi's text cannot hold the word {shown(word)}")
    if numbers is not None:
        words = {label: str(numbers[word]) for label, word in words.items()}
    return {EPSILON: "<eps>" if numbers is None else "0", **words}


def lost(lattice: Lattice, frame_shift: float = FRAME_SHIFT) -> Losses:
    """Returns the losses of a lattice in Kaldi's files."""
    header = lattice.header
    frames = np.concatenate(_columns(lattice, TIME)) / frame_shift
    is_whole = (frames > -_WHOLE).all() and (np.abs(frames - np.rint(frames)) < _WHOLE).all()
    scaled = [name for name in (GRAPH, ACOUSTIC) if name in lattice.features and header.scales.get(name, 1.0) != 1.0]
    return {
        LOST_FEATURES: [name for name in lattice.features if name not in (GRAPH, ACOUSTIC, TIME)],
        "values are rounded to whole frames:": [] if is_whole else [TIME],
        "alignments are written with their lengths, but without": ["transition ids"]
        if TIME in lattice.features
        else [],
        "all costs except acoustic ones are written as": [] if _keeps_graph(lattice) else ["graph costs"],
        "costs are written without their scales; pass --scales again for": scaled,
        LOST_HEADER: [name for name in header_parts(lattice) if name != "utterance"],
    }


def _graph_costs(lattice: Lattice) -> tuple[Floats, Floats]:
    """Returns the graph costs of arcs and states: the feature's if the costs are the features' sums, else the rest."""
    if _keeps_graph(lattice):
        graph, end_graph = _columns(lattice, GRAPH)
        return 0.0 - graph, 0.0 - end_graph
    return _rest(lattice)


def _keeps_graph(lattice: Lattice) -> bool:
    """Returns whether the costs are the scaled sums of the graph and acoustic features."""
    scale = lattice.header.scales.get(GRAPH, 1.0)
    pairs = zip(_rest(lattice), _columns(lattice, GRAPH), strict=True)
    return GRAPH in lattice.features and all(_equal(rest, 0.0 - scale * graph) for rest, graph in pairs)


def _rest(lattice: Lattice) -> tuple[Floats, Floats]:
    """Returns the costs of arcs and states without the scaled acoustic part."""
    scale = lattice.header.scales.get(ACOUSTIC, 1.0)
    acoustic, end_acoustic = _columns(lattice, ACOUSTIC)
    return lattice.weights + scale * acoustic, lattice.finals + scale * end_acoustic


def _columns(lattice: Lattice, name: str) -> tuple[Floats, Floats]:
    """Returns a feature's scores of arcs and states; zeros if the lattice lacks it."""
    if name not in lattice.features:
        return np.zeros(lattice.num_arcs), np.zeros(lattice.num_states)
    return lattice.features[name], lattice.features.final(name)


def _equal(costs: Floats, expected: Floats) -> bool:
    """Returns whether finite costs are equal up to rounding."""
    finite = np.isfinite(costs)
    return bool(np.allclose(costs[finite], expected[finite], rtol=_ROUNDING, atol=_ROUNDING))


def _frames(seconds: Floats, frame_shift: float) -> Longs:
    return np.maximum(np.rint(seconds / frame_shift), 0.0).astype(np.int64)
