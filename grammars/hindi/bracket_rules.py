"""Acceptors of the costs of broken rules on clauses, one for each row of `bracket_rules.tsv`. Sharma and Paul 2014
(hybrid approach, section 4.2) correct the brackets of a conditional random field one rule after the other. Here each of
their rules is a weighted acceptor of units and brackets that adds a cost for each place where the rule is broken. The
field's lattice is composed with all of them and with the acceptor of balanced brackets; the shortest path is the best
bracketing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import pynini

from lattice_simp.errors import LatticeSimpError
from lattice_simp.grammars.hindi.bracketing import well_formed
from lattice_simp.grammars.hindi.pattern import compile_pattern
from lattice_simp.grammars.hindi.rewriting import BEGINNING, END, alphabet, any_string, classes
from lattice_simp.grammars.hindi.transducers import cost_of
from lattice_simp.support.tables import Row, grammar_table

TABLE = "hindi/bracket_rules.tsv"


@dataclass(frozen=True)
class BracketRule:
    """A rule: the cost, in nats, of each place between `before` and `after`."""

    name: str
    before: str
    after: str
    cost: float

    def acceptor(self, cost: float | None = None) -> pynini.Fst:
        """Returns the acceptor of all strings, each with a cost for each place; by default the cost of the rule."""
        before, after = (compile_pattern(text, alphabet(), classes()) for text in (self.before, self.after))
        weight = pynini.accep("", weight=self.cost if cost is None else cost)
        return pynini.cdrewrite(weight, before, after, any_string()).project("input").rmepsilon().optimize()


@cache
def bracket_rules() -> tuple[BracketRule, ...]:
    """Returns the rules of the table.

    >>> [rule.name for rule in bracket_rules()][:2]
    ['1a verb', '1a end']
    """
    rules: dict[str, BracketRule] = {}
    for row in grammar_table(TABLE, ("rule", "before", "after", "cost", "note")):
        rule = _rule(row)
        if rule.name in rules:
            raise row.error(f"the rule {rule.name!r} is there already", "give it another name")
        rules[rule.name] = rule
    return tuple(rules.values())


def _rule(row: Row) -> BracketRule:
    rule = BracketRule(row["rule"], row["before"], row["after"], cost_of(row))
    try:
        rule.acceptor()
    except LatticeSimpError as error:
        raise row.error(str(error), "correct the rule") from error
    return rule


def cheapest_well_formed(
    strings: pynini.Fst, n: int = 1, *, most: float = math.inf, costs: Mapping[str, float] | None = None
) -> pynini.Fst:
    """Returns at most n cheapest paths of an acyclic transducer with balanced brackets, including the rules' costs.

    Args:
        strings: units between `BOS` and `EOS`, and brackets, on the output side.
        n: the number of paths.
        most: the largest cost of a path, in nats; arcs of costlier paths are pruned after each composition.
        costs: the costs of the rules by name; by default those of the table.
    """
    candidates = _within(pynini.compose(strings, _well_formed()), most)
    for acceptor in _acceptors(None if costs is None else tuple(costs.items())):
        candidates = _within(pynini.compose(candidates, acceptor), most)
    return pynini.shortestpath(candidates, nshortest=n)


def _within(fst: pynini.Fst, most: float) -> pynini.Fst:
    """Removes arcs that are on no path within a limit; later rules can only add costs."""
    if not fst.num_states() or most == math.inf:
        return fst
    best = float(pynini.shortestdistance(fst, reverse=True)[fst.start()])
    return fst.prune(weight=most - best) if best <= most else pynini.Fst()


def breaches(symbols: Sequence[str]) -> dict[str, int]:
    """Counts the places where a string of units and brackets breaks rules, by rule; rules that it keeps are left out.

    >>> breaches("[main NE SAY ] [comp KI NP FIN ]".split())
    {'1a verb': 1}
    """
    string = alphabet().string([BEGINNING, *symbols, END])
    counts = {}
    for rule, counter in zip(bracket_rules(), _counters(), strict=True):
        counted = pynini.compose(string, counter)
        counts[rule.name] = round(float(pynini.shortestdistance(counted, reverse=True)[counted.start()]))
    return {name: count for name, count in counts.items() if count}


@cache
def _well_formed() -> pynini.Fst:
    return well_formed().arcsort("ilabel")


@cache
def _acceptors(costs: tuple[tuple[str, float], ...] | None) -> tuple[pynini.Fst, ...]:
    """Returns the acceptors of the rules with a cost above 0."""
    cost_of = {rule.name: rule.cost for rule in bracket_rules()} if costs is None else dict(costs)
    rules = ((rule, cost_of.get(rule.name, 0.0)) for rule in bracket_rules())
    return tuple(rule.acceptor(cost).arcsort("ilabel") for rule, cost in rules if cost > 0)


@cache
def _counters() -> tuple[pynini.Fst, ...]:
    return tuple(rule.acceptor(1.0).arcsort("ilabel") for rule in bracket_rules())
