"""Converts trees of Universal Dependencies to the scheme of the treebank, in which clauses are found.

Sentences without universal relations are unchanged, as they already follow the treebank.

In Universal Dependencies, function words depend on content words; in the treebank it is the opposite. The steps:

1. A copula heads its clause: the predicate depends on it (`k1s`), as do the predicate's dependents other than its
   modifiers.
2. A coordinator heads its conjuncts (`ccof`); without any, it heads the clause that it opens.
3. A subordinator heads its clause (`ccof`).
4. Relations get the treebank's names. These are finer than the universal ones: the most frequent one is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from lattice_simp.support.tables import grammar_table
from lattice_simp.systems.hindi.from_tree import JOINED
from lattice_simp.systems.hindi.sentence import CCP, Sentence
from lattice_simp.systems.hindi.simplify.tables import words_of

_PREDICATE = "k1s"


@cache
def _relations() -> dict[str, tuple[str, bool]]:
    """Returns for each universal relation the treebank's name, and whether it is a relation to a clause."""
    rows = grammar_table("hindi/ud_relations.tsv", ("relation", "name", "clausal"))
    return {row["relation"]: (row["name"], bool(row["clausal"])) for row in rows}


@dataclass
class _Tree:
    """The changing heads and relations of a sentence's chunks."""

    sentence: Sentence
    heads: list[int]
    relations: list[str]

    def base(self, position: int) -> str:
        return self.relations[position].partition(":")[0]

    def children(self, position: int, *relations: str) -> list[int]:
        """Returns the dependents of a chunk, restricted to these relations if there are any."""
        return [
            child
            for child, head in enumerate(self.heads)
            if head == position and (not relations or self.base(child) in relations)
        ]

    def is_conjunction(self, position: int) -> bool:
        return self.sentence.chunks[position].tag == CCP

    def is_genitive(self, position: int) -> bool:
        return not set(words_of("genitive")).isdisjoint(self.sentence.postpositions(self.sentence.chunks[position]))

    def put_above(self, position: int, below: int, relation: str) -> None:
        """Puts a chunk in the place of the chunk `below`, which then depends on it."""
        self.heads[position], self.relations[position] = self.heads[below], self.relations[below]
        self.heads[below], self.relations[below] = position, relation

    def move(self, positions: Iterable[int], head: int) -> None:
        for position in positions:
            if position != head:
                self.heads[position] = head


def treebank_tree(sentence: Sentence) -> Sentence:
    """Converts a sentence with universal relations to the treebank's scheme, and returns others unchanged.

    >>> from lattice_simp.systems.hindi.sentence import Chunk, Token
    >>> tokens = Token("राम", "NNP"), Token("शिक्षक", "NN"), Token("है", "VM")
    >>> chunks = Chunk("NP", 0, 1, 1, "nsubj"), Chunk("NP", 1, 2), Chunk("VGF", 2, 3, 1, "cop")
    >>> [(chunk.head, chunk.relation) for chunk in treebank_tree(Sentence(tokens, chunks)).chunks]
    [(2, 'k1'), (2, 'k1s'), (-1, '')]
    """
    chunks = sentence.chunks
    universal = _relations().keys() - {"nmod"}  # the treebank also has this one
    if not any(chunk.relation.partition(":")[0] in universal for chunk in chunks):
        return sentence
    tree = _Tree(sentence, [chunk.head for chunk in chunks], [chunk.relation for chunk in chunks])
    _raise_copulas(tree)
    _raise_coordinators(tree)
    _raise_openers(tree)
    changed = [
        replace(chunk, head=tree.heads[position], relation=_name(tree, position))
        for position, chunk in enumerate(chunks)
    ]
    return replace(sentence, chunks=tuple(changed))


def _raise_copulas(tree: _Tree) -> None:
    predicates: dict[int, int] = {}
    for position, chunk in enumerate(tree.sentence.chunks):
        hangs = tree.heads[position] >= 0 and tree.heads[position] not in predicates.values()
        if tree.base(position) == "cop" and chunk.is_verbal and hangs:
            predicate = predicates[position] = tree.heads[position]
            tree.put_above(position, predicate, _PREDICATE)
            tree.move((child for child in tree.children(predicate) if _of_clause(tree, child)), position)
    for copula, predicate in predicates.items():  # conjuncts are clauses once their copulas head them
        joined = tree.children(predicate, "conj")
        tree.move((child for child in joined if tree.sentence.chunks[child].is_verbal), copula)


def _of_clause(tree: _Tree, position: int) -> bool:
    """Returns whether a dependent of a predicate belongs to its clause rather than to the noun or adjective."""
    base = tree.base(position)
    return _relations().get(base, ("", False))[1] or (base == "nmod" and not tree.is_genitive(position))


def _raise_coordinators(tree: _Tree) -> None:
    for first in range(len(tree.heads)):
        joined = tree.children(first, "conj")
        marks = [mark for child in joined for mark in tree.children(child, "cc") if tree.is_conjunction(mark)]
        if not marks:
            continue
        coordinator = marks[-1]
        opening = tree.children(first, "mark", "cc")
        tree.put_above(coordinator, first, JOINED)
        tree.move([*joined, *marks[:-1], *opening], coordinator)
        for child in [*joined, *marks[:-1]]:
            tree.relations[child] = JOINED


def _raise_openers(tree: _Tree) -> None:
    """Raises subordinators and coordinators that open a sentence; the first of several ends up on top."""
    for position in range(len(tree.heads)):
        if tree.heads[position] >= 0 and tree.base(position) in ("mark", "cc") and tree.is_conjunction(position):
            tree.put_above(position, tree.heads[position], JOINED)


def _name(tree: _Tree, position: int) -> str:
    relation = tree.relations[position]
    if tree.base(position) == "nmod" and tree.is_genitive(position):
        return "r6"
    names = (_relations()[key][0] for key in (relation, tree.base(position)) if key in _relations())
    return next(filter(None, names), relation)
