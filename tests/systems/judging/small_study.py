"""A small study, and raters who answer it."""

from __future__ import annotations

from lattice_simp.systems.judging.questions import Choice, Errors, Preference, Rating
from lattice_simp.systems.judging.study import Example, Item, Labels, Study

RATING = {"fluency": Rating(ask="Is it fluent?", anchors={1: "not at all", 5: "perfectly"})}
CHOICE = {"right": Choice(ask="Is it right?")}
ERRORS = {"errors": Errors(ask="Which words are wrong?", kinds=("grammar", "meaning"))}
PREFERENCE = {"better": Preference(ask="Which one is better?")}


def example(number, **fields):
    """A training item or a check that expects a low rating of fluency."""
    return Example(
        **{"id": f"example {number}", "source": "a cat", "texts": ("cat a",), "expect": {"fluency": (1, 2)}} | fields
    )


def make_study(items=4, systems="ab", questions=RATING, **fields):
    """A study whose outputs reveal their system only to a test, by their last word."""
    texts = tuple(
        Item(
            id=str(number + 1),
            source=f"the source number {number}",
            outputs={system: f"a sentence numbered {number} w{ord(system)}" for system in systems},
        )
        for number in range(items)
    )
    values = {"title": "A study", "instructions": "Read.\n\nRate.", "labels": Labels(), "raters": 2} | fields
    return Study(questions=questions, systems=tuple(systems), items=texts, **values)


def system_of(text):
    """Returns the system of a text of `make_study`."""
    return chr(int(text.rpartition("w")[2]))


def judge_all(store, rater, answers):
    """Answers all remaining trials of a rater; `answers` maps a screen to the answers."""
    while (screen := store.screen(rater)) is not None:
        store.answer(rater, screen.position, answers(screen))
