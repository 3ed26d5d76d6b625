"""Programs that write to a store of judgements and print what is stored."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def start_writer(code, path, name, **options):
    """Starts a program with the file of a store and the name of a person."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    arguments = [sys.executable, "-c", code, str(path), name]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, **options)


def lines_until_killed(code, path, name):
    """Kills a program after some lines; returns all whole lines that it printed."""
    with start_writer(code, path, name) as writer:
        lines = [writer.stdout.readline() for _ in range(random.Random(name).randrange(20, 60))]
        writer.send_signal(signal.SIGKILL)
        lines += writer.stdout.read().splitlines(keepends=True)
    return [line.decode().strip() for line in lines if line.endswith(b"\n")]
