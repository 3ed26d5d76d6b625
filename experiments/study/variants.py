"""The variants of gappy composition: other loops, sizes, edits, gap positions and skeletons."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from experiments.study.config import DIVERSE, PROTOCOL, Study
from experiments.study.sentences import HAND, HAND_LONG
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.compose_gappy import EditCosts
from lattice_simp.translate.settings import SkeletonSettings

BASE = "gc-strong"
"""The system whose weights the variants use."""

BOTH = "both skeletons"
"""The variant whose translations contain a translation of each of the two hand-made skeletons."""

ALIGNED = 100
"""The number of the decoder's best hypotheses of a skeleton to align; aligning takes longer than decoding."""

CANDIDATES = 3
"""The number of skeletons of each kind from which the decoder chooses."""

AUTOMATIC_TOGETHER = "automatic (all at once)"
"""The variant whose translations contain a translation of each method's skeleton."""

KIND_TITLES = {HAND: "short skeletons", HAND_LONG: "long skeletons"}

Several = Literal["best", "all", "expected"]
"""The use of several skeletons: a translation must contain a hypothesis of the skeleton with the least cost above its
own best, or one of each skeleton; or edits are allowed, at the expected cost under the skeletons' probabilities."""


@dataclass(frozen=True)
class Variant:
    """A variant of composition.

    Attributes:
        name: of its row.
        kinds: the kinds of skeletons; the first one of each is used.
        how: the library's settings.
        candidates: the number of skeletons to use of each kind.
        several: the use of more than one skeleton.
        aligned: whether to use only hypotheses with aligned words (`variant_stages.py`).
        at_gaps: whether to skip words only at the gaps' places by the alignment.
    """

    name: str
    kinds: tuple[str, ...]
    how: SkeletonSettings
    candidates: int = 1
    several: Several = "best"
    aligned: bool = False
    at_gaps: bool = False

    @property
    def settings(self) -> list[Any]:
        """The values for a stage's key, which are the same in every process, unlike the address of a function."""
        edits = self.how.edits
        prices = None if edits is None else [edits.deletion, edits.substitution, edits.stem, edits.stem_of.__qualname__]
        how = [self.how.hypotheses, self.how.loops, self.how.weight, self.how.beam, prices]
        return [self.name, self.kinds, how, self.candidates, self.several, self.aligned, self.at_gaps]


def chosen_variants(study: Study, every: list[Variant]) -> list[Variant]:
    """Returns the variants of the protocol."""
    return [variant for variant in every if study.variants is None or variant.name in study.variants]


def check_variants(study: Study, kinds: tuple[str, ...]) -> None:
    """Checks that all variants of the protocol can run with some automatic kinds."""
    every = [*hand_variants(study), *gap_variants(study), *automatic_variants(study, kinds)]
    names = [variant.name for variant in every]
    if unknown := [name for name in study.variants or () if name not in names]:
        raise LatticeSimpError(f"{PROTOCOL}: variants: no {unknown[0]!r}; there are {'; '.join(names)}")
    for count, group in study.automatic_headline.items():
        if unknown := [kind for kind in group if kind not in kinds]:
            message = f"automatic_headline: {count}: no skeletons of {unknown[0]!r}; there are {', '.join(kinds)}"
            raise LatticeSimpError(f"{PROTOCOL}: {message}")


def hand_variants(study: Study) -> list[Variant]:
    """Returns the variants with hand-made skeletons."""
    kinds = (study.skeleton,)
    usual = study.composition
    edits = EditCosts()
    other = HAND if study.skeleton == HAND_LONG else HAND_LONG
    return [
        *(Variant(f"n={n}", kinds, replace(usual, hypotheses=n)) for n in (1, 10, 100, study.hypotheses)),
        Variant("n=1 with edits", kinds, replace(usual, hypotheses=1, edits=edits)),
        Variant("n=100 with edits", kinds, replace(usual, hypotheses=100, edits=edits)),
        Variant("rho", kinds, replace(usual, loops="rho")),
        Variant(KIND_TITLES[other], (other,), usual),
        Variant("the better of both skeletons", (*kinds, other), usual),
        Variant(BOTH, (*kinds, other), usual, several="all"),
    ]


def gap_variants(study: Study) -> list[Variant]:
    """Returns the variants with the decoder's best hypotheses, whose words are aligned."""
    usual = replace(study.composition, hypotheses=ALIGNED)
    name = f"the decoder's {ALIGNED} best"
    return [
        Variant(name, (study.skeleton,), usual, aligned=True),
        Variant(f"{name}, loops at gaps", (study.skeleton,), usual, aligned=True, at_gaps=True),
    ]


def automatic_variants(study: Study, kinds: tuple[str, ...]) -> list[Variant]:
    """Returns the variants with automatic skeletons."""
    usual = study.composition
    variants = [Variant(automatic_name((kind,)), (kind,), usual) for kind in kinds if kind != DIVERSE]
    if DIVERSE in kinds:
        variants.append(_expected(study))
        kinds = tuple(kind for kind in kinds if kind != DIVERSE)
    if len(kinds) > 1 or (kinds and study.candidates > 1):
        variants.append(Variant("automatic (the best of all)", kinds, usual, candidates=CANDIDATES))
        variants.append(Variant(AUTOMATIC_TOGETHER, kinds, usual, several="all"))
    pairs = [group for group in study.automatic_headline.values() if len(group) > 1 and set(group) <= set(kinds)]
    return variants + [Variant(automatic_name(group), group, usual, several="all") for group in pairs]


def _expected(study: Study) -> Variant:
    """Returns the variant with several automatic skeletons of a sentence, weighted by their probabilities."""
    settings = study.diverse
    how = replace(study.composition, hypotheses=settings.taken, weight=settings.weight, edits=EditCosts())
    return Variant(automatic_name((DIVERSE,)), (DIVERSE,), how, candidates=settings.masks, several="expected")


def automatic_name(kinds: tuple[str, ...]) -> str:
    """Returns the name of the variant whose translations contain one of the skeleton of each automatic kind.

    >>> automatic_name(("tagger",)), automatic_name(("tagger", "optimal"))
    ('automatic (tagger)', 'automatic (tagger + optimal)')
    """
    return f"automatic ({' + '.join(kinds)})"
