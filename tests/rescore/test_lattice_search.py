"""Lattice search against enumeration, its order of calls, and n-best rescoring."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import arc_paths, random_lattice, sausage

from lattice_simp import Lattice
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.errors import CyclicLatticeError, LatticeSimpError
from lattice_simp.rescore import PrefixScorer, rescore_lattice, score_nbest
from lattice_simp.rescore.nbest import weighted_nbest


class WholeHistory:
    """A model whose costs depend on the source and on all words before; it counts its calls."""

    def __init__(self):
        self.calls, self.words = 0, 0

    def start(self, source):
        return tuple(source)

    def extend(self, states, words):
        self.calls += 1
        self.words += len(words)
        following = [(*state, word) for state, word in zip(states, words, strict=True)]
        return np.array([self.cost(state) for state in following]), following

    def end(self, states):
        return np.array([self.cost((*state, "</s>")) for state in states])

    @staticmethod
    def cost(state):
        return sum((position + 1) * sum(map(ord, word)) for position, word in enumerate(state)) % 97 / 20

    def score(self, source, hypotheses):
        costs = []
        for words in hypotheses:
            whole = (*source, *words, "</s>")
            costs.append(sum(self.cost(whole[:end]) for end in range(len(source) + 1, len(whole) + 1)))
        return np.array(costs)


def enumerated(lattice, source, scorer, model_weight, lattice_weight):
    """Returns {words: (lattice cost, model cost)} of the best path of each string."""
    values = {}
    for arcs, state in arc_paths(lattice):
        words = tuple(lattice.symbols.decode(lattice.olabels[arcs]))
        cost = float(lattice.weights[arcs].sum() + lattice.finals[state])
        scores = lattice.features.of_path(np.array(arcs, dtype=np.int32), state)
        # Of equally good paths either may be taken; random costs have none.
        if words not in values or lattice_weight * cost < lattice_weight * values[words][0]:
            values[words] = cost, float(scorer.score(source, [words])[0]), scores
    return values


@pytest.mark.parametrize("weights", [(1.0, 1.0), (0.3, 2.0)])
def test_a_huge_beam_is_exact(weights):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        lattice = random_lattice(rng, 9, ["a", "b", "c"], epsilon=True, columns=["x", "y"], shuffled=True)
        scorer, (model_weight, lattice_weight) = WholeHistory(), weights
        assert isinstance(scorer, PrefixScorer), f"seed {seed}"
        expected = enumerated(lattice, ["s", "t"], scorer, model_weight, lattice_weight)
        actual = rescore_lattice(
            lattice, ["s", "t"], scorer, n=10**6, beam=10**6, model_weight=model_weight, lattice_weight=lattice_weight
        )
        assert {path.tokens for path in actual} == set(expected), f"seed {seed}"
        assert len(actual) == len(expected), f"seed {seed}"
        assert [path.cost for path in actual] == sorted(path.cost for path in actual), f"seed {seed}"
        for path in actual:
            lattice_cost, model_cost, scores = expected[path.tokens]
            assert path.cost == pytest.approx(lattice_weight * lattice_cost + model_weight * model_cost), f"seed {seed}"
            assert path.features == pytest.approx({**scores, "Lattice": -lattice_cost, "Model": -model_cost}), (
                f"seed {seed}"
            )
        assert actual[:3] == rescore_lattice(
            lattice,
            ["s", "t"],
            WholeHistory(),
            n=3,
            beam=10**6,
            model_weight=model_weight,
            lattice_weight=lattice_weight,
        ), f"seed {seed}"


def test_the_beam_bounds_the_work_and_calls_are_one_a_level():
    scorer = WholeHistory()
    result = rescore_lattice(sausage(10, 4), [], scorer, n=5, beam=3)
    assert scorer.calls == 10
    assert scorer.words == 4 + 9 * 3 * 4
    assert len(result) == 3  # as many as the last state keeps
    for path in result:
        assert path.features["Model"] == pytest.approx(-scorer.score([], [path.tokens])[0])
    wide = rescore_lattice(sausage(6, 4), [], scorer, n=1, beam=4**6)[0]
    narrow = rescore_lattice(sausage(6, 4), [], scorer, n=1, beam=1)[0]
    assert wide.cost <= narrow.cost


def test_a_prefix_that_many_paths_spell_is_scored_once():
    scorer = WholeHistory()
    lattice = Lattice.from_arcs([0, 0, 1, 2], [1, 1, 2, 2], [0, 1, 1, 0], [1, 2, 3, 3], [np.inf] * 3 + [0], _symbols())
    result = rescore_lattice(lattice, [], scorer, n=9, beam=9)
    assert [path.text for path in result] == ["a b"]
    assert (scorer.words, result[0].features["Lattice"]) == (2, -1.0)


def _symbols():
    from lattice_simp import SymbolTable

    return SymbolTable(["a", "b"])


def test_faults_and_empty_lattices():
    empty = Lattice.from_arcs([], [], [], [], [np.inf], _symbols())
    assert rescore_lattice(empty, [], WholeHistory()) == []
    loop = Lattice.from_arcs([0, 0], [1, 2], [0, 0], [0, 1], [np.inf, 0], _symbols())
    with pytest.raises(CyclicLatticeError):
        rescore_lattice(loop, [], WholeHistory())
    for options in ({"n": 0}, {"beam": 0}):
        with pytest.raises(LatticeSimpError):
            rescore_lattice(empty, [], WholeHistory(), **options)
    only_end = Lattice.from_arcs([], [], [], [], [0.5], _symbols())
    assert [path.text for path in rescore_lattice(only_end, [], WholeHistory())] == [""]


def test_nbest_lists_get_features():
    entries = [Hypothesis(("a", "b"), 1.0, {"LM": -1.0}), Hypothesis(("b",), 2.0, {"LM": -2.0})]
    scorer = WholeHistory()
    actual = score_nbest(["s"], entries, {"Model": scorer, "Other": scorer})
    expected = [-cost for cost in scorer.score(["s"], [["a", "b"], ["b"]])]
    assert [entry.features["Model"] for entry in actual] == expected
    assert [entry.features["Other"] for entry in actual] == expected
    assert [entry.features["LM"] for entry in actual] == [-1.0, -2.0]
    assert score_nbest(["s"], [], {"Model": scorer}) == []
    with pytest.raises(LatticeSimpError, match="LM already"):
        score_nbest(["s"], entries, {"LM": scorer})


class Damaged(WholeHistory):
    """A damaged model: each score that is asked for by this method is not a number."""

    def __init__(self, method):
        super().__init__()
        setattr(self, method, lambda *arguments: self._damaged(getattr(WholeHistory, method)(self, *arguments)))

    @staticmethod
    def _damaged(result):
        costs, *rest = result if isinstance(result, tuple) else (result,)
        return (costs * np.nan, *rest) if rest else costs * np.nan


def test_scores_that_are_no_numbers_are_refused():
    with pytest.raises(LatticeSimpError, match=r"Model gives the score nan; get its files again"):
        score_nbest([], [Hypothesis(("a",), 1.0)], {"Model": Damaged("score")})
    for method in ("extend", "end"):
        with pytest.raises(LatticeSimpError, match="the model gives the score nan"):
            rescore_lattice(Lattice.from_strings("a b"), [], Damaged(method))


def test_weights_make_new_totals():
    entries = [Hypothesis(("a",), -7.0, {"F_0": -1.0, "F_1": -2.0, "G": 3.0}), Hypothesis(("b",), 1.0, {"G": 1.0})]
    result = weighted_nbest(entries, {"F_0": 1.0, "F_1": 10.0, "G": 0.5, "TOTAL": 2.0})
    assert [(entry.text, entry.score) for entry in result] == [("b", -1.5), ("a", -5.5)]
    with pytest.raises(LatticeSimpError, match="the weights lack the feature F_0 of the lists"):
        weighted_nbest(entries, {"G": 1.0})
