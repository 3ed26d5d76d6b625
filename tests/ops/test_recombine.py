"""Recombination against brute force: alignments written out, and every path a recombination."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lattice_simp import Hypothesis, InvalidLatticeError, nbest, recombine, shortest_distance
from lattice_simp.core.symbols import SymbolTable


def random_hypotheses(seed, most=5, length=5):
    rng = np.random.default_rng(seed)
    return [
        Hypothesis(tuple(rng.choice(list("abcd"), int(rng.integers(0, length))).tolist()), float(rng.random()))
        for _ in range(int(rng.integers(1, most)))
    ]


def strings(lattice):
    return {path.tokens for path in nbest(lattice, 1_000_000)}


def links_of_nearest_alignments(first, other):
    """Yields the links (of equal words) of each alignment of two strings with the fewest errors."""
    possible = [(i, j) for i in range(len(first)) for j in range(len(other))]
    scored = []
    for count in range(min(len(first), len(other)) + 1):
        for joined in itertools.combinations(possible, count):  # words side by side, equal or not
            if all(a[0] < b[0] and a[1] < b[1] for a, b in itertools.pairwise(joined)):
                errors = len(first) + len(other) - 2 * count + sum(first[i] != other[j] for i, j in joined)
                scored.append((errors, tuple((i, j) for i, j in joined if first[i] == other[j])))
    least = min(errors for errors, _ in scored)
    return {links for errors, links in scored if errors == least}


def recombined(first, other, links):
    """Returns all strings that take either string's span between neighbouring links."""
    result, begins = {()}, (0, 0)
    for i, j in [*links, (len(first), len(other))]:
        spans = {first[begins[0] : i + 1], other[begins[1] : j + 1]}
        result = {head + span for head in result for span in spans}
        begins = (i + 1, j + 1)
    return result


def test_two_strings_recombine_at_the_words_of_a_nearest_alignment():
    for seed in range(150):
        first, other = (random_hypotheses((seed, part), most=2)[0].tokens for part in (0, 1))
        result = strings(recombine([Hypothesis(first), Hypothesis(other)]))
        allowed = [recombined(first, other, links) for links in links_of_nearest_alignments(first, other)]
        assert result in allowed, (seed, first, other, result)


def preferred_links(first, other):
    """Returns the links of the nearest alignment that, from the end, puts words side by side wherever it can.

    Where it cannot, it skips a word of the first string before one of the second.
    """
    errors = np.zeros((len(first) + 1, len(other) + 1), dtype=int)
    for i, j in itertools.product(range(len(first) + 1), range(len(other) + 1)):
        steps = [errors[i - 1, j] + 1] * (i > 0) + [errors[i, j - 1] + 1] * (j > 0)
        steps += [errors[i - 1, j - 1] + (first[i - 1] != other[j - 1])] if i and j else []
        errors[i, j] = min(steps, default=0)
    links, i, j = [], len(first), len(other)
    while i or j:
        if i and j and errors[i, j] == errors[i - 1, j - 1] + (first[i - 1] != other[j - 1]):
            i, j = i - 1, j - 1
            links += [(i, j)] * (first[i] == other[j])
        elif i and errors[i, j] == errors[i - 1, j] + 1:
            i -= 1
        else:
            j -= 1
    return links[::-1]


def test_of_equally_near_alignments_one_that_puts_words_side_by_side_is_taken():
    for seed in range(300):
        first, other = (random_hypotheses((seed, part), most=2, length=7)[0].tokens for part in (0, 1))
        result = strings(recombine([Hypothesis(first), Hypothesis(other)]))
        assert result == recombined(first, other, preferred_links(first, other)), (seed, first, other)


@pytest.mark.parametrize("texts", [("a a c", "c c", "a"), ("c", "b a c", "a b")])
def test_of_equally_near_paths_of_a_lattice_one_that_takes_a_word_is_taken(texts):
    """Side by side with another word of the third string, no equal word is left at which it could go on."""
    ranked = [Hypothesis(tuple(text.split()), float(cost)) for cost, text in enumerate(texts)]
    assert strings(recombine(ranked)) == {entry.tokens for entry in ranked}


def test_the_probable_strings_are_aligned_first_and_equally_probable_ones_in_their_order():
    """Nothing of `b a` and `a b` is side by side, so that it matters which of them a third one meets first."""
    for first, second in itertools.permutations(["a b", "b a"]):
        ranked = [Hypothesis(tuple(entry.split()), cost) for entry, cost in ((first, 0.5), (second, 1.0), ("a a", 2.0))]
        tied = [Hypothesis(entry.tokens, 1.0) for entry in ranked]
        expected = strings(recombine(ranked))
        assert all(strings(recombine(permutation)) == expected for permutation in itertools.permutations(ranked)), first
        assert strings(recombine(tied)) == expected, first


def test_every_string_is_there_and_nothing_is_joined_that_no_string_joins():
    for seed in range(150):
        hypotheses = random_hypotheses(seed)
        result = strings(recombine(hypotheses))
        assert result >= {hypothesis.tokens for hypothesis in hypotheses}, seed
        marked = [("<s>", *hypothesis.tokens, "</s>") for hypothesis in hypotheses]
        pairs = {pair for entry in marked for pair in itertools.pairwise(entry)}
        for entry in result:
            assert set(itertools.pairwise(("<s>", *entry, "</s>"))) <= pairs, (seed, entry)


def test_probabilities_sum_to_one_and_arcs_have_those_of_the_strings_through_them():
    for seed in range(50):
        hypotheses = random_hypotheses(seed)
        lattice = recombine(hypotheses)
        assert shortest_distance(lattice, semiring="log", reverse=True)[0] == pytest.approx(0.0, abs=1e-9), seed
        shares = np.exp([-hypothesis.cost for hypothesis in hypotheses])
        empty = (
            sum(share for hypothesis, share in zip(hypotheses, shares, strict=True) if not hypothesis.tokens)
            / shares.sum()
        )
        assert np.exp(-lattice.finals[0]) == pytest.approx(empty, abs=1e-9), seed


def test_a_lattice_of_one_string_and_of_none():
    table = SymbolTable(["x"])
    lattice = recombine([Hypothesis(("a", "b"), 3.0)] * 2, table)
    assert strings(lattice) == {("a", "b")}
    assert list(lattice.symbols) == [*table, "a", "b"]
    assert recombine([]).empty
    assert strings(recombine([Hypothesis(())])) == {()}


def test_a_cost_must_be_finite():
    with pytest.raises(InvalidLatticeError, match="finite numbers"):
        recombine([Hypothesis(("a",), float("nan"))])


def test_improbable_strings_stay():
    hypotheses = nbest(recombine([Hypothesis(("a",), 0.0), Hypothesis(("b",), 5000.0)]), 3)
    assert [path.text for path in hypotheses] == ["a", "b"]
