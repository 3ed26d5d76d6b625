"""The file of judgements: acknowledged answers persist, raters proceed in order, and systems stay hidden."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("pydantic", reason="pydantic is not installed (the extra 'judging')")

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.support.database import StorageError
from lattice_simp.systems.annotation import AnnotationStore
from lattice_simp.systems.judging.design import Role
from lattice_simp.systems.judging.questions import AnswerError
from lattice_simp.systems.judging.store import JudgingError, JudgingStore
from tests.systems.judging.small_study import ERRORS, PREFERENCE, RATING, example, judge_all, make_study, system_of
from tests.systems.writers import lines_until_killed

WRITER = """
import sys
from lattice_simp.systems.judging.store import JudgingStore
store = JudgingStore(sys.argv[1])
while (screen := store.screen(sys.argv[2])) is not None:
    store.answer(sys.argv[2], screen.position, {"fluency": 1 + screen.position % 5})
    print(screen.position, flush=True)
"""
"""A program that judges one output after the other, and prints the judged ones."""


@pytest.mark.slow
def test_a_killed_process_loses_nothing_that_was_acknowledged(tmp_path):
    path = tmp_path / "a.db"
    JudgingStore(path, make_study(items=3000)).close()
    for name in ("Ada", "Bob"):
        acknowledged = [int(line) for line in lines_until_killed(WRITER, path, name)]
        assert 20 <= len(acknowledged) < 3000
        with JudgingStore(path) as store:
            answers = [judgement.answers for judgement in store.judgements() if judgement.rater == name]
            assert answers[: len(acknowledged)] == [{"fluency": 1 + number % 5} for number in acknowledged]
            assert len(answers) <= len(acknowledged) + 1  # one may have been written and not acknowledged yet
            assert store.screen(name).position == len(answers)  # and the rater continues


def test_raters_at_once(quick_path):
    path = quick_path / "a.db"
    names = [f"rater {number}" for number in range(6)]
    with JudgingStore(path, make_study(items=12, systems="abc", raters=6)) as shared:

        def work(name):
            with JudgingStore(path) as store:
                judge_all(store, name, lambda screen: {"fluency": 1 + ord(system_of(screen.texts[0])) % 5})

        with ThreadPoolExecutor(6) as threads:
            list(threads.map(work, names))
        judgements = shared.judgements()
        assert sorted({judgement.rater for judgement in judgements}) == names
        pairs = [(judgement.trial.number, judgement.trial.systems) for judgement in judgements]
        assert sorted(pairs) == sorted([(n, (s,)) for n in range(12) for s in "abc"] * 2)
        for judgement in judgements:  # the text that was shown is of the system that it counts for
            assert judgement.answers == {"fluency": 1 + ord(judgement.trial.systems[0]) % 5}


def test_answers_in_order_repeated_and_undone(quick_path):
    with JudgingStore(quick_path / "a.db", make_study(questions=RATING | ERRORS)) as store:
        first = {"fluency": 4, "errors": [[0, 1, "grammar"]]}
        with pytest.raises(JudgingError, match="number 2 cannot be judged now; number 1 comes next"):
            store.answer("Ada", 1, first)
        for _ in range(2):  # a form that was sent twice
            store.answer("Ada", 0, first)
        with pytest.raises(JudgingError, match="number 1 has been judged already; undo that first"):
            store.answer("Ada", 0, first | {"fluency": 5})
        with pytest.raises(JudgingError, match="has been judged already"):
            store.skip("Ada", 0)
        store.skip("Ada", 1)
        assert store.undo("Ada") == 1
        assert store.undo("Ada") == 0
        assert store.undo("Ada") is None
        screen = store.screen("Ada")
        assert (screen.position, screen.earlier) == (0, {"fluency": 4, "errors": ((0, 1, "grammar"),)})
        assert store.judgements() == []
        store.answer("Ada", 0, first | {"errors": []})
        assert [judgement.answers for judgement in store.judgements()] == [{"fluency": 4, "errors": ()}]
        for position in range(1, 4):
            store.skip("Ada", position)
        assert store.screen("Ada") is None
        with pytest.raises(JudgingError, match="number 5 does not exist"):
            store.skip("Ada", 4)
        assert [(entry.done, entry.skipped, entry.total) for entry in store.standings()] == [(4, 3, 4)]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "number 1: fluency: the answer is missing"),
        ({"fluency": 6, "errors": []}, "fluency: 6 is not a whole number from 1 to 5"),
        ({"fluency": True, "errors": []}, "fluency: True is not"),
        ({"fluency": "4", "errors": []}, "fluency: '4' is not"),
        ({"fluency": 4, "errors": [], "style": 1}, "the study has no question 'style'"),
        ({"fluency": 4, "errors": [[0, 9, "grammar"]]}, "in a text of 5 words"),
        ({"fluency": 4, "errors": [[2, 1, "grammar"]]}, "is not a first word, a last word and a kind"),
        ({"fluency": 4, "errors": [[0, 1, "style"]]}, "'style' is not one of grammar, meaning"),
        ({"fluency": 4, "errors": [[0, 2, "grammar"], [2, 3, "meaning"]]}, "word 3 is marked twice"),
        ({"fluency": 4, "errors": "none"}, "'none' is not a list of marked words"),
    ],
)
def test_answers_that_do_not_fit_are_refused(quick_path, values, message):
    with JudgingStore(quick_path / "a.db", make_study(questions=RATING | ERRORS)) as store:
        with pytest.raises(AnswerError) as caught:
            store.answer("Ada", 0, values)
        assert message in str(caught.value)
        assert store.judgements() == []


def test_places_of_raters(quick_path):
    with JudgingStore(quick_path / "a.db", make_study(raters=2)) as store:
        for name in ("Zoe\u0308 Q", "Bob", "Zo\u00eb  Q"):
            store.join(name)
        assert [entry.rater for entry in store.standings()] == ["Zo\u00eb Q", "Bob"]
        with pytest.raises(JudgingError, match="all 2 raters of this study have begun"):
            store.screen("Cleo")
        with pytest.raises(LatticeSimpError, match="the name is empty"):
            store.join(" ")
    with JudgingStore(quick_path / "b.db", make_study(names=("Ada", "Bob"))) as store:
        for name in ("Bob", "Ada"):
            judge_all(store, name, lambda screen: {"fluency": 3})
        shown = {judgement.rater: judgement.trial for judgement in store.judgements()}
        with pytest.raises(JudgingError, match="'Cleo' is not a rater of this study"):
            store.join("Cleo")
    with JudgingStore(quick_path / "c.db", make_study(names=("Ada", "Bob"))) as store:
        for name in ("Ada", "Bob"):  # who comes first does not matter
            judge_all(store, name, lambda screen: {"fluency": 3})
        assert shown == {judgement.rater: judgement.trial for judgement in store.judgements()}


def test_a_study_that_has_changed_is_refused(quick_path):
    path = quick_path / "a.db"
    with JudgingStore(path, make_study(raters=2)) as store:
        judge_all(store, "Ada", lambda screen: {"fluency": 3})
    for changed in ({"seed": 2}, {"items": 5}, {"raters": 1}, {"questions": PREFERENCE}, {"names": ("Ada", "Bob")}):
        with pytest.raises(StorageError, match="another version of the study"):
            JudgingStore(path, make_study(**{"raters": 2} | changed))
    with JudgingStore(path, make_study(raters=4)) as store:  # further raters are welcome
        for name in ("Bob", "Cleo", "Dora"):
            judge_all(store, name, lambda screen: {"fluency": 3})
        pairs = [(judgement.trial.number, judgement.trial.systems) for judgement in store.judgements()]
        assert sorted(pairs) == sorted([(n, (s,)) for n in range(4) for s in "ab"] * 2)


def test_files_that_hold_no_study(tmp_path):
    with pytest.raises(StorageError, match="judge serve"):
        JudgingStore(tmp_path / "missing.db")
    AnnotationStore(tmp_path / "talk.db", create=True).close()
    with pytest.raises(FormatError, match="the database of another program"):
        JudgingStore(tmp_path / "talk.db", make_study())


def test_events_can_be_neither_changed_nor_removed(tmp_path):
    with JudgingStore(tmp_path / "a.db", make_study()) as store:
        store.answer("Ada", 0, {"fluency": 3})
        with sqlite3.connect(tmp_path / "a.db") as other:
            for statement in ("UPDATE event SET time = 0", "DELETE FROM event"):
                with pytest.raises(sqlite3.IntegrityError, match="never"):
                    other.execute(statement)
        other.close()
        assert len(store.judgements()) == 1


def test_training_gives_feedback_and_does_not_look_like_a_check(quick_path):
    study = make_study(training=(example(0, why="The order."), example(1)), checks=(example(2, texts=("a check",)),))
    with JudgingStore(quick_path / "a.db", study) as store:
        first = store.screen("Ada")
        assert (first.is_training, first.feedback) == (True, None)
        store.answer("Ada", 0, {"fluency": 5})
        example_shown, missed = store.screen("Ada").feedback
        assert (example_shown.why, missed) == ("The order.", ("fluency",))
        store.answer("Ada", 1, {"fluency": 2})
        assert store.screen("Ada").feedback[1] == ()
        screens = []
        judge_all(store, "Ada", lambda screen: screens.append(screen) or {"fluency": 3})
        assert len(screens) == 5
        assert not any(screen.is_training or (screen.feedback and screen.position > 2) for screen in screens)
        roles = [judgement.trial.role for judgement in store.judgements()]
        assert (roles.count(Role.CHECK), roles.count(Role.TRAINING)) == (1, 2)
