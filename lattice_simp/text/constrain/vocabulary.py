"""The tokens of a tokeniser as bytes, and their prefix tree."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from lattice_simp.core.arcs import kept_offsets
from lattice_simp.core.arguments import instance, mapping, whole
from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.columns import LARGEST
from lattice_simp.core.kernel import Ints, Longs, jit
from lattice_simp.core.symbols import is_utf8
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.support.array_cache import read_arrays, write_arrays
from lattice_simp.support.array_checks import BrokenArrayError, check_array, sound_arrays

Tokens: TypeAlias = Sequence[bytes | None]
"""The bytes of each token by number; None for tokens without text, such as the end."""

Spelling: TypeAlias = Literal["byte-level", "sentencepiece", "plain"]

_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_BLANK = "▁"


def token_bytes(vocabulary: Mapping[str, int], spelling: Spelling, special: Collection[int] = ()) -> list[bytes | None]:
    """Returns the bytes of each token of a vocabulary, by number; those of `special` are None.

    >>> token_bytes({"</s>": 0, "▁cat": 1, "s": 2, "<0xC3>": 3}, "sentencepiece", special=[0])
    [None, b' cat', b's', b'\\xc3']
    >>> token_bytes({"Ġcat": 0, "Ã": 1}, "byte-level")
    [b' cat', b'\\xc3']

    Args:
        vocabulary: the number of each token, as returned by `get_vocab()` of Hugging Face's tokenisers.
        spelling: how tokens are written: `byte-level` (GPT-2 and its successors: a character for each byte),
            `sentencepiece` (`▁` for a blank, `<0xC3>` for a byte), or `plain` (the text itself).
        special: the numbers of tokens without text, such as `all_special_ids` of Hugging Face's tokenisers.

    Raises:
        LatticeSimpError: the spelling is unknown, or a token does not follow it.
    """
    numbers = token_numbers(mapping(vocabulary, "the vocabulary").values(), "the vocabulary")
    wrong = next((number for number in numbers if not 0 <= number <= LARGEST), None)
    if wrong is not None:
        raise LatticeSimpError(f"a token has the number {wrong}; give numbers from 0 up to {LARGEST}")
    special = frozenset(token_numbers(special, "the special tokens"))
    spelt: list[bytes | None] = [None] * (max(numbers, default=-1) + 1)
    for token, number in vocabulary.items():
        if number not in special:
            spelt[number] = _bytes_of(token, spelling)
    return spelt


def token_numbers(tokens: Iterable[Any], name: str) -> list[int]:
    """Converts a list, an array or a tensor of token numbers to integers.

    >>> token_numbers(np.array([3, 5]), "a prompt")
    [3, 5]

    Raises:
        LatticeSimpError: the tokens are a text, or no list.
        TypeError: a token is not a whole number.
    """
    if isinstance(tokens, (str, bytes)) or not np.iterable(tokens):
        raise LatticeSimpError(f"{name} must be a list of token numbers, not {tokens!r:.80}; encode texts first")
    return [whole(token, f"each token of {name}") for token in tokens]


def _bytes_of(token: str, spelling: Spelling) -> bytes:
    instance(token, str, "a token")
    if not is_utf8(token):
        raise LatticeSimpError(f"the token {token!r} is not UTF-8 text (add its number to special)")
    if spelling == "plain":
        return token.encode()
    if spelling == "sentencepiece":
        byte = _BYTE.fullmatch(token)
        return bytes([int(byte[1], 16)]) if byte else token.replace(_BLANK, " ").encode()
    if spelling != "byte-level":
        raise LatticeSimpError(f"unknown spelling {spelling!r} (choose byte-level, sentencepiece or plain)")
    table = _byte_characters()
    if not all(character in table for character in token):
        raise LatticeSimpError(
            f"the token {token!r} is not byte-level (add its number to special, or choose another spelling)"
        )
    return bytes(table[character] for character in token)


@cache
def _byte_characters() -> Mapping[str, int]:
    """Returns GPT-2's characters with their bytes: visible Latin-1 stands for itself, others begin at U+0100."""
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return {chr(byte): byte for byte in visible} | {chr(256 + place): byte for place, byte in enumerate(hidden)}


@dataclass(frozen=True, eq=False)
class TokenVocabulary:
    """The tokens of a tokeniser and their prefix tree, which constraints share.

    >>> import lattice_simp as ls
    >>> vocabulary = TokenVocabulary.of([None, b"a", b" cat", b"cat"])
    >>> vocabulary
    TokenVocabulary(4 tokens)
    >>> first, second = (ls.TokenConstraint.of(ls.term_acceptor([term]), vocabulary, end=0) for term in ("a", "cat"))
    >>> first.allowed([1])[0], second.allowed([1])[0]
    (np.True_, np.False_)

    Attributes:
        tokens: the bytes of each token by number; None for tokens without text, such as the end.
        trie: their prefix tree.
    """

    tokens: Tokens
    trie: TokenTrie

    def __repr__(self) -> str:
        return f"TokenVocabulary({self.size} tokens)"

    @property
    def size(self) -> int:
        """The number of tokens."""
        return self.trie.size

    @classmethod
    def of(cls, tokens: Tokens) -> TokenVocabulary:
        """Makes a vocabulary of the bytes of each token by number; see `token_bytes`.

        Raises:
            LatticeSimpError: the tokens are not a list of bytes.
        """
        is_list = np.iterable(tokens) and not isinstance(tokens, (str, bytes))
        tokens = list(tokens) if is_list else [b""]
        if not is_list or not all(token is None or isinstance(token, bytes) for token in tokens):
            raise LatticeSimpError("tokens must be a list of bytes; see token_bytes")
        order = sorted((number for number, token in enumerate(tokens) if token), key=tokens.__getitem__)  # type: ignore[arg-type]
        return cls(tokens, _trie(*_packed(tokens), np.array(order, dtype=np.int32)))

    @classmethod
    def read(cls, path: str | Path) -> TokenVocabulary:
        """Reads a file of `write`, in a fraction of the time that `of` takes.

        Raises:
            FormatError: the file cannot be read, is damaged, or holds something else.
        """
        arrays = read_arrays(path)
        if arrays.keys() != set(_ARRAYS):
            raise FormatError("holds no vocabulary", path=path, remedy=_REMEDY)
        with sound_arrays(path, _REMEDY):
            check_array("token_text", arrays["token_text"], np.uint8, None)
            check_array("token_lengths", arrays["token_lengths"], np.int32, None)
            check_array("token_order", arrays["token_order"], np.int32, None)
            text, lengths, order = (arrays[name] for name in _ARRAYS)
            if lengths.min(initial=-1) < -1 or np.maximum(lengths, 0).sum(dtype=np.int64) != len(text):
                raise BrokenArrayError("token_lengths: not those of the text")
            trie = _trie(text, lengths, order)
        data, ends = text.tobytes(), np.cumsum(np.maximum(lengths, 0)).tolist()
        bounds = zip(lengths.tolist(), ends, strict=True)
        return cls([None if length < 0 else data[end - length : end] for length, end in bounds], trie)

    def write(self, path: str | Path) -> None:
        """Writes the tokens and their order to one file, complete or not at all.

        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "vocabulary.arrays"
        >>> TokenVocabulary.of([None, b"a", b" cat"]).write(path)
        >>> TokenVocabulary.read(path).tokens
        [None, b'a', b' cat']

        Raises:
            LatticeSimpError: the file cannot be written.
        """
        write_arrays(path, dict(zip(_ARRAYS, (*_packed(self.tokens), self.trie.tokens), strict=True)))


_ARRAYS = ("token_text", "token_lengths", "token_order")
"""The arrays of a file: all bytes, (tokens,) the length of each token or -1, and the numbers of tokens, sorted."""

_REMEDY = "write the vocabulary again"


def _packed(tokens: Tokens) -> tuple[npt.NDArray[np.uint8], Ints]:
    """Returns the bytes of all tokens, and the length of each; -1 for those without text."""
    lengths = [-1 if token is None else len(token) for token in tokens]
    return np.frombuffer(b"".join(token or b"" for token in tokens), dtype=np.uint8), np.array(lengths, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class TokenTrie:
    """The prefix tree of a vocabulary, with nodes in depth-first order; node 0 is the root.

    Attributes:
        bytes: (nodes,) int32, the byte that leads to each node.
        depths: (nodes,) int32, the depth of each node; 0 for the root.
        ends: (nodes,) int32, the first node after the subtree of each node.
        offsets: (nodes + 1,) int32, the index in `tokens` of the first token that ends at each node.
        tokens: the numbers of the tokens, int32, sorted by their bytes, thus by node.
        size: the size of the vocabulary.
    """

    bytes: Ints
    depths: Ints
    ends: Ints
    offsets: Ints
    tokens: Ints
    size: int

    def without(self, tokens: Collection[int]) -> TokenTrie:
        """Returns the tree without these tokens; its nodes stay the same."""
        kept = ~np.isin(self.tokens, list(tokens))
        if kept.all():
            return self
        offsets = kept_offsets(self.offsets, kept)
        return TokenTrie(self.bytes, self.depths, self.ends, offsets, self.tokens[kept], self.size)

    @cached_property
    def columns(self) -> tuple[Any, ...]:
        """The arrays that kernels take."""
        return self.bytes, self.depths, self.ends, self.offsets, self.tokens


def _trie(text: npt.NDArray[np.uint8], lengths: Ints, order: Ints) -> TokenTrie:
    """Makes the prefix tree of the non-empty tokens; raises BrokenArrayError if they are not sorted."""
    begins = prefix_sums(np.maximum(lengths, 0))
    if len(order) != np.count_nonzero(lengths > 0) or not np.all((order >= 0) & (order < len(lengths))):
        raise BrokenArrayError("token_order: not the numbers of the tokens")
    if not np.all(lengths[order] > 0):
        raise BrokenArrayError("token_order: holds tokens without text")
    columns = [np.zeros(len(text) + 2, dtype=np.int32) for _ in range(4)]
    path = np.zeros(int(lengths.max(initial=0)) + 1, dtype=np.int64)
    nodes = _grow(text, begins, order, (columns[0], columns[1], columns[2], columns[3]), path)
    if not nodes:
        raise BrokenArrayError("token_order: not sorted by the bytes of the tokens")
    letters, depths, ends = (column[:nodes].copy() for column in columns[:3])
    return TokenTrie(letters, depths, ends, columns[3][: nodes + 1].copy(), order, len(lengths))


@jit
def _grow(
    text: npt.NDArray[np.uint8], begins: Longs, order: Ints, columns: tuple[Ints, Ints, Ints, Ints], path: Longs
) -> int:
    """Writes the nodes of sorted tokens and returns their number, or 0 if the tokens are not sorted."""
    letters, depths, ends, offsets = columns
    letters[0] = -1
    nodes, depth = 1, 0
    for place in range(len(order)):
        begin, length = begins[order[place]], begins[order[place] + 1] - begins[order[place]]
        common = 0
        while common < min(length, depth) and letters[path[common + 1]] == text[begin + common]:
            common += 1
        if common < depth and (common == length or text[begin + common] < letters[path[common + 1]]):
            return 0
        if common == depth and common == length and place > 0 and order[place - 1] >= order[place]:
            return 0
        for above in range(common + 1, depth + 1):
            ends[path[above]] = nodes
        for level in range(common, length):
            path[level + 1], letters[nodes], depths[nodes] = nodes, text[begin + level], level + 1
            offsets[nodes] = place
            nodes += 1
        depth = length
    for above in range(depth + 1):
        ends[path[above]] = nodes
    offsets[nodes] = len(order)
    return nodes
