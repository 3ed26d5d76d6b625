"""All sentences of a substitution grammar as one lattice: a recursive transition network, expanded from below.

`L(d, P)`, the strings of a phrase P with at most d substitutions inside one another, are those of its own parts,
concatenated from `L(d, part)`, and those of each substitute Q, concatenated from `L(d - 1, part)` of Q's parts. Each
such set is a deterministic acceptor with as few states as can be, in which the parts' acceptors take the place of
their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace as replace_fields
from graphlib import TopologicalSorter
from typing import NamedTuple

import numpy as np

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.ops.determinize import MAX_STATES, minimize
from lattice_simp.ops.replace import replace
from lattice_simp.systems.paraphrase.grammar import Phrase, Production, SubstitutionGrammar

SUBSTITUTIONS = "Substitutions"
"""The feature that tells minus how many substitutions a sentence takes, the fewest that make it."""

_NAME = "\x00{}"
"""The symbol that stands for a part until it is expanded; no word of a text has this character."""

_ROOT = Phrase("", ())


class _Key(NamedTuple):
    """A phrase, and how many substitutions may be inside one another; -1 for any number."""

    phrase: Phrase
    depth: int


def expand_network(grammar: SubstitutionGrammar, depth: int | None = None, max_states: int = MAX_STATES) -> Lattice:
    """Returns the deterministic acceptor of all sentences; a sentence costs the substitutions that it takes.

    Args:
        grammar: one that does not recurse, unless the depth is bounded.
        depth: how many substitutions may be inside one another; None for any number.
        max_states: of any acceptor on the way.

    Raises:
        LatticeSimpError: an acceptor has more states.
        CycleError: the grammar recurses, and no depth is given.
    """
    top = _Key(_ROOT, -1 if depth is None else depth)
    graph: dict[_Key, dict[_Key, None]] = {}
    pending = [top]
    while pending:
        key = pending.pop()
        if key not in graph:
            productions = [production for production, _ in _alternatives(grammar, key)]
            graph[key] = dict.fromkeys(part for production in productions for part in _keys(production))
            pending += graph[key]
    symbols = SymbolTable(dict.fromkeys(word for sentence in grammar.sentences for word in sentence.words))
    parts: dict[_Key, Lattice | tuple[str, ...]] = {}
    for key in TopologicalSorter(graph).static_order():
        parts[key] = _expanded(list(_alternatives(grammar, key)), parts, symbols, max_states)
    made = parts[top]
    lattice = Lattice.from_strings([(made, 0.0)], symbols) if isinstance(made, tuple) else made
    return _with_own_symbols(lattice)


def _alternatives(grammar: SubstitutionGrammar, key: _Key) -> Iterator[tuple[tuple[str | _Key, ...], int]]:
    """Yields what stands for a phrase, its parts with the depth that is left to them, and the substitutions."""
    if key.phrase == _ROOT:
        for sentence in grammar.sentences:
            yield (_Key(sentence, key.depth),), 0
        return
    for production, substitutions in grammar.alternatives(key.phrase):
        if key.depth != 0 or not substitutions:
            left = key.depth if key.depth < 0 else key.depth - substitutions
            yield _with_depth(production, left), substitutions


def _with_depth(production: Production, depth: int) -> tuple[str | _Key, ...]:
    return tuple(part if isinstance(part, str) else _Key(part, depth) for part in production)


def _keys(production: tuple[str | _Key, ...]) -> Iterator[_Key]:
    return (part for part in production if isinstance(part, _Key))


def _expanded(
    alternatives: list[tuple[tuple[str | _Key, ...], int]],
    parts: dict[_Key, Lattice | tuple[str, ...]],
    symbols: SymbolTable,
    max_states: int,
) -> Lattice | tuple[str, ...]:
    """Returns the acceptor of a phrase, or its words where there is but one string."""
    names: dict[_Key, str] = {}
    strings: dict[tuple[str, ...], float] = {}
    for production, substitutions in alternatives:
        words: list[str] = []
        for part in production:
            known = None if isinstance(part, str) else parts[part]
            if isinstance(part, str):
                words.append(part)
            elif isinstance(known, tuple):
                words += known
            else:
                words.append(names.setdefault(part, _NAME.format(len(names))))
        strings[tuple(words)] = min(substitutions, strings.get(tuple(words), np.inf))
    if len(strings) == 1 and not names:
        return next(iter(strings))
    if len(strings) == 1 and len(names) == 1 and len(next(iter(strings))) == 1 and not min(strings.values()):
        return parts[next(iter(names))]
    network = Lattice.from_strings(strings.items(), symbols)
    inner = {name: own for key, name in names.items() if isinstance(own := parts[key], Lattice)}
    return minimize(replace(network, inner), max_states=max_states)


def _with_own_symbols(lattice: Lattice) -> Lattice:
    """Returns the lattice with a table of its words alone."""
    used = np.unique(lattice.olabels)
    names = np.zeros(len(lattice.symbols), dtype=np.int32)
    names[used] = np.arange(1, len(used) + 1)
    labels = names[lattice.olabels]
    own = SymbolTable([lattice.symbols[label] for label in used.tolist()])
    return replace_fields(lattice, ilabels=labels, olabels=labels, symbols=own)


def at_most(lattice: Lattice, substitutions: int) -> Lattice:
    """Returns the sentences that take at most so many substitutions: each state is split by how many came before.

    >>> lattice = Lattice.from_strings([("a b", 1.0), ("a c", 3.0)])
    >>> from lattice_simp.ops.nbest import nbest
    >>> [path.text for path in nbest(at_most(lattice, 2), 5)]
    ['a b']
    """
    levels = np.arange(substitutions + 1)
    costs = np.rint(lattice.weights).astype(np.int64)
    after = levels[:, None] + costs
    kept = after <= substitutions
    size = lattice.num_states
    level, arc = np.nonzero(kept)
    ends = np.where(levels[:, None] + lattice.finals <= substitutions, lattice.finals, np.inf)
    return Lattice.from_arcs(
        lattice.sources[arc] + level * size,
        lattice.olabels[arc],
        lattice.weights[arc],
        lattice.nextstates[arc] + after[level, arc] * size,
        ends.ravel(),
        lattice.symbols,
    ).connected()


def with_substitutions(lattice: Lattice) -> Lattice:
    """Returns the lattice with its costs as the feature `Substitutions`; no path costs anything then."""
    ends = np.where(np.isfinite(lattice.finals), 0.0, np.inf)
    told = lattice.with_feature(SUBSTITUTIONS, 0.0 - lattice.weights, np.where(ends == 0.0, 0.0 - lattice.finals, 0.0))
    return replace_fields(told, weights=np.zeros(lattice.num_arcs), finals=ends)
