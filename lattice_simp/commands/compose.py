"""Gappy composition of lattices, and of n-best lists sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from lattice_simp import EditCosts, Lattice, compose, gappy_acceptor, nbest
from lattice_simp.commands.options import Pairs, pairs
from lattice_simp.core.symbols import split_tokens
from lattice_simp.formats.nbest import Hypothesis, read_nbest
from lattice_simp.ops.gappy_acceptor import Loops
from lattice_simp.translate.result import EDIT_FEATURE, SKELETON_FEATURE


@dataclass
class Composition:
    """How to compose, and the counts of what was composed; see `ops/compose.py`.

    Attributes:
        edits: the costs of a deletion, a substitution and another word with the same stem; None forbids them.
        n: hypotheses that a composed n-best list has at most.
        sentences, empty, missing: n-best lists so far; those where nothing fitted; those without a skeleton's list.
    """

    weight: float
    loops: Loops
    beam: float | None
    edits: tuple[float, float, float] | None
    n: int
    sentences: int = 0
    empty: int = 0
    missing: int = 0

    def compose(self, full: Lattice, hypotheses: Lattice | Pairs) -> Lattice:
        """Returns the full hypotheses that contain a skeleton hypothesis; empty where there are none."""
        acceptor = gappy_acceptor(hypotheses, loops=self.loops, symbols=full.symbols)
        costs = EditCosts(*self.edits) if self.edits else None
        return compose(full, acceptor, weight=self.weight, beam=self.beam, edits=costs)

    def compose_lists(self, full: str, skeleton: str) -> Iterator[tuple[int, list[Hypothesis]]]:
        """Yields the composed n-best list of each sentence; where nothing fits, its own list as it is.

        The features are those of the full hypothesis, and minus the costs `Skeleton` (unweighted) and `Edits`.
        """
        nothing: tuple[int, list[Hypothesis]] = (-1, [])
        for (sentence, entries), (_, own) in zip_longest(read_nbest(full), read_nbest(skeleton), fillvalue=nothing):
            if sentence >= 0:
                self.sentences += 1
                yield sentence, self._compose_list(sentence, entries, own)

    def _compose_list(self, sentence: int, entries: list[Hypothesis], own: list[Hypothesis]) -> list[Hypothesis]:
        if not entries or not own:
            self.missing += not own
            return entries
        joint = self.compose(Lattice.from_strings(pairs(entries)), pairs(own))
        if joint.empty:
            self.empty += 1
            return entries
        best: dict[str, Hypothesis] = {}
        for entry in sorted(entries, key=lambda entry: entry.cost, reverse=True):
            best[" ".join(split_tokens(entry.words))] = entry
        composed = []
        for path in nbest(joint, self.n):
            features = {**best[path.words].features, SKELETON_FEATURE: (0.0 - path.scores["skeleton"],)}
            if "edits" in path.scores:
                features[EDIT_FEATURE] = (0.0 - path.scores["edits"],)
            composed.append(Hypothesis(sentence, path.words, features, 0.0 - path.cost))
        return composed

    @property
    def summary(self) -> str:
        """The counts in words."""
        text = f"{self.sentences} sentences, {self.empty} without a common hypothesis (left as they are)"
        return text + (f", {self.missing} without skeleton hypotheses" if self.missing else "")
