"""Gappy composition of lattices, and of n-best lists sentence by sentence."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from lattice_simp import EditCosts, Lattice, nbest
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Strings
from lattice_simp.core.marks import MARKS, unmarked
from lattice_simp.engines import ENGINES, Engine
from lattice_simp.errors import FormatError
from lattice_simp.formats.nbest import stream_nbest
from lattice_simp.ops.compose_gappy import EDITS, SKELETON
from lattice_simp.ops.gappy_acceptor import Loops


@dataclass
class Composition:
    """How to compose, and the counts of what was composed; see `ops/compose_gappy.py`.

    Attributes:
        edits: what deviations cost; None forbids them.
        n: hypotheses that an n-best list has at most.
        engine: see `engines.py`; lists are for the arrays alone.
        first_id: of the sentences in n-best lists.
        ignore: labels that are no words.
        lists, skeleton_lists: how n-best lists are read, as `stream_nbest` takes it: `pieces`, `cost`.
        sentences, empty, missing: n-best lists so far; those where nothing fitted; those without a skeleton's list.
    """

    weight: float
    loops: Loops
    beam: float | None
    edits: EditCosts | None
    n: int
    engine: Engine = "arrays"
    first_id: int = 0
    ignore: Collection[str] = MARKS
    lists: Mapping[str, Any] = field(default_factory=dict)
    skeleton_lists: Mapping[str, Any] = field(default_factory=dict)
    sentences: int = 0
    empty: int = 0
    missing: int = 0

    def compose(self, full: Lattice, hypotheses: Lattice | Iterable[Hypothesis]) -> Lattice:
        """Returns the full hypotheses that contain a skeleton hypothesis; empty where there are none."""
        engine = ENGINES[self.engine]
        if isinstance(hypotheses, Lattice):
            words: Lattice | Strings = hypotheses.without_words(self.ignore)
        else:
            words = unmarked(hypotheses, self.ignore)
        acceptor = engine.gappy_acceptor(words, loops=self.loops, symbols=full.symbols)
        joint: Lattice = engine.compose_gappy(full, acceptor, weight=self.weight, beam=self.beam, edits=self.edits)
        return joint

    def compose_lists(self, full: str, skeleton: str) -> Iterator[tuple[int, list[Hypothesis]]]:
        """Yields the composed n-best list of each sentence; where nothing fits, the best of its own list.

        The features are those of the full hypothesis, and minus the costs `Skeleton` (unweighted) and `Edits`.

        Raises:
            FormatError: a list is broken, or there is a skeleton of a sentence beyond the last one.
        """
        nothing: tuple[int, list[Hypothesis]] = (-1, [])
        for (sentence, entries), (own_sentence, own) in zip_longest(
            stream_nbest(full, self.first_id, **self.lists, ignore=self.ignore),
            stream_nbest(skeleton, self.first_id, **self.skeleton_lists, ignore=self.ignore),
            fillvalue=nothing,
        ):
            if sentence >= 0:
                self.sentences += 1
                yield sentence, self._compose_list(entries, own)
            elif own:
                last, own_id = self.sentences - 1 + self.first_id, own_sentence + self.first_id
                message = f"hypotheses of sentence {own_id}, but {full} ends with {last}"
                raise FormatError(message, path=skeleton, remedy="align the lists: ids are those of the sentences")

    def _compose_list(self, entries: list[Hypothesis], own: list[Hypothesis]) -> list[Hypothesis]:
        if not entries or not own:
            self.missing += not own
            return self._shortened(entries)
        joint = self.compose(Lattice.from_strings(entries), own)
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
        """Returns a list as it is, or the best of a longer one than may be written."""
        return entries if len(entries) <= self.n else sorted(entries, key=lambda entry: entry.cost)[: self.n]

    @property
    def summary(self) -> str:
        """The counts in words."""
        text = f"{self.sentences} sentences, {self.empty} without a common hypothesis (left as they are)"
        return text + (f", {self.missing} without skeleton hypotheses" if self.missing else "")
