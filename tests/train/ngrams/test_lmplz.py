"""The make recipe that builds lmplz reports missing requirements and remedies in one line."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def make(tmp_path):
    """Runs `make lmplz` with a shell, make's own tools and the given programs; returns its exit status and errors."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    (tmp_path / "bin").mkdir()
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    for stamp in (".base", ".installed"):
        (tmp_path / "venv" / stamp).touch()

    def run(**programs: str) -> tuple[int, list[str]]:
        for name in ("sh", "make", "rm", "mkdir"):
            (tmp_path / "bin" / name).unlink(missing_ok=True)
            (tmp_path / "bin" / name).symlink_to(shutil.which(name))
        for name, body in programs.items():
            folder = tmp_path / ("venv/bin" if name == "python" else "bin")
            (folder / name).write_text(f"#!/bin/sh\n{body}\n")
            (folder / name).chmod(0o755)
        command = ["make", "-s", "-f", ROOT / "Makefile", f"VENV={tmp_path}/venv", "lmplz"]
        shutil.copy(ROOT / "pyproject.toml", tmp_path)
        os.utime(tmp_path / "pyproject.toml", (0, 0))
        environment = {"PATH": str(tmp_path / "bin"), "XDG_CACHE_HOME": str(tmp_path / "cache"), "LC_ALL": "C"}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, [line for line in done.stderr.splitlines() if line.startswith("error:")]

    return run


def test_missing_tools_are_reported(make, tmp_path):
    code, errors = make()
    assert code == 2
    assert errors[0].startswith("error: cmake is not there (on Debian and Ubuntu: apt install cmake g++ make libboost")
    assert len(errors) == 1
    assert make(cmake="exit 1")[1][0].startswith("error: c++ is not there")
    assert not (tmp_path / "cache").exists()


def test_missing_sources_are_reported(make, tmp_path):
    tools = {"cmake": "exit 1", "c++": "exit 1"}
    code, errors = make(**tools, python="exit 1")
    assert (code, errors) == (2, ["error: pip found no sources of kenlm (check its index settings and the network)"])


def test_a_configuration_that_fails_names_boost(make, tmp_path):
    """pip, tar and sed are made to succeed; cmake is not."""
    tools = {"cmake": "exit 1", "c++": "exit 1", "tar": "exit 0", "sed": "exit 0", "python": "exit 0"}
    code, errors = make(**tools)
    assert code == 2
    assert errors == [
        "error: cmake failed; is Boost there? "
        "(on Debian and Ubuntu: apt install cmake g++ make libboost-program-options-dev libboost-thread-dev)"
    ]
    assert not (tmp_path / "cache").exists()
