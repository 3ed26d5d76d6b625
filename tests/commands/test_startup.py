"""What the lattice commands do not import before they need it: each takes as long as a small command."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("asyncio", "numba", "psutil", "pynini", "rich")


def test_lattice_commands_import_little(tmp_path):
    (tmp_path / "one.nbest").write_text("0 ||| a b ||| tm= -1 ||| -1\n0 ||| a c ||| tm= -2 ||| -2\n")
    code = (
        "import sys; from lattice_simp.cli import main; sys.argv = ['x', 'lattice', 'convert', *sys.argv[1:]]\n"
        "try: main()\nexcept SystemExit as ended: assert not ended.code\n"
        f"print(*(name for name in {HEAVY} if name in sys.modules))"
    )
    files = [str(tmp_path / "one.nbest"), str(tmp_path / "one.txt")]
    ran = subprocess.run([sys.executable, "-c", code, *files], capture_output=True, text=True, check=True)
    assert (tmp_path / "one.txt").exists()
    assert ran.stdout.split() == []
