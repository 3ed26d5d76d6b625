"""Damages files as accidents and attackers do."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

Damage = Callable[[bytes, random.Random], bytes]

TOKENS = (
    *(b"0", b"-1", b"1e309", b"-1e309", b"nan", b"inf", b"-inf", b"1_0", b"9" * 18, b"9" * 5000, b"-" + b"9" * 18),
    *(b"2147483647", b"2147483648", b"4294967296", b"9223372036854775808", b"1.5", b"0x10", b"1e39", b"1e-400"),
    *(b"<eps>", b"<epsilon>", b"|||", b"||| |||", b"\t", b" ", b"\n", b"\r\n", b"\r", b"\0", b"\v", b"\f", b"\x1c"),
    *("\u00a0".encode(), "\u2028".encode(), "\u3000".encode(), "\u0085".encode(), "\ufeff".encode(), "é".encode()),
    *("١٢".encode(), "１".encode(), b"\xff\xfe", b"\xed\xa0\x80", b"\xc3", b"(", b")", b"[", b"]", b"{", b"}", b'"'),
    *(b"'", b"\\", b"=", b":", b",", b"#", b"-", b"%s", b"null", b"true", b"NaN", b"Infinity", b'{"a": {"a":'),
)
"""Texts that replace other text."""

NESTS = (
    *((b"[", b"]"), (b"(", b")"), (b"{", b"}"), (b'{"a":', b"}")),
    *((b"<a>", b"</a>"), (b"(S ", b")"), (b"[[ ", b" ]]")),
)

DEPTHS = (50, 2_000, 100_000)

LARGEST = 1 << 22
"""The most bytes of a damaged file; larger ones would take long because of their size."""

_NUMBER = re.compile(rb"\d+(?:\.\d+)?")
_FIELD = re.compile(rb"[^\s,()\[\]{}=:|]+")


def flipped(data: bytes, rng: random.Random) -> bytes:
    """Flips some bits."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 4, 32))):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def cut(data: bytes, rng: random.Random) -> bytes:
    """Removes a part of the file, or its end."""
    begin = rng.randrange(len(data) + 1)
    return data[:begin] + (data[rng.randrange(begin, len(data) + 1) :] if rng.random() < 0.5 else b"")


def repeated(data: bytes, rng: random.Random) -> bytes:
    """Repeats a part of the file, once or many times."""
    begin = rng.randrange(len(data) + 1)
    part = data[begin : begin + rng.choice((1, 8, 64, len(data)))]
    return data[:begin] + part * rng.choice((2, 10, 1000)) + data[begin:]


def replaced(data: bytes, rng: random.Random, pattern: re.Pattern[bytes] = _FIELD) -> bytes:
    """Replaces a field."""
    places = list(pattern.finditer(data))
    if not places:
        return data + rng.choice(TOKENS)
    place = rng.choice(places)
    return data[: place.start()] + rng.choice(TOKENS) + data[place.end() :]


def renumbered(data: bytes, rng: random.Random) -> bytes:
    """Replaces a number."""
    return replaced(data, rng, _NUMBER)


def inserted(data: bytes, rng: random.Random) -> bytes:
    """Inserts a text anywhere."""
    begin = rng.randrange(len(data) + 1)
    return data[:begin] + rng.choice(TOKENS) + data[begin:]


def shuffled(data: bytes, rng: random.Random) -> bytes:
    """Shuffles the lines, or swaps the halves of the file."""
    lines = data.split(b"\n")
    rng.shuffle(lines)
    return b"\n".join(lines)


def nested(data: bytes, rng: random.Random) -> bytes:
    """Adds deep nesting around the file or inside it, closed or unclosed."""
    opening, closing = rng.choice(NESTS)
    depth = rng.choice(DEPTHS)
    begin = rng.choice((0, rng.randrange(len(data) + 1)))
    end = closing * depth if rng.random() < 0.7 else b""
    return data[:begin] + opening * depth + data[begin:] + end


def overwritten(data: bytes, rng: random.Random) -> bytes:
    """Overwrites bytes with a large or negative binary number."""
    size = rng.choice((4, 8))
    number = rng.choice((-1, 0, 1 << 31, (1 << 31) - 1, 1 << 40, -(1 << 40), (1 << 63) - 1)) % (1 << (8 * size))
    begin = rng.randrange(max(1, len(data) - size))
    return data[:begin] + number.to_bytes(size, "little") + data[begin + size :]


KINDS: tuple[Damage, ...] = (
    *(flipped, cut, repeated, replaced, replaced, renumbered, renumbered, inserted, shuffled, nested, overwritten),
)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Returns a file with one to three kinds of damage."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        data = rng.choice(KINDS)(data, rng)[:LARGEST]
    return data
