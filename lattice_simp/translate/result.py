"""What a decoder gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lattice_simp.lattice import Lattice
from lattice_simp.ops.nbest import Path, nshortest
from lattice_simp.symbols import split_tokens
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
    """

    source: tuple[str, ...]
    strategy: Strategy
    lattice: Lattice
    grammar: Grammar
    reachable: bool | None = None
    skeleton_hypotheses: tuple[tuple[str, float], ...] = ()

    @property
    def best(self) -> Path:
        """The cheapest hypothesis."""
        return self.nbest(1)[0]

    def nbest(self, n: int) -> list[Path]:
        """Gives the n best different strings within the beam, each with its best derivation."""
        return nshortest(self.lattice, n)

    def derivation(self, path: Path) -> list[RuleUse]:
        """Gives the rules that a path used."""
        assert self.lattice.isymbols is not None
        return [use for label in path.inputs for use in parse_label(self.lattice.isymbols[label])[0]]

    def features(self, path: Path) -> dict[str, float]:
        """Gives a path's feature vector: scores, higher is better; the weights' inner product is minus the cost."""
        assert self.lattice.isymbols is not None
        named = label_features((self.lattice.isymbols[label] for label in path.inputs), self.grammar)
        named[LENGTH_FEATURE] = -float(len(split_tokens(path.words)))
        renamed: Mapping[str, str] = {"skeleton": SKELETON_FEATURE, "edits": EDIT_FEATURE}
        for name, value in path.scores.items():
            if name != "matched":
                named[renamed.get(name, name)] = -value
        return named
