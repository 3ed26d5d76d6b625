"""The run of `lattice-simp lattice oracle`: finds the best hypotheses of lattices, and prints their score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lattice_simp.commands.inputs.lattices import read_outputs, require_hypotheses, utterance
from lattice_simp.commands.inputs.reference_lines import LIST_LINES, lattice_names, read_references, readable_sources
from lattice_simp.commands.inputs.token_forms import warn_of_word_forms
from lattice_simp.commands.inputs.whole_sentences import warn_of_whole_sentences
from lattice_simp.commands.running.losses import NAMES, Losses
from lattice_simp.commands.shared.label_options import LabelOptions
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import without_breaks
from lattice_simp.errors import located
from lattice_simp.formats.collections import is_collection
from lattice_simp.ops.mbr_utilities import Tokens
from lattice_simp.ops.nbest import nbest
from lattice_simp.ops.oracle import OracleMetric, oracle
from lattice_simp.support.parallel import require_parallel
from lattice_simp.support.textio import open_text, place
from lattice_simp.tune.metrics import TUNED_METRICS

Named = tuple[str, Lattice]
"""A lattice with its place for messages."""


@dataclass(frozen=True)
class Oracles:
    """Lattices and their references.

    Attributes:
        sources: the files of the lattices.
        reference: the files of the references.
        metric: the metric that the oracle strings optimise.
        first_id: the id of the first sentence of n-best lists.
        labels: how to interpret labels.
    """

    sources: list[str]
    reference: Sequence[Path]
    metric: OracleMetric
    first_id: int
    labels: LabelOptions

    def write(self, output: str | None = None) -> None:
        """Prints the scores of the oracle strings and of the best paths; writes the oracle strings, if asked to.

        Raises:
            LatticeSimpError: a file is broken, or the numbers of lattices and references differ.
        """
        oracles: list[Tokens] = []
        best: list[Tokens] = []
        losses = Losses()
        with readable_sources(self.sources) as files:
            names = lattice_names(self.sources, files, self.labels)
            if any(map(utterance, names)) and any(map(is_collection, files)):
                losses.add_phrases({"lines are in the order of the lattices, without": [NAMES]})
            references = read_references(self.reference, names, self.labels.ignored)
            for (name, lattice), rows in self._paired(files, references):
                with located(name):
                    paths = nbest(lattice, 1, ignore=self.labels.ignored)  # none if a list has no hypothesis for it
                    best.append(paths[0].tokens if paths else ())
                    nearest = oracle(lattice, rows, self.metric, ignore=self.labels.ignored) if paths else None
                    oracles.append(() if nearest is None else nearest.hypothesis.tokens)
        reference = [rows[0] for rows in references]
        if not warn_of_whole_sentences(reference, self.reference[0]) and not warn_of_whole_sentences(
            best, self.sources[0]
        ):
            warn_of_word_forms({self.sources[0]: best, str(self.reference[0]): reference})
        with open_text("-", "w") as file:
            file.write(f"sentences\t{len(oracles)}\n")
            for name, hypotheses in (("oracle", oracles), ("best path", best)):
                score = TUNED_METRICS[self.metric].of_strings(hypotheses, references)
                file.write(f"{name} {self.metric.upper()}\t{100.0 * score:.2f}\n")
        if output is not None:
            with open_text(output, "w") as file:
                file.writelines(f"{without_breaks(' '.join(tokens))}\n" for tokens in oracles)
            losses.print(output)

    def _paired(self, files: list[str], references: list[list[Tokens]]) -> Iterator[tuple[Named, list[Tokens]]]:
        """Yields each sentence's lattice, with its place, and references."""
        sentence = -1
        for sentence, lattice in enumerate(self._lattices(files)):
            if sentence < len(references):
                yield lattice, references[sentence]
        sources = ", ".join(self.sources)
        require_parallel(self.reference[0], len(references), sources, sentence + 1, "sentence", LIST_LINES)

    def _lattices(self, files: list[str]) -> Iterator[Named]:
        """Yields the lattices of files with their places: one of a lattice file, all of a list or a collection."""
        for source, file in zip(self.sources, files, strict=True):
            for name, output in read_outputs(file, source, self.labels, self.first_id):
                where = place(file) if name == source else f"{place(file)}: {name}"
                if isinstance(output, Lattice):
                    require_hypotheses(output, where)
                yield where, output if isinstance(output, Lattice) else Lattice.from_nbest(output)
