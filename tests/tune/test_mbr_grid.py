"""The grid search against decisions and scores that are made one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import sacrebleu

from lattice_simp import Lattice, SymbolTable, nbest
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.mbr import MbrSettings, mbr
from lattice_simp.tune.mbr_grid import mbr_grid

SCALES, PRECISIONS, RATIOS = (0.05, 0.5, 2.0), (0.4, 0.8), (0.5, 0.8)
WORDS = [f"w{number}" for number in range(6)]


def development_set(sentences=12, strings=15, length=8):
    """Makes lattices of variants of a sentence, and references that are variants, too, but unlike the best one."""
    rng = np.random.default_rng(3)
    table = SymbolTable(WORDS)
    lattices, references = [], []
    for _ in range(sentences):
        original = rng.choice(WORDS, length)
        variants = []
        for _ in range(strings):
            variant = np.where(rng.random(length) < 0.25, rng.choice(WORDS, length), original)
            variants.append((" ".join(variant[: rng.integers(length - 2, length + 1)]), float(rng.uniform(0, 4))))
        lattices.append(Lattice.from_strings(variants, table))
        references.append(" ".join(original))
    return lattices, references


LATTICES, REFERENCES = development_set()


def bleu(translations, references=None):
    result = [REFERENCES] if references is None else references
    return sacrebleu.corpus_bleu(translations, result, tokenize="none", force=True).score


@pytest.fixture(scope="module")
def grid():
    return mbr_grid(LATTICES, REFERENCES, scales=SCALES, precisions=PRECISIONS, ratios=RATIOS)


def test_every_point_has_the_bleu_of_its_own_decisions(grid):
    points = [(point.settings.scale, point.settings.precision, point.settings.ratio) for point in grid.points]
    assert points == list(product(SCALES, PRECISIONS, RATIOS))
    for point in grid.points:
        decided = [nbest(mbr(lattice, point.settings))[0].text for lattice in LATTICES]
        assert point.bleu == pytest.approx(bleu(decided))


def test_tokens_that_mark_noise_elsewhere_are_words_as_in_decoding():
    line = "[music] a b c d"
    result = mbr_grid([Lattice.from_strings([line])], [line], scales=[1.0], precisions=[0.8], ratios=[0.6])
    assert (result.best_path_bleu, result.best.bleu) == pytest.approx((100.0, 100.0))


def test_the_best_point_is_the_best_one_and_better_than_the_best_paths(grid):
    scores = [point.bleu for point in grid.points]
    assert grid.best.bleu == max(scores)
    assert grid.best is grid.points[scores.index(max(scores))]
    assert len(set(scores)) > 4
    assert grid.best_path_bleu == pytest.approx(bleu([nbest(lattice)[0].text for lattice in LATTICES]))
    assert grid.best.bleu > grid.best_path_bleu


def test_threads_change_nothing(grid):
    assert mbr_grid(LATTICES, REFERENCES, scales=SCALES, precisions=PRECISIONS, ratios=RATIOS, jobs=3) == grid


def test_what_is_not_searched_for_stays():
    fixed = MbrSettings(max_order=2, max_arcs=30, beam=1.0)
    result = mbr_grid(LATTICES, REFERENCES, scales=[0.5], precisions=[0.6], ratios=[0.7], settings=fixed)
    [point] = result.points
    assert point.settings == MbrSettings(0.5, 0.6, 0.7, max_order=2, max_arcs=30, beam=1.0)
    decided = [nbest(mbr(lattice, point.settings))[0].text for lattice in LATTICES]
    assert point.bleu == pytest.approx(bleu(decided))
    wide = mbr_grid(LATTICES, REFERENCES, scales=[0.5], precisions=[0.6], ratios=[0.7])
    assert wide.best.bleu != point.bleu


def test_sentences_may_have_several_references():
    second = [" ".join(reversed(reference.split())) for reference in REFERENCES]
    several = [REFERENCES[0], *([first, other] for first, other in zip(REFERENCES[1:], second[1:], strict=True))]
    [point] = mbr_grid(LATTICES, several, scales=[0.5], precisions=[0.6], ratios=[0.7]).points
    decided = [nbest(mbr(lattice, point.settings))[0].text for lattice in LATTICES]
    assert point.bleu == pytest.approx(bleu(decided, [REFERENCES, [None, *second[1:]]]))


@pytest.mark.parametrize(
    ("lattices", "references", "values", "message"),
    [
        ([], [], {}, "0 lattices and 0 references"),
        (LATTICES, REFERENCES[1:], {}, "12 lattices and 11 references"),
        (LATTICES, REFERENCES, {"scales": []}, "the grid has no point"),
        (LATTICES, REFERENCES, {"ratios": [2.0]}, "the ratio is 2.0"),
        ([Lattice.empty_like(LATTICES[0])], ["a"], {}, "a lattice of the development set is empty"),
    ],
)
def test_what_cannot_be_searched_is_refused(lattices, references, values, message):
    with pytest.raises(LatticeSimpError, match=message):
        mbr_grid(lattices, references, **values)
