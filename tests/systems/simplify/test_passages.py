"""Lines of several sentences, each of which is simplified on its own."""

from __future__ import annotations

import pytest

from lattice_simp.errors import MissingExtraError
from lattice_simp.systems.simplify.explanation import explanation
from lattice_simp.systems.simplify.sentence import divided
from lattice_simp.systems.simplify.simplifier import Simplifier

LINE = "They left the town in May . The judge , who was very tired , purchased the old house in Rome . They won !"


@pytest.fixture(scope="module")
def simplifier():
    loaded = Simplifier.untrained()
    try:
        loaded.simplify("It rained .")
    except MissingExtraError as error:
        pytest.skip(str(error))
    return loaded


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        (LINE, 3),
        ("They left it . 20 men came .", 2),
        ('" It is cold , " she said . He agreed .', 2),
        ('" I met him . He was old . " She left .', 2),
        ("they left it . we bought it .", 2),
        ("He met Dr . Lee ( No ! It rained . ) in the U.S. Army .", 1),
        ("It rained ... they left .", 1),
        ("It rained", 1),
        ("", 1),
    ],
)
def test_lines_are_divided_into_sentences(line, sentences):
    tokens = tuple(line.split())
    parts = divided(tokens)
    assert len(parts) == sentences
    assert sum(parts, ()) == tokens


def test_each_sentence_is_simplified(simplifier):
    best = simplifier.simplify(LINE)[0]
    expected = (
        "They left the town in May . The judge bought the old house in Rome . The judge was very tired . They won !"
    )
    assert best.text == expected
    assert best.source == tuple(LINE.split())
    explained = explanation(best)
    assert explained["splits"] == [{"kind": "relative", "clause": "was very tired"}]
    assert [best.tokens[words.start] for words in best.substitutions] == ["bought"]


def test_alternatives_are_cheapest_first(simplifier):
    best = simplifier.simplify("They purchased it . They commenced work .", 3)
    assert len({each.text for each in best}) == 3
    assert best[0].text == "They bought it . They started work ."
    assert [each.cost for each in best] == sorted(each.cost for each in best)


def test_lines_stay_in_order(simplifier):
    lines = ["It rained . They purchased it .", "", "They commenced work .", LINE]
    together = [best[0].text for best in simplifier.simplify_all(lines)]
    assert together == [simplifier.simplify(line)[0].text for line in lines]


def test_a_line_with_a_sentence_that_is_too_long_has_a_problem(simplifier):
    best = simplifier.simplify("They commenced work . " + "Men sang " * 60 + ".")[0]
    assert "tokens" in best.problem
