"""Automata of items and the replacement of references against enumeration by brute force."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from lattice_simp.translate.automaton import (
    ARC,
    STEP,
    Cells,
    Items,
    TargetSides,
    expand_references,
    item_automaton,
    items_of_matches,
)

SEEDS = range(25)


def ints(values):
    return np.array(values, dtype=np.int32)


def flat(strings):
    """Returns (offsets, symbols) of strings of numbers."""
    offsets = np.cumsum([0, *(len(string) for string in strings)])
    return ints(offsets), ints([symbol for string in strings for symbol in string])


def build(items, num_states, first_step=1):
    """Builds the automaton of (start, end, string, cost) items, whose steps are numbered from `first_step`."""
    starts, ends, strings, costs = zip(*items, strict=True)
    steps = ints(range(first_step, first_step + len(items)))
    return item_automaton(ints(starts), ints(ends), Items(*flat(strings), np.array(costs), steps), num_states)


def walks(arcs, start, first, last):
    """Enumerates the paths from `start` to the next state in first..last: (end, symbols, cost, steps, states)."""
    source, target, symbol, step, cost = (arcs[name] for name in ARC.names)
    pending = [(start, (), 0.0, (), ())]
    while pending:
        state, symbols, total, steps, states = pending.pop()
        for arc in np.flatnonzero(source == state).tolist():
            following = (
                int(target[arc]),
                (*symbols, int(symbol[arc])),
                total + float(cost[arc]),
                (*steps, int(step[arc])) if step[arc] else steps,
                (*states, int(target[arc])),
            )
            if first <= following[0] <= last:
                yield following
            else:
                pending.append(following)


def random_items(rng, count, positions, alphabet, longest=4):
    """Returns items between positions in order, some of them twice; strings are never empty."""
    items = []
    for _ in range(count):
        start = int(rng.integers(0, positions - 1))
        end = int(rng.integers(start + 1, positions))
        string = tuple(rng.choice(alphabet, rng.integers(1, longest + 1)).tolist())
        items.append((start, end, string, round(float(rng.uniform(-1, 2)), 1)))
    return items


# ---------------------------------------------------------------- items


def test_each_string_has_one_path_at_its_cheapest_items_cost_and_step():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        positions, alphabet = 2 + seed % 4, [1, 2, 3, -1, -5][: 2 + seed % 4]
        items = random_items(rng, 1 + 3 * seed, positions, alphabet)
        arcs, _ = build(items, positions)
        expected = {}
        for number, (start, end, string, cost) in enumerate(items):
            if cost < expected.get((start, end, string), (np.inf,))[0]:
                expected[start, end, string] = (cost, (number + 1,))
        actual = [
            ((start, end, string), (pytest.approx(cost), steps))
            for start in range(positions)
            for end, string, cost, steps, _ in walks(arcs, start, 0, positions - 1)
        ]
        assert len(actual) == len(dict(actual)), f"seed {seed}"
        assert expected == dict(actual), f"seed {seed}"


def test_a_new_state_comes_from_an_end_of_its_items():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        positions = 2 + seed % 4
        arcs, origin = build(random_items(rng, 30, positions, [1, 2]), positions)
        assert origin[:positions].tolist() == list(range(positions)), f"seed {seed}"
        for start in range(positions):
            for end, _, _, _, states in walks(arcs, start, 0, positions - 1):
                assert {int(origin[state]) for state in states} <= {start, end}, f"seed {seed}"


def test_nothing_is_stored_twice():
    for seed in SEEDS:
        items = random_items(np.random.default_rng(seed), 40, 2, [1, 2])
        arcs, origin = build(items, 2)
        source, target, symbol, step = (arcs[name] for name in ("source", "target", "symbol", "step"))
        assert len(source) <= sum(len(string) for string in {string for _, _, string, _ in items}), f"seed {seed}"
        shared = [
            (s, t, y) for s, t, y, k in zip(*(a.tolist() for a in (source, target, symbol, step)), strict=True) if not k
        ]
        assert len(shared) == len(set(shared)), f"seed {seed}"
        assert max(source.max(), target.max()) < len(origin), f"seed {seed}"


def test_an_empty_string_is_one_arc_without_a_word():
    arcs, _ = build([(0, 1, (), 0.5), (0, 1, (3,), 1.0), (0, 1, (), 0.25)], 2)
    assert sorted((string, cost, steps) for _, string, cost, steps, _ in walks(arcs, 0, 1, 1)) == [
        ((0,), 0.25, (3,)),
        ((3,), 1.0, (2,)),
    ]


def test_of_equal_items_the_first_stays():
    arcs, _ = build([(0, 1, (1, 2), 0.5), (0, 1, (1, 2), 0.5)], 2)
    assert [steps for *_, steps, _ in walks(arcs, 0, 1, 1)] == [(1,)]


def test_many_items_outgrow_every_first_capacity():
    rng = np.random.default_rng(0)
    strings = {tuple(rng.integers(1, 50, 12).tolist()) for _ in range(4000)}
    items = [(0, 1, string, float(number)) for number, string in enumerate(sorted(strings))]
    arcs, _ = build(items, 2)
    source, target, symbol, cost = (arcs[name].tolist() for name in ("source", "target", "symbol", "cost"))
    leaving = {}
    for arc, state in enumerate(source):
        leaving.setdefault(state, []).append(arc)
    values = {}
    pending = [(0, (), 0.0)]
    while pending:
        state, string, total = pending.pop()
        if state == 1:
            assert string not in values
            values[string] = total
        for arc in leaving.get(state, []):
            pending.append((target[arc], (*string, symbol[arc]), total + cost[arc]))
    assert values == {string: total for _, _, string, total in items}


# ---------------------------------------------------------------- references


def random_cells(rng, count):
    """Returns each cell's items (string, cost); strings hold words (1-3) and references to earlier cells."""
    cells = []
    for cell in range(count):
        alphabet = [1, 2, 3, *(-1 - other for other in range(cell) if cells[other])]
        items = [
            (tuple(rng.choice(alphabet, rng.integers(1, 4)).tolist()), round(float(rng.uniform(0, 2)), 2))
            for _ in range(rng.integers(0 if cell + 1 < count else 1, 4))
        ]
        cells.append([(tuple(string), cost) for string, cost in items])
    return cells


def derivations(cells, first_steps, cell):
    """Enumerates (words, cost, item numbers) of a cell; of items with the same string the cheapest counts."""
    best = {}
    for number, (string, cost) in enumerate(cells[cell]):
        if cost < best.get(string, (np.inf,))[0]:
            best[string] = (cost, first_steps[cell] + number - 1)
    for string, (cost, item) in best.items():
        parts = [
            [((symbol,), 0.0, ())] if symbol >= 0 else list(derivations(cells, first_steps, -1 - symbol))
            for symbol in string
        ]
        for chosen in product(*parts):
            words = sum((words for words, _, _ in chosen), ())
            items = sum((items for _, _, items in chosen), (item,))
            yield words, cost + sum(part_cost for _, part_cost, _ in chosen), tuple(sorted(items))


def unrolled(step, table):
    """Returns the items of a chain of steps."""
    while step:
        yield int(table["item"][step])
        step = table["next"][step]


def test_references_become_all_derivations_with_their_costs_and_items():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        cells = random_cells(rng, 2 + seed % 4)
        first_steps = np.cumsum([1, *(len(items) for items in cells)]).tolist()
        num_steps = first_steps[-1]
        table = np.zeros(num_steps, dtype=STEP)
        table["item"] = range(-1, num_steps - 1)
        done = Cells(
            np.zeros(len(cells), np.int64), np.zeros(len(cells), np.int64), ints([2] * len(cells)), np.zeros(0, ARC)
        )
        for cell, items in enumerate(cells):
            done.begin[cell] = done.end[cell] = len(done.arcs)
            if not items:
                continue
            arcs, origin = build([(0, 1, *item) for item in items], 2, first_steps[cell])
            arcs, done.num_states[cell], table, num_steps = expand_references(arcs, len(origin), done, table, num_steps)
            assert (arcs["target"] != 0).all(), f"seed {seed}"
            assert (arcs["source"] != 1).all(), f"seed {seed}"
            assert (arcs["symbol"] > 0).all(), f"seed {seed}"
            done = done._replace(arcs=np.concatenate((done.arcs, arcs)))
            done.end[cell] = len(done.arcs)

            counter = Counter(
                (words, round(cost, 6), tuple(sorted(item for step in steps for item in unrolled(step, table))))
                for _, words, cost, steps, _ in walks(arcs, 0, 1, 1)
            )
            expected = Counter(
                (words, round(cost, 6), value) for words, cost, value in derivations(cells, first_steps, cell)
            )
            assert counter == expected, f"seed {seed}"


# ---------------------------------------------------------------- matches


def test_items_of_matches_are_the_rules_target_sides_and_the_copied_tokens():
    # pattern 0 has the rules 0 and 1, pattern 1 none, pattern 2 the rule 2
    pattern_rules, rule_costs = ints([0, 2, 2, 3]), np.array([0.5, 1.5, 2.5])
    target_offsets, target = flat([(7, -1), (-2, 8, -1), (9,)])
    pattern = ints([0, -1, 1, 2])
    slot_cells = ints([(4, 6), (0, 0), (0, 0), (0, 0)])
    sides = TargetSides(pattern_rules, target_offsets, target, rule_costs)
    match, rule, offsets, symbols, costs = items_of_matches(pattern, slot_cells, sides, ints([0, 21, 0, 0]))
    assert match.tolist() == [0, 0, 1, 3]
    assert rule.tolist() == [0, 1, -1, 2]
    assert costs.tolist() == [0.5, 1.5, 0.0, 2.5]
    strings = [symbols[offsets[item] : offsets[item + 1]].tolist() for item in range(4)]
    assert strings == [[7, -5], [-7, 8, -5], [21], [9]]
