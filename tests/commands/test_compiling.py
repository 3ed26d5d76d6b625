"""Kernels that a second process compiles for the first one."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest


def run_code(code, folder):
    """Runs code with kernels in a folder; returns its standard output."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, check=True).stdout


def compiled_by(code, folder):
    """Runs code with kernels in a folder; returns the modules and names of the kernels that it compiles."""
    listening = """
        from numba.core import event
        class Listener(event.Listener):
            def on_start(self, event):
                function = event.data["dispatcher"].py_func
                print("compiled", f"{function.__module__}.{function.__name__}")
            def on_end(self, event):
                pass
        event.register("numba:compile", Listener())
    """
    output = run_code(textwrap.dedent(listening) + code, folder)
    lines = [line.removeprefix("compiled ") for line in output.splitlines() if line.startswith("compiled ")]
    return {line for line in lines if line.startswith("lattice_simp.")}


DEMO = """
from pathlib import Path
from rich.console import Console
from lattice_simp.commands.demo import run_demo
run_demo(1, Path({!r}), Console(stderr=True))
"""


@pytest.mark.slow
def test_the_demo_finds_the_kernels_of_operations_compiled(tmp_path):
    ahead = compiled_by(
        "from lattice_simp.commands.running import compiling; compiling._apply_operations(None)", tmp_path
    )
    assert {"lattice_simp.ops.lm_product.relaxed_product", "lattice_simp.ops.nbest._search"} <= ahead
    later = compiled_by(DEMO.format(str(tmp_path)), tmp_path)
    assert any(name.startswith("lattice_simp.translate.search.cubes") for name in later)
    again = {name for name in later & ahead if not name.startswith("lattice_simp.ops.gap_product")}
    assert len(again) < len(ahead) / 10, sorted(again)


@pytest.mark.slow
def test_the_second_process_works_where_nothing_is_cached(tmp_path, monkeypatch):
    """Loading the model runs kernels, too, if there is no copy of its language model in the cache."""
    monkeypatch.setenv("LATTICE_SIMP_CACHE", str(tmp_path / "models"))
    spent = "import resource; print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime)"
    run = run_code(DEMO.format(str(tmp_path)) + spent, tmp_path / "kernels")
    assert float(run.splitlines()[-1]) > 1.0
