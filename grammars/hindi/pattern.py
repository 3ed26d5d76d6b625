"""Regular expressions over symbols, which rules consist of, compiled to acceptors. A pattern is a sequence of symbols
separated by blanks. `( )` groups, `|` separates alternatives, `*`, `+` and `?` follow the part that they repeat,
`$NAME` is a named class, `.` is any symbol that is not a bracket, and `^(A|B)` is any symbol that is neither a bracket
nor one of these. A pattern without symbols is the empty string.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pynini
import pywrapfst

from lattice_simp.errors import LatticeSimpError

_PART = re.compile(r"\s*([()|*+?.^]|\$?[A-Z][A-Z0-9_]*|[\[{][a-z]*|[\]}])")
_REPEATS = "*+?"


class Alphabet:
    """The symbols of the rules: units, which stand for the chunks of a sentence, and the brackets of clauses."""

    def __init__(self, units: tuple[str, ...], brackets: tuple[str, ...]) -> None:
        self.units, self.brackets = units, brackets
        self.table = pywrapfst.SymbolTable()
        for name in ("<epsilon>", *units, *brackets):
            self.table.add_symbol(name)

    def string(self, names: Sequence[str]) -> pynini.Fst:
        """Returns the acceptor of one string of symbols; raises LatticeSimpError if one is unknown."""
        for name in names:
            if not self.table.member(name):
                raise LatticeSimpError(f"no symbol {name!r}; there are {' '.join((*self.units, *self.brackets))}")
        return pynini.accep(" ".join(names), token_type=self.table)

    def any_of(self, names: Sequence[str]) -> pynini.Fst:
        """Returns the acceptor of one symbol out of several."""
        return pynini.union(*(self.string([name]) for name in names)).optimize()


def compile_pattern(
    text: str, alphabet: Alphabet, classes: Mapping[str, str], inside: tuple[str, ...] = ()
) -> pynini.Fst:
    """Compiles a pattern to an acceptor.

    It may refer to named classes, but not to those that it is `inside`, outermost first.

    >>> letters = Alphabet(("NP", "KI", "FIN"), ("[", "]"))
    >>> compile_pattern("NP* (FIN | $THAT)", letters, {"THAT": "KI"}).num_states() > 0
    True

    Raises:
        LatticeSimpError: the text is broken, a symbol or class is unknown, or a class refers to itself.
    """
    parts, position = [], 0
    text = text.strip()
    while position < len(text):
        part = _PART.match(text, position)
        if not part:
            raise LatticeSimpError(f"no symbol or operator at {text[position:]!r} in the pattern {text!r}")
        parts.append(part[1])
        position = part.end()
    reader = _Reader(parts, text, alphabet, classes, inside)
    fst = reader.alternatives()
    if reader.position < len(parts):
        raise LatticeSimpError(f"{parts[reader.position]!r} is out of place in the pattern {text!r}")
    return fst.optimize()


@dataclass
class _Reader:
    """Reads the parts of a pattern by recursive descent."""

    parts: list[str]
    text: str
    alphabet: Alphabet
    classes: Mapping[str, str]
    inside: tuple[str, ...]
    position: int = 0

    def next_is(self, options: str) -> bool:
        return self.position < len(self.parts) and self.parts[self.position] in options

    def alternatives(self) -> pynini.Fst:
        branches = [self.row()]
        while self.next_is("|"):
            self.position += 1
            branches.append(self.row())
        return pynini.union(*branches) if len(branches) > 1 else branches[0]

    def row(self) -> pynini.Fst:
        fst = self.alphabet.string([])
        while self.position < len(self.parts) and not self.next_is("|)"):
            fst.concat(self.repeated())
        return fst

    def repeated(self) -> pynini.Fst:
        fst = self.atom()
        while self.next_is(_REPEATS):
            operator = self.parts[self.position]
            fst = fst.star if operator == "*" else fst.plus if operator == "+" else fst.ques
            self.position += 1
        return fst

    def atom(self) -> pynini.Fst:
        if self.position == len(self.parts):
            raise LatticeSimpError(f"something is missing at the end of the pattern {self.text!r}")
        part = self.parts[self.position]
        self.position += 1
        if part == "(":
            fst = self.alternatives()
            if not self.next_is(")"):
                raise LatticeSimpError(f"a group stays open in the pattern {self.text!r}")
            self.position += 1
            return fst
        if part == ".":
            return self.alphabet.any_of(self.alphabet.units)
        if part == "^":
            return pynini.difference(self.alphabet.any_of(self.alphabet.units), self.atom().optimize())
        if part.startswith("$"):
            return self.named(part[1:])
        if part in _REPEATS:
            raise LatticeSimpError(f"{part!r} repeats nothing in the pattern {self.text!r}")
        return self.alphabet.string([part])

    def named(self, name: str) -> pynini.Fst:
        if name not in self.classes:
            raise LatticeSimpError(f"no class '${name}' (pattern {self.text!r})")
        inside = (*self.inside, name)
        if name in self.inside:
            raise LatticeSimpError(f"a class names itself: {' > '.join(inside)} (pattern {self.text!r})")
        return compile_pattern(self.classes[name], self.alphabet, self.classes, inside)
