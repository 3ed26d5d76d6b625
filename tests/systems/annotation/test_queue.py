"""The assignment of sentences: whatever several annotators do, nothing is lost, doubled or forgotten."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.annotation import AnnotationError, Task, assign, progress, tally
from lattice_simp.systems.annotation.progress import Computed, TaskProgress
from tests.systems.annotation.small_store import Clock, make_store

NAMES = ("Ada", "Bob", "Cleo")


@pytest.fixture
def clock():
    return Clock()


def masks(rng, length):
    mask = [rng.choice("01") for _ in range(length)]
    mask[rng.randrange(length)] = "1"
    return "".join(mask)


class Model:
    """The expected content of the file: the current judgements in a simple form."""

    def __init__(self):
        self.done = []  # (task, annotator, sentence, kind, judgement), in order

    def of(self, task, annotator):
        return [entry for entry in self.done if entry[:2] == (task, annotator)]

    def made(self):
        return [entry for entry in self.done if entry[0] is Task.SHORTEN and entry[3] == "judgement"]


def step(store, clock, model, rng, open_items):
    """Performs a random action of an annotator."""
    name, task = rng.choice(NAMES), rng.choice(list(Task))
    action = rng.choices(["next", "judge", "skip", "undo", "wait"], [4, 6, 1, 1, 1])[0]
    if action == "wait":
        clock.now += rng.choice([1.0, 400.0, 2000.0])
    elif action == "undo":
        actual = model.of(task, name)
        result = store.undo(name, task)
        assert (result.id if result else None) == (actual[-1][2] if actual else None)
        if actual:
            model.done.remove(actual[-1])
            open_items[task, name] = None
    elif action == "next" or open_items.get((task, name)) is None:
        result = open_items[task, name] = assign(store, name, task)
        if result is not None:
            check_assignment(model, name, task, result)
    else:
        result = open_items.pop((task, name))
        act(store, model, rng, (name, task, action), result)


def check_assignment(model, name, task, assignment):
    sentence_id = assignment.sentence.id
    assert all(judged[2] != sentence_id for judged in model.of(task, name)), "a sentence came twice"
    if task is Task.CHECK:
        masks_by_name = {judged[1]: judged[4] for judged in model.made() if judged[2] == sentence_id}
        assert {skeleton.to_mask() for skeleton in assignment.skeletons} == set(masks_by_name.values()) - {
            masks_by_name.get(name)
        }
        assert assignment.skeletons


def act(store, model, rng, what, assignment):
    name, task, action = what
    sentence_id, length = assignment.sentence.id, len(assignment.sentence.tokens)
    if action == "skip":
        store.skip(name, task, sentence_id)
        model.done.append((task, name, sentence_id, "skip", None))
        return
    if task is Task.SHORTEN:
        said = masks(rng, length)
        call = (store.shorten, name, sentence_id, said)
    else:
        said = {skeleton.to_mask(): rng.random() < 0.5 for skeleton in assignment.skeletons}
        call = (store.check, name, sentence_id, said)
    for _ in range(rng.choice([1, 1, 2])):  # a browser may send a form twice
        call[0](*call[1:])
    model.done.append((task, name, sentence_id, "judgement", said))


def check_store(store, model):
    assert [
        (judgement.annotator, judgement.sentence.id, judgement.skeleton.to_mask()) for judgement in store.judgements()
    ] == sorted(((name, value, said) for _, name, value, _, said in model.made()), key=lambda row: row[1])
    said = [(name, value, mask, bad) for task, name, value, kind, marks in model.done
            if task is Task.CHECK and kind == "judgement" for mask, bad in marks.items()]  # fmt: skip
    results = [
        (verdict.annotator, verdict.sentence.id, verdict.skeleton.to_mask(), verdict.bad)
        for verdict in store.verdicts()
    ]
    assert sorted(results) == sorted(said)
    assert store.skips() == Counter(name for _, name, _, kind, _ in model.done if kind == "skip")


def test_random_interleavings(quick_path, clock):
    for seed in range(12):
        rng, model, open_items = random.Random(seed), Model(), {}
        with make_store(quick_path / f"{seed}.db", 4, clock, shortenings=2, checks=2, lease=600.0) as store:
            events = []
            for _ in range(120):
                step(store, clock, model, rng, open_items)
                assert store.events()[: len(events)] == events, f"seed {seed}: an event has changed"
                events = store.events()
            check_store(store, model)


def work_until_nothing_is_left(store, task, rng):
    """Lets all annotators work at once, each with an open sentence, until none is left."""
    busy = {}
    while True:
        for name in rng.sample(NAMES, len(NAMES)):
            if name not in busy and rng.random() < 0.7 and (result := assign(store, name, task)) is not None:
                busy[name] = result.sentence.id, result.skeletons
        if not busy:
            if all(assign(store, name, task) is None for name in NAMES):
                return
            continue
        name = rng.choice(sorted(busy))
        first, skeletons = busy.pop(name)
        if task is Task.SHORTEN:
            store.shorten(name, first, masks(rng, 4))
        else:
            store.check(name, first, {skeleton.to_mask(): False for skeleton in skeletons})


def test_wanted_counts_are_reached_and_not_exceeded(quick_path, clock):
    for seed in range(8):
        rng = random.Random(seed)
        with make_store(quick_path / f"{seed}.db", 5, clock, shortenings=2, checks=1) as store:
            for task in Task:
                work_until_nothing_is_left(store, task, rng)
            assert Counter(judgement.sentence.id for judgement in store.judgements()) == {
                f"talk.{n}": 2 for n in range(5)
            }, seed
            skeletons = {(judgement.sentence.id, judgement.skeleton.mask) for judgement in store.judgements()}
            checked = Counter((verdict.sentence.id, verdict.skeleton.mask) for verdict in store.verdicts())
            assert checked.keys() == skeletons, seed
            stand = tally(store, "Ada", Task.SHORTEN)
            assert (stand.done, stand.wanted) == (10, 10)


def test_an_open_sentence_is_kept_from_others_for_a_while(quick_path, clock):
    with make_store(quick_path / "a.db", 2, clock, shortenings=1, lease=60.0) as store:
        first = assign(store, "Ada", Task.SHORTEN).sentence.id
        assert assign(store, "Ada", Task.SHORTEN).sentence.id == first  # loading the page again changes nothing
        assert assign(store, "Bob", Task.SHORTEN).sentence.id != first
        assert assign(store, "Cleo", Task.SHORTEN) is None
        clock.now += 61
        assert assign(store, "Cleo", Task.SHORTEN).sentence.id == first
        store.shorten("Ada", first, "0111")  # late, but nothing is lost
        store.shorten("Cleo", first, "1110")
        assert len(store.judgements()) == 2


def test_undo_opens_the_sentence_again_with_what_was_said(quick_path, clock):
    with make_store(quick_path / "a.db", 3, clock, shortenings=1, checks=1) as store:
        for _ in range(2):
            store.shorten("Ada", assign(store, "Ada", Task.SHORTEN).sentence.id, "0111")
        assert store.undo("Ada", Task.SHORTEN).id == "talk.1"
        assert assign(store, "Bob", Task.SHORTEN).sentence.id == "talk.2"  # it is open at Ada again
        again = assign(store, "Ada", Task.SHORTEN)
        assert (again.sentence.id, again.earlier) == ("talk.1", {"0111"})
        store.shorten("Ada", "talk.1", "1110")
        store.check("Bob", "talk.0", {"0111": True})
        assert store.undo("Bob", Task.CHECK).id == "talk.0"
        assert assign(store, "Bob", Task.CHECK).earlier == {"0111"}
        assert [event["kind"] for event in store.events()].count("undo") == 2
        assert store.undo("Nobody", Task.CHECK) is None


def test_skipped_sentences_go_to_others_and_come_back_when_wanted(quick_path, clock):
    with make_store(quick_path / "a.db", 1, clock, shortenings=1) as store:
        store.skip("Ada", Task.SHORTEN, assign(store, "Ada", Task.SHORTEN).sentence.id)
        assert assign(store, "Ada", Task.SHORTEN) is None
        assert assign(store, "Bob", Task.SHORTEN) is not None
        clock.now += 10_000
        assert store.take_up_skipped("Ada", Task.SHORTEN) == 1
        assert assign(store, "Ada", Task.SHORTEN) is not None


def test_nobody_checks_the_own_skeleton(quick_path):
    with make_store(quick_path / "a.db", 1, shortenings=2, checks=3) as store:
        store.shorten("Ada", "talk.0", "0111")
        assert assign(store, "Cleo", Task.CHECK) is None  # not all skeletons are there
        store.shorten("Bob", "talk.0", "1110")
        assert [skeleton.to_mask() for skeleton in assign(store, "Ada", Task.CHECK).skeletons] == ["1110"]
        assert [skeleton.to_mask() for skeleton in assign(store, "Cleo", Task.CHECK).skeletons] == ["0111", "1110"]
        with pytest.raises(AnnotationError, match="other annotators"):
            store.check("Ada", "talk.0", {"0111": True})
        for strange in ({}, {"1111": True}):
            with pytest.raises(AnnotationError, match="other annotators"):
                store.check("Cleo", "talk.0", strange)


def test_skeletons_are_checked_as_often_as_wanted(quick_path, clock):
    with make_store(quick_path / "a.db", 2, clock, shortenings=2, checks=2, lease=60.0) as store:
        for number in range(2):
            store.shorten("Ada", f"talk.{number}", "0111")
            store.shorten("Bob", f"talk.{number}", "1110")
        store.check("Cleo", "talk.0", {"0111": False, "1110": True})
        assert assign(store, "Dora", Task.CHECK).sentence.id == "talk.0"
        assert assign(store, "Emma", Task.CHECK).sentence.id == "talk.1"  # Dora's will do
        clock.now += 61
        store.check("Dora", "talk.0", {"0111": False, "1110": False})
        assert assign(store, "Fred", Task.CHECK).sentence.id == "talk.1"
        stand = tally(store, "Dora", Task.CHECK)
        assert (stand.judged, stand.done, stand.wanted) == (1, 4, 8)


def test_a_second_judgement_is_refused_and_the_same_one_taken(quick_path):
    with make_store(quick_path / "a.db", 2, shortenings=1) as store:
        store.shorten("Ada", "talk.0", "0111")
        store.shorten("Ada", "talk.0", "0111")
        for other in (
            lambda: store.shorten("Ada", "talk.0", "1110"),
            lambda: store.skip("Ada", Task.SHORTEN, "talk.0"),
        ):
            with pytest.raises(
                AnnotationError, match=r"'Ada' has already judged the sentence 'talk\.0'; undo that first"
            ):
                other()
        store.skip("Ada", Task.SHORTEN, "talk.1")
        store.skip("Ada", Task.SHORTEN, "talk.1")
        with pytest.raises(AnnotationError, match="has already skipped"):
            store.shorten("Ada", "talk.1", "1110")
        assert len(store.events()) == 2


@pytest.mark.parametrize(
    ("mask", "message"), [("011", "mask of 3"), ("0000", "keeps no token"), ("01x1", "'x'"), ("", "mask of 0")]
)
def test_a_broken_mask_is_refused(quick_path, mask, message):
    with make_store(quick_path / "a.db") as store:
        with pytest.raises(AnnotationError, match=message):
            store.shorten("Ada", "talk.0", mask)
        with pytest.raises(AnnotationError, match=r"unknown sentence 'talk\.9'"):
            store.shorten("Ada", "talk.9", "0111")
        assert not store.events()


@pytest.mark.parametrize("name", ["", " \n", "a" * 101, "a\u200bb", "\ud800", "a\x00b"])
def test_a_name_that_is_none_is_refused(quick_path, name):
    with make_store(quick_path / "a.db") as store, pytest.raises(LatticeSimpError, match="name"):
        store.shorten(name, "talk.0", "0111")


def test_names_that_look_alike_are_one(quick_path):
    with make_store(quick_path / "a.db") as store:
        store.shorten("Zoe\u0308  Q", "talk.0", "0111")
        store.shorten("Zo\u00eb Q ", "talk.0", "0111")
        assert [judgement.annotator for judgement in store.judgements()] == ["Zo\u00eb Q"]


@pytest.mark.parametrize("task", list(Task))
def test_judgements_beyond_those_wanted_do_not_stand_in_for_others(quick_path, task):
    """Imported files hold more judgements of some sentences than are wanted; the other sentences lack theirs still."""
    with make_store(quick_path / "a.db", 3, shortenings=2, checks=2) as store:
        for name in ("Ada", "Bob", "Cid", "Dan"):
            store.shorten(name, "talk.0", "1100")
        store.shorten("Ada", "talk.1", "1000")
        for name in ("Ada", "Bob"):
            store.shorten(name, "talk.2", "1110")
        for name in ("Eve", "Fay", "Gil"):
            store.check(name, "talk.0", {"1100": False})
        for name in ("Eve", "Fay"):
            store.check(name, "talk.2", {"1110": False})
        result = progress(store, lambda judgements, verdicts: Computed())
        stand = tally(store, "Ada", task)
        if task is Task.SHORTEN:  # talk.0 has four of two, talk.1 one, talk.2 as many as are wanted
            assert (stand.done, stand.wanted) == (5, 6)
            assert result.shorten == TaskProgress(items=3, done=2, judgements=7, missing=1, alpha=None)
        else:  # of three skeletons, one was checked thrice, one never, one as often as is wanted
            assert (stand.done, stand.wanted) == (4, 6)
            assert result.check == TaskProgress(items=3, done=2, judgements=5, missing=2, alpha=None)
