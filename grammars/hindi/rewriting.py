"""Rewrite rules: each row of a rule file is a transducer, and a file is their composition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import pynini

from lattice_simp.errors import LatticeSimpError
from lattice_simp.grammars.hindi.pattern import Alphabet, compile_pattern
from lattice_simp.grammars.hindi.symbols import symbols
from lattice_simp.support.tables import Row, grammar_table

BEGINNING, END = "BOS", "EOS"
"""The symbols around a sentence."""

MAX_STATES = 2000
"""The most states of neighbouring rules as one transducer; above it, two compositions are faster than one."""

COLUMNS = ("replace", "by", "before", "after", "cost", "note")


@cache
def alphabet() -> Alphabet:
    """Returns the symbols of units and the brackets of `rule_brackets.tsv`."""
    brackets = tuple(row["bracket"] for row in grammar_table("hindi/rule_brackets.tsv", ("bracket", "meaning")))
    return Alphabet((*symbols(), BEGINNING, END), brackets)


@cache
def classes() -> Mapping[str, str]:
    """Returns the named patterns of `rule_classes.tsv`."""
    rows = list(grammar_table("hindi/rule_classes.tsv", ("name", "pattern", "note")))
    patterns = {row["name"]: row["pattern"] for row in rows}
    for row in rows:
        try:
            compile_pattern(row["pattern"], alphabet(), patterns, (row["name"],))
        except LatticeSimpError as error:
            raise row.error(str(error), "correct the class") from error
    return patterns


@cache
def stage(name: str) -> tuple[pynini.Fst, ...]:
    """Compiles `rule_NAME.tsv` to transducers, to be applied in order; one may combine several rows.

    Each row replaces each match of `replace` between `before` and `after` by the symbols of `by`. With a cost, the
    replacement is optional, and the least total cost wins. If `replace` matches several strings, `by` must be a single
    string.
    """
    rules = []
    for row in grammar_table(f"hindi/rule_{name}.tsv", COLUMNS):
        try:
            rules.append(_rule(row))
        except (LatticeSimpError, ValueError) as error:
            raise row.error(str(error), "correct the rule") from error
    return tuple(rule.arcsort("ilabel") for rule in _composed(rules))


def _composed(rules: Sequence[pynini.Fst]) -> list[pynini.Fst]:
    """Composes neighbouring rules as long as their composition stays small."""
    composed: list[pynini.Fst] = []
    for rule in rules:
        both = pynini.compose(composed[-1], rule).optimize() if composed else rule
        if both.num_states() <= MAX_STATES:
            composed[-1:] = [both]
        else:
            composed.append(rule)
    return composed


def _rule(row: Row) -> pynini.Fst:
    replaced, by, before, after = (
        compile_pattern(row[column], alphabet(), classes()) for column in ("replace", "by", "before", "after")
    )
    change = pynini.cross(replaced, by)
    if row["cost"]:
        change = pynini.concat(change, pynini.accep("", weight=float(row["cost"])))
        return pynini.cdrewrite(change, before, after, any_string(), mode="opt").optimize()
    return pynini.cdrewrite(change, before, after, any_string()).optimize()


@cache
def any_string() -> pynini.Fst:
    """Returns the acceptor of all strings of units and brackets."""
    letters = alphabet()
    return letters.any_of((*letters.units, *letters.brackets)).closure().optimize()
