"""Start-up: the time of commands before their work, and one process for many sentences against one for each."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from experiments.bench.figures import Figures, figure

SENTENCES, HYPOTHESES = 400, 50
PROJECT = Path(__file__).resolve().parents[2]
MODEL = "data/oracles/hiero-multi30k/lm4.arpa.gz"


def measure(shared: Path) -> Figures:
    """Measures CPU seconds of processes with compiled kernels (except for `cold`) and Python's bytecode."""
    with tempfile.TemporaryDirectory() as folder:
        lists, single = Path(folder, "lists.nbest"), Path(folder, "single.nbest")
        _write_lists(lists, SENTENCES)
        _write_lists(single, 1)
        score = ["lattice", "lm", "--model", str(shared / MODEL), "--output"]
        _seconds([*score, f"{folder}/first.fst", str(single)])  # parses the model and keeps it
        apply_lm = _seconds([*score, f"{folder}/single.fst", str(single)])
        batch = _seconds([*score, f"{folder}/scored.nbest", str(lists)])
        return {
            "startup_version_s": figure(_seconds(["--version"]), "CPU s"),
            "startup_convert_s": figure(_seconds(["lattice", "convert", str(single), f"{folder}/single.fst"]), "CPU s"),
            "startup_prune_s": figure(
                _seconds(
                    ["lattice", "prune", f"{folder}/single.fst", "--beam", "5", "--output", f"{folder}/pruned.fst"]
                ),
                "CPU s",
            ),
            "startup_lattice_s": figure(_seconds(["lattice", "nbest", str(single)]), "CPU s"),
            "cold_first_use_s": figure(
                _seconds([*score, f"{folder}/cold.fst", str(single)], NUMBA_CACHE_DIR=folder), "CPU s"
            ),
            "batch_lm_nbest_per_s": figure(SENTENCES / batch, "sentences / CPU s"),
            "batch_lm_sentence_vs_process_each": figure(batch / SENTENCES, "CPU s", apply_lm),
        }


def measure_new_machine(shared: Path) -> Figures:
    """Measures `make demo` on a fresh checkout, without virtual environment, packages and compiled code."""
    with tempfile.TemporaryDirectory() as folder:
        cpu, wall = _children_seconds(), time.monotonic()
        environment = {**os.environ, "XDG_CACHE_HOME": f"{folder}/cache", "LATTICE_SIMP_CACHE": f"{folder}/models"}
        for name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "NUMBA_CACHE_DIR"):
            environment.pop(name, None)
        program = f"{folder}/venv/bin/"
        for command in (
            [sys.executable, "-m", "venv", f"{folder}/venv"],
            [f"{program}python", "-m", "pip", "install", "--quiet", f"{PROJECT}[draw]"],
            [f"{program}lattice-simp", "demo", "--output", f"{folder}/demo"],
        ):
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder, env=environment)
        return {
            "demo_new_machine_s": figure(_children_seconds() - cpu, "CPU s"),
            "demo_new_machine_wall_s": figure(time.monotonic() - wall, "s"),
        }


def _write_lists(path: Path, sentences: int) -> None:
    words = ["ein", "mann", "eine", "frau", "geht", "mit", "dem", "hund", "auf", "straße"]
    with path.open("w", encoding="utf-8") as file:
        for sentence in range(sentences):
            for step in range(HYPOTHESES):
                text = " ".join(words[(sentence + word * step) % 10] for word in range(12 + step))
                file.write(f"{sentence} ||| {text} ||| TM= -{step} ||| -{step}\n")


def _seconds(arguments: list[str], **environment: str) -> float:
    """Returns the CPU seconds of a command."""
    begin = _children_seconds()
    command = [sys.executable, "-m", "lattice_simp", *arguments]
    variables = {**os.environ, **environment}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=variables)
    return _children_seconds() - begin


def _children_seconds() -> float:
    """Returns the CPU seconds of all finished child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
