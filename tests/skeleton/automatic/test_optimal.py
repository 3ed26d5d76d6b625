"""Optimal skeletons against all 2^n masks."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers import PlainModel, arc_paths, paths, random_arpa, random_lattice

from lattice_simp import LanguageModel
from lattice_simp.errors import LatticeSimpError
from lattice_simp.skeleton.automatic import OptimalSettings, optimal_skeletons
from lattice_simp.skeleton.automatic.chain import Chain, read_mask
from lattice_simp.skeleton.automatic.deletion_tree import deletion_tree
from lattice_simp.skeleton.automatic.length_acceptor import limit_length
from lattice_simp.skeleton.automatic.optimal import best_paths, skeleton_lattice
from lattice_simp.skeleton.automatic.tree_acceptor import bonds, tree_acceptor

WORDS = ["a", "b", "c", "d", "e", ",", "(", ")", '"', "."]


def tree_cost(mask, bonds):
    """Returns the least cost of a top with which the mask respects the bonds; infinity if there is none."""
    if any(not mask[position] for position in bonds.required):
        return np.inf
    costs = [cost for top, cost in bonds.tops.items() if mask[top] and respects(mask, bonds, top)]
    return min(costs, default=np.inf)


def respects(mask, bonds, top):
    for position, head in enumerate(bonds.heads):
        if position == top:
            if head >= 0 and mask[head]:
                return False
        elif mask[position]:
            if not mask[head] if head >= 0 else bonds.kinds[position] is None:
                return False
        elif bonds.obligatory[position] and mask[head]:
            return False
    return sound(["word" if kind is None else kind for kind, kept in zip(bonds.kinds, mask, strict=True) if kept])


def sound(kinds):
    pairs = list(itertools.pairwise(["begin", *kinds]))
    return not any(
        (after == "comma" and before in ("begin", "comma", "open", "stop"))
        or (after == "close" and before in ("comma", "open"))
        or (after == "quote" and before == "open")
        or (after == "stop" and before in ("begin", "comma", "stop"))
        for before, after in pairs
    )


def chain_cost(mask, chain):
    result = -sum(score for score, kept in zip(chain.keep, mask, strict=True) if kept)
    return result - sum(chain.transitions[int(a), int(b)] for a, b in itertools.pairwise(mask))


def random_chain(rng, length):
    return Chain(rng.normal(0, 2, length), rng.normal(0, 1, (2, 2)))


def test_the_acceptor_holds_each_sound_mask_once_at_its_cost(random_parse):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        parse = random_parse(rng, 3 + seed % 7)
        result, chain = bonds(parse.tokens, deletion_tree(parse)), random_chain(rng, len(parse))
        lattice = tree_acceptor(parse.tokens, result, chain)
        actual = sorted((read_mask(inputs, len(parse)), cost, words) for words, inputs, cost in paths(lattice))
        expected = [
            (mask, chain_cost(mask, chain) + tree_cost(mask, result))
            for mask in itertools.product((False, True), repeat=len(parse))
            if np.isfinite(tree_cost(mask, result))
        ]
        assert [mask for mask, _, _ in actual] == [mask for mask, _ in sorted(expected)], f"seed {seed}"
        np.testing.assert_allclose([cost for _, cost, _ in actual], [cost for _, cost in sorted(expected)], atol=1e-9)
        for mask, _, words in actual:
            assert words == tuple(token for token, kept in zip(parse.tokens, mask, strict=True) if kept), f"seed {seed}"


def test_the_best_skeletons_are_the_best_of_all(random_parse):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        parse = random_parse(rng, 9)
        text = random_arpa(rng, WORDS, 3)
        model, plain = LanguageModel.from_bytes(text.encode()), PlainModel(text)
        settings = OptimalSettings(lm_weight=0.7, unigram_weight=0.5, slack=0.12)
        tree, chain = deletion_tree(parse), random_chain(rng, 9)
        result = bonds(parse.tokens, tree)
        lattice = skeleton_lattice(parse, tree, chain, 0.6, model, settings)
        masks = [mask for mask in itertools.product((False, True), repeat=9) if np.isfinite(tree_cost(mask, result))]
        off = min((max(0, 5 - sum(mask), sum(mask) - 6) for mask in masks), default=None)
        if off is None:
            assert lattice.empty, f"seed {seed}"
            continue
        costs = {}
        for mask in masks:
            if 5 - off <= sum(mask) <= 6 + off:
                words = [token for token, kept in zip(parse.tokens, mask, strict=True) if kept]
                taken_off = sum(plain.log10((), word) for word in plain.known(words)) * np.log(10) * 0.5
                costs[mask] = chain_cost(mask, chain) + tree_cost(mask, result) + 0.7 * (plain.cost(words) + taken_off)
        results = [(read_mask(path.inputs, 9), path.cost) for path in best_paths(lattice, 5, model, 0.7)]
        ranked = sorted(costs.values())[:5]
        np.testing.assert_allclose([cost for _, cost in results], ranked, atol=1e-4)
        np.testing.assert_allclose([costs[mask] for mask, _ in results], ranked, atol=1e-4)


@pytest.mark.parametrize("spread", [0.1, 3.0, 30.0, 150.0])
def test_paths_are_the_best_of_all_however_far_they_lie_apart(spread):
    """The search begins with a narrow beam; it gives up paths that are more than 200 nats above the best alone."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        text = random_arpa(rng, WORDS[:3], 3)
        model, plain = LanguageModel.from_bytes(text.encode()), PlainModel(text)
        lattice = random_lattice(rng, 10, WORDS[:3], arcs_per_state=2.5, costs=(0.0, spread), numbered=True).connected()
        costs = sorted(cost + 0.5 * plain.cost(words) for words, _, cost in paths(lattice))
        for n in (1, 2, 5, 20, 60, len(costs) + 1):
            expected = [cost for cost in costs[:n] if cost <= costs[0] + 200.0]
            actual = [path.cost for path in best_paths(lattice, n, model, 0.5)] if costs else []
            np.testing.assert_allclose(actual, expected, atol=1e-4, err_msg=f"seed {seed}, n {n}")
        without = [cost for _, _, cost in sorted(paths(lattice), key=lambda path: path[2])]
        for options in ((None, 0.5), (model, 0.0)):
            np.testing.assert_allclose([path.cost for path in best_paths(lattice, 4, *options)], without[:4])


def test_counting_keeps_exactly_the_paths_of_the_wanted_lengths():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        lattice = random_lattice(rng, 9, ["a", "b"], epsilon=True, columns=["x"], numbered=True, shuffled=True)
        fewest = int(rng.integers(0, 4))
        most = fewest + int(rng.integers(0, 3))
        limited = limit_length(lattice, fewest, most)
        wanted = sorted(path for path in paths(lattice) if fewest <= len(path[0]) <= most)
        assert [(w, i, round(c, 9)) for w, i, c in sorted(paths(limited))] == [
            (w, i, round(c, 9)) for w, i, c in wanted
        ], f"seed {seed}"

        left, all_of_length = (
            sorted(
                round(float(each.features["x"][arcs].sum() + each.features.final("x")[end]), 9)
                for arcs, end in arc_paths(each)
                if fewest <= int((each.olabels[arcs] != 0).sum()) <= most
            )
            for each in (limited, lattice)
        )
        assert left == all_of_length, f"seed {seed}"


def test_nothing_is_left_of_an_impossible_length(lawyer):
    tree = deletion_tree(lawyer)
    lattice = tree_acceptor(lawyer.tokens, bonds(lawyer.tokens, tree), Chain(np.zeros(18), np.zeros((2, 2))))
    assert limit_length(lattice, 17, 17).empty is False
    assert limit_length(lattice, 19, 30).empty
    with pytest.raises(LatticeSimpError, match="lengths from 3 to 2"):
        limit_length(lattice, 3, 2)


def test_skeletons_of_a_sentence(lawyer):
    (short,) = optimal_skeletons(lawyer, rate=0.1)
    assert str(short) == "[[In court , she said that]] the lawyer [[, who lied ,]] never won the [[old]] case ."
    several = optimal_skeletons(lawyer, rate=0.6, candidates=3)
    assert len({skeleton.mask for skeleton in several}) == 3
    assert all(skeleton.is_strict for skeleton in several)


def test_a_long_sentence_is_quick(random_parse):
    """A right-branching sentence of 200 words: each word hangs from the one before."""
    parse = random_parse(np.random.default_rng(1), 1, marks=0.0)
    long = type(parse)(
        ("a",) * 200, tuple(range(-1, 199)), ("ROOT", *["advmod"] * 199), ("VERB",) * 200, ("X",) * 200, ("a",) * 200
    )
    (skeleton,) = optimal_skeletons(long, rate=0.25, settings=OptimalSettings(slack=0.0))
    assert skeleton.to_mask() == "1" * 50 + "0" * 150


@pytest.mark.parametrize("name", ["lm_weight", "unigram_weight", "slack"])
def test_senseless_settings(name):
    with pytest.raises(LatticeSimpError, match=name):
        OptimalSettings(**{name: -1.0})
