"""Start-up: the time of commands before their work, and one process for many sentences against one for each."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from experiments.bench.figures import Figures, command_seconds, figure
from experiments.timing import cpu_time

SENTENCES, HYPOTHESES = 400, 50
PROJECT = Path(__file__).resolve().parents[2]
MODEL = "data/oracles/hiero-multi30k/lm4.arpa.gz"


def measure(shared: Path) -> Figures:
    """Measures CPU seconds of processes with compiled kernels (except for `cold`) and Python's bytecode."""
    with tempfile.TemporaryDirectory() as folder:
        lists, single = Path(folder, "lists.nbest"), Path(folder, "single.nbest")
        _write_lists(lists, SENTENCES)
        _write_lists(single, 1)
        score = ["lattice", "lm", "--model", shared / MODEL, "--output"]
        command_seconds(*score, f"{folder}/first.fst", single)  # parses the model and keeps it
        apply_lm = command_seconds(*score, f"{folder}/single.fst", single)
        batch = command_seconds(*score, f"{folder}/scored.nbest", lists)
        prune = ["prune", f"{folder}/single.fst", "--beam", 5, "--output", f"{folder}/pruned.fst"]
        cold = command_seconds(*score, f"{folder}/cold.fst", single, NUMBA_CACHE_DIR=folder)
        return {
            "startup_version_s": figure(command_seconds("--version"), "CPU s"),
            "startup_convert_s": figure(command_seconds("lattice", "convert", single, f"{folder}/single.fst"), "CPU s"),
            "startup_prune_s": figure(command_seconds("lattice", *prune), "CPU s"),
            "startup_lattice_s": figure(command_seconds("lattice", "nbest", single), "CPU s"),
            "startup_lm_s": figure(apply_lm, "CPU s"),
            "cold_first_use_s": figure(cold, "CPU s"),
            "batch_lm_nbest_per_s": figure(SENTENCES / batch, "sentences / CPU s"),
            "batch_lm_sentence_vs_process_each": figure(batch / SENTENCES, "CPU s", apply_lm),
        }


def measure_new_machine(shared: Path) -> Figures:
    """Measures `make demo` on a fresh checkout, without virtual environment, packages and compiled code."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        environment = {**os.environ, "XDG_CACHE_HOME": f"{folder}/cache", "LATTICE_SIMP_CACHE": f"{folder}/models"}
        for name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "NUMBA_CACHE_DIR"):
            environment.pop(name, None)
        program = f"{folder}/venv/bin/"
        commands = (
            [sys.executable, "-m", "venv", f"{folder}/venv"],
            [f"{program}python", "-m", "pip", "install", "--quiet", f"{PROJECT}[draw]"],
            [f"{program}lattice-simp", "demo", "--output", f"{folder}/demo"],
        )
        with cpu_time() as cpu:
            for command in commands:
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder, env=environment)
        return {
            "demo_new_machine_s": figure(cpu.seconds, "CPU s"),
            "demo_new_machine_wall_s": figure(time.monotonic() - began, "s"),
        }


def _write_lists(path: Path, sentences: int) -> None:
    words = ["ein", "mann", "eine", "frau", "geht", "mit", "dem", "hund", "auf", "straße"]
    with path.open("w", encoding="utf-8") as file:
        for sentence in range(sentences):
            for step in range(HYPOTHESES):
                text = " ".join(words[(sentence + word * step) % 10] for word in range(12 + step))
                file.write(f"{sentence} ||| {text} ||| TM= -{step} ||| -{step}\n")
