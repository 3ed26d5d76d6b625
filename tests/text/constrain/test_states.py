"""The growing automaton of bytes accepts the UTF-8 of the texts of automata of characters, at their costs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import lattice_simp as ls
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.generators.automaton import LAST, spell_text, text_automaton
from lattice_simp.text.constrain.states import FAR, TextStates
from lattice_simp.text.constrain.utf8 import CLASS, DEAD

POINTS = [0x0, 0x1F, 0x20, 0x41, 0x7E, 0x7F, 0x80, 0x9F, 0xA0, 0xE9, 0x7FF, 0x800, 0x2027, 0x2028, 0xD7FF, 0xE000]
POINTS += [0xFFFF, 0x10000, 0x1F600, LAST]


def cost(states, data):
    """Returns the cost of a text, infinite if it is rejected."""
    place = states.follow(0, data)
    return np.inf if place == DEAD or place % states.width else states.finals[place // states.width]


@pytest.mark.parametrize("step", [11, pytest.param(1, marks=pytest.mark.slow)])
def test_all_characters_and_no_other_bytes(step):
    """A gap of one character takes those that Python can encode, but control characters."""
    for spacing in ("words", "text"):
        gap = ls.gappy_acceptor([((), 0.0)])
        chars, states = text_automaton(gap, spacing), TextStates(spell_text(gap, spacing))
        assert np.isfinite(cost(states, b"x"))
        steps = states.decoder.steps.tolist()
        accepted = ((states.table[0] != DEAD) & np.isfinite(states.finals[states.table[0]])).tolist()
        for point in [*POINTS, *range(0x900), *range(0x900, 0x20000, step)]:
            if not 0xD800 <= point < 0xE000:
                step = 0
                for byte in chr(point).encode():
                    step = steps[step][byte] if step >= 0 else DEAD
                assert (step <= CLASS and accepted[CLASS - step]) == chars.accepts(chr(point)), (spacing, hex(point))
        for data in (b"\xc0\x80", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff", b"\xc3", b"\x80"):
            assert not np.isfinite(cost(states, data)), (spacing, data)


def test_random_texts():
    words = ["é", "èa", "日本", "a", ","]
    for seed in range(20):
        rng = np.random.default_rng(seed)
        hypotheses = [(tuple(rng.choice(words, size=rng.integers(1, 3)).tolist()), float(price)) for price in (1, 3)]
        singles = [text_automaton(ls.gappy_acceptor([single]), "text") for single in hypotheses]
        states = TextStates(spell_text(ls.gappy_acceptor(hypotheses), "text"))
        for _ in range(200):
            text = "".join(rng.choice([*"éèa日本, 語"], size=rng.integers(0, 7)))
            costs = [price for chars, (_, price) in zip(singles, hypotheses, strict=True) if chars.accepts(text)]
            assert cost(states, text.encode()) == pytest.approx(min(costs, default=np.inf)), (seed, text)


def test_the_least_cost_is_that_of_the_cheapest_text_that_goes_on():
    hypotheses = [("a b", 1.0), ("b", 2.5), ("b a", 0.25)]
    states = TextStates(spell_text(ls.Lattice.from_strings(hypotheses), "words"))
    for text, price in (("", 0.25), ("a", 1.0), ("b", 0.25), ("b ", 0.25), ("a b", 1.0)):
        state = states.follow(0, text.encode()) // states.width
        assert states.least[state] == pytest.approx(price), text
    assert cost(states, b"b") == pytest.approx(2.5)


def test_every_place_leads_to_an_end():
    states = TextStates(spell_text(ls.gappy_acceptor([("日 é", 0.0)]), "text"))
    alphabet = {text.encode()[place : place + 1] for text in "日 éx" for place in range(len(text.encode()))}
    places = {0}
    while more := {states.follow(place, byte) for place in places for byte in alphabet} - places - {DEAD}:
        places |= more
    assert len(places) > 20
    for place in places:
        reached = {place}
        while not any(
            state % states.width == 0 and np.isfinite(states.finals[state // states.width]) for state in reached
        ):
            more = {states.follow(state, byte) for state in reached for byte in alphabet} - {DEAD}
            assert not more <= reached, place
            reached |= more


def test_many_skeletons_need_few_states():
    """The deterministic automaton of these has more than 100,000 states."""
    rng = np.random.default_rng(1)
    words = [f"{first}{second}" for first in "abcdef" for second in "mnopqr"]
    skeletons = [(" ".join(rng.choice(words, size=6)), float(price)) for price in rng.random(12)]
    states = TextStates(spell_text(ls.gappy_acceptor(skeletons), "text"))
    text = "x ".join(" ".join(rng.choice(words, size=3)) for _ in range(4)) + " " + skeletons[7][0]
    assert cost(states, text.encode()) <= skeletons[7][1]
    assert len(states.table) < 5000


def test_the_fewest_tokens():
    """Distances are those of a search in breadth over all sequences of tokens."""
    tokens = [None, b"a", b" b", b"b", b" ", b"\xc3", b"\xa9", b" a\xc3", b"b\xc3"]
    for seed in range(12):
        rng = np.random.default_rng(seed)
        skeletons = [(" ".join(rng.choice(["a", "b", "é", "ab"], size=rng.integers(1, 4))), 0.0) for _ in range(2)]
        constraint = ls.TokenConstraint.of(ls.gappy_acceptor(skeletons), tokens, 0)
        for prefix in itertools.product(range(1, len(tokens)), repeat=2):
            state = constraint.state(prefix)
            if state == DEAD:
                continue
            distance, reached = 1, {state}
            while distance < 12 and not any(np.isfinite(constraint.end_cost(state)) for state in reached):
                reached = {target for state in reached for target in constraint.targets(state).tolist()} - {DEAD}
                distance += 1
            wanted = distance if reached and distance < 12 else FAR
            assert constraint.distances[state] == wanted, (seed, skeletons, prefix)


def test_no_tokens_to_the_end():
    constraint = ls.TokenConstraint.of(ls.term_acceptor(["ab"]), [None, b"a", b" "], 0)
    assert constraint.fewest_tokens == FAR


def test_negative_cycles_are_refused():
    lattice = ls.Lattice.from_arcs([0, 0], [1, 1], [-1.0, 0.0], [0, 1], [np.inf, 0.0], ls.SymbolTable(["a"]))
    with pytest.raises(LatticeSimpError, match="a cycle of the lattice has a negative cost"):
        ls.TokenConstraint.of(lattice, [None, b"a"], 0, spacing="words")
