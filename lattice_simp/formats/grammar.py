r"""Writes grammars for constrained decoding: GBNF (llama.cpp, xgrammar, vLLM) and Lark (lark, llguidance).

The texts of a lattice become a right-linear grammar with one rule for each state of the minimal automaton of their
characters; no two alternatives of a rule begin with the same character. Grammars have no costs and features.

>>> print(format_gbnf(Lattice.from_strings([("a cat", 1.0), ("a dog", 2.0)])), end="")
root ::= "a " s2
s2 ::= "cat" end | "dog" end
end ::= ""
>>> print(format_lark(Lattice.from_strings([("a cat", 1.0), ("a dog", 2.0)])), end="")
start: "a " s2
s2: "cat" | "dog"
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import FormatError
from lattice_simp.formats.common import Format, Losses
from lattice_simp.formats.text_automaton import (
    LAST,
    HasLattice,
    Ranges,
    Spacing,
    TextAutomaton,
    complement,
    text_automaton,
)
from lattice_simp.support.textio import open_text


def format_gbnf(lattice: Lattice | HasLattice, spacing: Spacing = "words", *, leading_blank: bool = False) -> str:
    """Returns a GBNF grammar with the start `root`; see `text_automaton` for the arguments and errors."""
    return _GBNF.grammar(text_automaton(lattice, spacing, leading_blank=leading_blank))


def format_lark(lattice: Lattice | HasLattice, spacing: Spacing = "words", *, leading_blank: bool = False) -> str:
    """Returns a grammar for Lark (its Earley parser) and llguidance with the start `start`; see `text_automaton`."""
    return _LARK.grammar(text_automaton(lattice, spacing, leading_blank=leading_blank))


def write_gbnf(lattice: Lattice | HasLattice, path: str | Path, **options: Any) -> None:
    """Writes a GBNF grammar; the options are those of `format_gbnf`.

    Raises:
        LatticeSimpError: as `text_automaton`, or the file cannot be written.
    """
    text = format_gbnf(lattice, **options)
    with open_text(path, "w") as file:
        file.write(text)


def write_lark(lattice: Lattice | HasLattice, path: str | Path, **options: Any) -> None:
    """Writes a grammar for Lark and llguidance; the options are those of `format_lark`.

    Raises:
        LatticeSimpError: as `text_automaton`, or the file cannot be written.
    """
    text = format_lark(lattice, **options)
    with open_text(path, "w") as file:
        file.write(text)


def _read(data: bytes, *, path: str | Path | None = None, **options: Any) -> NoReturn:
    raise FormatError("grammars cannot be read", path=path, remedy="pass the lattice from which it was made")


def _never(head: bytes) -> bool:
    return False


GRAMMARS = ("gbnf", "lark")
"""The names of the formats."""


def _lost(lattice: Lattice) -> Losses:
    return {"a grammar cannot hold the": ["costs and features"]}


GBNF = Format((".gbnf",), _never, _read, write_gbnf, _lost)
LARK = Format((".lark",), _never, _read, write_lark, _lost)


@dataclass(frozen=True)
class _Notation:
    """The notation of a kind of grammar.

    Attributes:
        start: the name of the first rule.
        defines: the separator between a name and its alternatives.
        one_of: the delimiters of a class of characters.
        ends: whether the end of a text is a rule; otherwise it is nothing.
        escaped: escapes a code point by its number.
    """

    start: str
    defines: str
    one_of: str
    ends: bool
    escaped: Callable[[int], str]

    def grammar(self, automaton: TextAutomaton) -> str:
        """Returns the rules of an automaton, without unreachable ones."""
        names, due, lines = {0: self.start}, [0], []
        for state in due:
            alternatives = []
            for label, to in _merged(automaton, state):
                if to not in names and automaton.arcs[to]:
                    names[to] = f"s{to}"
                    due.append(to)
                follows = f" {names[to]}" if automaton.arcs[to] else " end" if self.ends else ""
                alternatives.append(f"{self._label(label)}{follows}")
            if automaton.finals[state]:
                alternatives.append('""' if self.ends else "")
            lines.append(f"{names[state]}{self.defines} {' | '.join(alternatives)}".rstrip(" ") + "\n")
        if self.ends and any(line.endswith(" end\n") or " end |" in line for line in lines):
            lines.append(f'end{self.defines} ""\n')
        return "".join(lines)

    def _label(self, label: str | Ranges) -> str:
        if isinstance(label, str):
            return _quoted(label, self.escaped)
        return self.one_of.format(_bracketed(label, self.escaped))


def _merged(automaton: TextAutomaton, state: int) -> list[tuple[str | Ranges, int]]:
    """Returns the alternatives of a state: a text, or the ranges of a character, with the target state.

    Characters with the same target are one alternative; a state that is not final and has a single character becomes
    part of the text.
    """
    leading: dict[int, list[int]] = {}
    for label, to in automaton.arcs[state]:
        leading.setdefault(to, []).append(label)
    merged: list[tuple[str | Ranges, int]] = []
    for to, classes in leading.items():
        ranges = _joined(point for label in classes for point in automaton.classes[label])
        text = _only(ranges)
        if text is None:
            merged.append((ranges, to))
            continue
        while not automaton.finals[to] and len(automaton.arcs[to]) == 1:
            label, following = automaton.arcs[to][0]
            more = _only(automaton.classes[label])
            if more is None:
                break
            text, to = text + more, following
        merged.append((text, to))
    return merged


def _only(ranges: Ranges) -> str | None:
    """Returns the character of ranges that hold only one, or None."""
    return chr(ranges[0][0]) if len(ranges) == 1 and ranges[0][0] == ranges[0][1] else None


def _joined(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Sorts and joins ranges, ignoring surrogates, which are not characters."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return tuple(joined)


def _escaped_for_gbnf(point: int) -> str:
    """Escapes a code point so that llama.cpp, xgrammar and llguidance all read it.

    llama.cpp has escapes for few characters, and llguidance accepts no `\\u` with leading zeros.
    """
    character = chr(point)
    if character in '"\\[]':
        return f"\\{character}"
    if character.isprintable() and character not in "^-":
        return character
    return f"\\x{point:02x}" if point <= 0xFF else _escaped(point)


def _escaped_for_lark(point: int) -> str:
    """Escapes a code point in a class; Lark replaces numeric escapes before it reads patterns."""
    return f"\\{chr(point)}" if chr(point) in string.punctuation else _escaped(point)


def _escaped(point: int) -> str:
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"


def _quoted(text: str, escaped: Callable[[int], str]) -> str:
    """Quotes a text; printable characters are not escaped."""

    def shown(character: str) -> str:
        if character in _SHORT:
            return _SHORT[character]
        return character if character.isprintable() else escaped(ord(character))

    return _AFTER_NUMBER.sub(r'\1" "', f'"{"".join(map(shown, text))}"')


def _bracketed(ranges: Ranges, escaped: Callable[[int], str]) -> str:
    """Writes a class of characters in brackets, negated if that is shorter."""
    excluded = complement(ranges)
    is_negative = ranges[-1][1] == LAST or len(excluded) < len(ranges)

    def bound(point: int) -> str:
        character = chr(point)
        return character if character.isascii() and character.isalnum() else escaped(point)

    parts = [
        bound(first) if first == last else f"{bound(first)}-{bound(last)}"
        for first, last in (excluded if is_negative else ranges)
    ]
    parts.sort(key=lambda part: part[0] not in string.hexdigits)  # see _AFTER_NUMBER
    return f"[{'^' * is_negative}{''.join(parts)}]"


_AFTER_NUMBER = re.compile(r"((?<!\\)(?:\\\\)*\\x[0-9a-f]{2})(?=[0-9a-fA-F])")
"""A numeric escape before a character that xgrammar reads as another digit: texts are split there, classes sorted."""

_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}

_GBNF = _Notation("root", " ::=", "{}", True, _escaped_for_gbnf)
_LARK = _Notation("start", ":", "/{}/", False, _escaped_for_lark)
