"""Symbol tables: words to label ids and back."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from lattice_simp.core.arguments import instance
from lattice_simp.core.columns import whole_numbers
from lattice_simp.errors import InvalidLatticeError, UnknownSymbolError

Sentence = TypeVar("Sentence")

EPSILON = 0
"""The label id of the empty word in every table."""

EPSILON_SYMBOL = "<epsilon>"

_BREAK = re.compile(r"[\t\r\n]")

RHO, SIGMA = "<rho>", "<sigma>"
"""Labels of arcs that match any label that no other arc of the state has, and of arcs that match any label."""


def split_tokens(text: str) -> list[str]:
    """Splits a string at blanks and tabs only: other white space, such as a no-break space, belongs to its token.

    >>> split_tokens("10\u00a0000  people")
    ['10\\xa0000', 'people']
    """
    return [token for token in text.replace("\t", " ").split(" ") if token]


def without_breaks(text: str) -> str:
    """Replaces tabs and line breaks, which words may have, by blanks: outputs have a line for each sentence.

    >>> without_breaks("a\\nb c")
    'a b c'
    """
    return _BREAK.sub(" ", text)


def is_word(token: str) -> bool:
    """Returns whether a token holds a letter or a digit, unlike a punctuation mark.

    >>> is_word("a.m."), is_word("...")
    (True, False)
    """
    return any(map(str.isalnum, token))


def as_tokens(words: str | Iterable[str]) -> tuple[str, ...]:
    """Returns the tokens of a string, or of tokens that are split already.

    >>> as_tokens("a cat"), as_tokens(["a", "cat"])
    (('a', 'cat'), ('a', 'cat'))
    """
    if isinstance(words, str):
        return tuple(split_tokens(words))
    if not isinstance(words, tuple) and not np.iterable(words):
        remedy = "; pass its tokens" if hasattr(words, "tokens") else ""
        raise TypeError(f"expected a sentence, not {words!r:.80}{remedy}")
    tokens = tuple(words)
    _joined(tokens)
    return tokens


def _joined(words: Iterable[Any]) -> str:
    """Joins words; raises a TypeError unless all are strings."""
    try:
        return "".join(words)
    except TypeError:
        foreign = next(word for word in words if not isinstance(word, str))
        raise TypeError(f"words must be strings, not {foreign!r:.80}; decode token ids and bytes first") from None


def is_utf8(text: str) -> bool:
    r"""Returns whether UTF-8 can encode a text: whether it has no lone surrogates.

    >>> is_utf8("caf\u00e9"), is_utf8("\ud800")
    (True, False)
    """
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return False
    return True


def as_sentences(sentences: str | Iterable[Sentence]) -> list[Sentence | str]:
    """Returns the sentences of an iterable; a single string is one sentence, never its letters.

    >>> as_sentences("a cat"), as_sentences(["a cat", "a dog"])
    (['a cat'], ['a cat', 'a dog'])

    Raises:
        TypeError: the sentences are no list, or the keys of a mapping, whose values would be lost.
    """
    if isinstance(sentences, Mapping):
        raise TypeError("expected a list, not a mapping; pass its .items() or .values()")
    if isinstance(sentences, str):
        return [sentences]
    if isinstance(sentences, bytes) or not np.iterable(sentences):
        raise TypeError(f"expected a list or a string, not {sentences!r:.80}")
    return list(sentences)


def _used(labels: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.int64]:
    """Returns the labels that occur, in order; most words of a large table do not."""
    beyond = labels[(labels < 0) | (labels >= size)]
    if len(beyond):
        raise UnknownSymbolError(f"label {beyond[0]} is not in the symbol table of {size} symbols")
    is_used = np.zeros(size, dtype=np.bool_)
    is_used[labels] = True
    return np.flatnonzero(is_used)


class SymbolTable:
    """An append-only map between words and label ids from 0; id 0 is epsilon.

    >>> table = SymbolTable(["the", "cat"])
    >>> table.encode(["the", "dog", "cat"]).tolist()   # unknown words are added
    [1, 3, 2]
    >>> table[3], table.find("mouse"), len(table)
    ('dog', None, 4)

    The id of a word never changes, so lattices and threads may share a table that grows. A table grows when words are
    added to it, or when it is passed to a function that makes lattices from text; operations on lattices never add to
    it (see `with_words`).
    """

    __slots__ = ("_growing", "_ids", "_words")

    def __init__(self, words: str | Iterable[str] = ()) -> None:
        self._words: list[str] = [EPSILON_SYMBOL]
        self._ids: dict[str, int] = {EPSILON_SYMBOL: EPSILON}
        self._growing = threading.Lock()
        self._grow(as_tokens(words))

    @classmethod
    def of(cls, symbols: SymbolTable | None) -> SymbolTable:
        """Returns the table, or a new one if None.

        >>> len(SymbolTable.of(None))
        1

        Raises:
            TypeError: the argument is anything else, such as a list of words.
        """
        if symbols is None:
            return cls()
        instance(symbols, SymbolTable, "the symbols", "SymbolTable(words)")
        return symbols

    def __len__(self) -> int:
        return len(self._words)

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __contains__(self, word: object) -> bool:
        return word in self._ids

    def __getitem__(self, label: int) -> str:
        try:
            if 0 <= label < len(self._words):
                return self._words[label]
        except TypeError:
            message = f"labels are whole numbers, not {label!r:.80}; find(word) returns the label of a word"
            raise TypeError(message) from None
        raise UnknownSymbolError(f"label {label} is not in the symbol table of {len(self)} symbols")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SymbolTable) and (self is other or self._words == other._words)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[SymbolTable], tuple[list[str]]]:
        return type(self), (self._words[1:],)  # a lock cannot be pickled

    def __repr__(self) -> str:
        return f"SymbolTable({len(self)} symbols)"

    def add(self, word: str) -> int:
        """Returns the id of `word`; a new word is added.

        >>> table = SymbolTable(["the"])
        >>> table.add("cat"), table.add("the")
        (2, 1)

        Raises:
            InvalidLatticeError: the word is empty, or UTF-8 cannot encode it.
        """
        word_id = self.find(word)
        if word_id is None:
            self._grow((word,))
            word_id = self._ids[word]
        return word_id

    def _grow(self, words: Iterable[str]) -> None:
        """Adds words that may be new; all checks come first."""
        with self._growing:
            missing = dict.fromkeys(words)
            for word in missing.keys() & self._ids.keys():
                del missing[word]
            text = _joined(new := list(missing))
            if not all(new):
                raise InvalidLatticeError("an empty string is not a symbol; use <epsilon>, label 0")
            if not is_utf8(text):
                broken = next(word for word in new if not is_utf8(word))
                message = f"UTF-8 cannot encode the word {broken!r:.80} (decode its bytes again as UTF-8)"
                raise InvalidLatticeError(message)
            first = len(self._words)
            self._words.extend(new)  # before the ids, which other threads may look up at once
            self._ids.update(zip(new, range(first, first + len(new)), strict=True))

    def find(self, word: str) -> int | None:
        """Returns the id of `word`, or None.

        >>> SymbolTable(["the"]).find("the"), SymbolTable(["the"]).find("cat")
        (1, None)
        """
        if not isinstance(word, str):
            raise TypeError(f"a word must be a str, not {word!r:.80}")
        return self._ids.get(word)

    def encode(self, words: str | Iterable[str]) -> npt.NDArray[np.int32]:
        """Returns the ids (int32) of `words`; unknown words are added.

        >>> SymbolTable(["the"]).encode("the old cat").tolist()
        [1, 2, 3]
        """
        words = as_tokens(words)
        try:
            return self._known(words)
        except KeyError:
            self._grow(words)
            return self._known(words)

    def _known(self, words: Sequence[str]) -> npt.NDArray[np.int32]:
        return np.fromiter(map(self._ids.__getitem__, words), dtype=np.int32, count=len(words))

    def lookup(self, words: str | Iterable[str], missing: int = -1) -> npt.NDArray[np.int32]:
        """Returns the ids (int32) of `words`; unknown words become `missing`, and nothing is added.

        >>> SymbolTable(["the"]).lookup("the old cat").tolist()
        [1, -1, -1]
        """
        get = self._ids.get
        return np.fromiter((get(word, missing) for word in as_tokens(words)), dtype=np.int32)

    def words_of(self, labels: npt.ArrayLike) -> list[str]:
        """Returns the words of these labels, each once, in the order of their ids.

        >>> SymbolTable(["the", "cat"]).words_of(np.array([2, 1, 2], dtype=np.int32))
        ['the', 'cat']

        Raises:
            InvalidLatticeError: the labels are not a list of whole numbers.
            UnknownSymbolError: the table has no such label.
        """
        used = _used(whole_numbers(labels, "labels"), len(self))
        return [self._words[label] for label in used.tolist()]

    def labels_of(self, other: SymbolTable, labels: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Returns the ids (int32) of the words that another table numbers by `labels`; -1 for unknown words.

        >>> SymbolTable(["cat"]).labels_of(SymbolTable(["the", "cat"]), np.array([2, 1])).tolist()
        [1, -1]

        Raises:
            InvalidLatticeError: the labels are not a list of whole numbers.
            UnknownSymbolError: the other table has no such label.
        """
        instance(other, SymbolTable, "the other table", "SymbolTable(words)")
        numbers = whole_numbers(labels, "labels")
        used = _used(numbers, len(other))
        mapping = np.zeros(len(other), dtype=np.int32)
        mapping[used] = self.lookup([other._words[label] for label in used.tolist()])
        return mapping[numbers]

    def decode(self, labels: Iterable[int]) -> list[str]:
        """Returns the words of `labels` without epsilons.

        >>> SymbolTable(["the", "cat"]).decode([1, 0, 2])
        ['the', 'cat']
        """
        if isinstance(labels, str) or not np.iterable(labels):
            raise TypeError(f"expected a list of labels, not {labels!r:.80}")
        return [self[label] for label in labels if label != EPSILON]

    def copy(self) -> SymbolTable:
        """Returns an independent copy of the table.

        >>> table = SymbolTable(["a"])
        >>> copy = table.copy()
        >>> copy.add("b"), len(table), len(copy)
        (2, 2, 3)
        """
        table = SymbolTable()
        with self._growing:
            table._words, table._ids = self._words.copy(), self._ids.copy()
        return table

    def with_words(self, words: str | Iterable[str]) -> SymbolTable:
        """Returns this table if it holds all the words, and otherwise a copy with the missing words added.

        >>> table = SymbolTable(["the", "cat"])
        >>> table.with_words("the cat") is table, list(table.with_words("a cat")), len(table)
        (True, ['<epsilon>', 'the', 'cat', 'a'], 3)
        """
        missing = [word for word in dict.fromkeys(as_tokens(words)) if word not in self._ids]
        if not missing:
            return self
        table = self.copy()
        table._grow(missing)
        return table

    @property
    def words(self) -> Sequence[str]:
        """All words by id; do not change the list."""
        return self._words
