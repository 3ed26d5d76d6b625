"""Costs and scores end at 1e100, so that no sum of them overflows: readers name the line, lattices the arc."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest

import lattice_simp as ls
from lattice_simp import FormatError, Hypothesis, InvalidLatticeError, Lattice, LatticeSimpError, SymbolTable
from lattice_simp.formats import FORMATS, open_archive
from lattice_simp.formats.collections import read_all

LATTICES = {
    "att": ("0 1 a a 1\n1 2 b b {}\n2\n", "x.txt:2: .*beyond 1e100"),
    "plf": ("((('a',{},1),),)\n", r"plf:1: column \d+: .*beyond 1e100"),
    "slf": ("VERSION=1.0\nN=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a a={}\n", "x.slf:5: .*beyond 1e100"),
    "pfsg": (
        "name p\nnodes 3 a NULL NULL\ninitial 1\nfinal 2\ntransitions 2\n1 0 {}\n0 2 0\n",
        "pfsg:6: .*beyond 1e100",
    ),
    "kaldi": ("u\n0 1 a {},0,\n1\n\n", "x.lats:2: no costs.*beyond 1e100"),
    "features": ("0 1 a lm:{}\n1\n", "x.txt:1: not feature:value.*beyond 1e100"),
}
LISTS = {
    "score": ("0 ||| a ||| LM= -1 ||| {}\n", "nbest:1: .*beyond 1e100"),
    "feature": ("0 ||| a ||| LM= {} ||| -1\n", "nbest:1: .*beyond 1e100"),
    "fairseq": ("S-0\tb\nH-0\t{}\ta\n", "nbest:2: .*beyond 1e100"),
    "json score": ('{{"hypotheses": [{{"text": "a", "score": {}}}]}}\n', "jsonl:1: .*up to 1e100"),
    "json feature": ('{{"hypotheses": [{{"text": "a", "features": {{"LM": {}}}}}]}}\n', "jsonl:1: .*up to 1e100"),
}
SUFFIXES = {"plf": "plf", "slf": "slf", "pfsg": "pfsg", "kaldi": "lats"}


@pytest.mark.parametrize("format", LATTICES)
@pytest.mark.parametrize("number", ["1e308", "-1e308", "1.1e100"])
@pytest.mark.filterwarnings("ignore::lattice_simp.errors.InputWarning")
def test_readers_of_lattices_refuse_numbers_beyond_the_largest_cost(tmp_path, format, number):
    text, message = LATTICES[format]
    options = {"scores": "log"} if format == "plf" else {}
    path = tmp_path / f"x.{SUFFIXES.get(format, 'txt')}"
    path.write_text(text.format(number))
    with pytest.raises(FormatError, match=message):
        list(read_all(path, format, **options))
    path.write_text(text.format("1e100"))
    list(read_all(path, format, **options))


@pytest.mark.parametrize("case", LISTS)
@pytest.mark.parametrize("number", ["1e308", "-1e308", "1.1e100"])
@pytest.mark.filterwarnings("ignore::lattice_simp.errors.InputWarning")
def test_readers_of_lists_refuse_numbers_beyond_the_largest_cost(tmp_path, case, number):
    text, message = LISTS[case]
    path = tmp_path / ("x.jsonl" if "json" in case else "x.nbest")
    path.write_text(text.format(number))
    with pytest.raises(FormatError, match=message):
        ls.read_nbest(path)


@pytest.mark.parametrize("cost", [1e308, -1e308, np.float64(1.1e100), 10**101])
def test_lattices_and_lists_refuse_huge_costs_and_scores(cost):
    words = SymbolTable(["a"])
    for weights, finals, scores in (([cost], 0.0, 0.0), ([0.0], cost, 0.0), ([0.0], 0.0, cost)):
        with pytest.raises(InvalidLatticeError, match=r"finite numbers up to 1e100|must be numbers"):
            Lattice.from_arcs([0], [1], weights, [1], [math.inf, finals], words, features={"LM": [scores]})
    for make in (Lattice.from_nbest, Lattice.from_strings, ls.consensus_nbest, ls.mbr_nbest, ls.recombine):
        with pytest.raises(InvalidLatticeError, match="finite numbers up to 1e100"):
            make([Hypothesis(("a",), cost), Hypothesis(("b",), 0.0)])
    with pytest.raises(LatticeSimpError, match="finite numbers up to 1e100"):
        ls.from_generator(["a"], [cost])


@pytest.mark.parametrize("name", ["arc_posteriors", "normalise", "confusion_network"])
@pytest.mark.parametrize("scale", [1e300, 1e101])
def test_operations_refuse_huge_scales(name, scale):
    with pytest.raises(LatticeSimpError, match="up to 1e100"):
        getattr(ls, name)(Lattice.from_strings([("a", 1.0)]), scale)


@pytest.mark.parametrize("largest", [1e100, 5e99])
def test_sums_of_the_largest_costs_raise_no_warnings(largest):
    words = SymbolTable(["a", "b", "c", "d"])
    costs = [largest, -largest, largest, 1.0]
    lattice = Lattice.from_arcs(
        [0, 0, 1, 1], [1, 2, 3, 4], costs, [1, 1, 2, 2], [math.inf, math.inf, -largest], words, features={"LM": costs}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        best = ls.nbest(lattice, 4)
        assert [path.text for path in best] == ["b d", "b c", "a d", "a c"]
        assert ls.arc_posteriors(lattice).tolist() == [0.0, 1.0, 0.0, 1.0]
        assert ls.nbest(ls.prune(lattice, 1.0), 2)[0].text == "b d"
        assert np.isfinite(ls.push(lattice).weights).all()
        assert ls.equivalent(ls.minimize(lattice), lattice)
        assert ls.confusion_network(lattice).num_arcs == 4


@pytest.mark.parametrize("semiring", ["tropical", "log"])
def test_costs_near_the_least_float_are_determinized(semiring):
    least = 5e-324
    lattice = Lattice.from_arcs(
        [0, 0, 1, 2],
        [1, 1, 2, 3],
        [least, 0.0, -least, 0.0],
        [1, 2, 3, 3],
        [math.inf] * 3 + [0.0],
        SymbolTable("a b c"),
    )
    assert {path.text: path.cost for path in ls.nbest(ls.determinize(lattice, semiring=semiring), 3)} == {
        "a b": pytest.approx(0.0, abs=1e-300),
        "a c": pytest.approx(0.0, abs=1e-300),
    }


@pytest.mark.parametrize("suffix", ["nbest", "jsonl"])
@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, 1e308])
def test_lists_are_not_written_with_scores_that_no_reader_takes(tmp_path, suffix, score):
    path = tmp_path / f"x.{suffix}"
    for entry in (Hypothesis(("a",), score), Hypothesis(("a",), 0.0, {"LM": score})):
        with pytest.raises(InvalidLatticeError, match="cannot represent the score"):
            ls.write_nbest([(0, [entry])], path)
        assert not path.exists()


@pytest.mark.parametrize("suffix", ["nbest", "jsonl"])
def test_lists_hold_scores_of_numpy(tmp_path, suffix):
    path = tmp_path / f"x.{suffix}"
    ls.write_nbest([(0, [Hypothesis(("a",), np.float32(1.5), {"LM": np.float32(-2.5), "count": np.int64(3)})])], path)
    assert ls.read_nbest(path) == [[Hypothesis(("a",), 1.5, {"LM": -2.5, "count": 3.0})]]


def test_results_may_hold_scores_as_an_array():
    class Result:
        hypotheses = (["a", "b"], ["c"])
        scores = np.array([-1.0, -2.0])

    assert [(path.text, path.cost) for path in ls.from_generator(Result())] == [("a b", 1.0), ("c", 2.0)]


RESULTS = {
    "push": ls.push,
    "minimize": ls.minimize,
    "determinize": ls.determinize,
    "normalise": ls.normalise,
    "compose": lambda lattice: ls.compose(lattice, lattice),
    "remove_epsilons": ls.remove_epsilons,
}


def lattice_of_the_largest() -> Lattice:
    words, costs = SymbolTable(["a", "b"]), [1e100, 1e100, 1e100]
    return Lattice.from_arcs(
        [0, 0, 1], [1, 2, 0], costs, [1, 1, 2], [math.inf, math.inf, 1e100], words, features={"LM": costs}
    )


@pytest.mark.parametrize("name", RESULTS)
def test_sums_in_results_are_valid_but_not_written(tmp_path, name):
    """A file with them could not be read again."""
    result = RESULTS[name](lattice_of_the_largest())
    result.validate()
    with pytest.raises(InvalidLatticeError, match="finite numbers up to 1e100"):
        result.validate(largest=1e100)
    for format in FORMATS:
        with pytest.raises(LatticeSimpError):
            ls.write(result, tmp_path / "x", format)
    assert not list(tmp_path.iterdir())
    for format in ("plf", "kaldi", "sausages"):
        path = tmp_path / "x"
        with pytest.raises(InvalidLatticeError, match="up to 1e100"), open_archive(path, format) as add:
            add("u", result)
        assert not path.exists()


def test_the_largest_sums_are_refused():
    lattice = lattice_of_the_largest()
    for scale in (1e100, -1e100):
        with pytest.raises(InvalidLatticeError, match="finite numbers up to 1e100"):
            ls.reweight(lattice, {"LM": scale})
    broken = replace(lattice, weights=np.array([1e201, 0.0, 0.0]))
    with pytest.raises(InvalidLatticeError, match=r"arc 0 has the cost 1e\+201; costs are finite numbers up to 1e200"):
        broken.validate()
