"""PLF, the Python Lattice Format of Moses and cdec."""

from __future__ import annotations

import ast
import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from format_helpers import COMPRESSIONS, assert_same, fuzz, random_lattice
from helpers import best_by_string
from hypothesis import given, settings
from hypothesis import strategies as st

from lattice_simp import Lattice, SymbolTable
from lattice_simp.core.features import Features
from lattice_simp.errors import CyclicLatticeError, EmptyLatticeError, FormatError, InputWarning, InvalidLatticeError
from lattice_simp.formats import read
from lattice_simp.formats.collections import read_all
from lattice_simp.formats.moses.plf import format_plf, parse_plf, read_plf, write_plf

MOSES = r"""((('ein\'',0.1,1),('b',0.3,2),('\\',0.6,1),),(('c',1.0,1),),)"""


def test_moses_probabilities():
    lattice = parse_plf(MOSES)
    assert [lattice.symbols[label] for label in lattice.olabels] == ["ein'", "b", "\\", "c"]
    assert lattice.weights.tolist() == [-math.log(0.1), -math.log(0.3), -math.log(0.6), 0.0]
    assert lattice.sources.tolist() == [0, 0, 0, 1]
    assert lattice.nextstates.tolist() == [1, 2, 1, 2]
    assert lattice.finals.tolist() == [np.inf, np.inf, 0.0]
    assert format_plf(lattice) == MOSES


@pytest.mark.parametrize(
    "line",
    [
        "((('a', 0.5, 1), ('b', 0.5, 1)), (('c', 1, 1),))",
        " ( ( ( 'a' , 0.5 , 1 ) , ( \"b\" , .5 , 1 ) , ) , ( ( u'c' , 1.0 , 1 , ) ) , ) ",
        "((('a',5e-1,1),('\\x62',0.5,1),),(('\\u0063',1,1),),)\n",
    ],
)
def test_ways_to_write_the_same(line):
    assert_same(parse_plf(line), parse_plf("((('a',0.5,1),('b',0.5,1),),(('c',1.0,1),),)"))


def test_without_scores_and_with_several():
    assert parse_plf("((('a',1),),)").weights.tolist() == [0.0]
    lattice = parse_plf("((('a',1,2,3,1),),)", scores="cost")
    assert lattice.weights.tolist() == [1.0]
    assert {name: column.tolist() for name, column in lattice.features.items()} == {"score2": [-2.0], "score3": [-3.0]}


def test_features():
    line = "((('a',{'lm':-1.5,'tm':-2},1),('b',{'tm':-3.0},1),('c',{},1),),)"
    lattice = parse_plf(line, scores="log")
    assert lattice.weights.tolist() == [0.0, 0.0, 0.0]
    assert {name: column.tolist() for name, column in lattice.features.items()} == {
        "lm": [-1.5, 0, 0],
        "tm": [-2, -3, 0],
    }
    lattice = parse_plf(line, scores="log", score_name="tm")
    assert lattice.weights.tolist() == [2.0, 3.0, 0.0]
    assert set(lattice.features) == {"lm"}


def test_features_may_be_left_out():
    lattice = parse_plf("((('a',{'weight':-1.5,'tm':-2.0},1),('b',{'weight':-0.5},1),),)", scores="log")
    assert format_plf(lattice, scores="log", features=False) == "((('a',-1.5,1),('b',-0.5,1),),)"
    assert set(lattice.features) == {"tm"}


def test_epsilons_and_the_empty_string():
    assert parse_plf("((('*EPS*',1),),)").olabels.tolist() == [0]
    assert parse_plf("()").finals.tolist() == [0.0]
    assert format_plf(parse_plf("()")) == "()"


@pytest.mark.parametrize("scores", ["log", "cost"])
def test_exact_round_trip(tmp_path, scores):
    for seed in range(30):
        path = tmp_path / f"x.plf{COMPRESSIONS[seed % 4]}"
        lattices = [
            random_lattice(seed, one_final=True, columns=("lm", "it's") if seed % 2 else ()),
            random_lattice(seed + 100, one_final=True),
        ]
        write_plf(lattices, path, scores=scores)
        for lattice, again in zip(lattices, read_plf(path, scores=scores), strict=True):
            if lattice.num_arcs == 0:  # a feature of no arc is lost
                lattice = Lattice.from_arcs([], [], [], [], lattice.finals, lattice.symbols)
            assert_same(again, lattice)


def test_other_costs_round_in_the_last_digit():
    for seed in range(20):
        lattice = random_lattice(seed, one_final=True)
        lattice = replace(lattice, weights=np.clip(lattice.weights, -10, 500))
        again = parse_plf(format_plf(lattice))
        np.testing.assert_allclose(again.weights, lattice.weights, rtol=1e-12, atol=1e-15)
        assert_same(replace(again, weights=lattice.weights), lattice)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_any_word_and_a_python_literal(words):
    if "*EPS*" in words or "<epsilon>" in words:
        return
    lattice = Lattice.from_strings([(words, 1.0)])
    line = format_plf(lattice, scores="cost")
    assert "\n" not in line
    assert_same(parse_plf(line, scores="cost"), lattice)
    if "\0" not in line:
        assert [node[0][0] for node in ast.literal_eval(line)] == words


@given(st.lists(st.floats(1e-300, 1.0), min_size=1))
@settings(max_examples=200, deadline=None)
def test_probabilities_give_the_same_costs_again(probabilities):
    arcs = ",".join(f"('a',{probability!r},1)" for probability in probabilities)
    lattice = parse_plf(f"(({arcs},),)")
    assert_same(parse_plf(format_plf(lattice)), lattice)


def test_final_costs_become_epsilon_arcs():
    lattice = Lattice.from_arcs([0, 1], [1, 2], [0.5, 0.25], [1, 2], [np.inf, 1.5, 2.5], SymbolTable(["a", "b"]))
    line = format_plf(lattice, scores="cost")
    assert line == "((('a',0.5,1),),(('b',0.25,1),('*EPS*',1.5,2),),(('*EPS*',2.5,1),),)"
    assert format_plf(parse_plf(line, scores="cost"), scores="cost") == line


def test_final_columns_travel():
    table = SymbolTable(["a"])
    lattice = Lattice.from_arcs(
        [0],
        [1],
        [0.5],
        [1],
        [np.inf, 1.5],
        table,
        features=Features.from_columns({"lm": [0.25]}, {"lm": [0, 3.5]}, 1, 2),
    )
    assert parse_plf(format_plf(lattice, scores="log"), scores="log").features["lm"].tolist() == [0.25, 3.5]


def test_states_are_sorted_for_writing():
    lattice = Lattice.from_arcs([0, 2], [1, 2], [0, 0], [2, 1], [np.inf, 0, np.inf], SymbolTable(["a", "b"]))
    assert format_plf(lattice) == "((('a',1.0,1),),(('b',1.0,1),),)"


def test_what_cannot_be_written():
    loop = Lattice.from_arcs([0], [1], [0.5], [0], [0], SymbolTable(["a"]))
    with pytest.raises(CyclicLatticeError):
        format_plf(loop)
    with pytest.raises(EmptyLatticeError, match="accepts nothing"):
        format_plf(Lattice.empty_like(loop))
    with pytest.raises(InvalidLatticeError, match=r"PLF cannot represent transducers.*project_output"):
        format_plf(next(lattice for lattice in map(_transducer, range(99)) if not lattice.is_acceptor))
    with pytest.raises(InvalidLatticeError, match=r"is not a probability in double precision.*scores='log'"):
        format_plf(Lattice.from_strings([("a", 800.0)]))
    with pytest.raises(InvalidLatticeError, match="is not a probability in double precision"):
        format_plf(Lattice.from_strings([("a", -800.0)]))
    with pytest.raises(InvalidLatticeError, match=r"cannot represent the word '\*EPS\*'"):
        format_plf(Lattice.from_strings([("*EPS*", 0.0)]))
    with pytest.raises(InvalidLatticeError, match="choose another score_name"):
        format_plf(parse_plf("((('a',{'lm':1},1),),)"), score_name="lm")


def _transducer(seed):
    return random_lattice(seed, transducer=True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", r"x:3: column 1: '' where '\(' is expected"),
        ("0 1 a", r"x:3: column 1: '0' where '\(' is expected"),
        ("((('a',0.5,1),),", "x:3: column 17: '' where a node must begin or end"),
        ("((('a',0.5,1),),) x", "more text after the end"),
        ("((('a',0.5,2),),)", "x:3: column 4: a distance that leads out of the lattice"),
        ("((('a',0.5,999999999999),),)", "leads out of the lattice"),
        ("((('a',0.5,0),),)", "column 4: the distance of an arc is not a number from 1 up"),
        ("((('a',0.5,-1),),)", "the distance of an arc is not a number from 1 up"),
        ("((('a',0.5,1.0),),)", "the distance of an arc is not a number from 1 up"),
        ("((('a'),),)", r"column 7: '\)' where ',' is expected"),
        ("((('a',),),)", r"unexpected '\)' in an arc"),
        ("((('',0.5,1),),)", "where a quoted word is expected"),
        ("(((a,0.5,1),),)", "column 4: 'a' where a quoted word is expected"),
        ("((('a,0.5,1),),)", "column 4: unexpected .*close all quotes"),
        ("((('a',x,1),),)", "column 9: a score is not a finite number: 'x'|column .*'x'"),
        ("((('a',nan,1),),)", "a score is not a finite number: 'nan'"),
        ("((('a',inf,1),),)", "a score is not a finite number: 'inf'"),
        ("((('a',-0.5,1),),)", "-0.5 is not a probability .*scores='log'"),
        ("((('a',{'lm':0.5,1),),)", "where a quoted word is expected"),
        ("((('a',{'lm' 0.5},1),),)", "where ':' is expected"),
        ("((('a',{'lm':0.5},),),)", r"unexpected '\)' in an arc|the distance of an arc"),
        (r"((('\ud800',0.5,1),),)", "an escape that is not a character"),
        (r"((('\U99999999',0.5,1),),)", "an escape that is not a character"),
    ],
)
def test_broken_lines(line, message):
    with pytest.raises(FormatError, match=message):
        parse_plf(line, path="x", line_number=3)


def test_deep_nesting_and_unknown_scores():
    with pytest.raises(FormatError):
        parse_plf("(" * 100_000)
    with pytest.raises(FormatError, match="choose probability, log or cost"):
        parse_plf("()", scores="points")


def test_rare_scores_are_limited(monkeypatch):
    monkeypatch.setattr("lattice_simp.formats.moses.plf.MAX_SCORES", 3)
    with pytest.raises(FormatError, match="leave rare scores out"):
        parse_plf("((('a',{'x':1},1),('b',{'y':1},1),),)")


def test_a_probability_of_0_costs_what_it_does_in_moses():
    assert parse_plf("((('a',0.0,1),('b',0,1),),)").weights.tolist() == [100.0, 100.0]
    assert parse_plf("((('a',0.0,1),),)", scores="log").weights.tolist() == [0.0]


def test_an_empty_line_is_an_empty_sentence(tmp_path):
    (tmp_path / "x.plf").write_bytes(b"((('a',1),),)\n\n \r\n((('b',1),),)\n")
    strings = [best_by_string(lattice) for lattice in read_plf(tmp_path / "x.plf")]
    assert strings == [{("a",): 0.0}, {(): 0.0}, {(): 0.0}, {("b",): 0.0}]


def test_files(tmp_path):
    (tmp_path / "x.plf").write_text("((('a',1),),)\n(\n")
    with pytest.raises(FormatError, match=r"x\.plf:2: column 2"):
        list(read_plf(tmp_path / "x.plf"))
    (tmp_path / "empty.plf").write_text("")
    with pytest.raises(FormatError, match=r"empty\.plf: the file is empty"):
        list(read_plf(tmp_path / "empty.plf"))


def test_any_bytes_are_read_or_refused():
    lattice = random_lattice(1, one_final=True, columns=("lm",))
    for line in (MOSES, format_plf(lattice, scores="log")):
        for scores in ("probability", "log"):
            fuzz(line.encode(), lambda data, kind=scores: parse_plf(data.decode("latin-1"), scores=kind), seconds=0.4)


def test_numbers_above_1_are_no_probabilities(tmp_path):
    """Unless they are rounded; a warning names the first line."""
    path = tmp_path / "x.plf"
    path.write_text("((('a',1.0000001,1),),)\n((('a',1.5,1),),)\n((('a',2.5,1),),)\n", encoding="utf-8")
    with pytest.warns(InputWarning, match=r"x.plf:2: a number above 1, 1.5, is read as a probability") as caught:
        assert len(list(read_plf(path))) == 3
    assert len(caught) == 1
    path.write_text("((('a',1.5,1),),)\n", encoding="utf-8")
    with pytest.warns(InputWarning, match="x.plf:1: a number above 1"):
        read(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(path, scores="cost").weights.tolist() == [1.5]


def test_a_byte_order_mark_before_several_lattices(tmp_path):
    (tmp_path / "x").write_text("\ufeff((('a',1,1),),)\n((('b',1,1),),)\n", encoding="utf-8")
    assert [name for name, _ in read_all(tmp_path / "x")] == ["0", "1"]
