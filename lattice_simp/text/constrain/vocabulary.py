"""The tokens of a tokeniser as bytes, and their prefix tree."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np

from lattice_simp.core.kernel import Ints
from lattice_simp.core.symbols import is_utf8
from lattice_simp.errors import LatticeSimpError

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
    spelt: list[bytes | None] = [None] * (max(vocabulary.values(), default=-1) + 1)
    for token, number in vocabulary.items():
        if number not in special:
            spelt[number] = _bytes_of(token, spelling)
    return spelt


def _bytes_of(token: str, spelling: Spelling) -> bytes:
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
class TokenTrie:
    """The prefix tree of a vocabulary, with nodes in depth-first order; node 0 is the root.

    Attributes:
        bytes: (nodes,) int32, the byte that leads to each node.
        depths: (nodes,) int32, the depth of each node; 0 for the root.
        ends: (nodes,) int32, the first node after the subtree of each node.
        offsets: (nodes + 1,) int32, the index in `tokens` of the first token that ends at each node.
        tokens: the numbers of the tokens, int32, sorted by node.
        size: the size of the vocabulary.
    """

    bytes: Ints
    depths: Ints
    ends: Ints
    offsets: Ints
    tokens: Ints
    size: int

    @classmethod
    def of(cls, tokens: Tokens) -> TokenTrie:
        """Makes the prefix tree of tokens, without those that are None or empty."""
        order = sorted((token, number) for number, token in enumerate(tokens) if token)
        letters, depths, ending = [-1], [0], list[tuple[int, int]]()
        path, before = [0], b""
        ends: dict[int, int] = {}
        for token, number in order:
            common = next((place for place, (a, b) in enumerate(zip(token, before, strict=False)) if a != b), None)
            common = min(len(token), len(before)) if common is None else common
            for node in path[common + 1 :]:
                ends[node] = len(letters)
            del path[common + 1 :]
            for byte in token[common:]:
                path.append(len(letters))
                letters.append(byte)
                depths.append(len(path) - 1)
            ending.append((path[-1], number))
            before = token
        counts = np.bincount([node for node, _ in ending], minlength=len(letters))
        return cls(
            np.array(letters, dtype=np.int32),
            np.array(depths, dtype=np.int32),
            np.array([ends.get(node, len(letters)) for node in range(len(letters))], dtype=np.int32),
            np.concatenate(([0], np.cumsum(counts))).astype(np.int32),
            np.array([number for _, number in sorted(ending)], dtype=np.int32),
            len(tokens),
        )

    @property
    def columns(self) -> tuple[Any, ...]:
        """The arrays that the kernel takes."""
        return self.bytes, self.depths, self.ends, self.offsets, self.tokens
