"""Expands a substitution grammar, as a recursive transition network, to one lattice of all sentences.

`L(d, P)`, the strings of a phrase P with substitutions nested at most d deep, is the union of the concatenations of
`L(d, part)` for P's expansions and of `L(d - 1, part)` for those of each substitute. Each set is a minimal
deterministic acceptor, in which the acceptors of the parts replace their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace as replace_fields
from graphlib import TopologicalSorter
from itertools import chain
from typing import NamedTuple

import numpy as np

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.ops.determinize import MAX_STATES
from lattice_simp.ops.minimize import minimize
from lattice_simp.ops.replace import replace
from lattice_simp.systems.paraphrase.grammar import Phrase, Production, SubstitutionGrammar

SUBSTITUTIONS = "Substitutions"
"""The feature with minus the least number of substitutions of a sentence."""

_NAME = "\x00{}"
"""The symbol of a part that is not expanded yet; its first character never occurs in text."""

_ROOT = Phrase("", ())


class _Key(NamedTuple):
    """A phrase, and the deepest nesting of substitutions (-1 for any)."""

    phrase: Phrase
    depth: int


def expand_network(grammar: SubstitutionGrammar, depth: int | None = None, max_states: int = MAX_STATES) -> Lattice:
    """Returns the deterministic acceptor of all sentences; a sentence costs its number of substitutions.

    The grammar must not recurse unless the depth of nested substitutions is bounded. Raises LatticeSimpError if an
    intermediate acceptor has more than `max_states`.
    """
    top = _Key(_ROOT, -1 if depth is None else depth)
    graph: dict[_Key, dict[_Key, None]] = {}
    pending = [top]
    while pending:
        key = pending.pop()
        if key not in graph:
            productions = [production for production, _ in _alternatives(grammar, key)]
            graph[key] = dict.fromkeys(part for part in chain.from_iterable(productions) if isinstance(part, _Key))
            pending += graph[key]
    symbols = SymbolTable(dict.fromkeys(word for sentence in grammar.sentences for word in sentence.words))
    parts: dict[_Key, Lattice | tuple[str, ...]] = {}
    for key in TopologicalSorter(graph).static_order():
        parts[key] = _expanded(list(_alternatives(grammar, key)), parts, symbols, max_states)
    sentences = parts[top]
    lattice = Lattice.from_strings([(sentences, 0.0)], symbols) if isinstance(sentences, tuple) else sentences
    return lattice.with_used_symbols()


def _alternatives(grammar: SubstitutionGrammar, key: _Key) -> Iterator[tuple[tuple[str | _Key, ...], int]]:
    """Yields the expansions of a phrase, with parts at their remaining depth, and the number of substitutions."""
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


def _expanded(
    alternatives: list[tuple[tuple[str | _Key, ...], int]],
    parts: dict[_Key, Lattice | tuple[str, ...]],
    symbols: SymbolTable,
    max_states: int,
) -> Lattice | tuple[str, ...]:
    """Returns the acceptor of a phrase, or its words if there is only one string."""
    names: dict[_Key, str] = {}
    strings: dict[tuple[str, ...], float] = {}
    for production, substitutions in alternatives:
        words: list[str] = []
        for part in production:
            expansion = None if isinstance(part, str) else parts[part]
            if isinstance(part, str):
                words.append(part)
            elif isinstance(expansion, tuple):
                words += expansion
            else:
                words.append(names.setdefault(part, _NAME.format(len(names))))
        strings[tuple(words)] = min(substitutions, strings.get(tuple(words), np.inf))
    if len(strings) == 1 and not names:
        return next(iter(strings))
    if len(strings) == 1 and len(names) == 1 and len(next(iter(strings))) == 1 and not min(strings.values()):
        return parts[next(iter(names))]
    network = Lattice.from_strings(strings.items(), symbols)
    inner = {name: lattice for key, name in names.items() if isinstance(lattice := parts[key], Lattice)}
    return minimize(replace(network, inner), max_states=max_states)


def at_most(lattice: Lattice, substitutions: int) -> Lattice:
    """Returns the sentences with at most this many substitutions, splitting states by the number so far.

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
    """Moves the costs of a lattice to the feature `Substitutions`; all paths then cost 0."""
    ends = np.where(np.isfinite(lattice.finals), 0.0, np.inf)
    scored = lattice.with_feature(
        SUBSTITUTIONS, 0.0 - lattice.weights, np.where(ends == 0.0, 0.0 - lattice.finals, 0.0)
    )
    return replace_fields(scored, weights=np.zeros(lattice.num_arcs), finals=ends)
