"""Settings of a decoder: each field is an entry of `settings.json` and, with a flag, an option of the commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from lattice_simp.core.arguments import choice, instance, real, whole
from lattice_simp.engines import ENGINES, Engine
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.compose_gappy import EditCosts
from lattice_simp.ops.gappy_acceptor import Loops
from lattice_simp.ops.mbr import MbrSettings
from lattice_simp.support.options import option, updated
from lattice_simp.translate.search.cubes.limits import CubePruning
from lattice_simp.translate.search.exact.limits import ExactSearch, GapBound

GapLoops: TypeAlias = Literal["everywhere", "at-gaps"]
Aggregation: TypeAlias = Literal["max", "sum", "expected"]
Copies: TypeAlias = Literal["unknown", "all"]
WordArcs: TypeAlias = Literal["shared", "affiliated"]

DEFAULT_MAX_SPAN = 10
"""The most source tokens of a constituent below the glue (Chiang 2007)."""


@dataclass(frozen=True)
class SkeletonSettings:
    """Settings of translation with skeletons.

    Attributes:
        hypotheses: the number of translations of the skeleton to use.
        loops: `sigma` or `rho`, see `ops/gappy_acceptor.py`.
        gaps: `everywhere` allows insertions at every position (as published), `at-gaps` only at gaps of the source.
        weight: the factor of the skeleton's costs.
        beam: the beam of the full lattice before the composition, in nats above the best path.
        edits: the costs of deviations from the skeleton; None forbids them.
        aggregation: how to combine several skeletons of a sentence. `max` takes the least cost of a hypothesis; `sum`
            adds the probabilities; `expected` takes the 200 best strings and, for each, the mean cost of containing a
            translation of every skeleton, edits allowed, weighted by the skeletons' probabilities.
    """

    hypotheses: int = option(1000, "skeleton-hypotheses", "number of translations of the skeleton to use")
    loops: Loops = option("sigma", "loops", "sigma (exact subsequences) or rho (as published)")
    gaps: GapLoops = option(
        "everywhere", "gaps", "allow other words everywhere, or only where the source has words outside the skeleton"
    )
    weight: float = option(0.5, "skeleton-weight", "weight of the skeleton's costs")
    beam: float = 8.0
    edits: EditCosts | None = option(None, "edits", "allow missing and different words of the skeleton, at a cost")
    aggregation: Aggregation = option("max", "aggregation", "how to combine several skeletons of a sentence")

    def __post_init__(self) -> None:
        whole(self.hypotheses, "the number of skeleton hypotheses", 1)
        _check_nats(skeleton_weight=self.weight, skeleton_beam=self.beam)


@dataclass(frozen=True)
class DecoderSettings:
    """Settings of a decoder.

    Attributes:
        engine: `arrays` runs compiled kernels; `openfst`, the reference implementation, keeps neither features nor
            derivations and has no strategy `skeleton-first`.
        top: the non-terminal that the glue rules combine.
        max_span: the most source tokens of a constituent.
        copies: which tokens may be copied: `unknown`, those that no rule translates alone; or `all`, for a source and
            a target in the same language.
        word_arcs: `affiliated` stores the source token of each word on its arc (`derivation.affiliations`), which a
            joint model needs. Words of different tokens then have separate arcs, so limits of arcs (`cubes`) may keep
            other paths.
        beam: the beam of returned lattices, in nats above the best path.
        cubes: the pruned search with grammars whose non-terminals nest; other grammars are decoded exactly.
        exact: limits of the exact search, which finds the best translation of a nested grammar without a skeleton;
            None for the pruned search alone.
        optimality_gap: the bound of the optimality gap of the pruned search without a skeleton; it takes several times
            as long as the search. None for no bound. The exact search always reports the gap.
        skeleton: settings of translation with skeletons.
        mbr: settings to choose translations by expected BLEU instead of cost; None for cost.
    """

    engine: Engine = option(
        "arrays", "engine", "arrays (fast) or openfst (reference implementation; small inputs only)"
    )
    top: str = "X"
    max_span: int = DEFAULT_MAX_SPAN
    copies: Copies = "unknown"
    word_arcs: WordArcs = option("shared", "word-arcs", "affiliated: each word arc names its source token")
    beam: float = option(8.0, "beam", "drop paths that cost over this many nats (natural logs) more than the best")
    cubes: CubePruning = field(default_factory=CubePruning)
    exact: ExactSearch | None = option(
        None, "exact", "prove the best translation; at a limit, report how much better it can be (optimality gap)"
    )
    optimality_gap: GapBound | None = option(
        None,
        "optimality-gap",
        "report how much cheaper the best translation can be than the one that the pruned search returns",
    )
    skeleton: SkeletonSettings = field(default_factory=SkeletonSettings)
    mbr: MbrSettings | None = option(None, "mbr", "choose by expected BLEU (lattice minimum Bayes risk)")

    def __post_init__(self) -> None:
        choice(self.engine, ENGINES, "engine")
        for name, kind in (("exact", ExactSearch), ("optimality_gap", GapBound), ("mbr", MbrSettings)):
            if getattr(self, name) is not None:
                instance(getattr(self, name), kind, name, f"{kind.__name__}()")
        instance(self.skeleton, SkeletonSettings, "skeleton", "SkeletonSettings()")
        if (self.exact or self.optimality_gap) and self.engine != "arrays":
            raise LatticeSimpError(
                f"{'the exact search' if self.exact else 'a bound on the optimality gap'} needs the engine arrays"
            )
        if self.exact is not None and self.exact.beam == 0 and self.mbr is not None:
            raise LatticeSimpError(
                "the exact search keeps one translation, among which MBR cannot choose; let it keep more (exact.beam, "
                "--exact-beam), or leave one of the two out"
            )
        if self.word_arcs != "shared" and self.engine != "arrays":
            raise LatticeSimpError("affiliated word arcs need the engine arrays")
        whole(self.max_span, "max_span", 1)
        _check_nats(beam=self.beam)

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> DecoderSettings:
        """Makes settings from nested dicts, as `settings.json` holds them; see `updated`.

        >>> DecoderSettings.from_mapping({"beam": 3.0, "cubes": {"pops": 10}}).cubes.pops
        10
        """
        return cls().updated(values)

    def updated(self, values: Mapping[str, Any]) -> DecoderSettings:
        """Returns the settings with the values that nested dicts name replaced.

        >>> DecoderSettings().updated({"skeleton": {"edits": {"deletion": 5.0}}}).skeleton.edits.deletion
        5.0

        Raises:
            LatticeSimpError: an unknown name, a value of another type, or one out of range; names the field.
        """
        return updated(self, values)


def _check_nats(**values: float) -> None:
    for name, value in values.items():
        if real(value, f"the {name.replace('_', ' ')}") < 0:
            raise LatticeSimpError(f"the {name.replace('_', ' ')} is {value}; give a number from 0 up")
