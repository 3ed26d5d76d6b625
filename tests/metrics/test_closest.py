"""Closest references against brute force."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp import Hypothesis, Lattice, LatticeSimpError, nbest, recombine
from lattice_simp.metrics import Lines, bleu_tok, closest_references, measure
from lattice_simp.scores.edits import edit_distances
from lattice_simp.support.plurals import counted


def random_line(rng):
    return " ".join(rng.choice(list("abcd"), int(rng.integers(1, 7))).tolist())


def errors(first, other):
    return edit_distances(first.split(), [other.split()])[0]


def test_no_path_is_closer():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        entries = [random_line(rng) for _ in range(3)]
        lattice, output = recombine([Hypothesis(tuple(line.split())) for line in entries]), random_line(rng)
        result = closest_references([lattice], {"own": [output]}, entries[:1])["own"][0]
        strings = [path.text for path in nbest(lattice, 100_000)]
        assert result in strings, seed
        assert errors(output, result) == min(errors(output, string) for string in strings), seed


def test_each_system_has_its_own_and_an_empty_lattice_the_first_reference():
    lattices = [Lattice.from_strings([("a b", 0.0), ("c d", 0.0)]), Lattice.from_strings([])]
    systems = {"one": ["a x", "y"], "two": ["x d", "z"]}
    assert closest_references(lattices, systems, ["r", "s t"]) == {"one": ["a b", "s t"], "two": ["c d", "s t"]}


@pytest.mark.parametrize("count", [0, 1, 3])
def test_there_is_a_lattice_for_each_sentence(count):
    lattices = [Lattice.from_strings([("a", 0.0)])] * count
    with pytest.raises(LatticeSimpError, match=f"{counted(count, 'lattice')} of references for 2 sentences"):
        closest_references(lattices, {"own": ["a", "a"]}, ["a", "a"])


def test_a_reference_of_its_own_counts_for_a_system_alone():
    lines = {"one": Lines(tokens=["a b c d e"]), "two": Lines(tokens=["f g h i j"])}
    reference, actual = Lines(tokens=["a b c x y"]), {"one": Lines(tokens=["x b c d e"]), "two": Lines(tokens=["k"])}
    measured = measure(lines, [reference], [bleu_tok(2)], extra_references=actual)
    alone = [measure({name: line}, [reference, actual[name]], [bleu_tok(2)]) for name, line in lines.items()]
    for name, expected in zip(lines, alone, strict=True):
        assert measured.statistics[name][0].tolist() == expected.statistics[name][0].tolist()
