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
"""The bytes of each token by number; None for one that stands for no text, as the end."""

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
        vocabulary: the number of each token, as `get_vocab()` of Hugging Face's tokenisers returns them.
        spelling: how tokens are written: `byte-level` (GPT-2 and its followers: a character for each byte),
            `sentencepiece` (`▁` for a blank, `<0xC3>` for a byte), or `plain` (the text itself).
        special: numbers of tokens that stand for no text, as `all_special_ids` of Hugging Face's tokenisers are.

    Raises:
        LatticeSimpError: an unknown spelling, or a token that is not spelt so.
    """
    found: list[bytes | None] = [None] * (max(vocabulary.values(), default=-1) + 1)
    for token, number in vocabulary.items():
        if number not in special:
            found[number] = _bytes_of(token, spelling)
    return found


def _bytes_of(token: str, spelling: Spelling) -> bytes:
    if not is_utf8(token):
        raise LatticeSimpError(f"the token {token!r} is no text of UTF-8 (name it as special)")
    if spelling == "plain":
        return token.encode()
    if spelling == "sentencepiece":
        byte = _BYTE.fullmatch(token)
        return bytes([int(byte[1], 16)]) if byte else token.replace(_BLANK, " ").encode()
    if spelling != "byte-level":
        raise LatticeSimpError(f"unknown spelling {spelling!r} (choose byte-level, sentencepiece or plain)")
    table = _byte_characters()
    if not all(character in table for character in token):
        raise LatticeSimpError(f"the token {token!r} is not spelt byte by byte (name it as special, or choose another)")
    return bytes(table[character] for character in token)


@cache
def _byte_characters() -> Mapping[str, int]:
    """Returns the byte of each character as GPT-2 writes them: visible Latin-1 as it is, others from U+0100 on."""
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return {chr(byte): byte for byte in visible} | {chr(256 + place): byte for place, byte in enumerate(hidden)}


@dataclass(frozen=True, eq=False)
class TokenTrie:
    """The prefix tree of tokens, its nodes in the order of a search in depth; node 0 is the root.

    Attributes:
        bytes: (nodes,) int32, the byte that leads to each node.
        depths: (nodes,) int32; that of the root is 0.
        ends: (nodes,) int32, the first node after those below a node.
        offsets: (nodes + 1,) int32, where the tokens that end at each node begin.
        tokens: numbers of tokens, int32.
        size: of the vocabulary.
    """

    bytes: Ints
    depths: Ints
    ends: Ints
    offsets: Ints
    tokens: Ints
    size: int

    @classmethod
    def of(cls, tokens: Tokens) -> TokenTrie:
        """Makes the tree of tokens; those that are None or empty are not in it."""
        order = sorted((own, number) for number, own in enumerate(tokens) if own)
        letters, depths, ending = [-1], [0], list[tuple[int, int]]()
        path, before = [0], b""
        ends: dict[int, int] = {}
        for own, number in order:
            common = next((place for place, (a, b) in enumerate(zip(own, before, strict=False)) if a != b), None)
            common = min(len(own), len(before)) if common is None else common
            for node in path[common + 1 :]:
                ends[node] = len(letters)
            del path[common + 1 :]
            for byte in own[common:]:
                path.append(len(letters))
                letters.append(byte)
                depths.append(len(path) - 1)
            ending.append((path[-1], number))
            before = own
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
        """What the kernel takes."""
        return self.bytes, self.depths, self.ends, self.offsets, self.tokens
