"""Splits of a sentence in two, and their application."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations, pairwise

from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.simplify.sentence import Sentence, Token, capitalised, source_sentence, without, words
from lattice_simp.text.english.punctuation import mark_kind, mark_pairs

LEAST_WORDS = 3
"""The least words that each half must have."""


class SplitKind(StrEnum):
    """The construction of a split; `event` for two events of a graph (`between_events.py`), `report` for a report that
    moves before its statement (`reports.py`), `link` for an adverb that becomes a conjunction at the beginning
    (`linking.py`); these two make no sentence of their own.
    """

    RELATIVE = "relative"
    COORDINATION = "coordination"
    APPOSITION = "apposition"
    ADVERBIAL = "adverbial"
    PARTICIPLE = "participle"
    EVENT = "event"
    REPORT = "report"
    LINK = "link"


_DESCRIPTIONS = (SplitKind.RELATIVE, SplitKind.APPOSITION, SplitKind.PARTICIPLE)

RoleSets = tuple[tuple[str, ...], tuple[str, ...]]
"""The sorted roles and relations of the event that remains and of the one that moves to a new sentence."""


@dataclass(frozen=True)
class Split:
    """A clause that can become a separate sentence.

    Attributes:
        kind: the construction.
        clause: the positions that move to the new sentence.
        dropped: the positions of words in neither sentence (`which`, `and`).
        sentence: the new sentence: clause, copied and inserted tokens, without a final stop, in mid-sentence case.
        leads: whether the new sentence precedes the old one.
        front: tokens of the clause that move before the rest of the old sentence; then there is no new sentence.
        opening: words inserted before the rest of the old sentence (`However ,`).
        changes: replaced tokens of the old sentence, as (position, text).
        kept_commas: commas that still separate something after the clause is removed.
        restrictive: whether the clause identifies an entity, so that the split loses meaning.
        head: the position of the clause's verb, or of the noun of an apposition; None for a split that is no
            construction of the parse.
        governor: a position in the event that remains; None likewise.
        roles: the feature of the split (Table 1 of the paper).
    """

    kind: SplitKind
    clause: tuple[int, ...]
    dropped: tuple[int, ...]
    sentence: tuple[Token, ...]
    leads: bool = False
    opening: tuple[str, ...] = ()
    changes: tuple[tuple[int, str], ...] = ()
    kept_commas: tuple[int, ...] = ()
    restrictive: bool = False
    front: tuple[Token, ...] = ()
    head: int | None = None
    governor: int | None = None
    roles: RoleSets = ((), ())

    @property
    def removed(self) -> frozenset[int]:
        """The positions removed from the old sentence, without adjacent punctuation."""
        return frozenset(self.clause) | frozenset(self.dropped)

    def shifted(self, number: int) -> Split:
        """Returns the split of a sentence that follows this many tokens."""
        return replace(
            self,
            clause=_shifted(self.clause, number),
            dropped=_shifted(self.dropped, number),
            sentence=tuple(token.shifted(number) for token in self.sentence),
            front=tuple(token.shifted(number) for token in self.front),
            changes=tuple((position + number, text) for position, text in self.changes),
            kept_commas=_shifted(self.kept_commas, number),
            head=None if self.head is None else self.head + number,
            governor=None if self.governor is None else self.governor + number,
        )


def _shifted(positions: Iterable[int], number: int) -> tuple[int, ...]:
    return tuple(position + number for position in positions)


def is_statement(tokens: Sequence[str]) -> bool:
    """Returns whether a sentence can be split: it is no question, and does not introduce a continuation."""
    return bool(tokens) and tokens[-1] not in ("?", "?!", ":", ";")


def keeps_whole(tokens: Sequence[str], gone: Collection[int], sentence: Sequence[Token]) -> bool:
    """Returns whether both halves of a split have enough words, and intact brackets and quotations.

    Args:
        tokens: the source.
        gone: the positions removed from it.
        sentence: the new sentence.
    """
    remaining = [place for place, token in enumerate(tokens) if place not in gone and mark_kind(token) is None]
    moved = [token for token in sentence if mark_kind(token.text) is None]
    if len(remaining) < LEAST_WORDS or len(moved) < LEAST_WORDS:
        return False
    pairs = tuple(pair for pair in mark_pairs(tokens) if pair != whole_quotation(tokens))
    paired = {position for pair in pairs for position in pair}
    after = max(gone) + 1
    if after + 1 < len(tokens) and mark_kind(tokens[after]) == "comma" and tokens[after + 1].isdigit():
        return False  # "a score of 29 -- 29"
    torn = any((first in gone) != (last in gone) for first, last in pairs)
    around = [(first, last) for first, last in pairs if first < min(gone) and max(gone) < last]
    is_inside_pair = any(not _encloses(tokens, gone, first, last) for first, last in around)
    if not _is_balanced([token.text for token in sentence]):
        return False
    open_marks = (position for position in gone if mark_kind(tokens[position]) in ("open", "close", "quote"))
    return not torn and not is_inside_pair and all(position in paired for position in open_marks)


def whole_quotation(tokens: Sequence[str]) -> tuple[int, int] | None:
    """Returns the quotation marks around a whole sentence.

    >>> whole_quotation(('"', "It", "rained", ".", '"')), whole_quotation(('"', "No", '"', "?"))
    ((0, 4), None)
    """
    first = tokens[0] if tokens else ""
    outer = next((pair for pair in mark_pairs(tokens) if pair[0] == 0 and mark_kind(first) == "quote"), None)
    return outer if outer is not None and tokens[outer[1] - 1 :] == (".", tokens[outer[1]]) else None


def _encloses(tokens: Sequence[str], gone: Collection[int], first: int, last: int) -> bool:
    """Returns whether a pair of brackets encloses exactly the clause."""
    return mark_kind(tokens[first]) == "open" and first + 1 == min(gone) and max(gone) + 1 == last


def _is_balanced(texts: list[str]) -> bool:
    """Returns whether each bracket and quotation mark has its partner."""
    paired = {position for pair in mark_pairs(texts) for position in pair}
    return all(
        position in paired for position, text in enumerate(texts) if mark_kind(text) in ("open", "close", "quote")
    )


def compatible(splits: Iterable[Split]) -> bool:
    """Returns whether splits can be applied together: any two are nested or disjoint."""
    chosen = list(splits)
    for first, second in combinations(chosen, 2):
        apart = not first.removed & second.removed
        nested = first.removed <= set(second.clause) or second.removed <= set(first.clause)
        if first.removed == second.removed or not (apart or nested):
            return False
        if apart and first.opening and second.opening:
            return False
    return True


def apply_splits(tokens: Sequence[str], splits: Iterable[Split]) -> tuple[Sentence, ...]:
    """Returns the sentences after applying splits, in reading order.

    Every source word is in exactly one sentence unless its split drops it; copied words also occur elsewhere. Without
    splits, the result is the source sentence.

    Raises:
        LatticeSimpError: the splits are not `compatible`.
    """
    chosen = sorted(splits, key=lambda split: (split.clause[0], -len(split.clause)))
    if not chosen:
        return (source_sentence(tokens),)
    if not compatible(chosen):
        raise LatticeSimpError("splits that overlap cannot be applied together; ask `compatible` first")
    return _requoted(tokens, _exclaimed(tuple(_sentences(tokens, None, chosen))))


def _exclaimed(sentences: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
    """Leaves an exclamation mark to the last sentence, and ends the others with full stops."""
    marks = [sentence[-1].text for sentence in sentences]
    if "!" not in marks or not {".", "!"}.issuperset(marks):
        return sentences
    ends = [*("." for _ in marks[:-1]), "!"]
    return tuple(
        (*sentence[:-1], replace(sentence[-1], text=end)) for sentence, end in zip(sentences, ends, strict=True)
    )


def _requoted(tokens: Sequence[str], sentences: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
    """Moves the marks of a whole quotation to the first and the last sentence."""
    outer = whole_quotation(tokens)
    if outer is None:
        return sentences
    inner = [tuple(token for token in sentence if token.position not in outer) for sentence in sentences]
    opening, closing = (Token(tokens[position], position) for position in outer)
    inner[0], inner[-1] = (opening, *inner[0]), (*inner[-1], closing)
    return tuple(inner)


def _sentences(tokens: Sequence[str], whole: Split | None, splits: list[Split]) -> Iterator[Sentence]:
    """Yields a sentence (the source or that of a split) among those split off from it."""
    inner = [split for split in splits if whole is None or (split != whole and split.removed <= set(whole.clause))]
    outer = [split for split in inner if not any(_is_within(split, container) for container in inner)]
    parts = {split: list(_sentences(tokens, split, splits)) if split.sentence else [] for split in outer}
    for split in outer:
        if split.leads:
            yield from parts[split]
    yield _written(tokens, whole, outer, splits)
    following = [split for split in outer if not split.leads]
    for split in sorted(following, key=lambda split: _interrupts(split, following)):
        yield from parts[split]


def _interrupts(split: Split, others: Iterable[Split]) -> bool:
    """Returns whether a description of a subject would stand between two statements about it."""
    verbs = [other.governor for other in others if other.kind is SplitKind.COORDINATION and other.governor is not None]
    return split.kind in _DESCRIPTIONS and any(split.clause[-1] < verb for verb in verbs)


def _is_within(split: Split, container: Split) -> bool:
    return split != container and split.removed <= set(container.clause)


def _written(tokens: Sequence[str], whole: Split | None, outer: list[Split], splits: list[Split]) -> Sentence:
    """Returns one sentence without the clauses split off, with its opening, capital and stop."""
    start = source_sentence(tokens) if whole is None else whole.sentence
    around = [] if whole is None else [split for split in splits if _is_within(whole, split)]
    removed = {position for split in splits if split != whole and split not in around for position in split.removed}
    changes = {position: text for split in outer for position, text in split.changes}
    kept_commas = {position for split in outer for position in split.kept_commas}
    changed = tuple(
        replace(token, text=changes[token.position]) if token.position in changes and not token.copied else token
        for token in start
    )
    rest = without(changed, removed, kept_commas)
    opening = tuple(Token(word) for split in outer for word in split.opening)
    while rest and mark_kind(rest[0].text) == "comma":
        rest = rest[1:]
    front = tuple(token for split in outer for token in split.front)
    rest = (*opening, *front, *rest)
    final = tokens[-1] if mark_kind(tokens[-1]) == "stop" else "."
    if not _is_ended([token.text for token in rest], final):
        rest = (*rest, Token(final))
    elif whole is None and _is_doubled(words(rest), tokens):
        rest = rest[:-1]
    return capitalised(rest)


def _is_doubled(texts: Sequence[str], source: Sequence[str]) -> bool:
    """Returns whether a full stop follows an abbreviation that ends with one, but not in the source ("Ltd. .")."""
    end = tuple(texts[-2:])
    return len(end) == 2 and end[1] == "." and _ends_with_stop(end[0]) and end not in pairwise(source)


def _ends_with_stop(text: str) -> bool:
    return len(text) > 2 and text.endswith(".")


def _is_ended(texts: Sequence[str], final: str) -> bool:
    """Returns whether a sentence ends with a stop, also one inside quotation marks or in `p.m.`."""
    rest = list(texts)
    while rest and (mark_kind(rest[-1]) in ("close", "quote") or rest[-1] in ("'", "’")):
        rest.pop()
    if not rest:
        return False
    return mark_kind(rest[-1]) == "stop" or (final == "." and _ends_with_stop(rest[-1]))
