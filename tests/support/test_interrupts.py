"""Ctrl-C while a process starts, and while an object is destroyed."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from lattice_simp.support.interrupts import interrupts_blocked, interrupts_remembered


def test_an_interrupt_waits_until_a_process_has_started():
    other, finished = threading.Event(), []
    thread = threading.Thread(target=other.wait, daemon=True)
    thread.start()  # takes the signal, which the main thread blocks

    def start():
        with interrupts_blocked():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.3)
            finished.append(True)

    with pytest.raises(KeyboardInterrupt):
        start()
    other.set()
    thread.join()
    assert finished


class Interrupting:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_in_a_destructor_is_raised_again():
    handler = signal.getsignal(signal.SIGINT)
    with interrupts_remembered() as raise_interrupt:
        raise_interrupt()
        Interrupting()  # where Python only prints it
        with pytest.raises(KeyboardInterrupt):
            raise_interrupt()
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_no_turn_has_seen_is_raised_at_the_end():
    with pytest.raises(KeyboardInterrupt), interrupts_remembered():
        Interrupting()


def test_a_handler_that_came_later_stays():
    handler = signal.getsignal(signal.SIGINT)
    try:
        with interrupts_remembered():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, handler)


def test_other_interrupts_are_raised_at_once():
    with pytest.raises(KeyboardInterrupt), interrupts_remembered():
        signal.raise_signal(signal.SIGINT)


def test_ignored_interrupts_stay_ignored():
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts_remembered() as raise_interrupt:
            signal.raise_signal(signal.SIGINT)
            raise_interrupt()
    finally:
        signal.signal(signal.SIGINT, handler)


def test_only_the_main_thread_remembers():
    failures = []

    def work():
        try:
            with interrupts_remembered() as raise_interrupt:
                raise_interrupt()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not failures
