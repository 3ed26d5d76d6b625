"""Clauses as separate sentences.

A clause takes its own words along, not those of the clauses in it. Participles and what comes before a clause's own
words come first, then the clause, then the rest in the source's order. Coordinators and `ki` fall away; `lekin` and
its like begin the sentence after them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, takewhile

from lattice_simp.systems.hindi.sentence import CONJUNCTION, NON_FINITE, PUNCTUATION, Sentence
from lattice_simp.systems.hindi.simplify.clause_tree import (
    Item,
    Node,
    is_joining,
    is_participial,
    items,
    tokens_of,
    verb_chunk,
)
from lattice_simp.systems.hindi.simplify.model import Part, PartKind, Word
from lattice_simp.systems.hindi.simplify.tables import connectives


def split_clauses(sentence: Sentence, root: Node) -> list[Part]:
    """Makes sentences of the clauses that are not kept, in the order in which they read well."""
    parts = [part for part in _parts(sentence, root, None) if part.tokens or part.lead]
    return [
        _trimmed(sentence, part, is_first=position == 0) for position, part in enumerate(_passed_on(sentence, parts))
    ]


def _parts(sentence: Sentence, node: Node, governor: int | None) -> list[Part]:
    content = items(node)
    own = tokens_of(content)
    finite, participle = verb_chunk(sentence, own), verb_chunk(sentence, own, NON_FINITE)
    if finite is None and (participle is None or not node.name):
        return _of_frame(sentence, node, content, governor)
    before: list[Part] = []
    after: list[Part] = []
    kind: PartKind = "finite" if finite is not None else "participle"
    verb = finite if finite is not None else participle
    content, links = _without_links(sentence, content)
    own = tokens_of(content)
    first = next((position for position in own if not is_joining(sentence, position)), node.start)
    for child in (one for one in content if isinstance(one, Node)):
        made = _parts(sentence, child, verb if kind == "finite" else governor)
        made = _led(made, links.get(child.name, ()))
        early = child.end <= first or is_participial(sentence, child)
        (before if early else after).extend(made)
    if before and own and own[0] < before[0].tokens[0]:
        opening = tuple(takewhile(lambda position: is_joining(sentence, position), own))
        before, own = _led(before, opening), own[len(opening) :]
    governed = governor if kind == "participle" else None
    part = Part(node.name, kind, node.kind, own, verb, governed)
    return [*before, part, *after]


def _of_frame(sentence: Sentence, node: Node, content: Sequence[Item], governor: int | None) -> list[Part]:
    """Takes a clause apart that has no verb of its own: what is between its clauses leads the next one."""
    parts: list[Part] = []
    pending: tuple[int, ...] = ()
    for run in _runs(content):
        if isinstance(run, Node):
            made = _parts(sentence, run, governor or _next_verb(sentence, node, run))
            if made and pending:
                made = _led(made, pending)
                pending = ()
            parts += made
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
    """Returns the verb that a participle among coordinate clauses belongs to: that of the next clause with one."""
    for child in frame.children:
        if child.start >= node.end:
            verb = verb_chunk(sentence, tokens_of(items(child)))
            if verb is not None:
                return verb
    return None


def _runs(content: Sequence[Item]) -> Iterator[Node | tuple[int, ...]]:
    """Puts the tokens between clauses together."""
    for are_tokens, run in groupby(content, key=lambda one: isinstance(one, int)):
        if are_tokens:
            yield tokens_of(list(run))
        else:
            yield from (one for one in run if isinstance(one, Node))


def _without_links(sentence: Sentence, content: list[Item]) -> tuple[list[Item], dict[str, tuple[int, ...]]]:
    """Takes joining words between split clauses, and commas beside them, out of the words around.

    Returns:
        What is left, and the words that lead the clause after them.
    """
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
    """Puts tokens in front of the first part."""
    if not tokens or not parts:
        return parts
    return [replace(parts[0], tokens=(*tokens, *parts[0].tokens)), *parts[1:]]


def _passed_on(sentence: Sentence, parts: list[Part]) -> list[Part]:
    """Returns a connective at a part's end to the next part."""
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
    """Drops joining words at the ends; a connective that says more than `and` stays in front."""
    tokens = list(part.tokens)
    lead: list[Word] = []
    begins = is_first and bool(tokens) and tokens[0] == 0
    while tokens and is_joining(sentence, tokens[0]):
        position = tokens.pop(0)
        form = sentence.tokens[position].form
        stays = begins or connectives().get(form) != "drop"
        if _is_connective(sentence, position) and stays and form not in [word.form for word in lead]:
            lead.append(Word(form, (position,)))
    while tokens and sentence.tokens[tokens[-1]].tag == PUNCTUATION:
        tokens.pop()
    return replace(part, tokens=tuple(tokens), lead=tuple(lead))
