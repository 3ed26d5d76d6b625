"""What a page tells of a skeleton, and the skeletons that it suggests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from lattice_simp.errors import LatticeSimpError, MissingExtraError
from lattice_simp.skeleton import Skeleton
from lattice_simp.skeleton.automatic import Parse, parse_sentences
from lattice_simp.skeleton.automatic.methods import METHODS, Method, Request, skeletons_of
from lattice_simp.skeleton.automatic.tagger import DeletionTagger

Facts: TypeAlias = dict[str, Any]


def skeleton_facts(skeleton: Skeleton) -> Facts:
    """Returns what a page tells of a skeleton, as JSON values.

    >>> skeleton_facts(Skeleton.from_brackets("so [[it is]] said"))["summary"]
    '2 of 4 tokens marked · compression rate 0.50 · 1 gap, type Middle'
    """
    gaps = [[gap.start, gap.end] for gap in skeleton.gaps]
    kept, count = sum(skeleton.mask), len(skeleton.tokens)
    of_type = f", type {skeleton.gap_type}" if gaps else ""
    told = [
        f"{kept} of {count} tokens marked",
        f"compression rate {skeleton.compression_rate:.2f}",
        f"{len(gaps)} gap{'' if len(gaps) == 1 else 's'}{of_type}",
    ]
    return {
        "mask": skeleton.to_mask(),
        "words": list(skeleton.words),
        "brackets": skeleton.to_brackets(),
        "gaps": gaps,
        "gap_type": str(skeleton.gap_type),
        "compression_rate": skeleton.compression_rate,
        "summary": " · ".join(told),
    }


def mask_facts(mask: str) -> Facts:
    """Returns what a mask alone tells of a skeleton: its gaps, their type, the compression rate.

    Raises:
        SkeletonError: nothing is marked, or it is no mask.
    """
    facts = skeleton_facts(Skeleton.from_mask(mask, ["x"] * len(mask)))
    return {name: value for name, value in facts.items() if name not in ("words", "brackets")}


def usable_methods(tagger: DeletionTagger | None) -> Mapping[str, Method]:
    """Returns the automatic methods for which everything is there."""
    there = {"tagger"} if tagger is not None else set[str]()
    return {name: own for name, own in METHODS.items() if own.needs <= there}


def suggestions(tokens: Sequence[str], language: str, tagger: DeletionTagger | None) -> tuple[list[Facts], str]:
    """Returns the skeletons that automatic methods make of a sentence, each with its `method`, and why there are none.

    Args:
        tokens: of the sentence.
        language: its code; the methods parse English.
    """
    if language != "en":
        return [], "Automatic skeletons are made of English sentences."
    try:
        parse = next(parse_sentences([tokens]))
    except MissingExtraError as error:
        return [], str(error)
    found: dict[str, Facts] = {}
    for name, method in usable_methods(tagger).items():
        for skeleton in _made(method, parse, tagger):
            if skeleton.is_strict:
                facts = found.setdefault(skeleton.to_mask(), skeleton_facts(skeleton) | {"method": name})
                if name not in facts["method"].split(", "):
                    facts["method"] += f", {name}"
    return list(found.values()), "" if found else "Nothing can be deleted."


def _made(method: Method, parse: Parse, tagger: DeletionTagger | None) -> Iterable[Skeleton]:
    try:
        return skeletons_of(method.make(parse, Request(candidates=2, tagger=tagger)))
    except LatticeSimpError:  # a tree that the method cannot work on, for example; the others remain
        return ()
