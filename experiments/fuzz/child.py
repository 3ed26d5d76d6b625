"""The process that reads damaged files; it may crash, hang, or use much memory."""

from __future__ import annotations

import multiprocessing
import os
import random
import resource
import signal
import sys
import tempfile
import traceback
from multiprocessing.connection import Connection
from pathlib import Path

from experiments.fuzz.damage import damaged
from experiments.fuzz.readers import Reader, readers
from lattice_simp.errors import LatticeSimpError

SECONDS, BYTES = 5.0, 1 << 30
"""The limits of a case's processor time and memory."""

COMPILING = 300.0
"""The processor seconds for an undamaged file; the first one compiles the kernels."""

GRACE = 120.0
"""The seconds until a case that ignores signals, as compiled code does, is killed."""


class SlowError(Exception):
    """A case exceeds the time limit."""


def case(reader: Reader, seed: int) -> bytes:
    """Returns the file of a case, always the same."""
    rng = random.Random(f"{reader.name} {seed}")
    return damaged(rng.choice(reader.files), rng)


def outcome(reader: Reader, data: bytes, folder: Path, seconds: float = SECONDS) -> str:
    """Returns the outcome of a case: `answer`, `error`, or a description of the fault."""
    path = folder / f"case{reader.suffix}"
    path.write_bytes(data)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        reader.read(path)
        result = "answer"
    except LatticeSimpError as error:
        text = str(error)
        result = "error" if "\n" not in text and len(text) < 2000 else f"an error of several lines: {text[:200]!r}"
    except SlowError:
        result = f"takes more than {seconds:g} s"
    except (Exception, KeyboardInterrupt) as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        result = f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}: {str(error)[:100]}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    return f"takes {grown >> 20} MB" if grown > BYTES else result


def worker(connection: Connection) -> None:
    """Reads the requested cases."""

    def slow(number: int, frame: object) -> None:
        raise SlowError

    signal.signal(signal.SIGPROF, slow)
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nowhere:
        sys.stderr = nowhere
        every = list(readers(Path(folder)))
        wholes = [
            f"{reader.name}: {result}"
            for reader in every
            for data in reader.files
            if (result := outcome(reader, data, Path(folder), COMPILING)) != "answer"
        ]
        connection.send("; ".join(wholes))
        while True:
            number, seed = connection.recv()
            connection.send(outcome(every[number], case(every[number], seed), Path(folder)))


class Child:
    """A process that reads cases."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=worker, args=(other,), daemon=True)
        self.process.start()
        other.close()
        if unread := self.connection.recv():
            raise LatticeSimpError(f"whole files are not read: {unread}")

    def outcome(self, number: int, seed: int) -> str:
        """Returns the outcome of a case; a dead or hanging child is unusable afterwards."""
        self.connection.send((number, seed))
        if not self.connection.poll(GRACE):
            self.process.kill()
            self.process.join()
            return "hangs"
        try:
            return str(self.connection.recv())
        except EOFError:
            self.process.join()
            return f"crashes ({self.process.exitcode})"

    @property
    def is_alive(self) -> bool:
        return self.process.is_alive()
