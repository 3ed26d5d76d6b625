"""A sentence with its constituents, from a parse of dependencies or from Penn brackets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from lattice_simp.core.kernel import Bools, Longs
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.support.tables import Row, grammar_table

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_REMEDY = "write Penn brackets, as (S (NP (PRP it)) (VP (VBD rained)))"


@dataclass(frozen=True)
class Node:
    """A constituent: the tokens `begin` to `end` (exclusive), its category, and the numbers of its parts.

    Words that are no part of a child are the node's own. The head is the position of its main word, None if not known.
    """

    category: str
    begin: int
    end: int
    children: tuple[int, ...] = ()
    head: int | None = None


@dataclass(frozen=True)
class Tree:
    """A sentence and its constituents.

    >>> tree = Tree.from_brackets("(S (NP (PRP it)) (VP (VBD rained)))")
    >>> tree.tokens, [(node.category, tree.phrase(number)) for number, node in enumerate(tree.nodes)]
    (('it', 'rained'), [('S', ('it', 'rained')), ('NP', ('it',)), ('VP', ('rained',))])

    Attributes:
        tokens: the words.
        tags: their parts of speech (Penn Treebank).
        lemmas: their base forms; what a tree in brackets has are the words in lower case.
        nodes: the constituents; the first one is the whole sentence, and each comes before its children.

    Raises:
        LatticeSimpError: no tokens, columns of different lengths, a node outside its parent.
    """

    tokens: tuple[str, ...]
    tags: tuple[str, ...]
    lemmas: tuple[str, ...]
    nodes: tuple[Node, ...]

    def __post_init__(self) -> None:
        if not self.tokens or not self.nodes:
            raise LatticeSimpError("a tree without words; leave the empty sentence out")
        if not len(self.tokens) == len(self.tags) == len(self.lemmas):
            raise LatticeSimpError(f"a tree of {len(self.tokens)} tokens with other numbers of tags or lemmas")
        if (self.nodes[0].begin, self.nodes[0].end) != (0, len(self.tokens)):
            raise LatticeSimpError("the first node of a tree is not the whole sentence")
        for number, node in enumerate(self.nodes):
            inner = [self.nodes[child] for child in node.children if number < child < len(self.nodes)]
            edges = [node.begin, *(edge for own in inner for edge in (own.begin, own.end)), node.end]
            if len(inner) != len(node.children) or edges != sorted(edges) or node.begin == node.end:
                raise LatticeSimpError(f"node {number} of a tree, {node.category}, is not made of its children")

    @classmethod
    def from_brackets(cls, text: str) -> Tree:
        """Makes a tree of a line of Penn brackets; the innermost labels are the tags.

        Function tags and indices (`NP-SBJ`, `NP=2`) are left out, empty elements (`-NONE-`) and outer brackets without
        a label, too.

        Raises:
            FormatError: brackets that do not match, or words without a tag.
        """
        return _BracketReader(text).tree()

    def phrase(self, number: int) -> tuple[str, ...]:
        """Returns the words of a node."""
        node = self.nodes[number]
        return self.tokens[node.begin : node.end]

    def parts(self, number: int) -> Iterator[str | int]:
        """Yields what a node is made of, from left to right: words, and the numbers of its children."""
        node = self.nodes[number]
        position = node.begin
        for child in node.children:
            yield from self.tokens[position : self.nodes[child].begin]
            yield child
            position = self.nodes[child].end
        yield from self.tokens[position : node.end]

    @cached_property
    def spans(self) -> Longs:
        """(nodes, 2) int64: where each node begins and ends."""
        return np.array([(node.begin, node.end) for node in self.nodes], dtype=np.int64)

    @cached_property
    def heads(self) -> Longs:
        """(nodes,) int64: the position of each node's head; -1 if it is not known."""
        return np.array([-1 if node.head is None else node.head for node in self.nodes], dtype=np.int64)

    @cached_property
    def exact(self) -> Bools:
        """(tokens,) which words have the same one in an equivalent phrase: names, numerals, `exact_words.tsv`."""
        return self._asking("exact") | np.array([own.lower() in word_set("exact_words") for own in self.tokens])

    @cached_property
    def relations(self) -> Bools:
        """(tokens,) which words relate phrases: prepositions, conjunctions, relative pronouns."""
        return self._asking("relation")

    def _asking(self, what: str) -> Bools:
        return np.array([_asks().get(tag) == what for tag in self.tags], dtype=np.bool_)

    @cached_property
    def content(self) -> Bools:
        """(tokens,) which words carry content, by their tags."""
        known, light = content_tags(), word_set("light_verbs")
        return np.array(
            [
                known.get(tag, tag[:1].isalnum()) and not (tag.startswith("VB") and lemma in light)
                for tag, lemma in zip(self.tags, self.lemmas, strict=True)
            ],
            dtype=np.bool_,
        )


def inside(tree: Tree, positions: Longs) -> Bools:
    """Tells which positions each node holds, (nodes, positions)."""
    begins, ends = tree.spans[:, :1], tree.spans[:, 1:]
    return (begins <= positions) & (positions < ends)


@cache
def content_tags() -> dict[str, bool]:
    """Returns which tags are those of content words.

    >>> content_tags()["NN"], content_tags()["DT"]
    (True, False)
    """
    return {row["tag"]: row["content"] == "yes" for row in _categories()}


@cache
def phrase_categories() -> dict[str, str]:
    """Returns what words head, by their tags; `-` for those that head nothing."""
    return {row["tag"]: row["phrase"] for row in _categories()}


@cache
def _asks() -> dict[str, str]:
    return {row["tag"]: row["ask"] for row in _categories()}


def _categories() -> Iterator[Row]:
    return grammar_table("english/phrase_categories.tsv", ("tag", "phrase", "content", "ask"), full=True)


MAX_DEPTH = 300
"""Of a tree: sentences have some dozens."""


class _BracketReader:
    """Reads one line of brackets; nodes are numbered in the order in which they open."""

    def __init__(self, text: str) -> None:
        self._pieces = text.replace("(", " ( ").replace(")", " ) ").split()
        self._position = 0
        self._words: list[tuple[str, str]] = []
        self._nodes: list[Node | None] = []

    def tree(self) -> Tree:
        """Returns the tree of the whole line."""
        if not self._pieces or self._pieces[0] != "(":
            raise FormatError("is not a tree", remedy=_REMEDY)
        self._constituent()
        if self._position != len(self._pieces) or not self._words or not self._nodes:
            raise FormatError("brackets that do not match", remedy=_REMEDY)
        tags, tokens = zip(*self._words, strict=True)
        nodes = tuple(node for node in self._nodes if node is not None)
        return Tree(tokens, tags, tuple(token.lower() for token in tokens), nodes)

    def _take(self) -> str:
        if self._position >= len(self._pieces):
            raise FormatError("brackets that do not match", remedy=_REMEDY)
        self._position += 1
        return self._pieces[self._position - 1]

    def _peek(self) -> str:
        return self._pieces[self._position] if self._position < len(self._pieces) else ")"

    def _constituent(self, depth: int = 0) -> int | None:
        """Reads a constituent from its bracket on; returns its number, None for a word with its tag."""
        if depth > MAX_DEPTH:
            raise FormatError(f"brackets nested deeper than {MAX_DEPTH}", remedy="is this a sentence's tree?")
        if self._take() != "(":
            raise FormatError("a word without its tag", remedy=_REMEDY)
        label = self._take() if self._peek() not in ("(", ")") else ""
        if self._peek() not in ("(", ")"):
            word = self._take()
            if label != "-NONE-":
                self._words.append((label, _BRACKETS.get(word, word)))
            self._close()
            return None
        number, begin = len(self._nodes), len(self._words)
        if label:
            self._nodes.append(None)
        children = []
        while self._peek() == "(":
            children.append(self._constituent(depth + 1))
        self._close()
        if label:
            return self._finished(number, label, begin, children)
        return None

    def _finished(self, number: int, label: str, begin: int, children: list[int | None]) -> int | None:
        end = len(self._words)
        if begin == end:  # empty elements alone
            if number != len(self._nodes) - 1:
                raise FormatError("a constituent without words", remedy=_REMEDY)
            self._nodes.pop()
            return None
        category = label.split("-")[0].split("=")[0] or label
        self._nodes[number] = Node(category, begin, end, tuple(child for child in children if child is not None))
        return number

    def _close(self) -> None:
        if self._take() != ")":
            raise FormatError("brackets that do not match", remedy=_REMEDY)
