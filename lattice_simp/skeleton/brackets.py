r"""Skeletons as readable text: the gaps of a tokenised sentence are in double brackets.

>>> parse_brackets("the plan [[of the council]] failed")
(('the', 'plan', 'of', 'the', 'council', 'failed'), (True, True, False, False, False, True))

Tokens are separated by blanks or tabs; `[[` comes before the first token of a gap and `]]` after its last one, with or
without blanks between. A backslash escapes a bracket or backslash: `\[`, `\]`, `\\`. A single bracket needs no escape
except at the edge of a gap; a backslash before any other character stands for itself. `parse_brackets` restores exactly
what `format_brackets` writes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import SkeletonError
from lattice_simp.formats.common import shown

_PIECE = re.compile(r"\\[\\\[\]]|\[\[|\]\]|.", re.DOTALL)
_OPEN, _CLOSE = "[[", "]]"


def parse_brackets(text: str) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    """Returns the tokens of bracket text and the mask of those that are kept (outside of brackets).

    Raises:
        SkeletonError: nested, unbalanced or empty brackets, or a bracket inside a token.
    """
    tokens: list[str] = []
    mask: list[bool] = []
    opened_at: int | None = None
    for chunk in split_tokens(text):
        token, opens, closes = _parse_chunk(chunk)
        if opens:
            if opened_at is not None:
                raise SkeletonError(f"[[ at token {len(tokens)} ({shown(chunk)}) while a gap is open; gaps do not nest")
            opened_at = len(tokens)
        if token:
            tokens.append(token)
            mask.append(opened_at is None)
        if closes:
            if opened_at is None:
                raise SkeletonError(f"]] at token {len(tokens)} ({shown(chunk)}) closes no gap")
            if opened_at == len(tokens):
                raise SkeletonError(f"the gap [[ ]] before token {len(tokens)} is empty")
            opened_at = None
    if opened_at is not None:
        raise SkeletonError(f"the gap that opens at token {opened_at} is never closed; write ]] after its last token")
    return tuple(tokens), tuple(mask)


def format_brackets(tokens: Sequence[str], gaps: Sequence[tuple[int, int]]) -> str:
    r"""Writes tokens with the gaps `(start, end)` in double brackets.

    >>> print(format_brackets(["see", "[", "1", "]", "a[[i]]"], [(1, 4)]))
    see [[\[ 1 \]]] a\[\[i\]\]
    """
    first = {start for start, _ in gaps}
    last = {end - 1 for _, end in gaps}
    written = []
    for position, token in enumerate(tokens):
        text = _escape(token, at_rim=position in first or position in last)
        written.append(_OPEN * (position in first) + text + _CLOSE * (position in last))
    return " ".join(written)


def _parse_chunk(chunk: str) -> tuple[str, bool, bool]:
    """Returns the token in the chunk (or ""), whether a gap opens before it, and whether one closes after it."""
    pieces = _PIECE.findall(chunk)
    opens = pieces[0] == _OPEN
    closes = pieces[-1] == _CLOSE
    inner = pieces[opens : len(pieces) - closes]
    if _OPEN in inner or _CLOSE in inner:
        nested = _OPEN in inner[:1] or _CLOSE in inner[-1:]
        why = "brackets do not nest" if nested else "gaps hold whole tokens; put blanks before [[ and after ]]"
        raise SkeletonError(f"a double bracket inside {shown(chunk)}: {why}")
    return "".join(piece[-1] for piece in inner), opens, closes


def _escape(token: str, *, at_rim: bool) -> str:
    escaped = token.replace("\\", "\\\\")
    if at_rim or _OPEN in token or _CLOSE in token:
        escaped = escaped.replace("[", "\\[").replace("]", "\\]")
    return escaped
