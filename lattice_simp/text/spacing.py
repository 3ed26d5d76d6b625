"""Gives a text the blanks, quotes and dashes of its source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_SPACED_MARK = re.compile(r"\s[,.]")


def spaced_like(tokens: Sequence[str], text: str, source_tokens: Sequence[str], source: str) -> str:
    """Returns text, as rules of spacing write it, with the blanks of its source between neighbours of both.

    >>> tokens = "He sang \\" Yes \\" at 6:00 .".split()
    >>> source_tokens, source = "He performed \\" Yes \\" at 6:00 .".split(), 'He performed "Yes" at 6:00.'
    >>> spaced_like(tokens, 'He sang "Yes "at 6:00.', source_tokens, source)
    'He sang "Yes" at 6:00.'

    If the text of the source is its tokens, blanks between them mean nothing; only tokens without a blank stay
    together.

    >>> spaced_like(["<", "T", "_", "3", ">", "won", "."], "< T _ 3 > won.", "< T _ 3 > triumphed .".split(),
    ...             "<T_3> triumphed .")
    '<T_3> won.'
    """
    blanks, source_blanks = _blanks(tokens, text), _blanks(source_tokens, source)
    if blanks is None or source_blanks is None:
        return text
    is_tokenised = _SPACED_MARK.search(source) is not None
    habits: dict[tuple[str, str], set[bool]] = {}
    for pair, blank in zip(pairwise(source_tokens), source_blanks, strict=True):
        if not (is_tokenised and blank):
            habits.setdefault(pair, set()).add(blank)
    parts = [tokens[0]] if tokens else []
    for pair, blank in zip(pairwise(tokens), blanks, strict=True):
        habit = habits.get(pair, {blank})
        parts.append((" " if (habit == {True} if len(habit) == 1 else blank) else "") + pair[1])
    line = "".join(parts)
    return line[:1].upper() + line[1:]


_QUOTES = "[“”„«»]"
_INSIDE, _OUTSIDE = re.compile(r'(?<=[^\s,.])([,.]+)"'), re.compile(r'"[,.]')
"""Commas and stops before a closing quote, where normalisation moves them, and after it."""

_POSSESSIVE = re.compile(r"\)['’]s\b")

_PLAIN = (('"', _QUOTES), ("'", "[‘’]"), ("...", "…"), (" - ", " ?— ?"), ("-", "–"))
"""The marks that normalisation writes, and patterns of the source's marks that they replace."""


def marked_like(text: str, source: str) -> str:
    """Returns text with the quotes, apostrophes and dashes of its source in place of the plain ones.

    >>> marked_like('"It is old - really," he said.', "“It is ancient — really,” he said.")
    '“It is old — really,” he said.'
    >>> marked_like("The club (FC) 's shop is old.", "The club (FC)'s shop is ancient.")
    "The club (FC)'s shop is old."
    >>> marked_like('They sang "Yes," and left.', 'They performed "Yes", and left.')
    'They sang "Yes", and left.'
    >>> marked_like('Its sign is "$," they say "Yes..."', 'Its symbol is "$", they say "Yes"...')
    'Its sign is "$", they say "Yes"...'

    Marks stay plain if the source has plain ones, too, or if it has different ones and another number of them.
    """
    quoted = re.sub(_QUOTES, '"', source)
    if _OUTSIDE.search(quoted) and not _INSIDE.search(quoted):
        text = _INSIDE.sub(r'"\1', text)
    if _POSSESSIVE.search(source):
        text = re.sub(r"\) (?=['’]s\b)", ")", text)
    for plain, pattern in _PLAIN:
        marks = re.findall(pattern, source)
        if not marks or plain in source:
            continue
        if len(set(marks)) == 1:
            text = text.replace(plain, marks[0])
        elif text.count(plain) == len(marks):
            first, *parts = text.split(plain)
            text = first + "".join(map("".join, zip(marks, parts, strict=True)))
    return text


_ESCAPES = {
    "&#124;": "|",
    "&lt;": "<",
    "&gt;": ">",
    "&apos;": "'",
    "&quot;": '"',
    "&#91;": "[",
    "&#93;": "]",
    "&amp;": "&",
}
"""The escapes of the Moses tokeniser; the ampersand comes last, since the others hold one."""


_ENDING = re.compile(r"(?<=\w) (?=(?:['’](?:s|re|ve|ll|d|m)|n['’]t|(?<=n )['’]t)(?:\s|$))", re.IGNORECASE)


def untokenised(text: str) -> str:
    """Returns text with the characters that the Moses tokeniser has escaped, and with joined contractions.

    >>> print(untokenised("they &apos;ve said &quot; do n't &quot;"))
    they've said " don't "
    """
    for escape, character in _ESCAPES.items():
        text = text.replace(escape, character)
    return _ENDING.sub("", text)


def joined_quotes(text: str) -> str:
    """Returns text with a quotation mark in the place of two apostrophes or accents.

    >>> joined_quotes("``Yes'', he said")
    '"Yes", he said'
    """
    return text.replace("``", '"').replace("''", '"')


def has_words(text: str, tokens: Sequence[str]) -> bool:
    """Returns whether a text consists of these tokens, with or without blanks between them."""
    return _blanks(tokens, text) is not None


def escaped_like(text: str, source: str) -> str:
    """Returns text with those characters escaped that its source escapes.

    >>> escaped_like("AT&T's", "AT&amp;T 's")
    "AT&amp;T's"
    """
    for escape, character in reversed(_ESCAPES.items()):
        if escape in source:
            text = text.replace(character, escape)
    return text


def _blanks(tokens: Sequence[str], text: str) -> list[bool] | None:
    """Returns whether a blank precedes each token but the first; None if the text has other words."""
    place, blanks = 0, []
    for token in tokens:
        start = len(text) - len(text[place:].lstrip())
        if text[start : start + len(token)].lower() != token.lower():
            return None
        blanks.append(start > place)
        place = start + len(token)
    return blanks[1:]
