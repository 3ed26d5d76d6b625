"""The Makefile's environments, and the versions of Python that the project names."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from lattice_simp.core.symbols import is_utf8

ROOT = Path(__file__).parents[1]

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def folder_of(*settings: str) -> str:
    """Returns the folder of the environment that `make setup` would make."""
    command = ["make", "--dry-run", "--always-make", "setup", *settings]
    environment = {"PATH": os.environ["PATH"]}  # without the settings of the make that may run these tests
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return re.findall(r"-m venv (\S+)", done.stdout)[0]


@needs_make
def test_each_version_of_python_has_an_environment_of_its_own(tmp_path):
    other = tmp_path / "python3"
    other.write_text("#!/bin/sh\necho 3.99\n")
    other.chmod(0o755)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    folders = [
        folder_of(),
        folder_of("PYTHON=python3"),
        folder_of(f"PYTHON={sys.executable}"),
        folder_of(f"PYTHON={other}"),
    ]
    assert folders == [".venv", ".venv", f".venv-{version}", ".venv-3.99"]


def test_the_readme_and_the_metadata_name_the_same_versions():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = re.findall(r":: (3\.\d+)$", "\n".join(project["classifiers"]), re.MULTILINE)
    (readme,) = re.findall(r"requirement is Python ([^(]+)\s\(", (ROOT / "README.md").read_text())
    assert re.findall(r"3\.\d+", readme) == named
    assert project["requires-python"] == f">={named[0]},<3.{int(named[-1].removeprefix('3.')) + 1}"


@pytest.mark.slow
def test_docstrings_are_characters():
    """From Python 3.13 on, a module whose docstrings hold half of a surrogate pair cannot be imported."""
    for path in sorted(
        path for folder in ("lattice_simp", "grammars", "tests") for path in (ROOT / folder).rglob("*.py")
    ):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                assert is_utf8(ast.get_docstring(node) or ""), f"{path}: {node}"
