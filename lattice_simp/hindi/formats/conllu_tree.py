"""Trees of Universal Dependencies in the treebank's shape, in which clauses are found.

Sentences that have no universal relation stay: their relations are the treebank's own.

Universal Dependencies hang function words below content words; the treebank has it the other way round. In turn:

1. A copula heads its clause: the predicate depends on it (`k1s`), and so does what the predicate had beside its own
   modifiers.
2. A coordinator heads what it joins (`ccof`); one that joins nothing in its sentence heads the clause that it opens.
3. A subordinator heads its clause (`ccof`).
4. Relations get the treebank's names. Those tell more than the universal ones: what stands for several of them is the
   most frequent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from lattice_simp.hindi.from_tree import JOINED
from lattice_simp.hindi.sentence import Sentence

_PREDICATE = "k1s"
_CONJUNCTION = "CCP"
_GENITIVE = frozenset({"का", "के", "की"})

_UNIVERSAL = frozenset(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed "
    "flat goeswith iobj list mark nsubj nummod obj obl orphan parataxis punct reparandum root vocative xcomp".split()
)
"""Relations that only Universal Dependencies have: all but `nmod`, which the treebank has, too."""

_OF_CLAUSES = frozenset(
    "advcl advmod aux cc ccomp csubj dep discourse dislocated iobj mark nsubj obj obl parataxis punct vocative "
    "xcomp".split()
)
"""What depends on a predicate as the head of its clause, not as a noun or an adjective."""

_NAMES = {
    "acl": "nmod",
    "acl:relcl": "nmod__relc",
    "advcl": "vmod",
    "advmod": "adv",
    "amod": "nmod",
    "appos": "nmod",
    "ccomp": "k2",
    "compound": "pof",
    "conj": JOINED,
    "csubj": "k1",
    "det": "nmod",
    "discourse": "rad",
    "dislocated": "fragof",
    "iobj": "k4",
    "list": "enm",
    "nmod": "k7",
    "nsubj": "k1",
    "nsubj:pass": "k2",
    "nummod": "nmod",
    "obj": "k2",
    "obl": "k7",
    "parataxis": "vmod",
    "punct": "rsym",
    "vocative": "rad",
    "xcomp": "k2",
}

_POSSESSIVE = "r6"


@dataclass
class _Tree:
    """The heads and relations of a sentence's chunks, while they change."""

    sentence: Sentence
    heads: list[int]
    relations: list[str]

    def base(self, position: int) -> str:
        return self.relations[position].partition(":")[0]

    def children(self, position: int, *relations: str) -> list[int]:
        """Returns what depends on a chunk, under one of the relations if there are any."""
        return [
            child
            for child, head in enumerate(self.heads)
            if head == position and (not relations or self.base(child) in relations)
        ]

    def is_conjunction(self, position: int) -> bool:
        return self.sentence.chunks[position].tag == _CONJUNCTION

    def is_genitive(self, position: int) -> bool:
        return bool(_GENITIVE & set(self.sentence.postpositions(self.sentence.chunks[position])))

    def put_above(self, position: int, below: int, relation: str) -> None:
        """Lets a chunk take the place of another one, which depends on it from now on."""
        self.heads[position], self.relations[position] = self.heads[below], self.relations[below]
        self.heads[below], self.relations[below] = position, relation

    def move(self, positions: Iterable[int], head: int) -> None:
        for position in positions:
            if position != head:
                self.heads[position] = head


def treebank_tree(sentence: Sentence) -> Sentence:
    """Returns a sentence with universal relations the treebank's tree, other ones stay; see the module's text.

    >>> from lattice_simp.hindi.sentence import Chunk, Token
    >>> tokens = Token("राम", "NNP"), Token("शिक्षक", "NN"), Token("है", "VM")
    >>> chunks = Chunk("NP", 0, 1, 1, "nsubj"), Chunk("NP", 1, 2), Chunk("VGF", 2, 3, 1, "cop")
    >>> [(chunk.head, chunk.relation) for chunk in treebank_tree(Sentence(tokens, chunks)).chunks]
    [(2, 'k1'), (2, 'k1s'), (-1, '')]
    """
    chunks = sentence.chunks
    if not any(chunk.relation.partition(":")[0] in _UNIVERSAL for chunk in chunks):
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
    for copula, predicate in predicates.items():  # conjuncts are clauses once their own copulas head them
        joined = tree.children(predicate, "conj")
        tree.move((child for child in joined if tree.sentence.chunks[child].is_verbal), copula)


def _of_clause(tree: _Tree, position: int) -> bool:
    base = tree.base(position)
    return base in _OF_CLAUSES or (base == "nmod" and not tree.is_genitive(position))


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
    """Raises subordinators, and coordinators that open a sentence; the first of several ends up on top."""
    for position in range(len(tree.heads)):
        if tree.heads[position] >= 0 and tree.base(position) in ("mark", "cc") and tree.is_conjunction(position):
            tree.put_above(position, tree.heads[position], JOINED)


def _name(tree: _Tree, position: int) -> str:
    relation = tree.relations[position]
    if tree.base(position) == "nmod" and tree.is_genitive(position):
        return _POSSESSIVE
    return _NAMES.get(relation) or _NAMES.get(tree.base(position), relation)
