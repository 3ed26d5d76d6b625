"""The translations that a decoder returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.ops.compose_gappy import EDITS, MATCHED, SKELETON
from lattice_simp.ops.intersect import intersect
from lattice_simp.ops.nbest import nbest, shortest_path
from lattice_simp.ops.term_acceptor import keep_terms
from lattice_simp.translate.derivation import (
    COPY_FEATURE,
    GLUE_FEATURE,
    LENGTH_FEATURE,
    RuleUse,
    path_labels,
)
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.source import INPUT_FEATURE

SKELETON_FEATURE, EDIT_FEATURE = SKELETON, EDITS

DECODER_FEATURES = (LENGTH_FEATURE, GLUE_FEATURE, COPY_FEATURE, SKELETON_FEATURE, EDIT_FEATURE, INPUT_FEATURE)
"""The decoder's own features, which come neither from rules nor from language models; further features of input
lattices begin with `Input:`."""


@dataclass(frozen=True, eq=False)
class Translation:
    """The translations of one sentence.

    Attributes:
        source: its tokens; of a word lattice, those of its best path.
        strategy: how it was decoded.
        lattice: the hypotheses within the beam, every cost included; input labels name rules (`derivation`).
        grammar: the decoder's rules.
        has_terms: whether the lattice's hypotheses hold the terms; None without terms. Where it is False, none did, and
            the lattice is the one without terms.
        reachable: whether a skeleton hypothesis was found in the full lattice; None without a skeleton. Where it is
            False, the lattice is the plain one.
        skeleton_hypotheses: the skeleton's n-best list.
        optimality_gap: in nats, 0 if the best translation is certain; None without an exact search or a bound,
            and with a skeleton.
        mbr: the lattice whose costs are minus the expected gains (`ops/mbr.py`), from which `best` and `nbest` choose;
            None if the costs of `lattice` decide.
    """

    source: tuple[str, ...]
    strategy: str
    lattice: Lattice
    grammar: Grammar
    reachable: bool | None = None
    skeleton_hypotheses: tuple[Hypothesis, ...] = ()
    optimality_gap: float | None = None
    mbr: Lattice | None = None
    has_terms: bool | None = None

    def __repr__(self) -> str:
        reached = "" if self.reachable is None else ", skeleton found" if self.reachable else ", skeleton not found"
        size = f"{self.lattice.num_states} states, {self.lattice.num_arcs} arcs"
        return f"Translation({' '.join(self.source)!r}, {self.strategy}{reached}, {size})"

    def with_terms(self, terms: Sequence[Sequence[str]], beam: float) -> Translation:
        """Returns the translation with only the hypotheses that hold a form of each term, if there are any.

        >>> from lattice_simp import Decoder
        >>> from lattice_simp.support.tables import grammar_path
        >>> decoder = Decoder.load(grammar_path("demo/data/weights.tsv").parent)
        >>> decoder.translate("the old petition .").with_terms([["der"]], beam=8.0).best.text
        'der alte petition .'

        Args:
            terms: see `term_acceptor`.
            beam: nats above the best of them.
        """
        kept = keep_terms(self.lattice, terms, beam=beam)
        lattice = self.lattice if kept.empty else kept
        gap = self.optimality_gap if kept.empty else None
        return replace(self, lattice=lattice, has_terms=not kept.empty, optimality_gap=gap)

    @property
    def best(self) -> Hypothesis:
        """The cheapest hypothesis, or the one with the greatest expected gain.

        Raises:
            EmptyLatticeError: there is none.
        """
        return shortest_path(self.lattice if self.mbr is None else self.mbr, ignore=())

    def nbest(self, n: int) -> list[Hypothesis]:
        """Returns the n best different strings within the beam, each with its best derivation.

        >>> from lattice_simp import Decoder
        >>> from lattice_simp.support.tables import grammar_path
        >>> decoder = Decoder.load(grammar_path("demo/data/weights.tsv").parent)
        >>> [hypothesis.text for hypothesis in decoder.translate("the old petition .").nbest(2)]
        ['die alte petition .', 'der alte petition .']
        """
        return nbest(self.lattice if self.mbr is None else self.mbr, n, ignore=())

    def cost(self, path: Hypothesis) -> float:
        """Returns the least cost of a path's string in `lattice`; with `mbr`, `path.cost` is another.

        >>> from lattice_simp import Decoder
        >>> from lattice_simp.support.tables import grammar_path
        >>> decoder = Decoder.load(grammar_path("demo/data/weights.tsv").parent)
        >>> translation = decoder.with_settings({"mbr": {}}).translate("the old petition .")
        >>> round(translation.best.cost, 2), round(translation.cost(translation.best), 2)
        (-1.96, 9.34)
        """
        if self.mbr is None:
            return path.cost
        string = Lattice.from_strings([(path.tokens, 0.0)])
        return nbest(intersect(self.lattice, string), 1, ignore=())[0].cost

    def derivation(self, path: Hypothesis) -> list[RuleUse]:
        """Returns the rules that a path used.

        >>> from lattice_simp import Decoder
        >>> from lattice_simp.support.tables import grammar_path
        >>> translation = Decoder.load(grammar_path("demo/data/weights.tsv").parent).translate("the old petition .")
        >>> [(use.start, use.end) for use in translation.derivation(translation.best)]
        [(0, 4), (0, 3)]
        """
        return path_labels(self.lattice, path).uses()

    def features(self, path: Hypothesis) -> dict[str, float]:
        """Returns a path's scores (higher is better); their weighted sum is minus its cost in `lattice`.

        >>> from lattice_simp import Decoder
        >>> from lattice_simp.support.tables import grammar_path
        >>> translation = Decoder.load(grammar_path("demo/data/weights.tsv").parent).translate("the old petition .")
        >>> sorted(translation.features(translation.best))
        ['EF', 'FE', 'Glue', 'LM', 'LexEF', 'LexFE', 'OOV', 'WordPenalty']

        The engine openfst keeps none.
        """
        if self.lattice.isymbols is None:
            return {}
        named = path_labels(self.lattice, path).features(self.grammar)
        labels = (self.lattice if self.mbr is None else self.mbr).connected().olabels[path.arcs]
        named[LENGTH_FEATURE] = -float(np.count_nonzero(labels))  # `</s>` has a cost, too
        return named | {name: score for name, score in path.features.items() if name != MATCHED}
