"""Gappy composition of lattices, and of n-best lists sentence by sentence."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

from lattice_simp.commands.lattice_input import NO_OPTIONS, LabelOptions, read_full, read_skeleton, require_lattices
from lattice_simp.commands.lattice_run import write_result
from lattice_simp.commands.options import refuse_idle
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice, Strings
from lattice_simp.core.marks import MARKS, unmarked
from lattice_simp.engines import ENGINES, Engine
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats.collections import is_collection
from lattice_simp.formats.nbest import has_pieces, is_nbest, stream_nbest, write_nbest
from lattice_simp.ops.compose_gappy import EDITS, SKELETON, EditCosts
from lattice_simp.ops.gappy_acceptor import Loops
from lattice_simp.ops.nbest import nbest
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import readable


@dataclass
class Composition:
    """How to compose, and the counts of what was composed; see `ops/compose_gappy.py`.

    Attributes:
        edits: what deviations cost; None forbids them.
        n: maximum number of hypotheses in an n-best list.
        engine: see `engines.py`; lists need arrays.
        first_id: of the sentences in n-best lists.
        ignore: labels that are not words.
        labels: what the labels are.
        lists, skeleton_lists: how n-best lists are read, as `stream_nbest` takes it: `pieces`, `cost`.
        sentences, empty, missing: n-best lists so far; those without a common hypothesis; those without a skeleton's.
    """

    weight: float
    loops: Loops
    beam: float | None
    edits: EditCosts | None
    n: int
    engine: Engine = "arrays"
    first_id: int = 0
    ignore: Collection[str] = MARKS
    labels: LabelOptions = NO_OPTIONS
    lists: Mapping[str, Any] = field(default_factory=dict)
    skeleton_lists: Mapping[str, Any] = field(default_factory=dict)
    sentences: int = 0
    empty: int = 0
    missing: int = 0

    def compose(self, full: Lattice, hypotheses: Lattice | Iterable[Hypothesis]) -> Lattice:
        """Returns the full hypotheses that contain a skeleton hypothesis; empty if there are none."""
        engine = ENGINES[self.engine]
        if isinstance(hypotheses, Lattice):
            words: Lattice | Strings = hypotheses.without_words(self.ignore)
        else:
            words = unmarked(hypotheses, self.ignore)
        acceptor = engine.gappy_acceptor(words, loops=self.loops, symbols=full.symbols)
        joint: Lattice = engine.compose_gappy(full, acceptor, weight=self.weight, beam=self.beam, edits=self.edits)
        return joint

    def compose_lists(self, full: str, skeleton: str) -> Iterator[tuple[int, list[Hypothesis]]]:
        """Yields the composed n-best list of each sentence, or the best of its own list if the result is empty.

        The features are those of the full hypothesis, and minus the costs `Skeleton` (unweighted) and `Edits`.

        Raises:
            FormatError: a list is broken, or there is a skeleton of a sentence beyond the last one.
        """
        nothing: tuple[int, list[Hypothesis]] = (-1, [])
        for (sentence, entries), (skeleton_sentence, skeletons) in zip_longest(
            stream_nbest(full, self.first_id, **self.lists, ignore=self.ignore),
            stream_nbest(skeleton, self.first_id, **self.skeleton_lists, ignore=self.ignore),
            fillvalue=nothing,
        ):
            if sentence >= 0:
                self.sentences += 1
                yield sentence, self._compose_list(entries, skeletons)
            elif skeletons:
                last, skeleton_id = self.sentences - 1 + self.first_id, skeleton_sentence + self.first_id
                message = f"hypotheses of sentence {skeleton_id}, but {full} ends with {last}"
                raise FormatError(message, path=skeleton, remedy="align the lists: ids are those of the sentences")

    def _compose_list(self, entries: list[Hypothesis], skeletons: list[Hypothesis]) -> list[Hypothesis]:
        if not entries or not skeletons:
            self.missing += not skeletons
            return self._shortened(entries)
        joint = self.compose(Lattice.from_strings(entries), skeletons)
        if joint.empty:
            self.empty += 1
            return self._shortened(entries)
        best: dict[tuple[str, ...], Hypothesis] = {}
        for entry in sorted(entries, key=lambda entry: entry.cost, reverse=True):
            best[entry.tokens] = entry
        composed = []
        for path in nbest(joint, self.n):
            added = {name: path.features[name] for name in (SKELETON, EDITS) if name in path.features}
            composed.append(Hypothesis(path.tokens, path.cost, {**best[path.tokens].features, **added}))
        return composed

    def _shortened(self, entries: list[Hypothesis]) -> list[Hypothesis]:
        """Returns a list unchanged, or the best of one that is too long."""
        return entries if len(entries) <= self.n else sorted(entries, key=lambda entry: entry.cost)[: self.n]

    @property
    def summary(self) -> str:
        """The counts in words."""
        text = f"{counted(self.sentences, 'sentence')}, {self.empty} without a common hypothesis (unchanged)"
        return text + (f", {self.missing} without skeleton hypotheses" if self.missing else "")


def compose_files(
    composition: Composition, full: str, skeleton: str, sentence: str | None, output: str, to: str | None
) -> None:
    """Composes two lattices, or two n-best lists sentence by sentence, and writes the result.

    Args:
        composition: how to compose.
        full, skeleton: files of any format.
        sentence: the number or the name of a sentence; None for all.
        output, to: a file, and the format of a lattice.

    Raises:
        LatticeSimpError: an option does not fit the files.
    """
    labels = composition.labels
    with readable(full) as full_file, readable(skeleton) as skeleton_file:
        require_lattices(full_file)
        require_lattices(skeleton_file)
        lists = is_nbest(full_file), is_nbest(skeleton_file)
        several = lists[0] or is_collection(full_file), lists[1] or is_collection(skeleton_file)
        if sentence is not None and not any(several):
            raise FormatError("is not an n-best list, and holds one lattice", path=full, remedy="leave --id out")
        of_skeletons = labels
        if lists[1] and not has_pieces(skeleton_file, labels.pieces):
            of_skeletons = replace(labels, pieces="none")  # words, as hypotheses of skeletons often are
        if all(lists) and sentence is None:
            require_arrays(composition.engine, "two n-best lists without --id")
            refuse_idle(["to"], "when the output is an n-best list")
            composition = replace(composition, lists=labels.of_lists(full), skeleton_lists=of_skeletons.of_lists(full))
            lists_of_joint = composition.compose_lists(full_file, skeleton_file)
            write_nbest(lists_of_joint, output, first_id=composition.first_id)
            print(composition.summary, file=sys.stderr)
            return
        refuse_idle(["n", "first_id"], "when the output is a lattice; it applies to two n-best lists without --id")
        first, second = (sentence if is_chosen else None for is_chosen in several)
        if lists == (True, False):
            labels = labels.for_lists
        elif lists == (False, True):
            of_skeletons = of_skeletons.for_lists
        lattice = read_full(full_file, first, labels=labels)
        hypotheses = read_skeleton(skeleton_file, second, of_skeletons)
    joint = composition.compose(lattice, hypotheses)
    if joint.empty:
        print("no full hypothesis contains a skeleton hypothesis; the full lattice is written", file=sys.stderr)
    write_result(lattice if joint.empty else joint, output, to, labels=composition.labels, origin=lattice)


def require_arrays(engine: Engine, what: str) -> None:
    """Refuses what the reference engine leaves out."""
    if engine != "arrays":
        raise LatticeSimpError(f"the engine {engine} does not support {what}; use --engine arrays")
