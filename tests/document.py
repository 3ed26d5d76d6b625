"""Runs what documents show: their commands and their Python, in a folder with the files that they name."""

from __future__ import annotations

import io
import json
import re
import shlex
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from small_treebank import write_bank

from lattice_simp.cli import main

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Document:
    """A Markdown text with blocks of files (text NAME), commands (sh) and Python."""

    text: str

    @property
    def blocks(self):
        return re.findall(r"```(\w+)\n(.*?)```", self.text, flags=re.DOTALL)

    @property
    def python(self):
        return [text for kind, text in self.blocks if kind == "python"]

    @property
    def commands(self):
        """The commands of the command line; `make` and `pip` set up what runs the tests."""
        return [
            line
            for kind, text in self.blocks
            if kind == "sh"
            for line in text.replace("\\\n", " ").splitlines()
            if line.startswith("lattice-simp ")
        ]

    def write_files(self, folder):
        for name, text in re.findall(r"```text (\S+)\n(.*?)```", self.text, flags=re.DOTALL):
            (folder / name).write_text(text, encoding="utf-8")

    def run(self, folder, capfdbinary, monkeypatch):
        """Writes the files, then runs commands and Python in their order: later ones read what earlier ones wrote."""
        monkeypatch.chdir(folder)
        self.write_files(folder)
        for kind, text in self.blocks:
            if kind == "python":
                run_python(text, folder)
            for command in Document(f"```{kind}\n{text}```").commands:
                code, errors = run_command(command, folder, capfdbinary, monkeypatch)
                assert code == 0, f"{command}\n{errors}"


def furnish(folder):
    """Fills a folder with what the examples take as given: the demo model, parallel text, a treebank."""
    data = ROOT / "grammars" / "demo" / "data"
    (folder / "model").symlink_to(data)
    source = [" ".join(json.loads(line)["tokens"]) for line in (data / "test.jsonl").read_text("utf-8").splitlines()]
    target = (data / "test.de").read_text("utf-8").splitlines()
    for name, part in (("train", slice(20, None)), ("dev", slice(20))):
        for language, lines in (("en", source), ("de", target)):
            (folder / f"{name}.{language}").write_text("\n".join(lines[part]) + "\n", "utf-8")
    write_bank(folder / "treebank")


def run_python(code, folder):
    """Runs an example, and checks that it prints what its comments say."""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for expected in re.findall(r"# prints? (.*)", code):
        assert expected in done.stdout, done.stdout


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
        return (0 if server.returncode == 130 else server.returncode), said


def run_command(command, folder, capfdbinary, monkeypatch):
    """Runs a command as a shell does, but in this process, which is quicker; pipes are left to the shell."""
    if command.startswith("lattice-simp serve "):
        return serve(command)
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
