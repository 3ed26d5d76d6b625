"""The clauses of a sentence as a tree, and which of them stay together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lattice_simp.hindi.clause import Clause, ClauseType, nested_order
from lattice_simp.hindi.sentence import FINITE, NON_FINITE, Sentence
from lattice_simp.hindi.simplify.complexity import CONJUNCTION, PUNCTUATION, VERBS
from lattice_simp.hindi.simplify.tables import connectives


@dataclass
class Node:
    """A clause among others.

    Attributes:
        name: of the split that makes a sentence of it; "" for the whole sentence.
        start: its first token.
        end: behind its last token.
        kind: its type; None for the whole sentence.
        children: the clauses in it.
        is_kept: whether it stays with the clause around it.
        side: the neighbour that it stays with, where that clause has no verb of its own: 1 the next, -1 the previous.
    """

    name: str
    start: int
    end: int
    kind: ClauseType | None
    children: list[Node] = field(default_factory=list)
    is_kept: bool = False
    side: int = 1

    def walk(self) -> Iterator[Node]:
        """Returns the clause and those in it."""
        yield self
        for child in self.children:
            yield from child.walk()


Item = int | Node
"""A token, or a clause that is split off."""


def clause_tree(sentence: Sentence, clauses: Sequence[Clause]) -> Node:
    """Nests clauses in the whole sentence."""
    root = Node("", 0, len(sentence), None)
    stack = [root]
    for number, clause in enumerate(nested_order(clauses)):
        while stack[-1].end < clause.end or stack[-1].end <= clause.start:
            stack.pop()
        node = Node(f"clause {number}", clause.start, clause.end, clause.kind)
        stack[-1].children.append(node)
        stack.append(node)
    return root


def items(node: Node) -> list[Item]:
    """Returns the tokens of a clause and the clauses that are split off it, in order; kept ones are taken apart."""
    found: list[Item] = []
    place = node.start
    for child in node.children:
        found += range(place, child.start)
        found += items(child) if child.is_kept else [child]
        place = child.end
    return [*found, *range(place, node.end)]


def tokens_of(parts: Sequence[Item]) -> tuple[int, ...]:
    """Returns the tokens among items."""
    return tuple(one for one in parts if isinstance(one, int))


def verb_chunk(sentence: Sentence, tokens: Sequence[int], tag: str = FINITE) -> int | None:
    """Returns the last verb group among tokens; None if there is none that is not elided."""
    own = set(tokens)
    for place in reversed(range(len(sentence.chunks))):
        chunk = sentence.chunks[place]
        if chunk.tag != tag:
            continue
        verbs = [at for at in range(chunk.start, chunk.end) if sentence.tokens[at].tag in VERBS]
        verbs = [at for at in verbs if not sentence.tokens[at].is_empty]
        if verbs and own.issuperset(verbs):
            return place
    return None


def is_joining(sentence: Sentence, place: int) -> bool:
    """Whether a token only joins: punctuation, an elided word, or a listed conjunction."""
    token = sentence.tokens[place]
    if token.tag == PUNCTUATION or token.is_empty:
        return True
    return token.tag == CONJUNCTION and token.form in connectives()


def is_participial(sentence: Sentence, node: Node) -> bool:
    """Whether a clause has a participle for a verb."""
    own = tokens_of(items(node))
    return verb_chunk(sentence, own) is None and verb_chunk(sentence, own, NON_FINITE) is not None
