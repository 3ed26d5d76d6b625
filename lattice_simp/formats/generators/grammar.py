r"""Writes grammars for constrained decoding: GBNF, Lark and regular expressions.

GBNF (llama.cpp, xgrammar, vLLM) is a right-linear grammar with one rule for each state of the minimal automaton of the
characters of a lattice's texts; no two alternatives of a rule begin with the same character. Lark (lark, llguidance) is
the regular expression of the texts, with a rule for each choice and terminals of single characters; or rules as in GBNF
where the expression would be too large. Grammars have no costs and features.

>>> lattice = Lattice.from_strings([("a cat", 1.0), ("a dog", 2.0)])
>>> print(format_gbnf(lattice), end="")
root ::= "a " s2
s2 ::= "cat" end | "dog" end
end ::= ""
>>> print(format_lark(lattice), end="")
start: "a" " " s1
s1: "c" "a" "t" | "d" "o" "g"
>>> format_regex(lattice)
'a (?:cat|dog)'
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import FormatError
from lattice_simp.formats.common import Format, Losses, never
from lattice_simp.formats.generators.automaton import (
    LAST,
    HasLattice,
    Ranges,
    Spacing,
    TextAutomaton,
    complement,
    spell_text,
    text_automaton,
)
from lattice_simp.formats.generators.expression import Expression, TooLargeError, expression_of, joined_ranges
from lattice_simp.support.groups import grouped
from lattice_simp.support.textio import write_text


def format_gbnf(lattice: Lattice | HasLattice, spacing: Spacing = "words", *, leading_blank: bool = False) -> str:
    """Returns a GBNF grammar with the start `root`; see `text_automaton` for the arguments and errors."""
    return _GBNF.grammar(text_automaton(lattice, spacing, leading_blank=leading_blank))


def format_lark(lattice: Lattice | HasLattice, spacing: Spacing = "words", *, leading_blank: bool = False) -> str:
    """Returns a grammar for Lark (its Earley parser) and llguidance, with the start `start`; see `text_automaton`."""
    graph = spell_text(lattice, spacing, leading_blank=leading_blank)
    try:
        expression = expression_of(graph, _LARK_SIZE)
    except TooLargeError:
        return _LARK.grammar(text_automaton(lattice, spacing, leading_blank=leading_blank))
    return _LarkRules(expression).grammar()


def format_regex(lattice: Lattice | HasLattice, spacing: Spacing = "words", *, leading_blank: bool = False) -> str:
    """Returns a regular expression that whole texts match, for Python, Rust, vLLM, xgrammar and others.

    Matching by backtracking, as Python does, may take long on a text without a match; programs for constrained
    decoding compile expressions to automata.

    Args:
        lattice: see `text_automaton`.
        spacing: see `text_automaton`.
        leading_blank: see `text_automaton`.

    Raises:
        LatticeSimpError: as `text_automaton`; the expression would be too large.
    """
    return _pattern(expression_of(spell_text(lattice, spacing, leading_blank=leading_blank)))


def _read(data: bytes, *, path: str | Path | None = None, **options: Any) -> NoReturn:
    raise FormatError("grammars cannot be read", path=path, remedy="pass the lattice from which it was made")


GRAMMARS = ("gbnf", "lark", "regex")
"""The names of the formats."""


def _lost(lattice: Lattice) -> Losses:
    has_costs = bool(lattice.weights.any() or (lattice.finals[np.isfinite(lattice.finals)] != 0.0).any())
    parts = [name for name, is_lost in (("costs", has_costs), ("features", bool(lattice.features))) if is_lost]
    return {"a grammar cannot store": [" and ".join(parts)] if parts else []}


def _format(suffix: str, text_of: Callable[..., str]) -> Format:
    """Returns the format of files that hold the text of a grammar; options are those of `text_of`."""

    def write(lattice: Lattice | HasLattice, path: str | Path, **options: Any) -> None:
        write_text(path, text_of(lattice, **options))

    return Format((suffix,), never, _read, write, _lost)


GBNF, LARK = _format(".gbnf", format_gbnf), _format(".lark", format_lark)
REGEX = _format(".regex", format_regex)


_LARK_SIZE = 10_000
"""The most characters of an expression that becomes rules of Lark; above it, one rule a state is smaller."""


class _LarkRules:
    """The rules of an expression: one for each choice and repetition, since lark multiplies out choices within rules.

    llguidance parses rules of single characters quickly.
    """

    def __init__(self, expression: Expression) -> None:
        self._rules, self._due = {expression: "start"}, [expression]
        self._classes: dict[Ranges, str] = {}

    def grammar(self) -> str:
        rules = [f"{self._rules[part]}: {self._alternatives(part)}".rstrip() for part in self._due]
        classes = (f"{name}: /{_bracketed(ranges, _escaped_for_pattern)}/" for ranges, name in self._classes.items())
        return "".join(f"{line}\n" for line in (*rules, *classes))

    def _alternatives(self, expression: Expression) -> str:
        if expression.kind == "choice":
            return " | ".join(map(self._symbols, expression.parts))
        if expression.kind == "repeated":
            return f"{self._symbols(expression.parts[0])} {self._rules[expression]} |"
        return self._symbols(expression)

    def _symbols(self, expression: Expression) -> str:
        """Returns the terminals and rules of an expression."""
        if expression.kind == "sequence":
            return " ".join(map(self._symbols, expression.parts))
        if expression.kind == "character":
            letter = _only(expression.ranges)
            classes = self._classes
            return (
                _quoted(letter, _escaped) if letter else classes.setdefault(expression.ranges, f"C{len(classes) + 1}")
            )
        if expression not in self._rules:
            self._rules[expression] = f"s{len(self._due)}"
            self._due.append(expression)
        return self._rules[expression]


def _pattern(expression: Expression) -> str:
    """Returns an expression as a regular expression."""
    if expression.kind == "character":
        letter = _only(expression.ranges)
        return _escaped_for_text(letter) if letter else _bracketed(expression.ranges, _escaped_for_pattern)
    if expression.kind == "choice":
        parts = [part for part in expression.parts if part.size]
        if len(parts) == len(expression.parts):
            return f"(?:{'|'.join(map(_pattern, parts))})"
        return f"{_atom(parts[0])}?" if len(parts) == 1 else f"(?:{'|'.join(map(_pattern, parts))})?"
    if expression.kind == "repeated":
        return f"{_atom(expression.parts[0])}*"
    shown: list[str] = []
    for before, part in zip((None, *expression.parts), expression.parts, strict=False):
        if before and part.kind == "repeated" and part.parts[0] is before:
            shown[-1] = f"{_atom(before)}+"
        else:
            shown.append(_pattern(part))
    return "".join(shown)


def _atom(expression: Expression) -> str:
    """Returns a regular expression that an operator may follow."""
    shown = _pattern(expression)
    is_atom = expression.kind == "character" or (expression.kind == "choice" and not shown.endswith("?"))
    return shown if is_atom else f"(?:{shown})"


@dataclass(frozen=True)
class _Notation:
    """The notation of a kind of grammar.

    Attributes:
        start: the name of the first rule.
        defines: the separator between a name and its alternatives.
        one_of: the delimiters of a class of characters.
        ends: whether the end of a text is a rule of its own; otherwise it is an empty alternative.
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
    leading = grouped((to, label) for label, to in automaton.arcs[state])
    merged: list[tuple[str | Ranges, int]] = []
    for to, classes in leading.items():
        ranges = joined_ranges(point for label in classes for point in automaton.classes[label])
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


def _escaped_for_pattern(point: int) -> str:
    """Escapes a code point in a class; Lark replaces numeric escapes before it reads patterns.

    Before `<` and `>`, a backslash has another meaning in Rust.
    """
    character = chr(point)
    return f"\\{character}" if character in _PUNCTUATION else character if character in "<>" else _escaped(point)


def _escaped_for_text(character: str) -> str:
    """Escapes a character in a regular expression, outside of classes."""
    if character in "\\.^$*+?{}[]|()":
        return f"\\{character}"
    return character if character.isprintable() else _escaped(ord(character))


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

_PUNCTUATION = frozenset(string.punctuation) - {*"<>"}

_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}

_GBNF = _Notation("root", " ::=", "{}", True, _escaped_for_gbnf)
_LARK = _Notation("start", ":", "/{}/", False, _escaped_for_pattern)
