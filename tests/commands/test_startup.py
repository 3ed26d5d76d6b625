"""Lattice commands do not import heavy packages before they need them."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("asyncio", "numba", "psutil", "pynini", "rich", "scipy", "yaml")


def imported(folder, *words):
    """Returns the heavy packages that a command has imported at its end."""
    code = (
        "import sys; from lattice_simp.cli import main\n"
        "try: main()\nexcept SystemExit as ended: assert not ended.code\n"
        f"print('imported:', *(name for name in {HEAVY} if name in sys.modules))"
    )
    command = [sys.executable, "-c", code, "lattice", *words]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    return ran.stdout.splitlines()[-1].split()[1:]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "few.nbest").write_text("0 ||| a b ||| tm= -1 ||| -1\n0 ||| a c ||| tm= -2 ||| -2\n")
    rows = (
        f"0 ||| {' '.join(f'w{number}' for number in range(row, row + 50))} ||| tm= -1 ||| -1\n" for row in range(900)
    )
    (tmp_path / "many.nbest").write_text("".join(rows))
    return tmp_path


def test_lattice_commands_import_little(folder):
    assert imported(folder, "convert", "few.nbest", "few.txt") == []
    assert (folder / "few.txt").exists()
    assert imported(folder, "prune", "few.txt", "--beam", "1", "--output", "pruned.fst") == []
    assert (folder / "pruned.fst").exists()
    assert imported(folder, "nbest", "few.nbest", "-n", "2") == []


@pytest.mark.slow
def test_commands_with_kernels_import_the_compiler_alone(folder):
    listed = imported(folder, "nbest", "many.nbest", "-n", "10")
    assert listed[0] == "numba"
    assert imported(folder, "prune", "many.nbest", "--beam", "1", "--output", "pruned.fst")[0] == "numba"
    assert not {"asyncio", "psutil", "pynini", "rich"} & {*listed}
