"""Runs the commands and the Python code of documents, in a folder with their files."""

from __future__ import annotations

import doctest
import io
import json
import re
import shlex
import signal
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from small_treebank import write_bank

from lattice_simp.cli import main

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Block:
    """A code block: its language, the name of its file if it is one, its text, and the output shown below it."""

    language: str
    name: str
    text: str
    output: str | None = None

    @property
    def commands(self):
        """The commands to run; `make` and `pip`, which set up the environment, are skipped."""
        if self.language != "sh":
            return []
        return [line for line in self.text.replace("\\\n", " ").splitlines() if line.startswith("lattice-simp ")]


@dataclass(frozen=True)
class Document:
    """A Markdown text with blocks of files (text NAME), commands (sh), Python, and output (text without a name)."""

    text: str

    @property
    def blocks(self):
        blocks: list[Block] = []
        for language, name, text in re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```", self.text, re.DOTALL | re.MULTILINE):
            if language == "text" and not name and blocks and blocks[-1].language in {"sh", "python"}:
                blocks[-1] = replace(blocks[-1], output=text)
            else:
                blocks.append(Block(language, name, text))
        return blocks

    @property
    def python(self):
        return [block.text for block in self.blocks if block.language == "python"]

    @property
    def commands(self):
        return [command for block in self.blocks for command in block.commands]

    @property
    def prose(self):
        """The text outside code blocks."""
        return re.sub(r"^```.*?^```", "", self.text, flags=re.DOTALL | re.MULTILINE)

    def write_files(self, folder):
        names = [block.name for block in self.blocks if block.name]
        assert len(names) == len({*names}), "a file is shown twice; the first one would be lost"
        for block in self.blocks:
            if block.name:
                (folder / block.name).write_text(block.text, encoding="utf-8")

    def run(self, folder, capfdbinary, monkeypatch):
        """Writes the files, then runs commands and Python in their order: later ones read what earlier ones wrote."""
        monkeypatch.chdir(folder)
        self.write_files(folder)
        for block in self.blocks:
            printed = run_python(block.text, folder) if block.language == "python" else ""
            for command in block.commands:
                code, output, errors = run_command(command, folder, capfdbinary, monkeypatch)
                assert code == 0, f"{command}\n{errors}"
                printed += output
            if block.output is not None:
                assert same_output(block.output, printed), f"{block.text}printed\n{printed}\nnot\n{block.output}"


def same_output(expected, printed):
    """Compares outputs, ignoring the width of white space; `...` stands for any text."""
    return doctest.OutputChecker().check_output(expected, printed, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)


def furnish(folder):
    """Fills a folder with the files that examples assume: the demo model, parallel text, a treebank."""
    data = ROOT / "grammars" / "demo" / "data"
    (folder / "model").symlink_to(data)
    source = [" ".join(json.loads(line)["tokens"]) for line in (data / "test.jsonl").read_text("utf-8").splitlines()]
    target = (data / "test.de").read_text("utf-8").splitlines()
    for name, part in (("train", slice(20, None)), ("dev", slice(20))):
        for language, lines in (("en", source), ("de", target)):
            (folder / f"{name}.{language}").write_text("\n".join(lines[part]) + "\n", "utf-8")
    write_bank(folder / "treebank")


def run_python(code, folder):
    """Runs an example; returns its output."""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def serve(command):
    """Starts a server on any free port, and stops it once it answers."""
    words = [sys.executable, "-m", "lattice_simp", *shlex.split(command)[1:], "--port", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as server:
        said = next((line for line in server.stderr if "serving at" in line), "")
        if said:
            server.send_signal(signal.SIGINT)
        try:
            server.communicate(timeout=60)
        finally:
            server.kill()
        return (0 if server.returncode == 130 else server.returncode), "", said


def run_command(command, folder, capfdbinary, monkeypatch):
    """Runs a command like a shell, but in this process, which is quicker; a shell runs pipes."""
    if command.startswith(("lattice-simp serve ", "lattice-simp judge serve ")):
        return serve(command)
    if "|" in command:
        shell = command.replace("lattice-simp", shlex.quote(str(Path(sys.executable).parent / "lattice-simp")))
        done = subprocess.run(["bash", "-o", "pipefail", "-c", shell], cwd=folder, capture_output=True, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()
    words, files = shlex.split(command), {}
    for sign in "<>":
        if sign in words:
            place = words.index(sign)
            files[sign] = folder / words[place + 1]
            del words[place : place + 2]
    value = files["<"].read_bytes() if "<" in files else b""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(value)))
    with pytest.raises(SystemExit) as ended:
        main(words[1:])
    out, err = capfdbinary.readouterr()
    if ">" in files:
        files[">"].write_bytes(out)
    return ended.value.code, "" if ">" in files else out.decode(), err.decode()
