"""The table of methods that make skeletons, which also defines the choices on the command line.

To add a method, add a file with a function like those of the others, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lattice_simp.lm.model import LanguageModel
from lattice_simp.skeleton.automatic.dependency import dependency_skeletons
from lattice_simp.skeleton.automatic.diverse import WeightedSkeleton, diverse_skeletons
from lattice_simp.skeleton.automatic.optimal import optimal_skeletons
from lattice_simp.skeleton.automatic.tagger import DeletionTagger
from lattice_simp.skeleton.io import SkeletonRecord
from lattice_simp.skeleton.skeleton import Skeleton
from lattice_simp.text.english.parse import Parse


@dataclass(frozen=True)
class Request:
    """The arguments of a method.

    Attributes:
        rate: the compression rate to aim at, above 0 and up to 1.
        candidates: the most skeletons of a sentence to return.
        tagger: a tagger, for methods that need or accept one.
        model: a language model, likewise.
    """

    rate: float = 0.6
    candidates: int = 1
    tagger: DeletionTagger | None = None
    model: LanguageModel | None = None


Made = Sequence[Skeleton] | Sequence[WeightedSkeleton]
"""Skeletons of a sentence, with or without probabilities."""


@dataclass(frozen=True)
class Method:
    """How skeletons are made.

    Attributes:
        make: makes the skeletons of a parsed sentence, the preferred one first.
        needs: the fields of `Request` that it requires: `tagger`, `model`.
        takes: the fields that are optional.
    """

    make: Callable[[Parse, Request], Made]
    needs: frozenset[str] = frozenset()
    takes: frozenset[str] = frozenset()


def record_of(result: Made, id: str, line: int) -> SkeletonRecord:
    """Returns the record of a sentence's skeletons, with their probabilities if there are any."""
    skeletons = tuple(skeletons_of(result))
    probabilities = tuple(weighted.probability for weighted in result if isinstance(weighted, WeightedSkeleton))
    return SkeletonRecord(id, line, skeletons, probabilities=probabilities)


def skeletons_of(result: Made) -> list[Skeleton]:
    """Returns the skeletons without their probabilities."""
    return [skeleton.skeleton if isinstance(skeleton, WeightedSkeleton) else skeleton for skeleton in result]


def _tagger(parse: Parse, request: Request) -> list[Skeleton]:
    assert request.tagger is not None
    return request.tagger.skeletons(parse, request.rate, request.candidates)


def _diverse(parse: Parse, request: Request) -> list[WeightedSkeleton]:
    assert request.tagger is not None
    return diverse_skeletons(parse, request.tagger, request.model, rate=request.rate, candidates=request.candidates)


METHODS: dict[str, Method] = {
    "dependency": Method(lambda parse, request: dependency_skeletons(parse, request.rate, request.candidates)),
    "tagger": Method(_tagger, needs=frozenset({"tagger"})),
    "optimal": Method(
        lambda parse, request: optimal_skeletons(
            parse, request.model, tagger=request.tagger, rate=request.rate, candidates=request.candidates
        ),
        takes=frozenset({"tagger", "model"}),
    ),
    "diverse": Method(_diverse, needs=frozenset({"tagger"}), takes=frozenset({"model"})),
}
