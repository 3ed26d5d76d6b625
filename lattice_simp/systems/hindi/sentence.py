"""Hindi sentences: tokens with morphology, grouped in chunks that form a dependency tree."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from lattice_simp.core.blocks import prefix_sums
from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.groups import children_of
from lattice_simp.support.plurals import counted

FINITE, NON_FINITE, GERUND = "VGF", "VGNF", "VGNN"
"""The tags of verb chunks: finite, non-finite (conjunctive and other participles), and gerunds (verbal nouns)."""

VERBAL = (FINITE, NON_FINITE, GERUND)

NP, CCP = "NP", "CCP"
"""The tags of noun phrases, and of conjunctions with their particles."""

PUNCTUATION, CONJUNCTION = "SYM", "CC"
VERBS = ("VM", "VAUX")
"""The tags of main verbs and auxiliaries."""

EMPTY, EMPTY_CHUNK = "NULL", "NULL__"
"""The treebank's form of an elided word, and the beginning of the tags of elided chunks (`NULL__VGF`).

In other text `NULL` is an ordinary word: `Token.is_empty` marks elided words.
"""


MORPHOLOGY = ("root", "category", "gender", "number", "person", "case", "vibhakti", "tam")
"""The attributes of a token's morphology, in the order of the treebank's attribute `af`."""


@dataclass(frozen=True)
class Token:
    """A token with its morphology; "" stands for unknown values.

    Attributes:
        form: the form in the sentence.
        tag: the part of speech (`NN`, `VM`, `PSP` …).
        root: the dictionary form.
        category: the category of the morphological analyser (`n`, `v`, `psp` …).
        gender: `m`, `f`, `any` …
        number: `sg`, `pl`, `any` …
        person: `1`, `2`, `3`, `3h` (honorific), `any` …
        case: `d` (direct), `o` (oblique), `any`.
        vibhakti: a noun's case marker or a verb's tense, aspect and mood, in Devanagari.
        tam: the same in the analyser's roman letters.
        is_empty: whether the token stands for an elided word, as in treebanks.
    """

    form: str
    tag: str = ""
    root: str = ""
    category: str = ""
    gender: str = ""
    number: str = ""
    person: str = ""
    case: str = ""
    vibhakti: str = ""
    tam: str = ""
    is_empty: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class Chunk:
    """Adjacent tokens that form a phrase: the tokens `start:end`, counted from 0.

    Attributes:
        tag: the tag (`NP`, `VGF`, `CCP` …), without the `NULL__` of an elided phrase.
        head: the index of the chunk that it depends on; -1 for a root or without a tree.
        relation: the dependency label (`k1`, `ccof` …); "" for a root.
        is_empty: whether the phrase is elided.
    """

    tag: str
    start: int
    end: int
    head: int = -1
    relation: str = ""
    is_empty: bool = False

    @property
    def positions(self) -> range:
        """The positions of its tokens."""
        return range(self.start, self.end)

    @property
    def is_verbal(self) -> bool:
        """Whether the phrase is a verb group."""
        return self.tag in VERBAL


@dataclass(frozen=True)
class Sentence:
    """The tokens of a sentence, the chunks that cover them, and the sentence's name in its file.

    `is_parsed` marks a parser's tree, which is less certain than a treebank's.

    >>> sentence = Sentence((Token("raam", "NNP"), Token("soyaa", "VM")), (Chunk("NP", 0, 1), Chunk("VGF", 1, 2)))
    >>> str(sentence), [chunk.tag for chunk in sentence.chunks]
    ('raam soyaa', ['NP', 'VGF'])

    Raises:
        LatticeSimpError: the chunks do not cover the tokens in order, or a head is not a chunk.
    """

    tokens: tuple[Token, ...]
    chunks: tuple[Chunk, ...] = ()
    id: str = ""
    is_parsed: bool = False

    def __post_init__(self) -> None:
        position = 0
        for chunk in self.chunks:
            if chunk.start != position or chunk.end < chunk.start:
                raise LatticeSimpError(
                    f"the chunk {chunk.tag} begins at token {chunk.start + 1}, not at {position + 1}"
                )
            if not -1 <= chunk.head < len(self.chunks):
                raise LatticeSimpError(f"the chunk {chunk.tag} depends on chunk {chunk.head}, which does not exist")
            position = chunk.end
        if self.chunks and position != len(self.tokens):
            raise LatticeSimpError(f"the chunks cover {position} of {counted(len(self.tokens), 'token')}")

    def __str__(self) -> str:
        return " ".join(token.form for token in self.tokens if not token.is_empty)

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def without_empty(self) -> Sentence:
        """The sentence without elided words and without phrases of only such words."""
        before = prefix_sums([not token.is_empty for token in self.tokens]).tolist()
        chunks = [
            replace(chunk, start=before[chunk.start], end=before[chunk.end], is_empty=False) for chunk in self.chunks
        ]
        tokens = tuple(token for token in self.tokens if not token.is_empty)
        return replace(self, tokens=tokens, chunks=without_hollow(chunks))

    @cached_property
    def children(self) -> list[list[int]]:
        """For each chunk, the positions of the chunks that depend on it."""
        return children_of([chunk.head for chunk in self.chunks])

    @cached_property
    def forms(self) -> frozenset[str]:
        """The distinct forms of the tokens."""
        return frozenset(token.form for token in self.tokens)

    @cached_property
    def _starts(self) -> list[int]:
        return [chunk.start for chunk in self.chunks]

    def chunks_between(self, start: int, end: int) -> range:
        """Returns the positions of the chunks that have tokens in `start:end`, and of elided ones between them.

        >>> chunks = (Chunk("NP", 0, 1), Chunk("VGF", 1, 3), Chunk("NP", 3, 4))
        >>> Sentence((Token("x"),) * 4, chunks).chunks_between(2, 3)
        range(1, 2)
        """
        first = bisect_right(self._starts, start) - 1
        return range(max(first, 0), bisect_left(self._starts, end))

    def chunks_around(self, tokens: Collection[int]) -> range:
        """Returns the positions of the chunks from the first of these tokens to the last.

        >>> chunks = (Chunk("NP", 0, 1), Chunk("VGF", 1, 3), Chunk("NP", 3, 4))
        >>> Sentence((Token("x"),) * 4, chunks).chunks_around({3, 1}), Sentence(()).chunks_around(())
        (range(1, 3), range(0, 0))
        """
        return self.chunks_between(min(tokens), max(tokens) + 1) if tokens else range(0)

    @cached_property
    def chunk_of(self) -> list[int]:
        """For each token, the position of its chunk."""
        return [position for position, chunk in enumerate(self.chunks) for _ in chunk.positions]

    @property
    def has_tree(self) -> bool:
        """Whether the sentence has a dependency tree."""
        return any(self.children)

    @property
    def has_certain_tree(self) -> bool:
        """Whether the sentence has a dependency tree from a treebank, not from a parser."""
        return self.has_tree and not self.is_parsed

    def subtree(self, position: int, without: Iterable[int] = ()) -> set[int]:
        """Returns the positions of a chunk and its descendants, except for the subtrees `without`."""
        waiting, left_out = [position], set(without)
        members: set[int] = set()
        while waiting:
            current = waiting.pop()
            if current not in members and current not in left_out:
                members.add(current)
                waiting += self.children[current]
        return members

    def verbs(self, chunk: Chunk) -> list[int]:
        """Returns the positions of a chunk's verbs that are not elided."""
        tokens = self.tokens
        return [index for index in chunk.positions if tokens[index].tag in VERBS and not tokens[index].is_empty]

    def head_position(self, chunk: Chunk) -> int:
        """Returns the position of a chunk's head: the main verb of a verb group, otherwise the last content word."""
        for tags in (("VM",), ("NN", "NNP", "PRP", "CC", "JJ", "RB", "QC", "NST")):
            if chosen := [position for position in chunk.positions if self.tokens[position].tag in tags]:
                return chosen[0] if tags == ("VM",) else chosen[-1]
        return chunk.end - 1

    def head_of(self, chunk: Chunk) -> Token:
        """Returns the head token of a chunk (see `head_position`), or an empty token for a chunk without tokens."""
        return self.tokens[self.head_position(chunk)] if chunk.positions else Token("")

    def postpositions(self, chunk: Chunk) -> Sequence[str]:
        """Returns the case markers of a chunk."""
        return [token.form for token in self.tokens[chunk.start : chunk.end] if token.tag == "PSP"]


def find_cycle(heads: Sequence[int]) -> int | None:
    """Returns a position on a cycle of heads, or None; roots have the head -1.

    >>> find_cycle([1, -1]), find_cycle([1, 2, 1])
    (None, 1)
    """
    safe = {-1}
    for position in range(len(heads)):
        way: set[int] = set()
        while position not in safe:
            if position in way:
                return position
            way.add(position)
            position = heads[position]
        safe |= way
    return None


def without_hollow(chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Removes chunks without tokens and attaches their dependents to their heads.

    >>> [chunk.head for chunk in without_hollow([Chunk("NP", 0, 1, 1), Chunk("CCP", 1, 1, 2), Chunk("VGF", 1, 2)])]
    [1, -1]
    """
    positions = {-1: -1}
    for position, chunk in enumerate(chunks):
        if chunk.end > chunk.start:
            positions[position] = len(positions) - 1

    def new_head(head: int) -> int:
        visited: set[int] = set()
        while head not in positions and head not in visited:
            visited.add(head)
            head = chunks[head].head
        return positions.get(head, -1)

    kept = [replace(chunk, head=new_head(chunk.head)) for chunk in chunks if chunk.end > chunk.start]
    return tuple(replace(chunk, relation=chunk.relation if chunk.head >= 0 else "") for chunk in kept)
