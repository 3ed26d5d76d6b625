"""Automata of bytes accept the UTF-8 of the texts of automata of characters, and nothing else."""

from __future__ import annotations

import numpy as np

import lattice_simp as ls
from lattice_simp.formats.text_automaton import LAST, text_automaton
from lattice_simp.text.constrain.byte_automaton import DEAD, byte_automaton

POINTS = [0x0, 0x1F, 0x20, 0x41, 0x7E, 0x7F, 0x80, 0x9F, 0xA0, 0xE9, 0x7FF, 0x800, 0x2027, 0x2028, 0xD7FF, 0xE000]
POINTS += [0xFFFF, 0x10000, 0x1F600, LAST]


def accepts(automaton, data):
    state = automaton.walk(data)
    return state != DEAD and bool(automaton.finals[state])


def test_all_characters_and_no_other_bytes():
    """A gap of one character takes those that Python can encode, but control characters."""
    for spacing in ("words", "text"):
        chars = text_automaton(ls.gappy_acceptor([((), 0.0)]), spacing)
        automaton = byte_automaton(chars)
        for point in POINTS:
            assert accepts(automaton, chr(point).encode()) == chars.accepts(chr(point)), (spacing, hex(point))
        for point in range(0x20000):
            if not 0xD800 <= point < 0xE000:
                assert accepts(automaton, chr(point).encode()) == chars.accepts(chr(point)), (spacing, hex(point))
        for data in (b"\xc0\x80", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff", b"\xc3", b"\x80"):
            assert not accepts(automaton, data), (spacing, data)


def test_random_texts():
    words = ["é", "èa", "日本", "a", ","]
    for seed in range(20):
        rng = np.random.default_rng(seed)
        hypotheses = [(tuple(rng.choice(words, size=rng.integers(1, 3)).tolist()), 0.0) for _ in range(2)]
        chars = text_automaton(ls.gappy_acceptor(hypotheses), "text")
        automaton = byte_automaton(chars)
        for _ in range(200):
            text = "".join(rng.choice([*"éèa日本, 語"], size=rng.integers(0, 7)))
            assert accepts(automaton, text.encode()) == chars.accepts(text), (seed, text)


def test_every_state_leads_to_an_end():
    automaton = byte_automaton(text_automaton(ls.gappy_acceptor([("日 é", 0.0)]), "text"))
    useful = automaton.finals.copy()
    for _ in range(len(useful)):
        useful |= np.isin(automaton.table, np.flatnonzero(useful)).any(axis=1)
    assert useful.all()
