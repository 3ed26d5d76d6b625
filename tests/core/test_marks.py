"""Operations that count, print or score words skip marks of sentence ends, silence and noise."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import lattice_simp as ls
from lattice_simp.core.marks import MARKS, unmarked, without_marks
from lattice_simp.reference import nbest as openfst_nbest

PLAIN = [("book it", 1.0), ("look at it", 1.5), ("book", 2.5)]


def marked(seed: int) -> list[tuple[str, float]]:
    """The plain strings with marks at random places, some twice with other marks at a higher cost."""
    rng = random.Random(seed)
    marks = sorted(MARKS - {"<epsilon>"})  # the empty word, which strings of a lattice cannot have
    strings = []
    for words, cost in PLAIN:
        for extra in (0.0, 0.25):
            tokens = words.split()
            for _ in range(rng.randint(1, 4)):
                tokens.insert(rng.randint(0, len(tokens)), rng.choice(marks))
            strings.append((" ".join(tokens), cost + extra))
    return strings


def test_marks_of_several_producers_are_known():
    for mark in "<s> </s> <S> !SENT_START !SENT_END !ENTER !EXIT !NULL <sil> <SIL> !SIL [noise] [NOISE] @0@".split():
        assert mark in MARKS, mark
    for word in "<unk> <UNK> sil [UNK] book s noise @-@ |".split():
        assert word not in MARKS, word


@pytest.mark.parametrize("seeds", [6, pytest.param(30, marks=pytest.mark.slow)])
def test_operations_see_the_words_alone(seeds):
    for seed in range(seeds):
        strings = marked(seed)
        lattice, plain = ls.Lattice.from_strings(strings), ls.Lattice.from_strings(PLAIN)
        best = [(path.text, path.cost) for path in ls.nbest(plain, 9)]
        assert [(path.text, path.cost) for path in ls.nbest(lattice, 9)] == best, seed
        assert [(path.text, pytest.approx(path.cost)) for path in openfst_nbest(lattice, 9)] == best, seed
        assert ls.shortest_path(lattice).text == "book it", seed
        result = ls.oracle(lattice, "<s> book it </s>")
        assert (result.score, result.hypothesis.text) == (0.0, "book it"), seed
        assert {path.text for path in ls.sample(lattice, 20, uniform=True)} <= {words for words, _ in PLAIN}, seed
        hypotheses = [ls.Hypothesis(tuple(words.split()), cost) for words, cost in strings]
        doubled = [ls.Hypothesis(tuple(words.split()), cost + extra) for words, cost in PLAIN for extra in (0.0, 0.25)]
        for utility in ("chrf", "bleu", "wer"):
            chosen = ls.mbr_nbest(hypotheses, utility)
            assert [(path.text, path.cost) for path in chosen] == [
                (path.text, path.cost) for path in ls.mbr_nbest(doubled, utility)
            ], (seed, utility)
        merged = ls.Lattice.from_strings([(words, cost - np.log1p(np.exp(-0.25))) for words, cost in PLAIN])
        assert [path.text for path in ls.nbest(ls.mbr(lattice), 9)] == [
            path.text for path in ls.nbest(ls.mbr(merged), 9)
        ]
        combined = ls.combine([hypotheses, [ls.Hypothesis(("book", "it"), 0.0)]])
        assert ls.shortest_path(combined, ignore=()).text == "book it", seed


def test_other_labels_are_ignored_on_request_and_marks_kept_on_request():
    lattice = ls.Lattice.from_strings([("<s> uh book it </s>", 1.0)])
    assert ls.shortest_path(lattice, ignore=()).text == "<s> uh book it </s>"
    assert ls.shortest_path(lattice, ignore=MARKS | {"uh"}).text == "book it"
    assert ls.oracle(lattice, "book it", ignore=MARKS | {"uh"}).score == 0.0
    assert ls.oracle(lattice, "book it", ignore=()).score == 3.0


def test_arcs_of_paths_are_numbers_of_the_lattice_as_it_is():
    lattice = ls.Lattice.from_strings([("<s> book it </s>", 1.0), ("<s> look </s>", 2.0)])
    for path in ls.nbest(lattice, 2):
        labels = lattice.olabels[path.arcs].tolist()
        assert without_marks(lattice.symbols.decode(labels)) == path.tokens


def test_the_lattice_itself_does_not_change():
    for seed in range(10):
        lattice = ls.Lattice.from_strings(marked(seed))
        before = lattice.olabels.copy()
        silent = lattice.without_words(MARKS)
        assert silent.is_acceptor
        assert np.array_equal(lattice.olabels, before)
        assert np.array_equal(silent.weights, lattice.weights)
        assert not set(silent.symbols.decode(silent.olabels)) & MARKS
    transducer = ls.Lattice.from_arcs(
        [0], [1], [0.0], [1], [np.inf, 0.0], ls.SymbolTable(["<s>"]), inputs=([2], ls.SymbolTable(["r", "s"]))
    ).without_words(MARKS)
    assert (transducer.olabels.tolist(), transducer.ilabels.tolist()) == ([0], [2])


def test_hypotheses_without_marks_keep_their_costs():
    for order in itertools.permutations(["<s>", "a", "!SIL"]):
        (hypothesis,) = unmarked([ls.Hypothesis(order, 2.0, {"LM": -1.0})])
        assert hypothesis == ls.Hypothesis(("a",), 2.0, {"LM": -1.0})
