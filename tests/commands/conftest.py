"""A model small enough to be read at a glance, and the program as a user starts it."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers import write_decoder

from lattice_simp.cli import main

RULES = """[X] ||| the ||| das ||| P=-0.7 ||| 0-0
[X] ||| the ||| die ||| P=-0.7 ||| 0-0
[X] ||| house ||| haus ||| P=-0.1 ||| 0-0
[X] ||| bridge ||| brücke ||| P=-0.1 ||| 0-0
[X] ||| was built ||| wurde gebaut ||| P=-0.2 ||| 0-0 1-1
[X] ||| was [X,1] built ||| wurde [X,1] gebaut ||| P=-0.4 ||| 0-0 2-2
[X] ||| yesterday ||| gestern ||| P=-0.1 ||| 0-0
"""
ARPA = """\\data\\
ngram 1=9
ngram 2=3

\\1-grams:
-3\t<unk>
-99\t<s>\t-0.2
-1\t</s>
-1\tdas\t-0.3
-1\tdie\t-0.3
-1.5\thaus\t0
-1.5\tbrücke\t0
-1\twurde\t0
-1.2\tgebaut\t0

\\2-grams:
-0.2\tdas haus
-0.2\tdie brücke
-0.3\twurde gebaut

\\end\\
"""


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    weights = {"P": 1, "LM": 1, "Glue": 0.1, "OOV": 5}
    return write_decoder(tmp_path_factory.mktemp("model"), RULES, ARPA, weights)


@pytest.fixture(scope="session")
def program():
    """Runs `lattice-simp` in a new process."""
    path = Path(sys.executable).parent / "lattice-simp"

    def run(*arguments, stdin="", check=True, **options):
        done = subprocess.run(
            [path, *map(str, arguments)], input=stdin, capture_output=True, text=True, check=False, **options
        )
        if check:
            assert done.returncode == 0, done.stderr
        return done

    run.path = path
    return run


@pytest.fixture
def call(capfdbinary, monkeypatch):
    """Runs `lattice-simp` in this process, which is quicker (`translate` still starts its workers)."""

    def run(*arguments, stdin=""):
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return SimpleNamespace(returncode=ended.value.code, stdout=out.decode(), stderr=err.decode())

    return run
