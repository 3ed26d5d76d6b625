"""Chooses the punctuation of a skeleton for its words.

A pair of brackets or quotation marks is kept if a word between them is. A comma is deleted with the gap that it opens
or closes, unless it still separates kept words. No comma is kept first, last, doubled, or before the final stop.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from lattice_simp.grammars.english.lexicon import OPEN, marks, partners

STOP, COMMA, CLOSE, QUOTE = "stop", "comma", "close", "quote"


def mark_kind(token: str) -> str | None:
    """Returns the kind of a punctuation mark, or None for a word.

    >>> mark_kind(","), mark_kind("("), mark_kind("%")
    ('comma', 'open', None)
    """
    return marks().get(token)


def mark_pairs(tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs brackets and quotation marks; marks without a partner are left out.

    >>> mark_pairs('" no ( never ) " he said "'.split())
    [(2, 4), (0, 5)]
    """
    kinds, partner = marks(), partners()
    pairs: list[tuple[int, int]] = []
    opened: list[int] = []
    for position, token in enumerate(tokens):
        kind = kinds.get(token)
        closed_by = {index: tokens[index] if kind == QUOTE else partner.get(tokens[index]) for index in opened}
        closes = [index for index, closing in closed_by.items() if closing == token]
        if closes:
            del opened[opened.index(closes[-1]) :]
            pairs.append((closes[-1], position))
        elif kind in (OPEN, QUOTE):
            opened.append(position)
    return pairs


def place_punctuation(
    tokens: Sequence[str], keep: Sequence[bool], conjuncts: Sequence[bool] | None = None
) -> tuple[bool, ...]:
    """Decides which punctuation marks to keep from the kept words; the values of `keep` for marks are ignored.

    `conjuncts` begin further members of a list; when such a member is deleted, one of its two commas is kept.

    >>> tokens = "in October , she , an actress , was ill .".split()
    >>> mask = place_punctuation(tokens, [token in "she was ill" for token in tokens])
    >>> [token for token, kept in zip(tokens, mask) if kept]
    ['she', 'was', 'ill', '.']
    """
    kinds = [mark_kind(token) for token in tokens]
    mask = [kept and kind is None for kept, kind in zip(keep, kinds, strict=True)]
    if not any(mask):
        return tuple(mask)
    # A pair without a kept word counts as deleted text, so that the commas around it are deleted.
    pairs = mark_pairs(tokens)
    paired = {position: any(mask[first + 1 : last]) for first, last in pairs for position in (first, last)}
    # A kept pair counts as kept text beside its commas, even if some of its words are deleted.
    after_marks = {first for first, last in pairs if paired[first]}
    before_marks = {last for first, last in pairs if paired[first]}
    words = {position for position, kind in enumerate(kinds) if kind is None}
    stays = [kept or paired.get(position, False) for position, kept in enumerate(mask)]
    result = list(mask)
    for position, kind in enumerate(kinds):
        if kind is None:
            continue
        before = max((index for index in words | before_marks if index < position), default=None)
        after = min((index for index in words | after_marks if index > position), default=None)
        if position in paired:
            result[position] = paired[position]
        elif kind == STOP:
            ends_pair = position + 1 in before_marks and mask[position - 1]  # 'he cried " Stop ! " and ran'
            result[position] = ends_pair or _stop_stays(position, mask, kinds)
        elif before is not None and after is not None:
            result[position] = _comma_stays(position, before, after, stays, kinds, conjuncts)
    return tuple(_tidy(result, [OPEN if position in after_marks else kind for position, kind in enumerate(kinds)]))


def _stop_stays(position: int, mask: list[bool], kinds: list[str | None]) -> bool:
    """Returns whether to keep a stop: the final one, and one inside with kept words on both sides."""
    stops = [index for index, kind in enumerate(kinds) if kind == STOP]
    start = max((index + 1 for index in stops if index < position), default=0)
    end = min((index for index in stops if index > position), default=len(mask))
    words_follow = any(kind is None for kind in kinds[position:])
    return not words_follow or (any(mask[start:position]) and any(mask[position:end]))


def _comma_stays(
    position: int, before: int, after: int, stays: list[bool], kinds: list[str | None], conjuncts: Sequence[bool] | None
) -> bool:
    if stays[before] == stays[after]:
        return stays[before]
    if stays[before]:
        end = next((index for index in range(after, len(stays)) if stays[index]), len(stays))
        closed = COMMA in takewhile(bool, reversed(kinds[:end]))
        return closed and conjuncts is not None and conjuncts[position]
    start = next((index for index in range(before, -1, -1) if stays[index]), -1)
    return start >= 0 and COMMA not in takewhile(bool, kinds[start + 1 :])


def _tidy(mask: list[bool], kinds: list[str | None]) -> list[bool]:
    """Deletes commas that are first, last, doubled, after an opening mark or before a closing bracket."""
    for step, rims in ((1, (OPEN, COMMA, STOP)), (-1, (STOP, CLOSE))):
        beside = rims[0]
        for position in range(len(mask))[::step]:
            if mask[position] and kinds[position] == COMMA and beside in rims:
                mask[position] = False
            elif mask[position]:
                beside = kinds[position] or "word"
    return mask
