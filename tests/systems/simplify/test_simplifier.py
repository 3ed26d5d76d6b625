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
    lattice = simplifier.hypotheses(analysis).lattice
    weights = -sum(WEIGHTS[f"Input:{name}"] * lattice.features[name] for name in FEATURES)
    weighted = Lattice.from_arcs(
        lattice.sources, lattice.olabels, weights, lattice.nextstates, lattice.finals, lattice.symbols
    )
    decoder = simplifier._decoder
    totals = {words: cost + decoder.translate(words).best.cost for words, cost in best_by_string(weighted).items()}
    assert len(totals) > 20
    best = simplifier.simplify(parsed(JUDGE))[0]
    assert best.cost == pytest.approx(min(totals.values()))


def test_features_make_the_cost_and_operations_the_text(simplifier, parsed):
    whole = replace(simplifier, stages=("delete", "substitute"))
    simplifications = [*simplifier.simplify(parsed(JUDGE), 20), *whole.simplify(parsed(JUDGE), 20)]
    for kind in ("splits", "substitutions"):
        assert any(getattr(simpler, kind) for simpler in simplifications), kind
    assert any(simpler.deletions and not simpler.splits for simpler in simplifications)
    for simpler in simplifications:
        assert simpler.cost == pytest.approx(
            -sum(WEIGHTS.get(name, 0.0) * score for name, score in simpler.features.items())
        )
        assert simpler.features["Input:Splits"] == len(simpler.splits)
        deleted = {position for deletion in simpler.deletions for position in deletion.positions}
        written = [word.lower() for word in simpler.tokens]
        if not simpler.splits:  # else the words may stand in a copy
            assert all(simpler.source[position].lower() not in written for position in deleted)
        for substitution in simpler.substitutions:
            assert substitution.target[0] in simpler.tokens


def test_each_step_can_be_left_out(simplifier, parsed):
    parse = parsed(JUDGE)
    steps = [
        (("substitute",), lambda simpler: not simpler.splits and not simpler.deletions and simpler.substitutions),
        (("split",), lambda simpler: simpler.splits and not simpler.deletions and not simpler.substitutions),
        (("delete",), lambda simpler: not simpler.splits and simpler.deletions and not simpler.substitutions),
        ((), lambda simpler: simpler.tokens == simpler.source),
    ]
    for stages, holds in steps:
        simplifications = replace(simplifier, stages=stages).simplify(parse, 5)
        assert all(holds(simpler) or simpler.tokens == simpler.source for simpler in simplifications), stages
        assert any(holds(simpler) for simpler in simplifications), stages


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
    expected = next(simpler for simpler in every if simpler.is_changed)
    assert (changed.tokens, changed.cost) == (expected.tokens, pytest.approx(expected.cost))
    nothing = replace(timid, change=True, stages=()).simplify(parse)[0]
    assert nothing.tokens == nothing.source


def test_substitutions_are_told(simplifier, parsed):
    simpler = replace(simplifier, stages=("substitute",)).simplify(parsed("The principal man held him ."))[0]
    assert simpler.tokens == ("The", "main", "man", "held", "him", ".")
    assert simpler.substitutions == (Substitution(("principal",), ("main",), 1),)


def test_a_change_of_case_is_no_substitution(tmp_path, parsed):
    loaded = Simplifier.load(write_model(tmp_path, "[X] ||| man ||| Man ||| P=2 ||| 0-0\n"))
    simpler = replace(loaded, mode="bold", stages=("substitute",)).simplify(parsed("The old man held him ."))[0]
    assert (simpler.text, simpler.substitutions) == ("The old Man held him .", ())


def test_substitutions_are_told_where_they_are(simplifier, parsed):
    """Also after words that were deleted, and after a phrase of several words."""
    written = set()
    for simpler in simplifier.simplify(parsed("The very old judge was required to sentence the principal man ."), 30):
        for substitution in simpler.substitutions:
            assert (
                simpler.tokens[substitution.start : substitution.start + len(substitution.target)]
                == substitution.target
            )
            written.add((substitution.target, substitution.start))
    assert len({start for target, start in written if target == ("main",)}) > 1
    assert {target for target, _ in written} == {("main",), ("asked", "to")}


def test_what_is_passed_through(simplifier):
    long = ["word"] * (MAX_TOKENS + 1)
    cautious = replace(simplifier, mode="cautious")
    empty, passed = (nbest[0] for nbest in cautious.simplify_all([[], long]))
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
    with pytest.raises(LatticeSimpError, match="unknown mode 'x'; known are cautious, bold"):
        replace(simplifier, mode="x")
    with pytest.raises(LatticeSimpError, match="unknown stage 'x'; known are split, delete, substitute"):
        replace(simplifier, stages=("x",))


def test_the_most_unlike():
    source = tuple("a b c d".split())
    written = [Simplification(source, tuple(text.split())) for text in ("a b c", "x y c d", "x y d c")]
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
