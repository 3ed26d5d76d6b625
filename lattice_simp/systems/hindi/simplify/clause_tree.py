"""Nests the clauses of a sentence in a tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lattice_simp.grammars.hindi.markers import is_marker
from lattice_simp.systems.hindi.clause import Clause, ClauseType, nested_order
from lattice_simp.systems.hindi.sentence import CONJUNCTION, FINITE, NON_FINITE, PUNCTUATION, Sentence, Token
from lattice_simp.systems.hindi.simplify.tables import connectives

CONNECTIVE_TAGS = (CONJUNCTION, "PRP", "RB", "NST", "RP", "QF")
"""The tags of words that join clauses."""


@dataclass
class Node:
    """A clause with its nested clauses, or the whole sentence, which has no type.

    Attributes:
        name: the name of the split that makes it a sentence; "" for the whole sentence.
        is_kept: whether it stays with the clause around it.
        side: the neighbour that it stays with if the clause around has no verb: 1 for the next, -1 for the previous.
    """

    name: str
    start: int
    end: int
    kind: ClauseType | None
    children: list[Node] = field(default_factory=list)
    is_kept: bool = False
    side: int = 1

    def walk(self) -> Iterator[Node]:
        """Yields the clause and all clauses nested in it."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)


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
    """Returns the tokens of a clause and the clauses split off from it, in order; kept clauses are expanded."""
    content: list[Item] = []
    waiting = _pieces(node)[::-1]
    while waiting:
        piece = waiting.pop()
        if isinstance(piece, range):
            content += piece
        elif piece.is_kept:
            waiting += reversed(_pieces(piece))
        else:
            content.append(piece)
    return content


def _pieces(node: Node) -> list[range | Node]:
    """Returns the nested clauses of a clause and the tokens around them, in order."""
    first, *others = own_ranges(node)
    return [first, *(piece for pair in zip(node.children, others, strict=True) for piece in pair)]


def own_ranges(node: Node) -> list[range]:
    """Returns the tokens before, between and after the nested clauses of a clause.

    >>> own_ranges(Node("", 0, 6, None, [Node("a", 0, 2, None), Node("b", 3, 5, None)]))
    [range(0, 0), range(2, 3), range(5, 6)]
    """
    starts = [node.start, *(child.end for child in node.children)]
    ends = [*(child.start for child in node.children), node.end]
    return [range(start, end) for start, end in zip(starts, ends, strict=True)]


def tokens_of(parts: Sequence[Item]) -> tuple[int, ...]:
    """Returns the tokens among items."""
    return tuple(item for item in parts if isinstance(item, int))


def verb_chunks(sentence: Sentence, tokens: Sequence[int], tag: str = FINITE) -> list[int]:
    """Returns the verb groups among tokens that are not elided."""
    allowed = set(tokens)
    groups = (position for position in sentence.chunks_around(allowed) if sentence.chunks[position].tag == tag)
    pairs = ((position, sentence.verbs(sentence.chunks[position])) for position in groups)
    return [position for position, verbs in pairs if verbs and allowed.issuperset(verbs)]


def verb_chunk(sentence: Sentence, tokens: Sequence[int], tag: str = FINITE) -> int | None:
    """Returns the last verb group among tokens that is not elided, or None."""
    return next(reversed(verb_chunks(sentence, tokens, tag)), None)


def is_joining(sentence: Sentence, position: int) -> bool:
    """Returns whether a token only joins clauses: punctuation, an elided word, or a listed conjunction."""
    token = sentence.tokens[position]
    if token.tag == PUNCTUATION or token.is_empty:
        return True
    return token.tag == CONJUNCTION and token.form in connectives()


def is_consequence(token: Token) -> bool:
    """Returns whether a token is a word such as `therefore`, which begins a sentence even without a mark before it."""
    return token.tag in CONNECTIVE_TAGS and is_marker(token.form, "consecutive")


def is_participial(sentence: Sentence, node: Node) -> bool:
    """Returns whether the verb of a clause is a participle."""
    tokens = tokens_of(items(node))
    return verb_chunk(sentence, tokens) is None and verb_chunk(sentence, tokens, NON_FINITE) is not None
