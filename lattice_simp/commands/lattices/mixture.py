"""Joins the lattices of several systems: one lattice of each, or those of each sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from lattice_simp.commands.inputs.lattices import read_acyclic, read_outputs, utterance
from lattice_simp.commands.inputs.pairing import SharedNames, same_sentences
from lattice_simp.commands.inputs.reference_lines import readable_sources
from lattice_simp.commands.running.losses import Losses, is_folder, names_folder, write_result, write_several
from lattice_simp.commands.shared.label_options import LabelOptions
from lattice_simp.commands.shared.options import refuse_idle
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import located
from lattice_simp.formats import FORMATS
from lattice_simp.formats.collections import entries, is_collection
from lattice_simp.formats.nbest import is_nbest
from lattice_simp.ops.normalise import normalise
from lattice_simp.ops.union import union
from lattice_simp.support.textio import place


@dataclass(frozen=True)
class Mixture:
    """How the lattices of several systems are joined.

    Attributes:
        sources: a file for each system.
        shares: the weight of each system; None for costs without weights.
        scale: the factor of the costs before they become posteriors; None keeps the costs.
        labels: how to interpret labels.
    """

    sources: Sequence[str]
    shares: Sequence[float] | None
    scale: float | None
    labels: LabelOptions

    def of(self, lattices: Iterable[Lattice]) -> Lattice:
        """Returns the mixture of one lattice from each system."""
        parts = [lattice if self.scale is None else normalise(lattice, self.scale) for lattice in lattices]
        return union(*parts, shares=self.shares)

    def write(self, sentence: str | None, output: str, to: str | None) -> None:
        """Writes the mixtures of all sentences, or that of one (its number or name) to a file or a folder.

        Raises:
            LatticeSimpError: a file is broken, the systems have different sentences, or an option does not fit.
        """
        with readable_sources(self.sources) as files:
            several = [is_nbest(file) or is_collection(file) for file in files]
            if not any(several):
                refuse_idle(["sentence"], "if every file holds one lattice")
            if sentence is None and any(several):
                self._write_sentences(files, output, to)
                return
            mixture = self.of(
                read_acyclic(file, sentence if is_several else None, self._labels_of(file))
                for file, is_several in zip(files, several, strict=True)
            )
        write_result(mixture, output, to, labels=self.labels)

    def _write_sentences(self, files: Sequence[str], output: str, to: str | None) -> None:
        mixtures = self._mixtures(files)
        first = list(islice(mixtures, 2))
        if len(first) == 1 and not is_folder(output):
            write_result(first[0][1], output, to, labels=self.labels)
            return
        if to is None and (is_folder(output) or names_folder(output)) and is_collection(files[0]):
            stored = next(entries(files[0])).format()
            to = stored if stored in FORMATS else None
        write_several(chain(first, mixtures), self.sources[0], output, to, Losses(self.labels))

    def _mixtures(self, files: Sequence[str]) -> Iterator[tuple[str, Lattice]]:
        """Yields the name and the mixture of each sentence."""
        systems = [
            _lattices_of(file, source, self._labels_of(file)) for source, file in zip(self.sources, files, strict=True)
        ]
        names = SharedNames(self.sources)
        nothing = Lattice.from_strings([])
        for number, members in enumerate(same_sentences(self.sources, systems, nothing)):
            name = names.of(number, [name for name, _ in members])
            yield name or str(number), self.of(lattice for _, lattice in members)

    def _labels_of(self, file: str) -> LabelOptions:
        return self.labels.for_lists if is_nbest(file) else self.labels


def _lattices_of(file: str, source: str, labels: LabelOptions) -> Iterator[tuple[str | None, Lattice]]:
    """Yields the utterance and the lattice of each sentence."""
    is_many = is_nbest(file) or is_collection(file)
    for name, output in read_outputs(file, source, labels):
        lattice = output if isinstance(output, Lattice) else Lattice.from_nbest(output)
        with located(f"{place(file)}: {name}" if is_many else place(file)):
            lattice.topsorted()
        yield utterance(name) if is_many else lattice.header.name, lattice
