r"""Converts lattices of words to automata over characters, which constrain text generators.

The automata are deterministic and minimal (by OpenFst). Arcs labelled `<sigma>`, such as those of a gappy acceptor, are
gaps. There are three kinds of spacing:

- `words`: words joined by single blanks. A gap matches any words.
- `text`: ordinary text. Punctuation marks may touch their neighbours; a gap matches any text, but no word of the
  lattice begins or ends within a word of a gap. Letters of scripts without blanks between words (Chinese, Japanese,
  Thai, Lao, Khmer, Burmese, Tibetan) may also touch their neighbours, so a Japanese term may be anywhere in a sentence;
  no vowel or tone sign may follow a term and change its last letter.
- `running`: as `text`, but letters of all scripts may touch their neighbours: a Korean term before its particle, a term
  within a compound.

Texts contain no control characters, and so no line ends, except those in words of the lattice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np

from lattice_simp.core.arguments import choice
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.scripts import unspaced_letters, unspaced_marks
from lattice_simp.core.symbols import EPSILON, RHO, SIGMA, SymbolTable
from lattice_simp.errors import EmptyLatticeError, LatticeSimpError
from lattice_simp.support.tables import read_table

Spacing: TypeAlias = Literal["words", "text", "running"]

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""The first and last code point of each range, sorted, without overlap."""

MAX_STATES = 100_000
"""The default limit of an automaton's states."""

LAST = 0x10FFFF
_CONTROL: Ranges = ((0x00, 0x1F), (0x7F, 0x9F), (0x2028, 0x2029))
_BLANK = " "

_SEPARATOR, _MARK, _CLOSE, _LETTER = range(4)
"""The kinds of characters that `Alphabet` distinguishes."""


class HasLattice(Protocol):
    """An object with a lattice, such as a gappy acceptor."""

    def as_lattice(self) -> Lattice: ...


def as_lattice(acceptor: Lattice | HasLattice) -> Lattice:
    """Returns the lattice of a gappy acceptor, with its loops as arcs; a lattice is returned unchanged."""
    if isinstance(acceptor, Lattice):
        return acceptor
    if not hasattr(acceptor, "as_lattice"):
        raise TypeError(f"expected a lattice or a gappy acceptor, not a {type(acceptor).__name__}")
    return acceptor.as_lattice()


@dataclass(frozen=True)
class TextAutomaton:
    """A deterministic, minimal automaton over characters; the start is state 0, and every state reaches a final state.

    Attributes:
        classes: the code points of each class of characters; classes are disjoint.
        arcs: for each state, pairs of a class and a target state, sorted by class.
        finals: whether each state is final.
    """

    classes: tuple[Ranges, ...]
    arcs: tuple[tuple[tuple[int, int], ...], ...]
    finals: tuple[bool, ...]

    def accepts(self, text: str) -> bool:
        """Returns whether the automaton accepts a text.

        >>> text_automaton(Lattice.from_strings([("a cat", 0.0)])).accepts("a cat")
        True
        """
        state: int | None = 0
        for character in map(ord, text):
            leaving = self.arcs[state] if state is not None else ()
            state = next((to for label, to in leaving if _holds(self.classes[label], character)), None)
        return state is not None and self.finals[state]

    def ranges(self, state: int) -> Iterator[tuple[int, int, int]]:
        """Yields the code points, the first and the last of a range, and the state they lead to."""
        for label, to in self.arcs[state]:
            yield from ((first, last, to) for first, last in self.classes[label])


def text_automaton(
    lattice: Lattice | HasLattice,
    spacing: Spacing = "words",
    *,
    leading_blank: bool = False,
    max_states: int = MAX_STATES,
) -> TextAutomaton:
    """Converts a lattice to the automaton of its texts; costs are ignored.

    >>> from lattice_simp.ops.gappy_acceptor import gappy_acceptor
    >>> automaton = text_automaton(gappy_acceptor([("law passed", 0.0)]), "text")
    >>> automaton.accepts("The law, at last, was passed."), automaton.accepts("The lawn was passed.")
    (True, False)

    Args:
        lattice: an acceptor, or a gappy acceptor; arcs labelled `<sigma>` are gaps (with `words`, they are loops).
        spacing: `words`, `text` or `running`; see the module's docstring.
        leading_blank: whether a text may begin with a blank, like the continuation of a prompt.
        max_states: the limit of states.

    Raises:
        EmptyLatticeError: the lattice accepts nothing.
        LatticeSimpError: the spacing is unknown, the lattice is a transducer or has rho loops, or the automaton has
            more than `max_states` states.
    """
    import pynini

    graph = spell_text(lattice, spacing, leading_blank=leading_blank)
    fst = graph.as_fst()
    fst.connect()
    if fst.start() < 0:
        raise EmptyLatticeError("the lattice accepts nothing, so there is no text")
    deterministic = pynini.determinize(fst.rmepsilon(), nstate=max_states + 1)
    if deterministic.num_states() > max_states:
        raise LatticeSimpError(
            f"the automaton of the texts has more than {max_states:,} states; prune the lattice, or raise max_states"
        )
    return _automaton(deterministic.minimize(), graph.alphabet)


def spell_text(lattice: Lattice | HasLattice, spacing: Spacing = "words", *, leading_blank: bool = False) -> TextGraph:
    """Returns the nondeterministic automaton of the texts of a lattice, with costs; the options of `text_automaton`.

    A gap's text costs nothing.

    Raises:
        EmptyLatticeError: the lattice accepts nothing.
        LatticeSimpError: an unknown spacing, a transducer, rho loops.
    """
    lattice = as_lattice(lattice)
    choice(spacing, get_args(Spacing), "spacing")
    lattice.require_acceptor()
    if lattice.empty:
        raise EmptyLatticeError("the lattice accepts nothing, so there is no text")
    words = [lattice.symbols[label] for label in range(len(lattice.symbols))]
    used = {words[label] for label in set(lattice.olabels.tolist())}
    if RHO in used:
        raise LatticeSimpError("rho loops cannot be written as text; make the acceptor with sigma loops")
    characters = {character for word in used - {SIGMA, words[EPSILON]} for character in word}
    alphabet = Alphabet(characters, running=spacing == "running")
    graph = (_Words if spacing == "words" else _Text)(alphabet)
    graph.spell(lattice, words, leading_blank)
    return graph


def _automaton(fst: Any, alphabet: Alphabet) -> TextAutomaton:
    """Converts OpenFst's automaton, numbering its states in breadth-first order."""
    chars = Lattice.from_pynini(fst, alphabet.symbols)
    offsets, labels, targets = chars.offsets.tolist(), chars.olabels.tolist(), chars.nextstates.tolist()
    order, number = [0], {0: 0}
    for state in order:
        for arc in sorted(range(offsets[state], offsets[state + 1]), key=labels.__getitem__):
            if targets[arc] not in number:
                number[targets[arc]] = len(order)
                order.append(targets[arc])
    arcs = tuple(
        tuple(sorted((labels[arc] - 1, number[targets[arc]]) for arc in range(offsets[state], offsets[state + 1])))
        for state in order
    )
    return TextAutomaton(alphabet.classes, arcs, tuple(np.isfinite(chars.finals[order]).tolist()))


# ---------------------------------------------------------------- characters


@cache
def separators() -> Ranges:
    """Returns the code points between words, blanks and punctuation, from the table beside this file."""
    path = Path(str(resources.files("lattice_simp.formats").joinpath("separators.tsv")))
    return tuple((int(row["first"], 16), int(row["last"], 16)) for row in read_table(path, ("first", "last", "what")))


def _holds(ranges: Ranges, point: int) -> bool:
    return any(first <= point <= last for first, last in ranges)


def complement(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Returns the code points outside of ranges, which may be unsorted.

    >>> complement([(0, 64), (91, 1114111)])
    ((65, 90),)
    """
    gaps, begin = [], 0
    for first, last in sorted(ranges):
        if first > begin:
            gaps.append((begin, first - 1))
        begin = max(begin, last + 1)
    return (*gaps, (begin, LAST)) if begin <= LAST else tuple(gaps)


class Alphabet:
    """Classes of characters, labelled from 1: one for each character of the words, then one for the rest of each kind.

    Attributes:
        classes: the code points of each class.
        symbols: the symbol table of the labels.
        separators: the labels of separators that a gap may contain.
        close: the labels of letters that may touch other words.
        marks: the labels of signs that belong to such a letter before them.
        letters: the labels of all other letters.
        blank: the label of the blank.
    """

    def __init__(self, characters: set[str], running: bool = False) -> None:
        named = sorted({*characters, _BLANK})
        self._labels = {character: label for label, character in enumerate(named, 1)}
        self._running = running
        points: list[tuple[int, int]] = [(ord(character), ord(character)) for character in named]
        close, marks = unspaced_letters(), unspaced_marks()
        kinds = [separators(), marks, complement((*separators(), *marks))] if running else [separators(), marks, close]
        rest = () if running else complement((*separators(), *marks, *close))
        rest_classes = [complement((*complement(kind), *_CONTROL, *points)) for kind in (*kinds, rest)]
        self.classes: tuple[Ranges, ...] = (*((point,) for point in points), *rest_classes)
        self.symbols = SymbolTable(f"{label}" for label in range(1, len(self.classes) + 1))
        labels: list[list[int]] = [[len(points) + place] if kind else [] for place, kind in enumerate(rest_classes, 1)]
        for character in named:
            if not _holds(_CONTROL, ord(character)):
                labels[self._kind(character)].append(self._labels[character])
        self.separators, self.marks, self.close, self.letters = labels
        self.blank = self._labels[_BLANK]

    @property
    def free(self) -> set[int]:
        """The labels that a gap may contain."""
        return {*self.separators, *self.marks, *self.close, *self.letters}

    def labels(self, word: str) -> list[int]:
        return [self._labels[character] for character in word]

    def is_close(self, character: str) -> bool:
        """Returns whether a word that begins or ends with the character may touch other letters there."""
        return self._kind(character) < _LETTER

    def _kind(self, character: str) -> int:
        if is_separator(character):
            return _SEPARATOR
        if _holds(unspaced_marks(), ord(character)):
            return _MARK
        return _CLOSE if self._running or _holds(unspaced_letters(), ord(character)) else _LETTER


def is_separator(character: str) -> bool:
    """Returns whether a character is a blank, a punctuation mark or a control character.

    >>> is_separator(","), is_separator("é")
    (True, False)
    """
    return _holds(separators(), ord(character)) or _holds(_CONTROL, ord(character))


# ---------------------------------------------------------------- graphs


@dataclass
class TextGraph:
    """A growing automaton over characters; a node is a state of the lattice with the end of the text before it.

    Attributes:
        alphabet: the classes of characters; label 0 is epsilon, label n is class n - 1.
        arcs: the source, label, target and cost of each arc; the start is node 0.
        finals: the costs of the nodes where a text may end.
        count: the number of nodes.
        skips: the source, target and cost of each possible skip of a word.
        whole: the number of nodes, from the first on, that are reached without a missing word; 0 if no word may be
            missing.
    """

    alphabet: Alphabet
    arcs: list[tuple[int, int, int, float]] = field(default_factory=list)
    finals: dict[int, float] = field(default_factory=dict)
    count: int = 1
    skips: list[tuple[int, int, float]] = field(default_factory=list)
    whole: int = 0

    def new(self) -> int:
        self.count += 1
        return self.count - 1

    def add(self, source: int, labels: Sequence[int], target: int, cost: float = 0.0) -> None:
        """Adds a chain of arcs with these labels, or an epsilon arc if there are none; the first arc has the cost."""
        for label in labels[:-1]:
            node = self.new()
            self.arcs.append((source, label, node, cost))
            source, cost = node, 0.0
        self.arcs.append((source, labels[-1] if labels else EPSILON, target, cost))

    def any_of(self, source: int, labels: Iterable[int], target: int) -> None:
        """Adds an arc for each of the labels."""
        self.arcs += [(source, label, target, 0.0) for label in labels]

    def with_missing_words(self, cost: float) -> TextGraph:
        """Returns the automaton with optional words; each missing one costs.

        A copy of it follows the first missing word.
        """
        shifted = [
            (source + self.count, label, target + self.count, price) for source, label, target, price in self.arcs
        ]
        missing = [
            (source + copied, EPSILON, target + self.count, price + cost)
            for source, target, price in self.skips
            for copied in (0, self.count)
        ]
        finals = self.finals | {node + self.count: price for node, price in self.finals.items()}
        arcs = [*self.arcs, *shifted, *missing]
        return TextGraph(self.alphabet, arcs, finals, 2 * self.count, whole=self.count)

    def as_fst(self) -> Any:
        """Returns the automaton as a `pynini.Fst`, without costs."""
        sources, labels, targets, _ = zip(*self.arcs, strict=True) if self.arcs else ((), (), (), ())
        ends = np.full(self.count, np.inf)
        ends[list(self.finals)] = 0.0
        symbols = self.alphabet.symbols
        return Lattice.from_arcs(sources, labels, np.zeros(len(labels)), targets, ends, symbols).to_pynini()


class _Words(TextGraph):
    """Words joined by blanks, with nodes at the beginning of the text and nodes after a word."""

    def spell(self, lattice: Lattice, words: Sequence[str], leading_blank: bool) -> None:
        first, after = ([self.new() for _ in range(lattice.num_states)] for _ in range(2))
        self._begin(first[0], leading_blank)
        blank, free = [self.alphabet.blank], self.alphabet.free
        for source, label, target, cost in _rows(lattice):
            if label == EPSILON:
                self.add(first[source], [], first[target], cost)
                self.add(after[source], [], after[target], cost)
            elif words[label] == SIGMA:
                begun, within = self.new(), self.new()
                self.add(after[source], blank, begun)
                self.any_of(within, free - {*blank}, within)
                for node in (begun, first[source]):
                    self.any_of(node, free - {*blank}, within)
                self.add(within, [], after[target], cost)
            else:
                begun = self.new()
                self.add(after[source], blank, begun)
                self.add(first[source], [], begun)
                self.add(begun, self.alphabet.labels(words[label]), after[target], cost)
                self.skips += [(first[source], first[target], cost), (after[source], after[target], cost)]
        self._end(lattice, first, after)

    def _end(self, lattice: Lattice, *nodes: Sequence[int]) -> None:
        """Makes the nodes of the lattice's final states final."""
        for state in np.flatnonzero(np.isfinite(lattice.finals)).tolist():
            self.finals.update({node[state]: float(lattice.finals[state]) for node in nodes})

    def _begin(self, node: int, leading_blank: bool) -> None:
        self.add(0, [], node)
        if leading_blank:
            self.add(0, [self.alphabet.blank], node)


class _Text(_Words):
    """Ordinary text.

    It has nodes at its beginning, after a letter of a word, after a letter that may touch others, after a separator of
    a word, and likewise for gaps, where the last two are the same.
    """

    def spell(self, lattice: Lattice, words: Sequence[str], leading_blank: bool) -> None:
        kinds = ("first", "letter", "close", "separator", "gap letter", "gap")
        nodes = {kind: [self.new() for _ in range(lattice.num_states)] for kind in kinds}
        self._begin(nodes["first"][0], leading_blank)
        for source, label, target, cost in _rows(lattice):
            here = {kind: of_state[source] for kind, of_state in nodes.items()}
            there = {kind: of_state[target] for kind, of_state in nodes.items()}
            if label == EPSILON:
                for kind, node in here.items():
                    self.add(node, [], there[kind], cost)
            elif words[label] != SIGMA:
                self._word(here, words[label], there, cost)
            elif source == target:
                self._gap(here)
            else:
                raise LatticeSimpError(f"an arc {SIGMA} to another state is not a gap of text; use the spacing words")
        self._end(lattice, *nodes.values())

    def _word(self, here: dict[str, int], word: str, there: dict[str, int], cost: float) -> None:
        begun, blank = self.new(), [self.alphabet.blank]
        starts_close = self.alphabet.is_close(word[0])
        for kind in ("first", "gap", "close", "separator", *(("letter", "gap letter") if starts_close else ())):
            self.add(here[kind], [], begun)
        for kind in ("letter", "close", "separator"):
            self.add(here[kind], blank, begun)
        ending = "letter"
        if self.alphabet.is_close(word[-1]):
            ending = "separator" if is_separator(word[-1]) else "close"
        self.add(begun, self.alphabet.labels(word), there[ending], cost)
        self.skips += [(node, there[kind], cost) for kind, node in here.items()]

    def _gap(self, here: dict[str, int]) -> None:
        for kind, node in here.items():
            self.any_of(node, [*self.alphabet.separators, *self.alphabet.close], here["gap"])
            if kind != "letter":
                self.any_of(node, self.alphabet.letters, here["gap letter"])
            if kind not in ("letter", "close"):
                self.any_of(node, self.alphabet.marks, here["gap"])


def _rows(lattice: Lattice) -> Iterator[tuple[int, int, int, float]]:
    columns = (lattice.sources, lattice.olabels, lattice.nextstates, lattice.weights)
    return zip(*(column.tolist() for column in columns), strict=True)
