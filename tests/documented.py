"""The examples and commands of Markdown pages: what files they name, and how they are run."""

from __future__ import annotations

import io
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from small_treebank import write_bank

from lattice_simp.cli import main

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    kind: str
    name: str
    text: str

    @property
    def commands(self) -> list[str]:
        """The commands of the command line; `make` and `pip` set up what runs the tests."""
        lines = self.text.replace("\\\n", " ").splitlines() if self.kind == "sh" else []
        return [line for line in lines if line.startswith("lattice-simp ")]


def blocks(paths: Iterable[Path]) -> list[Block]:
    """Returns the fenced blocks of pages, in order; a block of text with a name is a file."""
    found = []
    for path in paths:
        for kind, name, text in re.findall(
            r"^```(\w+)(?: (\S+))?\n(.*?)^```", path.read_text("utf-8"), re.DOTALL | re.M
        ):
            found.append(Block(path.relative_to(ROOT).as_posix(), kind, name, text))
    return found


def furnish(folder: Path) -> Path:
    """Fills a folder with what the examples take as given: the demo model, parallel text, a treebank."""
    data = ROOT / "grammars" / "demo" / "data"
    (folder / "model").symlink_to(data)
    source = [" ".join(json.loads(line)["tokens"]) for line in (data / "test.jsonl").read_text("utf-8").splitlines()]
    target = (data / "test.de").read_text("utf-8").splitlines()
    for name, part in (("train", slice(20, None)), ("dev", slice(20))):
        for language, lines in (("en", source), ("de", target)):
            (folder / f"{name}.{language}").write_text("\n".join(lines[part]) + "\n", "utf-8")
    write_bank(folder / "treebank")
    return folder


def run_block(block: Block, folder: Path, capfdbinary: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writes a block's file, or runs its code or its commands, in a folder."""
    monkeypatch.chdir(folder)
    if block.kind == "text" and block.name:
        (folder / block.name).write_text(block.text, encoding="utf-8")
    elif block.kind == "python":
        run_code(block, folder)
    for command in block.commands:
        code, errors = run_command(command, folder, capfdbinary, monkeypatch)
        assert code == 0, f"{block.page}: {command}\n{errors}"


def run_code(block: Block, folder: Path) -> None:
    """Runs Python code; what it says that it prints, it prints."""
    done = subprocess.run([sys.executable, "-c", block.text], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{block.page}: {done.stderr}"
    for expected in re.findall(r"# prints? (.*)", block.text):
        assert expected in done.stdout, f"{block.page}: {done.stdout}"


def run_command(
    command: str, folder: Path, capfdbinary: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> tuple[object, str]:
    """Runs a command as a shell does, but in this process, which is quicker; pipes are left to the shell."""
    if "|" in command:
        shell = command.replace("lattice-simp", shlex.quote(str(Path(sys.executable).parent / "lattice-simp")))
        done = subprocess.run(["bash", "-o", "pipefail", "-c", shell], cwd=folder, capture_output=True, check=False)
        return done.returncode, done.stderr.decode()
    words, files = shlex.split(command), {}
    for sign in "<>":
        if sign in words:
            place = words.index(sign)
            files[sign] = folder / words[place + 1]
            del words[place : place + 2]
    given = files["<"].read_bytes() if "<" in files else b""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    with pytest.raises(SystemExit) as ended:
        main(words[1:])
    out, err = capfdbinary.readouterr()
    if ">" in files:
        files[">"].write_bytes(out)
    return ended.value.code, err.decode()
