"""Pruning parts of translations: how much stays, and that the language model has its say."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from helpers import arc_paths, random_lattice
from tiny_decoder import ARPA, EVERYTHING

from lattice_simp import LanguageModel, Lattice, nbest
from lattice_simp.translate.part_pruning import PartPruning

WORDS = ("i", "saw", "the", "old", "house", "yesterday")


@cache
def model():
    """Returns the language model; it is not read for collection, where it would compile kernels."""
    return LanguageModel.from_bytes(ARPA.encode())


def pruned(lattice, beam=EVERYTHING, max_arcs=10_000, order=3, weight=0.6):
    """Returns the part of a lattice of a few words that stays."""
    used = np.unique(lattice.olabels[lattice.olabels > 0]).astype(np.int32)
    pruning = PartPruning(beam=beam, max_arcs=max_arcs, order=order)
    return pruning.for_words(model(), weight, lattice.symbols, used).lattice(lattice)


def made(seed):
    """Returns a lattice with one final state, whose input labels number the arcs."""
    rng = np.random.default_rng(seed)
    lattice = random_lattice(rng, 8, WORDS, arcs_per_state=2.5, finals=1, numbered=True).connected()
    return Lattice.from_arcs(
        lattice.sources,
        lattice.olabels,
        lattice.weights,
        lattice.nextstates,
        np.where(np.isfinite(lattice.finals), 0.0, np.inf),
        lattice.symbols,
        inputs=(lattice.ilabels, lattice.isymbols),
    )


def arcs_of(lattice):
    return set(lattice.ilabels.tolist())


def test_everything_stays_within_wide_limits():
    for seed in range(20):
        lattice = made(seed)
        assert arcs_of(pruned(lattice)) == arcs_of(lattice), f"seed {seed}"


def test_as_many_arcs_stay_as_fit_and_those_as_good_as_the_last():
    """The limit grows by one arc at a time: something more stays only where all before are fewer than the limit."""
    for seed in range(20):
        lattice = made(seed)
        kept = set()
        for most in range(1, lattice.num_arcs + 1):
            more = arcs_of(pruned(lattice, max_arcs=most))
            assert len(more) >= most, f"seed {seed}, {most} arcs"
            assert more == kept if len(kept) >= most else more > kept, f"seed {seed}, {most} arcs"
            kept = more


def test_a_wider_beam_keeps_more_and_the_narrowest_a_whole_path():
    for seed in range(20):
        lattice = made(seed)
        if lattice.empty:
            continue
        kept = arcs_of(pruned(lattice, beam=0.0))
        assert any({int(lattice.ilabels[arc]) for arc in arcs} <= kept for arcs, _ in arc_paths(lattice))
        for beam in (0.3, 1.0, 3.0, 30.0):
            more = arcs_of(pruned(lattice, beam=beam))
            assert more >= kept, f"seed {seed}, beam {beam}"
            kept = more


def test_without_weight_the_beam_is_that_of_the_costs_alone():
    """Every arc on a path within the beam stays, and no other."""
    for seed in range(20):
        lattice = made(seed)
        costs = [(float(lattice.weights[arcs].sum()), arcs) for arcs, _ in arc_paths(lattice)]
        best = min((cost for cost, _ in costs), default=0.0)
        for beam in (0.5, 2.0):
            expected = {int(lattice.ilabels[arc]) for cost, arcs in costs if cost <= best + beam for arc in arcs}
            assert arcs_of(pruned(lattice, beam=beam, weight=0.0)) == expected, f"seed {seed}, beam {beam}"


@pytest.mark.parametrize(
    ("order", "stays"),
    [
        (3, "the old house"),  # the model knows all three words together
        (2, "the house yesterday"),
    ],
)
def test_the_language_model_has_its_say_up_to_an_order(order, stays):
    """The trigram model makes up for 3.35 nats, which are too many for the bigram model."""
    lattice = Lattice.from_strings([("the old house", 3.35), ("the house yesterday", 0.0)])
    assert [path.text for path in nbest(pruned(lattice, beam=0.0, order=order, weight=1.0), 9)] == [stays]


def test_a_part_without_words_stays_as_it_is():
    lattice = Lattice.from_strings([("the house", 1.0)])
    assert pruned(Lattice.empty_like(lattice)).empty
    assert [path.text for path in nbest(pruned(Lattice.from_strings([("", 1.0)])), 9)] == [""]
