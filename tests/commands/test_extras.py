"""Commands without their extras report what to install, in one line."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from lattice_simp.support.extras import BROUGHT_BY

PROJECT = Path(__file__).parents[2] / "pyproject.toml"

HIDING = """
import contextlib, io, sys

hidden = set(sys.argv[1].split(","))


class Hiding:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in hidden else self.finder.find_spec(name, path, target)


if __name__ == "__main__":
    sys.meta_path[:] = [Hiding(finder) for finder in sys.meta_path]
    from lattice_simp.cli import main

    for line in sys.stdin:
        error = io.StringIO()
        try:
            with contextlib.redirect_stderr(error), contextlib.redirect_stdout(io.StringIO()):
                main(line.split())
        except SystemExit as ended:
            print(ended.code, " ".join(error.getvalue().split("\\n")), sep="\\t")
        except BaseException as broken:
            print("traceback", repr(broken), sep="\\t")
"""

NEEDING = {
    "lattice tokens list.nbest --language en": "text",
    "lattice draw list.nbest --output out.png": "draw",
    "lattice draw list.nbest --output out.svg": "draw",
    "combine text text --method phrases --parse": "skeletons",
    "rescore train work --output out": "train",
    "rescore train-neural config.yaml": "neural-training",
    "rescore train-joint config.yaml": "neural-training",
    "train config.yaml": "train",
    "text tokenise model --input text": "text",
    "text detokenise model --input text": "text",
    "corpus align --complex text --simple text --output out": "corpus",
    "skeleton make text --output out.json --method dependency": "skeletons",
    "serve": "serve",
    "judge progress study.yaml": "judging",
}
"""Commands that need an extra, as a user would call them."""

FREE = ["lattice info list.nbest", "lattice nbest list.nbest", "lattice mbr list.nbest", "combine text text"]
"""Commands that need none."""


@pytest.fixture
def said(tmp_path):
    """The messages of commands without any extra installed, with their exit statuses."""
    (tmp_path / "hiding.py").write_text(HIDING)
    (tmp_path / "list.nbest").write_text("0 ||| a b ||| LM= -1 ||| -1\n0 ||| a c ||| LM= -2 ||| -2\n")
    (tmp_path / "text").write_text("the house\n")
    (tmp_path / "config.yaml").write_text("a: 1\n")
    (tmp_path / "work").mkdir()
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "text.json").write_text('{"source_language": "en", "target_language": "de", "case": "lower"}')

    def run(libraries, lines):
        done = subprocess.run(
            [sys.executable, "hiding.py", ",".join(libraries)],
            input="".join(f"{line}\n" for line in lines),
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
        )
        return dict(zip(lines, (line.split("\t") for line in done.stdout.splitlines()), strict=True))

    return run


@pytest.mark.slow
def test_what_is_missing_is_one_line(said):
    libraries = BROUGHT_BY.keys() - {"pydantic"}  # typer's own
    result = said(libraries, [*NEEDING, *FREE])
    for line, extra in NEEDING.items():
        code, error = result[line]
        assert code == "2", (line, code, error)
        assert re.fullmatch(rf"lattice-simp: [^\n]*pip install 'lattice-simp\[{extra}\]'[^\n]*", error.strip()), (
            line,
            error,
        )
    for line in FREE:
        assert result[line][0] == "0", (line, result[line])


@pytest.mark.slow
def test_one_library_alone_is_missed_in_one_line(said):
    for library in ("yaml", "psutil", "pyarrow", "duckdb", "sacremoses"):
        result = said([library], ["lattice tokens list.nbest --language en", "train config.yaml"])
        assert any("is missing" in error for _, error in result.values()), library
        for line, (code, error) in result.items():
            assert code != "traceback", (library, line, error)
            if "is missing" in error:  # others may be, too
                extra = "text" if "tokens" in line else "train"
                remedy = rf"\w+ is missing; pip install 'lattice-simp\[{extra}\]'"
                assert re.search(remedy, error), (library, line, error)


def test_the_table_of_extras_is_that_of_the_project():
    extras = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(BROUGHT_BY.values()) <= extras.keys()
    distributions = {"crowdkit": "crowd-kit", "dask": "distributed", "indicnlp": "indic-nlp-library"}
    distributions |= {"pycrfsuite": "python-crfsuite", "yaml": "pyyaml"}
    for library, extra in BROUGHT_BY.items():
        named = [re.split(r"[<>=\[,]", requirement)[0] for requirement in extras[extra]]
        assert distributions.get(library, library) in named, library
