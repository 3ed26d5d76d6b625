"""Splits between two events of a semantic graph (Narayan and Gardent 2014, section 3.1).

A candidate is a pair of events with a core role each. One event moves to a new sentence with its subgraph; subgraphs
that hang from neither event go with the nearer one, and entities that both sentences need are repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from lattice_simp.grammars.english.lexicon import word_group
from lattice_simp.systems.simplify.candidates import event_pairs
from lattice_simp.systems.simplify.clauses import FINITE, pairs
from lattice_simp.systems.simplify.constructions.clause import inserted
from lattice_simp.systems.simplify.constructions.coordination import coordinators
from lattice_simp.systems.simplify.graphs.graph import Edge, EdgeKind, NodeKind, SemanticGraph
from lattice_simp.systems.simplify.inflection import be_form, finite_form
from lattice_simp.systems.simplify.noun_phrase import MAX_COPY
from lattice_simp.systems.simplify.sentence import Token
from lattice_simp.systems.simplify.split import Split, SplitKind, is_statement, keeps_whole
from lattice_simp.text.english.punctuation import mark_kind

_UNSUITABLE_FIRST = frozenset({"CC", "IN", "TO", "WRB", "WP$", "WP", "WDT"})
_SEPARABLE = frozenset({EdgeKind.CLAUSE, EdgeKind.CONJUNCT})
_NAMES = frozenset({"NNP", "NNPS"})


def event_splits(graph: SemanticGraph) -> tuple[Split, ...]:
    """Returns the splits between two events after which both sentences are complete.

    >>> from lattice_simp.systems.simplify.graphs.graph import Node
    >>> events = (Node("X1", NodeKind.EVENT, ("leave",), (4,)), Node("X2", NodeKind.EVENT, ("sing",), (2, 3)))
    >>> ann = Node("X3", NodeKind.ENTITY, ("ann",), (0,))
    >>> edges = (Edge("X1", "X3", "agent", EdgeKind.ROLE), Edge("X2", "X3", "agent", EdgeKind.ROLE, shared=True))
    >>> sentence = ("Ann", "who", "sings", "well", "left", "home", "today", ".")
    >>> graph = SemanticGraph(sentence, (*events, ann), edges, tags=("NNP", "WP", "VBZ", "RB", "VBD", "NN", "NN", "."))
    >>> [token.text for token in event_splits(graph)[0].sentence]
    ['Ann', 'sings', 'well']
    """
    if not is_statement(graph.tokens):
        return ()
    splits = (_split(graph, first, second) for first, second, _ in event_pairs(graph))
    possible = [split for split in splits if split is not None]
    return tuple(sorted(possible, key=lambda split: (split.clause[0], -len(split.clause))))


def _split(graph: SemanticGraph, first: str, second: str) -> Split | None:
    """Returns the split that moves the second event, or else the first one, to a new sentence."""
    for remaining, moved in ((first, second), (second, first)):
        halves = _Halves(graph, remaining, moved)
        sentence = _sentence(halves) if halves.run and halves.is_separable() and _stays_sentence(halves) else ()
        if not sentence:
            continue
        kept = {token.position for token in sentence if not token.copied}
        clause = tuple(position for position in halves.run if position in kept)
        dropped = tuple(position for position in halves.run if position not in kept)
        if clause and keeps_whole(graph.tokens, {*clause, *dropped}, sentence):
            roles = (graph.labels(remaining), graph.labels(moved))
            leads = all(mark_kind(token) is not None for token in graph.tokens[: halves.run[0]])
            restrictive = _is_restrictive(halves)
            return Split(SplitKind.EVENT, clause, dropped, sentence, leads, restrictive=restrictive, roles=roles)
    return None


# ---------------------------------------------------------------- the half of each word


@dataclass(frozen=True, eq=False)
class _Halves:
    """A graph cut into two halves, one for each of two events."""

    graph: SemanticGraph
    remaining: str
    moved: str

    @cached_property
    def sides(self) -> dict[str, str]:
        """The event to whose half each node belongs."""
        graph, ends = self.graph, (self.remaining, self.moved)
        tops = {node.name: _top(graph, node.name, ends) for node in graph.nodes}
        nearer = {top: self._nearer(tops, top) for top in dict.fromkeys(tops.values()) if top not in ends}
        sides = {name: nearer.get(top, top) for name, top in tops.items()}
        for edge in graph.edges:
            if (sides[edge.head], sides[edge.dependent]) == ends and not _is_event(graph, edge.dependent):
                sides |= dict.fromkeys(_entity(graph, edge.dependent), self.remaining)
        return sides

    def _nearer(self, tops: Mapping[str, str], top: str) -> str:
        """Returns the event whose subgraph is nearer to that of `top`, or of equally near ones shares more words."""
        spans = {end: _positions(self.graph, tops, end) for end in (self.remaining, self.moved, top)}

        def rank(end: str) -> tuple[int, int]:
            gap = min(
                (abs(place - end_place) for place in spans[top] for end_place in spans[end]),
                default=len(self.graph.tokens),
            )
            crossing = [edge for edge in self.graph.edges if {tops[edge.head], tops[edge.dependent]} == {top, end}]
            return gap, -sum(len(self.graph.by_name[edge.dependent].positions) for edge in crossing)

        return min((self.remaining, self.moved), key=rank)

    @cached_property
    def owners(self) -> tuple[str, ...]:
        """The event that owns each position; an orphan belongs to the event of the nearest word, the later of two."""
        graph, owners = self.graph, dict[int, str]()
        for node in graph.nodes:
            owners |= dict.fromkeys(node.positions, self.sides[node.name])
        for edge in graph.edges:
            owners |= dict.fromkeys(edge.positions, self.sides[edge.head if edge.shared else edge.dependent])
        owned_positions = sorted(owners)
        return tuple(
            owners[min(owned_positions, key=lambda place: (abs(place - position), -place))]
            for position in range(len(graph.tokens))
        )

    @cached_property
    def run(self) -> tuple[int, ...]:
        """The positions that move, without marks at their ends; none if they are not contiguous."""
        moving = [position for position, owner in enumerate(self.owners) if owner == self.moved]
        while moving and mark_kind(self.graph.tokens[moving[-1]]) is not None:
            moving.pop()
        while moving and mark_kind(self.graph.tokens[moving[0]]) is not None:
            moving.pop(0)
        return tuple(moving) if moving and moving[-1] - moving[0] + 1 == len(moving) else ()

    @cached_property
    def missing(self) -> tuple[Edge, ...]:
        """The edges from the event that moves to entities that remain."""
        edges = self.graph.outgoing[self.moved]
        return tuple(edge for edge in edges if self.sides[edge.dependent] == self.remaining)

    def is_separable(self) -> bool:
        """Returns whether no event is a core argument of the other half, or joined to it by a word such as `if`.

        A clause that describes an entity must also have a role for it.
        """
        sides, edges = self.sides, self.graph.edges
        cut = [edge for edge in edges if sides[edge.head] != sides[edge.dependent] and not edge.shared]
        described = {edge.head for edge in cut if edge.kind is EdgeKind.CLAUSE}
        entities = {edge.dependent for edge in self.missing}
        separable = all(edge.kind in _SEPARABLE or not _is_event(self.graph, edge.dependent) for edge in cut)
        return separable and described <= entities


def _is_event(graph: SemanticGraph, name: str) -> bool:
    return graph.by_name[name].kind is NodeKind.EVENT


def _top(graph: SemanticGraph, name: str, ends: Sequence[str]) -> str:
    """Returns the nearest of the two events above a node, or its root."""
    while name not in ends and name in graph.incoming:
        name = graph.incoming[name].head
    return name


def _positions(graph: SemanticGraph, tops: Mapping[str, str], top: str) -> list[int]:
    return [position for node in graph.nodes if tops[node.name] == top for position in node.positions]


def _entity(graph: SemanticGraph, name: str) -> Iterator[str]:
    """Yields a node and its descendants, except for events and their descendants."""
    yield name
    for edge in graph.outgoing[name]:
        if not edge.shared and not _is_event(graph, edge.dependent):
            yield from _entity(graph, edge.dependent)


# ---------------------------------------------------------------- the words of the new sentence


def _sentence(halves: _Halves) -> tuple[Token, ...]:
    """Returns the new sentence; empty if one of the halves would not be a sentence."""
    graph, run = halves.graph, halves.run
    opening = coordinators().get(graph.tokens[run[0]].lower())
    dropped = _relative_word(halves) if opening is None else {run[0]}
    rest = [position for position in run if position not in dropped]
    group = _verb_group(graph, halves.moved)
    if not rest or not group or not set(group) <= set(rest) or not _can_begin(graph, rest[0]):
        return ()
    roles = [edge.dependent for edge in halves.missing if edge.kind is EdgeKind.ROLE]
    subject = () if _has_subject(halves, group[0]) or not roles else _mention(graph, roles.pop(0), subject=True)
    objects = [_mention(graph, name, subject=False) for name in roles]
    verb = _finite(halves, group, subject)
    if not verb or not all(objects) or not (subject or _has_subject(halves, group[0])):
        return ()
    before = _plain(graph, [position for position in rest if position < group[0]])
    after = _plain(graph, [position for position in rest if position > group[-1]])
    added = [token for entity in objects for token in entity]
    return (*inserted(opening or ""), *before, *subject, *verb, *added, *after)


def _stays_sentence(halves: _Halves) -> bool:
    """Returns whether a finite main verb with a subject remains, and no conjunction before it."""
    graph, after = halves.graph, halves.run[-1] + 1
    following = next(
        (place for place in range(after, len(graph.tokens)) if mark_kind(graph.tokens[place]) is None), None
    )
    if halves.run[0] == 0 and following is not None and not _can_begin(graph, following):
        return False
    return any(_is_main(halves, event) for event in graph.events if halves.sides[event] == halves.remaining)


def _is_main(halves: _Halves, event: str) -> bool:
    """Returns whether a remaining event has a finite verb and a subject, and does not describe an entity."""
    graph, group = halves.graph, _verb_group(halves.graph, event)
    head = graph.incoming.get(event)
    describes = head is not None and head.kind is EdgeKind.CLAUSE
    roles = [edge.dependent for edge in graph.outgoing[event] if edge.kind is EdgeKind.ROLE]
    has_role = any(halves.sides[name] == halves.remaining for name in roles)
    return has_role and not describes and _is_finite(graph, group) and not _is_relative(graph, group[0] - 1)


def _can_begin(graph: SemanticGraph, position: int) -> bool:
    """Returns whether a sentence can begin with a word."""
    word = graph.tokens[position].lower()
    return (
        _tag(graph, position) not in _UNSUITABLE_FIRST
        and word not in coordinators()
        and word not in word_group("relatives")
    )


def _is_relative(graph: SemanticGraph, position: int) -> bool:
    return graph.tokens[position].lower() in word_group("relatives") and position in graph.orphans


def _relative_word(halves: _Halves) -> set[int]:
    """Returns the position of the relative pronoun that a repeated entity replaces."""
    first = halves.run[0]
    return {first} if halves.missing and _is_relative(halves.graph, first) else set()


def _tag(graph: SemanticGraph, position: int) -> str:
    return graph.tags[position] if graph.tags else ""


def _verb_group(graph: SemanticGraph, event: str) -> tuple[int, ...]:
    """Returns the positions of an event's verb and the auxiliaries and adverbs before it."""
    positions = graph.by_name[event].positions
    tagged = [position for position in positions if _tag(graph, position).startswith(("VB", "MD"))]
    verbs = tagged or list(positions)
    if not verbs:
        return ()
    other_event_positions = {
        position for name in graph.events if name != event for position in graph.by_name[name].positions
    }
    first = verbs[0]
    while first and _tag(graph, first - 1).startswith(("VB", "MD", "RB")) and first - 1 not in other_event_positions:
        first -= 1
    return tuple(range(first, verbs[-1] + 1))


def _is_finite(graph: SemanticGraph, group: Sequence[int]) -> bool:
    """Returns whether a verb group has a finite verb; without tags it counts as finite."""
    return bool(group) and (not graph.tags or any(graph.tags[position] in FINITE for position in group))


def _has_subject(halves: _Halves, verb: int) -> bool:
    """Returns whether a core argument that moves with the event precedes its verb."""
    graph = halves.graph
    roles = [edge for edge in graph.outgoing[halves.moved] if edge.kind is EdgeKind.ROLE and edge not in halves.missing]
    return any(position < verb for edge in roles for position in graph.by_name[edge.dependent].positions)


def _mention(graph: SemanticGraph, name: str, *, subject: bool) -> tuple[Token, ...]:
    """Returns an entity for a second mention; empty if it cannot be repeated."""
    places = _entity_positions(graph, name)
    if not places or places[-1] - places[0] + 1 != len(places) or len(places) > MAX_COPY:
        return ()
    first = graph.tokens[places[0]].lower()
    form = pairs("determiners").get(first, _in_sentence(graph, places[0]))
    if len(places) == 1:
        form = pairs("subject_pronouns").get(first, form) if subject else form
        form = "" if first in pairs("determiners") else form
    rest = (Token(_in_sentence(graph, position), position, copied=True) for position in places[1:])
    return (Token(form, places[0], copied=True), *rest) if form else ()


def _entity_positions(graph: SemanticGraph, name: str) -> list[int]:
    names = set(_entity(graph, name))
    inside = {position for each in names for position in graph.by_name[each].positions}
    edges = (edge for each in names for edge in graph.outgoing[each] if edge.dependent in names and not edge.shared)
    return sorted(inside | {position for edge in edges for position in edge.positions})


def _in_sentence(graph: SemanticGraph, position: int) -> str:
    """Returns a word in mid-sentence case."""
    text = graph.tokens[position]
    keeps = position or text == "I" or _tag(graph, position) in _NAMES or (text[1:] and not text[1:].islower())
    return text if keeps else text.lower()


def _plain(graph: SemanticGraph, positions: Sequence[int]) -> tuple[Token, ...]:
    return tuple(Token(_in_sentence(graph, position), position) for position in positions)


def _finite(halves: _Halves, group: Sequence[int], subject: Sequence[Token]) -> tuple[Token, ...]:
    """Returns the verb group with a finite verb; empty for an infinitive."""
    graph, tokens = halves.graph, _plain(halves.graph, group)
    plural = bool(subject) and _is_plural(graph, subject[-1])
    if _is_finite(graph, group):
        disagree = {graph.tags[position] for position in group} & {"VBZ" if plural else "VBP"} if graph.tags else ()
        return () if subject and disagree else tokens
    first = next((position for position in group if graph.tags[position] in ("VBG", "VBN")), None)
    if first is None or not subject:
        return ()
    past = _is_past(halves)
    if graph.tags[first] == "VBN":
        return (*inserted(be_form(past, plural)), *tokens)
    word = graph.tokens[first].lower()
    lemma = graph.by_name[halves.moved].predicates[0] if first == group[-1] else word
    form = finite_form(word, lemma, past, plural)
    return tuple(Token(form, first) if token.position == first else token for token in tokens)


def _is_plural(graph: SemanticGraph, last: Token) -> bool:
    """Returns whether the last word of an entity is plural."""
    return last.text.lower() in word_group("plural_pronouns") or _tag(graph, last.position or 0) in ("NNS", "NNPS")


def _is_past(halves: _Halves) -> bool:
    """Returns whether the remaining event is in the past."""
    group = _verb_group(halves.graph, halves.remaining)
    tags = {halves.graph.tags[position] for position in group}
    return not tags & {"VBZ", "VBP"}


def _is_restrictive(halves: _Halves) -> bool:
    """Returns whether no punctuation separates a clause from the word that it describes."""
    described = (_entity_positions(halves.graph, edge.dependent) for edge in halves.missing)
    return any(halves.run[0] - 1 in positions for positions in described)
