"""Finds the places where a sentence can be split in two.

The paper's candidates are pairs of events that each have a core role; a candidate is realised here where one of the
two is the verb of a clause that can stand alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations

from lattice_simp.systems.simplify.clauses import repaired
from lattice_simp.systems.simplify.constructions.adverbial import adverbial_clauses
from lattice_simp.systems.simplify.constructions.apposition import appositions
from lattice_simp.systems.simplify.constructions.coordination import coordinated_clauses
from lattice_simp.systems.simplify.constructions.participle import participial_clauses
from lattice_simp.systems.simplify.constructions.relative import relative_clauses
from lattice_simp.systems.simplify.graphs.dependency_graph import dependency_graph
from lattice_simp.systems.simplify.graphs.graph import SemanticGraph
from lattice_simp.systems.simplify.split import RoleSets, Split, SplitKind, is_statement, keeps_whole
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind

CONSTRUCTIONS: tuple[Callable[[Parse], Iterator[Split]], ...] = (
    relative_clauses,
    coordinated_clauses,
    appositions,
    adverbial_clauses,
    participial_clauses,
)
"""The constructions; if two offer the same clause, the first one wins."""

COPULA = ("attribute", "theme")
"""The roles of an apposition's event."""


def event_pairs(graph: SemanticGraph) -> tuple[tuple[str, str, RoleSets], ...]:
    """Returns the paper's split candidates: pairs of events with a core role, and their roles (section 3.1).

    The events of a pair are in the order of the sentence.
    """
    return tuple(
        (first, second, (graph.labels(first), graph.labels(second))) for first, second in combinations(graph.events, 2)
    )


def split_candidates(parse: Parse, graph: SemanticGraph | None = None) -> tuple[Split, ...]:
    """Returns the splits that can be realised, ordered by clause.

    >>> from lattice_simp.systems.simplify.split import apply_splits
    >>> parse = Parse(tuple("Ann , who sings well , left home .".split()), (6, 0, 3, 0, 3, 0, -1, 6, 6),
    ...     ("nsubj", "punct", "nsubj", "relcl", "advmod", "punct", "ROOT", "dobj", "punct"),
    ...     ("PROPN", "PUNCT", "PRON", "VERB", "ADV", "PUNCT", "VERB", "NOUN", "PUNCT"),
    ...     ("NNP", ",", "WP", "VBZ", "RB", ",", "VBD", "NN", "."),
    ...     ("Ann", ",", "who", "sing", "well", ",", "leave", "home", "."))
    >>> for sentence in apply_splits(parse.tokens, split_candidates(parse)):
    ...     print(*(token.text for token in sentence))
    Ann left home .
    Ann sings well .

    Args:
        parse: a parse in the labels of spaCy's English models.
        graph: the graph that supplies the roles; by default that of the parse.
    """
    parse = repaired(parse)
    if not is_statement(parse.tokens):
        return ()
    graph = dependency_graph(parse) if graph is None else graph
    by_clause: dict[tuple[int, ...], Split] = {}
    for splits in CONSTRUCTIONS:
        for split in splits(parse):
            if split.clause not in by_clause and _is_sound(parse, split):
                by_clause[split.clause] = _completed(parse, graph, split)
    return tuple(sorted(by_clause.values(), key=lambda split: (split.clause[0], -len(split.clause))))


def _is_sound(parse: Parse, split: Split) -> bool:
    """Returns whether both halves are complete: enough words, the main verb kept, brackets and quotations intact."""
    return bool(set(parse.roots) - split.removed) and keeps_whole(parse.tokens, split.removed, split.sentence)


def _completed(parse: Parse, graph: SemanticGraph, split: Split) -> Split:
    """Adds the roles of the split's events and the commas that stay."""
    assert split.head is not None
    assert split.governor is not None
    new_roles = COPULA if split.kind is SplitKind.APPOSITION else _roles(graph, split.head)
    roles = _roles(graph, _event(parse, split.governor)), new_roles
    return replace(split, roles=roles, kept_commas=_kept_commas(parse, split, split.head, split.governor))


def _event(parse: Parse, position: int) -> int:
    """Returns the verb that a position belongs to."""
    while parse.parts[position] not in ("VERB", "AUX") and parse.heads[position] != ROOT:
        position = parse.heads[position]
    return position


def _roles(graph: SemanticGraph, position: int) -> tuple[str, ...]:
    name = graph.node_at(position)
    return () if name is None else graph.labels(name)


def _kept_commas(parse: Parse, split: Split, clause: int, governor: int) -> tuple[int, ...]:
    """Returns the comma after a clause that also ends a fronted adverbial or a list member."""
    last = max(split.removed)
    if last + 2 >= len(parse) or parse.tokens[last + 1] != "," or split.leads:
        return ()
    current, below_it = governor, clause
    while current != ROOT:
        head = parse.heads[current]
        below = [position for position in parse.subtree(current) if mark_kind(parse.tokens[position]) is None]
        if head == ROOT or below[-1] > last:
            follows_verb = parse.parts[current] in ("VERB", "AUX") and below_it > current
            goes_on = follows_verb and parse.labels[last + 2] != "cc"
            return (last + 1,) if goes_on or _goes_on(parse, current, last) else ()
        fronted = parse.labels[current] in ("prep", "advcl", "npadvmod", "csubj", "ccomp") and current < head
        if fronted or _goes_on(parse, current, last):
            return (last + 1,)
        current, below_it = head, current
    return ()


def _goes_on(parse: Parse, position: int, last: int) -> bool:
    """Returns whether the next list member follows the comma that ends a clause."""
    following = (child for child in parse.children[position] if child > last + 1)
    first = next(following, None)
    return first is not None and parse.labels[first] == "conj" and parse.parts[position] not in ("VERB", "AUX")
