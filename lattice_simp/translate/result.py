"""What a decoder gives back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import split_tokens
from lattice_simp.ops.nbest import Path, nbest
from lattice_simp.translate.derivation import LENGTH_FEATURE, RuleUse, label_features, parse_label
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.settings import Strategy

SKELETON_FEATURE, EDIT_FEATURE = "Skeleton", "Edits"


@dataclass(frozen=True, eq=False)
class Translation:
    """The translations of one sentence.

    Attributes:
        source: its tokens.
        strategy: how it was decoded.
        lattice: the hypotheses within the beam, every cost included; input labels name rules (`derivation`).
        reachable: whether a skeleton hypothesis was found in the full lattice; None without a skeleton. Where it is
            False, the lattice is the plain one.
        skeleton_hypotheses: the skeleton's n-best list, (words, cost).
        mbr: the lattice with minus the expected gain for costs (`ops/minimum_bayes_risk.py`), if that decides: then
            the costs of `best` and `nbest` are these.
    """

    source: tuple[str, ...]
    strategy: Strategy
    lattice: Lattice
    grammar: Grammar
    reachable: bool | None = None
    skeleton_hypotheses: tuple[tuple[str, float], ...] = ()
    mbr: Lattice | None = None

    @property
    def best(self) -> Path:
        """The cheapest hypothesis, or the one with the greatest expected gain."""
        return self.nbest(1)[0]

    def nbest(self, n: int) -> list[Path]:
        """Returns the n best different strings within the beam, each with its best derivation."""
        return nbest(self.lattice if self.mbr is None else self.mbr, n)

    def derivation(self, path: Path) -> list[RuleUse]:
        """Returns the rules that a path used."""
        assert self.lattice.isymbols is not None
        return [use for label in path.inputs for use in parse_label(self.lattice.isymbols[label])[0]]

    def features(self, path: Path) -> dict[str, float]:
        """Returns a path's scores (higher is better); times the weights they are minus its cost in `lattice`."""
        assert self.lattice.isymbols is not None
        named = label_features((self.lattice.isymbols[label] for label in path.inputs), self.grammar)
        named[LENGTH_FEATURE] = -float(len(split_tokens(path.words)))
        named |= {name: -path.scores[column] for name, column in score_features(path.scores).items()}
        return named


def score_features(columns: Iterable[str]) -> dict[str, str]:
    """Returns the features that a lattice's score columns hold: the column by the feature's name.

    >>> score_features(["LM", "skeleton", "matched"])
    {'LM': 'LM', 'Skeleton': 'skeleton'}
    """
    renamed = {"skeleton": SKELETON_FEATURE, "edits": EDIT_FEATURE}
    return {renamed.get(column, column): column for column in columns if column != "matched"}
