"""Every worked example in both scripts."""

from __future__ import annotations

import pytest
from systems.hindi.simplify.cases import Case, parse_sentence, read_cases

from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.tables import grammar_path
from lattice_simp.systems.hindi.simplify import Stage, simplify

CASES = list(read_cases(grammar_path("hindi/simplify_cases.tsv")))


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_gives_the_wanted_sentences(case: Case):
    result = simplify(case.sentence, case.clauses, until=Stage[case.stage.upper()], every_clause=True)
    assert tuple(map(str, result.sentences)) == case.expected


def test_all_examples_of_the_third_paper_are_there():
    numbers = {case.source.rpartition(" ")[2] for case in CASES if case.source.startswith("mishra")}
    assert numbers == {"1", "2", "3", "4", "5", "6", "12"}


@pytest.mark.parametrize("text", ["raam", "raam/NNP[colour=red]", "raam/nnp"])
def test_a_broken_case_is_an_error(text: str):
    with pytest.raises(LatticeSimpError, match="raam"):
        parse_sentence(text)
