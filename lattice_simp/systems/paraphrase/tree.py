"""Constituent trees of sentences, from dependency parses or Penn brackets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lattice_simp.core.arguments import instance, instances
from lattice_simp.core.kernel import Bools, Longs
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.support.tables import Row, grammar_table
from lattice_simp.text.english.parse import PENN_BRACKETS

_ESCAPED = {bracket: name for name, bracket in PENN_BRACKETS.items()}
_REMEDY = "write Penn brackets such as (S (NP (PRP it)) (VP (VBD rained))), with -LRB- and -RRB- for brackets in words"
_PIECE = re.compile(
    r"\((?P<tag>-[LR][RSC]B-|[()])[ \t\r\n]+(?P<bracket>[()])\)"  # a bracket as a word
    r"|\((?P<other_tag>[^ \t\r\n()]+)[ \t\r\n]+(?P<other>[()])\)(?![ \t\r\n]+\)\))"  # but not NP of `(NP () ))`
    r"|[()]|[^ \t\r\n()]+"
)
MAX_DEPTH = 500
"""The most brackets open at once."""

TOP = "TOP"
"""The category of a sentence whose unlabelled outer brackets contain several constituents."""


@dataclass(frozen=True)
class Node:
    """A constituent: the tokens `begin:end`, its category, and the numbers of its children.

    Words outside all children belong to the node itself. The head is the position of its main word, None if unknown.
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
        lemmas: their base forms; for trees from brackets the words in lower case.
        nodes: the constituents; the first one is the whole sentence, and each precedes its children.

    Raises:
        LatticeSimpError: there are no tokens, columns differ in length, or a node is outside its parent.
    """

    tokens: tuple[str, ...]
    tags: tuple[str, ...]
    lemmas: tuple[str, ...]
    nodes: tuple[Node, ...]

    def __post_init__(self) -> None:
        if not self.tokens or not self.nodes:
            raise LatticeSimpError("a tree without words; remove the empty sentence")
        if not len(self.tokens) == len(self.tags) == len(self.lemmas):
            counts = f"found {len(self.tags)} and {len(self.lemmas)}"
            raise LatticeSimpError(f"expected {len(self.tokens)} tags and lemmas, one for each token, {counts}")
        if (self.nodes[0].begin, self.nodes[0].end) != (0, len(self.tokens)):
            raise LatticeSimpError("the first node of a tree is not the whole sentence")
        for number, node in enumerate(self.nodes):
            inner = [self.nodes[index] for index in node.children if number < index < len(self.nodes)]
            edges = [node.begin, *(edge for child in inner for edge in (child.begin, child.end)), node.end]
            if len(inner) != len(node.children) or edges != sorted(edges) or node.begin == node.end:
                raise LatticeSimpError(f"node {number} of a tree, {node.category}, does not fit its children")

    @classmethod
    def from_brackets(cls, text: str) -> Tree:
        """Parses a line of Penn brackets; the innermost labels are the tags.

        >>> tree = Tree.from_brackets("(S (NP-SBJ (PRP it)) (VP (VBD rained)))")
        >>> tree.tokens, tree.tags, [node.category for node in tree.nodes]
        (('it', 'rained'), ('PRP', 'VBD'), ['S', 'NP', 'VP'])

        Ignores function tags and indices (`NP-SBJ`, `NP=2`), empty elements (`-NONE-`) and brackets without a label;
        if these enclose several constituents, the sentence is a `TOP`. Literal brackets are allowed as words:
        `(-LRB- ()`, `(( ()`.

        Raises:
            FormatError: brackets do not match or are nested too deeply, a word has no tag, or a constituent no words.
        """
        return _BracketReader().tree(text)

    def phrase(self, number: int) -> tuple[str, ...]:
        """Returns the words of a node.

        >>> Tree.from_brackets("(S (NP (PRP it)) (VP (VBD rained)))").phrase(2)
        ('rained',)
        """
        node = self.nodes[number]
        return self.tokens[node.begin : node.end]

    def parts(self, number: int) -> Iterator[str | int]:
        """Yields the parts of a node from left to right: words, and the numbers of children.

        >>> list(Tree.from_brackets("(S (NP (PRP it)) (VP (VBD rained)) (. .))").parts(0))
        [1, 2, '.']
        """
        node = self.nodes[number]
        position = node.begin
        for child in node.children:
            yield from self.tokens[position : self.nodes[child].begin]
            yield child
            position = self.nodes[child].end
        yield from self.tokens[position : node.end]

    @cached_property
    def spans(self) -> Longs:
        """(nodes, 2) int64: the begin and end of each node."""
        return np.array([(node.begin, node.end) for node in self.nodes], dtype=np.int64)

    @cached_property
    def heads(self) -> Longs:
        """(nodes,) int64: the position of each node's head; -1 if unknown."""
        return np.array([-1 if node.head is None else node.head for node in self.nodes], dtype=np.int64)

    @cached_property
    def exact(self) -> Bools:
        """(tokens,) bool: words that an equivalent phrase must contain: names, numerals, those in `exact_words.tsv`."""
        return self._asking("exact") | np.array([token.lower() in word_set("exact_words") for token in self.tokens])

    @cached_property
    def relations(self) -> Bools:
        """(tokens,) bool: words that relate phrases: prepositions, conjunctions, relative pronouns."""
        return self._asking("relation")

    def _asking(self, what: str) -> Bools:
        return np.array([_asks().get(tag) == what for tag in self.tags], dtype=np.bool_)

    @cached_property
    def content(self) -> Bools:
        """(tokens,) bool: content words, by their tags."""
        is_content, light = content_tags(), word_set("light_verbs")
        return np.array(
            [
                is_content.get(tag, tag[:1].isalnum()) and not (tag.startswith("VB") and lemma in light)
                for tag, lemma in zip(self.tags, self.lemmas, strict=True)
            ],
            dtype=np.bool_,
        )


def inside(tree: Tree, positions: Longs) -> Bools:
    """Returns which positions each node contains, (nodes, positions) bool."""
    begins, ends = tree.spans[:, :1], tree.spans[:, 1:]
    return (begins <= positions) & (positions < ends)


def joint_counts(first: Bools, second: Bools) -> npt.NDArray[np.float32]:
    """Returns the product of two matrices of 0 and 1, (rows, columns) float32: exact up to 2^24, and fast by BLAS.

    >>> joint_counts(np.array([[True, True]]), np.array([[True], [True]])).tolist()
    [[2.0]]
    """
    return first.astype(np.float32) @ second.astype(np.float32)


@cache
def content_tags() -> dict[str, bool]:
    """Returns for each tag whether its words carry content.

    >>> content_tags()["NN"], content_tags()["DT"]
    (True, False)
    """
    return {row["tag"]: row["content"] == "yes" for row in _categories()}


@cache
def phrase_categories() -> dict[str, str]:
    """Returns the category that words head, by tag; `-` for none."""
    return {row["tag"]: row["phrase"] for row in _categories()}


@cache
def _asks() -> dict[str, str]:
    return {row["tag"]: row["ask"] for row in _categories()}


def _categories() -> Iterator[Row]:
    return grammar_table("english/phrase_categories.tsv", ("tag", "phrase", "content", "ask"), full=True)


class _Open(NamedTuple):
    """An open constituent: its label, its number (-1 without a label), its first word and its children."""

    label: str
    number: int
    begin: int
    children: list[int]
    traces: list[str]


class _BracketReader:
    """Parses brackets with an explicit stack; nodes are numbered in the order in which they open."""

    def __init__(self) -> None:
        self._words: list[tuple[str, str]] = []
        self._nodes: list[Node | None] = []
        self._stack = [_Open("", -1, 0, [], [])]

    def tree(self, text: str) -> Tree:
        """Returns the tree of a text."""
        instance(text, str, "a bracketed sentence")
        pieces = list(_PIECE.finditer(text))
        if not pieces or not pieces[0][0].startswith("("):
            raise FormatError("not a tree", remedy=_REMEDY)
        for place, piece in enumerate(pieces):
            if len(self._stack) == 1 and place:
                raise FormatError("brackets that do not match", remedy=_REMEDY)
            self._take(piece, "" if place == 0 else pieces[place - 1][0])
        (top,) = self._stack if len(self._stack) == 1 else (None,)
        if top is None or not self._words:
            raise FormatError("brackets that do not match" if top is None else "a tree without words", remedy=_REMEDY)
        tags, tokens = zip(*self._words, strict=True)
        return Tree(tokens, tags, tuple(token.lower() for token in tokens), self._finished(top.children))

    def _take(self, piece: re.Match[str], before: str) -> None:
        if word := piece["bracket"] or piece["other"]:
            tag = piece["tag"] or piece["other_tag"]
            self._words.append((_ESCAPED.get(tag, tag), word))
        elif piece[0] == "(":
            if len(self._stack) > MAX_DEPTH:
                raise FormatError(f"brackets nested deeper than {MAX_DEPTH}", remedy=_REMEDY)
            self._stack.append(_Open("", -1, len(self._words), [], []))
        elif piece[0] == ")":
            self._close()
        elif before == "(":  # a label
            self._nodes.append(None)
            self._stack[-1] = self._stack[-1]._replace(label=piece[0], number=len(self._nodes) - 1)
        else:
            self._word(piece[0], before)

    def _word(self, word: str, before: str) -> None:
        """Turns the constituent just opened into a word with its label as the tag."""
        current = self._stack[-1]
        is_top = len(self._stack) == 2
        if (
            is_top
            or not current.label
            or before != current.label
            or current.traces
            or current.number != len(self._nodes) - 1
        ):
            raise FormatError(f"a word without its tag: {word[:40]!r}", remedy=_REMEDY)
        self._nodes.pop()
        current.traces.append(current.label)
        if current.label != "-NONE-":
            self._words.append((current.label, PENN_BRACKETS.get(word, word)))
        self._stack[-1] = current._replace(number=-1)

    def _close(self) -> None:
        closed = self._stack.pop()
        parent = self._stack[-1]
        is_empty = closed.begin == len(self._words)
        if is_empty and not closed.traces:
            name = f": {closed.label[:40]!r}" if closed.label else ""
            raise FormatError(f"a constituent without words{name}", remedy=_REMEDY)
        parent.traces.append(closed.label)
        if closed.number < 0:  # a word, or brackets without a label, whose parts belong to the parent
            parent.children.extend(closed.children)
        elif is_empty:  # only empty elements
            self._nodes.pop()
        else:
            self._nodes[closed.number] = Node(
                _category(closed.label), closed.begin, len(self._words), tuple(closed.children)
            )
            parent.children.append(closed.number)

    def _finished(self, tops: list[int]) -> tuple[Node, ...]:
        """Returns the nodes, adding a root if there are several top constituents."""
        nodes = [node for node in self._nodes if node is not None]
        if len(tops) == 1 and (nodes[0].begin, nodes[0].end) == (0, len(self._words)):
            return tuple(nodes)
        moved = (replace(node, children=tuple(child + 1 for child in node.children)) for node in nodes)
        return (Node(TOP, 0, len(self._words), tuple(child + 1 for child in tops)), *moved)


def _category(label: str) -> str:
    """Returns a label without function tags and indices."""
    return label.split("-")[0].split("=")[0] or label


def joined_trees(lines: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Joins the lines of multi-line trees, each with the number of its first line; keeps blank lines.

    >>> joined_trees([(1, "(S (NP (PRP it))"), (2, "   (VP (VBD rained)))"), (3, "")])
    [(1, '(S (NP (PRP it)) (VP (VBD rained)))'), (3, '')]
    """
    trees: list[tuple[int, str]] = []
    open_brackets = 0
    for number, line in lines:
        if open_brackets > 0 and line.strip():
            trees[-1] = trees[-1][0], f"{trees[-1][1]} {line.strip()}"
        else:
            trees.append((number, line))
            open_brackets = 0
        pieces = [piece[0] for piece in _PIECE.finditer(line)]
        open_brackets += pieces.count("(") - pieces.count(")")
    return trees


def as_trees(trees: Iterable[Tree]) -> list[Tree]:
    """Returns a list of trees; raises a TypeError for anything else.

    >>> len(as_trees([Tree.from_brackets("(S (NN cat))")]))
    1
    """
    return instances(trees, Tree, "a parsed sentence", 'Tree.from_brackets("(S ...)")')
