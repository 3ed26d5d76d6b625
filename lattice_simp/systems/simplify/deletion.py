"""Finds and applies deletions: relations, modifiers and orphan words.

Core roles are never deleted, nor is anything that the graph marks as obligatory (negations, complements, parts of
names ...).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from lattice_simp.systems.simplify.graphs.graph import Edge, EdgeKind, SemanticGraph
from lattice_simp.systems.simplify.sentence import Sentence, capitalised, without
from lattice_simp.text.english.punctuation import mark_kind, mark_pairs


class DeletionKind(StrEnum):
    """The three tables of the paper's deletion model (Table 2), in the order of their use."""

    RELATION = "relation"
    MODIFIER = "modifier"
    ORPHAN = "orphan"


LENGTH_RANGES = ((2, "0-2"), (5, "2-5"))
"""The greatest length, in words, of a relation's phrase in each range; longer phrases are in `5-`."""

_KINDS = {
    EdgeKind.RELATION: DeletionKind.RELATION,
    EdgeKind.CLAUSE: DeletionKind.RELATION,
    EdgeKind.MODIFIER: DeletionKind.MODIFIER,
}
_ORDER = list(DeletionKind)


@dataclass(frozen=True)
class Deletion:
    """A phrase or word that can be deleted.

    Attributes:
        kind: relation, modifier or orphan.
        word: the relation's word, the modifier or the orphan, in lower case.
        detail: for a relation the range of the phrase's length (`0-2`, `2-5`, `5-`); for an orphan word `true` if it is
            at a boundary of the sentence, otherwise `false`; for a modifier empty.
        positions: the deleted positions; `delete` also removes the punctuation that belongs to them.
        within: the index of the smallest candidate that contains this one, among all candidates; None if there is none.
        listed: whether a comma separates it from an earlier modifier of its head ("cold , dark").
    """

    kind: DeletionKind
    word: str
    detail: str
    positions: tuple[int, ...]
    within: int | None = None
    listed: bool = False

    def shifted(self, number: int) -> Deletion:
        """Returns the deletion in a sentence that follows this many tokens."""
        return replace(self, positions=tuple(position + number for position in self.positions))

    @property
    def feature(self) -> tuple[str, str, str]:
        """The key of the deletion in the model's tables."""
        return self.kind.value, self.word, self.detail


def deletion_candidates(graph: SemanticGraph) -> tuple[Deletion, ...]:
    """Returns the deletable relations, then modifiers, then orphan words, each in sentence order.

    >>> from lattice_simp.systems.simplify.graphs.graph import Node, NodeKind
    >>> nodes = (Node("X1", NodeKind.EVENT, ("rain",), (1,)), Node("X2", NodeKind.ENTITY, ("paris",), (3,)))
    >>> edges = (Edge("X1", "X2", "in", EdgeKind.RELATION, (2,)),)
    >>> graph = SemanticGraph(("it", "rained", "in", "Paris"), nodes, edges, frozenset({0}))
    >>> for deletion in deletion_candidates(graph):
    ...     print(deletion.feature, deletion.positions)
    ('relation', 'in', '0-2') (2, 3)
    """
    candidates = sorted(
        (*_phrases(graph), *_orphans(graph)), key=lambda each: (_ORDER.index(each.kind), each.positions)
    )
    return tuple(replace(candidate, within=_container(candidate, candidates)) for candidate in candidates)


def _phrases(graph: SemanticGraph) -> Iterator[Deletion]:
    for edge in graph.edges:
        if edge.kind not in _KINDS or edge.shared or edge.obligatory:
            continue
        positions = _whole_phrase(graph, edge)
        if not positions or not _leaves_sentence(graph, positions):
            continue
        kind = _KINDS[edge.kind]
        if kind is DeletionKind.RELATION:
            words = sum(mark_kind(graph.tokens[position]) is None for position in positions)
            yield Deletion(kind, edge.label, length_range(words), _with_comma(graph, edge, positions))
        else:
            word = " ".join(graph.tokens[position].lower() for position in graph.by_name[edge.dependent].positions)
            listed = _is_listed(graph, edge, positions[0])
            yield Deletion(kind, word, "", _with_comma(graph, edge, positions), listed=listed)


def _is_listed(graph: SemanticGraph, modifier: Edge, first: int) -> bool:
    """Returns whether a comma and another modifier of the same head precede a phrase."""
    siblings = (edge for edge in graph.edges if edge.kind == EdgeKind.MODIFIER and edge.head == modifier.head)
    return graph.tokens[first - 1] == "," and any(first - 2 in graph.phrase(edge) for edge in siblings)


def length_range(words: int) -> str:
    """Returns the range of a phrase's length in words.

    >>> [length_range(words) for words in (1, 2, 3, 5, 6)]
    ['0-2', '0-2', '2-5', '2-5', '5-']
    """
    return next((name for most, name in LENGTH_RANGES if words <= most), "5-")


def _whole_phrase(graph: SemanticGraph, edge: Edge) -> tuple[int, ...]:
    """Returns the positions of a phrase including orphans inside it; none if it is not contiguous."""
    owned = set(graph.phrase(edge))
    orphans = set(graph.orphans)
    if not owned:
        return ()
    first, last = min(owned), max(owned)
    if edge.kind == EdgeKind.CLAUSE:
        while first - 1 in orphans and mark_kind(graph.tokens[first - 1]) is None:
            first -= 1  # the relative pronoun
    while last + 1 in orphans and first <= last and mark_kind(graph.tokens[last + 1]) in ("close", "quote"):
        if not any(first <= opening and closing == last + 1 for opening, closing in mark_pairs(graph.tokens)):
            break
        last += 1
    inside = range(first, last + 1)
    whole = all(position in owned or position in orphans for position in inside)
    torn = any((opening in inside) != (closing in inside) for opening, closing in mark_pairs(graph.tokens))
    return tuple(inside) if whole and not torn else ()


def _leaves_sentence(graph: SemanticGraph, positions: tuple[int, ...]) -> bool:
    """Returns whether the phrase is outside quotation marks and deleting it leaves words."""
    quoted = any(
        mark_kind(graph.tokens[first]) == "quote" and first < positions[0] and positions[-1] < last
        for first, last in mark_pairs(graph.tokens)
    )
    remaining = [
        position
        for position in range(len(graph.tokens))
        if position not in positions and mark_kind(graph.tokens[position]) is None
    ]
    return bool(remaining) and not quoted


def _with_comma(graph: SemanticGraph, edge: Edge, positions: tuple[int, ...]) -> tuple[int, ...]:
    """Adds the comma after a fronted phrase, which would separate nothing."""
    head = graph.by_name[edge.head].positions
    after = positions[-1] + 1
    fronted = bool(head) and positions[-1] < head[-1]
    if fronted and graph.tokens[after] == ",":
        return (*positions, after)
    return positions


def _orphans(graph: SemanticGraph) -> Iterator[Deletion]:
    words = [position for position, token in enumerate(graph.tokens) if mark_kind(token) is None]
    for position in graph.orphans:
        if position in words and position not in graph.needed and len(words) > 1:
            boundary = str(position in (words[0], words[-1])).lower()
            yield Deletion(DeletionKind.ORPHAN, graph.tokens[position].lower(), boundary, (position,))


def _container(deletion: Deletion, candidates: list[Deletion]) -> int | None:
    span = set(deletion.positions)
    larger = [index for index, candidate in enumerate(candidates) if span < set(candidate.positions)]
    return min(larger, key=lambda index: len(candidates[index].positions), default=None)


def delete(sentence: Sentence, deletions: Iterable[Deletion]) -> Sentence:
    """Removes deletions and the punctuation that belongs to them, and capitalises the new first word.

    >>> from lattice_simp.systems.simplify.sentence import source_sentence, words
    >>> deletion = Deletion(DeletionKind.RELATION, "in", "0-2", (0, 1))
    >>> words(delete(source_sentence("In May , it rained .".split()), [deletion]))
    ('It', 'rained', '.')
    """
    chosen = list(deletions)
    deleted = {position for deletion in chosen for position in deletion.positions}
    rest = without(sentence, deleted, _commas_before(sentence, chosen))
    return rest if rest[:1] == sentence[:1] else capitalised(rest)


def _commas_before(sentence: Sentence, deletions: Sequence[Deletion]) -> set[int]:
    """Returns the commas before deletions that still separate something.

    They do if the words after the deletion belong to its phrase ("bread , fresh fish"), or if it is inside a list of
    modifiers ("a cold , dark , wet day"), where the comma after it is removed instead.
    """
    texts = {token.position: token.text for token in sentence if token.position is not None}
    deleted = {position for deletion in deletions for position in deletion.positions}
    commas = set()
    for deletion in deletions:
        first, last = deletion.positions[0], deletion.positions[-1]
        while deletion.listed and last + 1 in deleted:
            last += 1  # the rest of the list may go, too
        goes_on = mark_kind(texts.get(last + 1, ".")) is None
        if texts.get(first - 1) == "," and goes_on and deletion.listed == (texts.get(last) == ","):
            commas.add(first - 1)
    return commas
