"""Splits clauses into separate sentences.

A clause keeps its words without those of its nested clauses. Participles and preceding clauses come first, then the
clause, then the rest in source order. Coordinators and `ki` are dropped; `lekin` and similar words begin the sentence
after them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, takewhile
from typing import NamedTuple

from lattice_simp.systems.hindi.sentence import CONJUNCTION, NON_FINITE, PUNCTUATION, Sentence
from lattice_simp.systems.hindi.simplify.clause_tree import (
    Item,
    Node,
    is_consequence,
    is_joining,
    is_participial,
    items,
    tokens_of,
    verb_chunk,
)
from lattice_simp.systems.hindi.simplify.model import Part, PartKind, Word
from lattice_simp.systems.hindi.simplify.tables import connectives


def split_clauses(sentence: Sentence, root: Node) -> list[Part]:
    """Returns the clauses that are split off as parts, in reading order."""
    parts = [part for part in _parts(sentence, root) if part.tokens or part.lead]
    return [
        _trimmed(sentence, part, is_first=position == 0) for position, part in enumerate(_passed_on(sentence, parts))
    ]


class _Clause(NamedTuple):
    """A clause to split, with its tokens and nested clauses, and the verb that governs it."""

    node: Node
    content: list[Item]
    finite: int | None
    participle: int | None
    governor: int | None

    @property
    def is_frame(self) -> bool:
        """Whether it has no verb of its own."""
        return self.finite is None and (self.participle is None or not self.node.name)


def _clause(sentence: Sentence, node: Node, governor: int | None) -> _Clause:
    content = items(node)
    tokens = tokens_of(content)
    return _Clause(node, content, verb_chunk(sentence, tokens), verb_chunk(sentence, tokens, NON_FINITE), governor)


def _parts(sentence: Sentence, root: Node) -> list[Part]:
    """Splits the clauses from the outermost one inwards; without recursion, as thousands of clauses may nest."""
    clauses = [_clause(sentence, root, None)]
    for clause in clauses:  # grows
        for child in (item for item in clause.content if isinstance(item, Node)):
            if clause.is_frame:
                governor = _next_verb(sentence, clause.node, child) if clause.governor is None else clause.governor
            else:
                governor = clause.governor if clause.finite is None else clause.finite
            clauses.append(_clause(sentence, child, governor))
    parts: dict[str, list[Part]] = {}
    for clause in reversed(clauses):
        split = _of_frame if clause.is_frame else _of_clause
        parts[clause.node.name] = split(sentence, clause, parts)
    return parts[root.name]


def _of_clause(sentence: Sentence, clause: _Clause, parts_of: Mapping[str, list[Part]]) -> list[Part]:
    """Splits a clause with a verb, given the parts of its nested clauses."""
    node = clause.node
    before: list[Part] = []
    after: list[Part] = []
    kind: PartKind = "finite" if clause.finite is not None else "participle"
    verb = clause.finite if clause.finite is not None else clause.participle
    content, links = _without_links(sentence, clause.content)
    tokens = tokens_of(content)
    first = next((position for position in tokens if not is_joining(sentence, position)), node.start)
    for child in (item for item in content if isinstance(item, Node)):
        child_parts = _led(parts_of[child.name], links.get(child.name, ()))
        early = child.end <= first or is_participial(sentence, child)
        (before if early else after).extend(child_parts)
    if before and tokens and tokens[0] < before[0].tokens[0]:
        opening = tuple(takewhile(lambda position: is_joining(sentence, position), tokens))
        before, tokens = _led(before, opening), tokens[len(opening) :]
    governed = clause.governor if kind == "participle" else None
    part = Part(node.name, kind, node.kind, tokens, verb, governed)
    return [*before, part, *after]


def _of_frame(sentence: Sentence, clause: _Clause, parts_of: Mapping[str, list[Part]]) -> list[Part]:
    """Splits a clause without a verb; the words between its nested clauses lead the next one."""
    node = clause.node
    parts: list[Part] = []
    pending: tuple[int, ...] = ()
    for run in _runs(clause.content):
        if isinstance(run, Node):
            child_parts = parts_of[run.name]
            if child_parts and pending:
                child_parts = _led(child_parts, pending)
                pending = ()
            parts += child_parts
            continue
        verb = verb_chunk(sentence, run)
        if verb is None:
            pending += run
        else:
            parts.append(Part(node.name, "finite", node.kind, (*pending, *run), verb))
            pending = ()
    if pending and parts:
        last = parts[-1]
        parts[-1] = replace(last, tokens=(*last.tokens, *pending))
    elif pending:
        parts.append(Part(node.name, "finite", node.kind, pending, None))
    return parts


def _next_verb(sentence: Sentence, frame: Node, node: Node) -> int | None:
    """Returns the verb of the next clause, which governs a participle among coordinate clauses."""
    following = bisect_left(frame.children, node.end, key=lambda child: child.start)
    for position in range(following, len(frame.children)):
        verb = verb_chunk(sentence, tokens_of(items(frame.children[position])))
        if verb is not None:
            return verb
    return None


def _runs(content: Sequence[Item]) -> Iterator[Node | tuple[int, ...]]:
    """Groups the tokens between clauses."""
    for are_tokens, run in groupby(content, key=lambda item: isinstance(item, int)):
        if are_tokens:
            yield tokens_of(list(run))
        else:
            yield from (item for item in run if isinstance(item, Node))


def _without_links(sentence: Sentence, content: list[Item]) -> tuple[list[Item], dict[str, tuple[int, ...]]]:
    """Removes joining words between clauses and commas next to them; returns the rest, and what leads each clause."""
    left: list[Item] = []
    links: dict[str, tuple[int, ...]] = {}
    runs = list(_runs(content))
    for position, run in enumerate(runs):
        if isinstance(run, Node):
            left.append(run)
            continue
        after_clause = position > 0
        before_clause = position + 1 < len(runs)
        if after_clause and before_clause and all(is_joining(sentence, index) for index in run):
            following = runs[position + 1]
            assert isinstance(following, Node)
            links[following.name] = run
            continue
        if after_clause:
            while run and sentence.tokens[run[0]].tag == PUNCTUATION:
                run = run[1:]
        if before_clause:
            while run and sentence.tokens[run[-1]].tag == PUNCTUATION:
                run = run[:-1]
        left += run
    return left, links


def _led(parts: list[Part], tokens: Sequence[int]) -> list[Part]:
    """Prepends tokens to the first part."""
    if not tokens or not parts:
        return parts
    return [replace(parts[0], tokens=(*tokens, *parts[0].tokens)), *parts[1:]]


def _passed_on(sentence: Sentence, parts: list[Part]) -> list[Part]:
    """Moves connectives at the end of a part to the next part."""
    passed: list[Part] = []
    pending: tuple[int, ...] = ()
    for position, part in enumerate(parts):
        tokens = (*pending, *part.tokens)
        pending = ()
        while position + 1 < len(parts) and tokens and _is_connective(sentence, tokens[-1]):
            pending = (tokens[-1], *pending)
            tokens = tokens[:-1]
        passed.append(replace(part, tokens=tokens))
    return passed


def _is_connective(sentence: Sentence, position: int) -> bool:
    token = sentence.tokens[position]
    return token.tag == CONJUNCTION and not token.is_empty and is_joining(sentence, position)


def _trimmed(sentence: Sentence, part: Part, *, is_first: bool) -> Part:
    """Drops joining words at the ends, but keeps leading connectives other than `and`."""
    tokens = list(part.tokens)
    lead: list[Word] = []
    begins = is_first and bool(tokens) and tokens[0] == 0
    while tokens and is_joining(sentence, tokens[0]):
        position = tokens.pop(0)
        form = sentence.tokens[position].form
        stays = begins or connectives().get(form) != "drop"
        if _is_connective(sentence, position) and stays and form not in [word.form for word in lead]:
            lead.append(Word(form, (position,)))
    if tokens and is_consequence(sentence.tokens[tokens[0]]):
        position = tokens.pop(0)  # a shared subject stands behind it
        lead.append(Word(sentence.tokens[position].form, (position,)))
    while tokens and sentence.tokens[tokens[-1]].tag == PUNCTUATION:
        tokens.pop()
    return replace(part, tokens=tuple(tokens), lead=tuple(lead))
