"""Work in threads: order, errors, memory, Ctrl-C."""

from __future__ import annotations

import itertools
import signal
import threading
import time

import pytest

from lattice_simp.support.threads import AHEAD, in_threads, map_in_threads

JOBS = 3


def test_results_have_the_order_of_the_items():
    seconds = [0.05, 0.0, 0.02, 0.0] * 5

    def work(index):
        time.sleep(seconds[index])
        return index

    assert map_in_threads(work, range(len(seconds)), JOBS) == list(range(len(seconds)))


@pytest.mark.parametrize("jobs", [1, JOBS])
def test_the_first_error_is_raised(jobs):
    def work(index):
        if index > 1:
            raise ValueError(index)

    with pytest.raises(ValueError, match=r"^2$"):
        map_in_threads(work, range(9), jobs)


def test_items_are_read_as_needed():
    items = itertools.count()
    outcomes = in_threads(lambda index: index, items, JOBS)
    for _ in range(5):
        next(outcomes)
    outcomes.close()
    assert next(items) == AHEAD * JOBS + 4


@pytest.mark.parametrize("while_waiting", [True, False])
def test_an_interrupt_does_not_wait_for_the_threads(while_waiting):
    """A signal that another thread gets wakes nobody, like one that comes just before the wait."""
    ends, begun, daemons = threading.Event(), threading.Event(), []

    def work(_):
        daemons.append(threading.current_thread().daemon)
        begun.set()
        ends.wait(20)

    def interrupt():
        begun.wait(60)
        receiver = threading.main_thread() if while_waiting else threading.current_thread()
        signal.pthread_kill(receiver.ident, signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        map_in_threads(work, range(JOBS), JOBS)
    assert time.monotonic() - begin < 10
    assert all(daemons)  # so that the program ends, too
    ends.set()
