"""Where a sentence can be split in two, and how the halves read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lattice_simp.simplify.sentence import Token


class SplitKind(StrEnum):
    """The construction that a split takes apart."""

    RELATIVE = "relative"
    COORDINATION = "coordination"
    APPOSITION = "apposition"
    ADVERBIAL = "adverbial"
    PARTICIPLE = "participle"


RoleSets = tuple[tuple[str, ...], tuple[str, ...]]
"""The sorted roles and relations of the event that stays and of the one that gets its own sentence."""


@dataclass(frozen=True)
class Split:
    """A clause that can have a sentence of its own.

    Attributes:
        kind: see `SplitKind`.
        roles: the feature of the split (Table 1 of the paper).
        clause: the positions that leave the sentence and are in the new one.
        dropped: the positions of words that are in neither (`which`, `and`).
        sentence: the new sentence: clause, copied and inserted tokens, without a final stop, in mid-sentence case.
        leads: whether the new sentence comes before the old one.
        opening: words put before what stays of the old one (`However ,`).
        changes: tokens of the old sentence that are written otherwise, as (position, text).
        kept_commas: commas that still separate something once the clause has gone.
        restrictive: whether the clause says which entity is meant, so that the split loses meaning.
    """

    kind: SplitKind
    roles: RoleSets
    clause: tuple[int, ...]
    dropped: tuple[int, ...]
    sentence: tuple[Token, ...]
    leads: bool = False
    opening: tuple[str, ...] = ()
    changes: tuple[tuple[int, str], ...] = ()
    kept_commas: tuple[int, ...] = ()
    restrictive: bool = False
