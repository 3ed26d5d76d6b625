"""The simplifier: joint search against enumeration, greedy search, what is passed through, how text is finished."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers import best_by_string
from simplifier_model import OPERATIONS, WEIGHTS, write_model

from lattice_simp import Lattice
from lattice_simp.errors import FormatError, GrammarError, LatticeSimpError
from lattice_simp.systems.simplify.analysis import MAX_TOKENS, analyse
from lattice_simp.systems.simplify.hypotheses import FEATURES
from lattice_simp.systems.simplify.sentence import finished
from lattice_simp.systems.simplify.simplifier import (
    Simplification,
    Simplifier,
    Substitution,
    most_unlike,
)

JUDGE = "The old judge , who was tired , held the principal man , and he sentenced him to death ."


@pytest.fixture(scope="module")
def simplifier(tmp_path_factory):
    loaded = Simplifier.load(write_model(tmp_path_factory.mktemp("model")))
    return replace(loaded, mode="bold", decoder=loaded.decoder.with_settings({"beam": 12.0}))


def test_the_best_path_of_all_steps_at_once_is_the_best_of_all_combinations(simplifier, parsed):
    analysis = analyse(parsed(JUDGE))
    found = simplifier.hypotheses(analysis).lattice
    weights = -sum(WEIGHTS[f"Input:{name}"] * found.features[name] for name in FEATURES)
    weighted = Lattice.from_arcs(found.sources, found.olabels, weights, found.nextstates, found.finals, found.symbols)
    decoder = simplifier._decoder
    totals = {words: cost + decoder.translate(words).best.cost for words, cost in best_by_string(weighted).items()}
    assert len(totals) > 20
    best = simplifier.simplify(parsed(JUDGE))[0]
    assert best.cost == pytest.approx(min(totals.values()))


def test_features_make_the_cost_and_operations_the_text(simplifier, parsed):
    for own in simplifier.simplify(parsed(JUDGE), 20):
        assert own.cost == pytest.approx(-sum(WEIGHTS.get(name, 0.0) * score for name, score in own.features.items()))
        assert own.features["Input:Splits"] == len(own.splits)
        deleted = {position for deletion in own.deletions for position in deletion.positions}
        written = [word.lower() for word in own.tokens]
        if not own.splits:  # else the words may stand in a copy
            assert all(own.source[position].lower() not in written for position in deleted)
        for substitution in own.substitutions:
            assert substitution.target[0] in own.tokens


def test_each_step_can_be_left_out(simplifier, parsed):
    parse = parsed(JUDGE)
    steps = [
        (("substitute",), lambda own: not own.splits and not own.deletions and own.substitutions),
        (("split",), lambda own: own.splits and not own.deletions and not own.substitutions),
        (("delete",), lambda own: not own.splits and own.deletions and not own.substitutions),
        ((), lambda own: own.tokens == own.source),
    ]
    for stages, holds in steps:
        found = replace(simplifier, stages=stages).simplify(parse, 5)
        assert all(holds(own) or own.tokens == own.source for own in found), stages
        assert any(holds(own) for own in found), stages


def test_greedy_search_does_what_is_likelier_than_not(simplifier, parsed):
    best = replace(simplifier, search="greedy").simplify(parsed("The very old judge said that he was tired ."))[0]
    deleted = {best.source[position] for deletion in best.deletions for position in deletion.positions}
    assert deleted <= {"very", "that"}
    assert "old" in best.tokens  # two of ten


def test_the_best_that_differs(simplifier, parsed):
    """Where the best one stays as its source is, the next one is taken."""
    unlikely = {**WEIGHTS, **{f"Input:{name}": 0.0 for name in FEATURES}, "Input:Deleted": -4.0, "P": 30.0}
    timid = replace(simplifier, decoder=simplifier.decoder.with_weights(unlikely))
    parse = parsed("The old judge held the principal man .")
    every = timid.simplify(parse, 10)
    assert not every[0].is_changed
    changed = replace(timid, change=True).simplify(parse)[0]
    expected = next(own for own in every if own.is_changed)
    assert (changed.tokens, changed.cost) == (expected.tokens, pytest.approx(expected.cost))
    nothing = replace(timid, change=True, stages=()).simplify(parse)[0]
    assert nothing.tokens == nothing.source


def test_substitutions_are_told(simplifier, parsed):
    own = replace(simplifier, stages=("substitute",)).simplify(parsed("The principal man held him ."))[0]
    assert own.tokens == ("The", "main", "man", "held", "him", ".")
    assert own.substitutions == (Substitution(("principal",), ("main",), 1),)


def test_substitutions_are_told_where_they_are(simplifier, parsed):
    """Also after words that were deleted, and after a phrase of several words."""
    written = set()
    for own in simplifier.simplify(parsed("The very old judge was required to sentence the principal man ."), 30):
        for one in own.substitutions:
            assert own.tokens[one.start : one.start + len(one.target)] == one.target
            written.add((one.target, one.start))
    assert len({start for target, start in written if target == ("main",)}) > 1
    assert {target for target, _ in written} == {("main",), ("asked", "to")}


def test_what_is_passed_through(simplifier):
    long = ["word"] * (MAX_TOKENS + 1)
    cautious = replace(simplifier, mode="cautious")
    empty, passed = (own[0] for own in cautious.simplify_all([[], long]))
    assert (empty.tokens, empty.problem) == ((), "")
    assert passed.tokens == tuple(long)
    assert "101 tokens, more than the 100" in passed.problem


def test_models_that_do_not_fit(tmp_path, simplifier):
    folder = write_model(tmp_path)
    (folder / "operations.tsv").unlink()
    with pytest.raises((FormatError, LatticeSimpError), match=r"operations\.tsv"):
        Simplifier.load(folder)
    write_model(folder)
    (folder / "rules").write_text("[X] ||| a [X,1] ||| [X,1] a ||| P=-1\n", encoding="utf-8")
    with pytest.raises(GrammarError, match="max_gaps=0"):
        Simplifier.load(folder)
    with pytest.raises(LatticeSimpError, match="unknown mode 'x'; choose cautious or bold"):
        replace(simplifier, mode="x")
    with pytest.raises(LatticeSimpError, match="unknown stage 'x'; choose from split, delete, substitute"):
        replace(simplifier, stages=("x",))


def test_the_most_unlike():
    source = tuple("a b c d".split())
    written = [Simplification(source, tuple(own.split())) for own in ("a b c", "x y c d", "x y d c")]
    assert most_unlike(written) is written[2]
    assert most_unlike(written[:1]) is written[0]


def test_finished_text():
    source = "He saw a ill-fitting hat , an hour ago .".split()
    assert finished("he saw a old hat . it was an hat .".split(), source) == tuple(
        "He saw an old hat . It was a hat .".split()
    )
    assert finished("he waited an hour .".split(), source)[2] == "an"
    assert finished('" why ? " he asked .'.split(), source) == tuple('" Why ? " He asked .'.split())


def test_operations_survive(simplifier):
    assert simplifier.operations.counts == OPERATIONS.counts


@pytest.mark.parametrize(
    "text",
    [
        'She asked " Why ? " and left .',
        "Wait ... what ?",
        "Yahoo ! was sold .",
        "iPhone sales rose .",
        'The " Who ? " sign fell .',
    ],
)
def test_what_stands_small_behind_a_mark_stays_small(text):
    assert " ".join(finished(text.split(), text.split())) == text


def test_a_stop_that_was_put_there_begins_a_sentence():
    source = "she , who won ! , left .".split()
    assert finished("she left . she won !".split(), source) == ("She", "left", ".", "She", "won", "!")
