"""Facts about skeletons for pages, and suggested skeletons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from lattice_simp.errors import LatticeSimpError, MissingExtraError
from lattice_simp.skeleton import Skeleton
from lattice_simp.skeleton.automatic import Parse, parse_sentences
from lattice_simp.skeleton.automatic.methods import METHODS, Method, Request, skeletons_of
from lattice_simp.skeleton.automatic.tagger import DeletionTagger
from lattice_simp.support.plurals import counted

Facts: TypeAlias = dict[str, Any]


def skeleton_facts(skeleton: Skeleton) -> Facts:
    """Returns the facts about a skeleton as JSON values.

    >>> skeleton_facts(Skeleton.from_brackets("so [[it is]] said"))["summary"]
    '2 of 4 tokens marked · compression rate 0.50 · 1 gap, type Middle'
    """
    gaps = [[gap.start, gap.end] for gap in skeleton.gaps]
    kept, count = sum(skeleton.mask), len(skeleton.tokens)
    of_type = f", type {skeleton.gap_type}" if gaps else ""
    parts = [
        f"{kept} of {counted(count, 'token')} marked",
        f"compression rate {skeleton.compression_rate:.2f}",
        f"{counted(len(gaps), 'gap')}{of_type}",
    ]
    return {
        "mask": skeleton.to_mask(),
        "words": list(skeleton.words),
        "brackets": skeleton.to_brackets(),
        "gaps": gaps,
        "gap_type": str(skeleton.gap_type),
        "compression_rate": skeleton.compression_rate,
        "summary": " · ".join(parts),
    }


def mask_facts(mask: str) -> Facts:
    """Returns the facts about a mask: gaps, their type, the compression rate; raises SkeletonError for no mask."""
    facts = skeleton_facts(Skeleton.from_mask(mask, ["x"] * len(mask)))
    return {name: value for name, value in facts.items() if name not in ("words", "brackets")}


def usable_methods(tagger: DeletionTagger | None) -> Mapping[str, Method]:
    """Returns the automatic methods whose requirements are met."""
    available = {"tagger"} if tagger is not None else set[str]()
    return {name: method for name, method in METHODS.items() if method.needs <= available}


def suggestions(tokens: Sequence[str], language: str, tagger: DeletionTagger | None) -> tuple[list[Facts], str]:
    """Returns the automatic skeletons of a sentence, each with its `method`, and a note if there are none.

    The methods parse English; some need a tagger.
    """
    if language != "en":
        return [], "Automatic skeletons are available for English only."
    try:
        parse = next(parse_sentences([tokens]))
    except MissingExtraError as error:
        return [], str(error)
    by_mask: dict[str, Facts] = {}
    for name, method in usable_methods(tagger).items():
        for skeleton in _made(method, parse, tagger):
            if skeleton.is_strict:
                facts = by_mask.setdefault(skeleton.to_mask(), skeleton_facts(skeleton) | {"method": name})
                if name not in facts["method"].split(", "):
                    facts["method"] += f", {name}"
    return list(by_mask.values()), "" if by_mask else "Nothing can be deleted."


def _made(method: Method, parse: Parse, tagger: DeletionTagger | None) -> Iterable[Skeleton]:
    try:
        return skeletons_of(method.make(parse, Request(candidates=2, tagger=tagger)))
    except LatticeSimpError:  # for example for an unsuitable tree; other methods remain
        return ()
