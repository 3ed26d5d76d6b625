"""Functions for workers, in a module that their processes can import."""

from __future__ import annotations

import os
import signal
import time
from functools import partial

from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.tasks import BatchError


def make_worker(scratch):
    return partial(work, scratch)


def work(scratch, task):
    if task == "slow":
        time.sleep(60)
    if task == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if task == "dies once" and not (scratch / "died").exists():
        (scratch / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if task == "hangs once" and not (scratch / "hanging").exists():
        (scratch / "pid").write_text(str(os.getpid()))
        (scratch / "pid").rename(scratch / "hanging")
        time.sleep(60)
    if task == "not picklable":
        return lambda: None
    if task == "fatal":
        raise BatchError("no space")
    if task == "unknown":
        raise KeyError(task)
    if task == "error":
        raise LatticeSimpError("no translation")
    return task.upper()


def broken_factory():
    raise LatticeSimpError("no model")


def dying_factory():
    os.kill(os.getpid(), signal.SIGKILL)


class Unreadable:
    """An argument that a worker cannot read, as if a file server did not answer."""

    def __reduce__(self):
        return _not_answered, ()


def _not_answered():
    raise TimeoutError("no answer")


def make_reader():
    return os.environ.get
