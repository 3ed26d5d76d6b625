"""Every example and command of the README runs."""

from __future__ import annotations

import io
import json
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from small_treebank import write_bank

from lattice_simp.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, flags=re.DOTALL)
PYTHON_BLOCKS = [text for kind, text in BLOCKS if kind == "python"]
COMMANDS = [
    line
    for kind, text in BLOCKS
    if kind == "sh"
    for line in text.replace("\\\n", " ").splitlines()
    if line.startswith("lattice-simp ")
]
"""The commands of the command line; `make` and `pip` set up what runs this test."""


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """A folder with the files that the README's examples name."""
    folder = tmp_path_factory.mktemp("readme")
    for name, text in re.findall(r"```text (\S+)\n(.*?)```", README, flags=re.DOTALL):
        (folder / name).write_text(text, encoding="utf-8")
    data = ROOT / "grammars" / "demo" / "data"
    (folder / "model").symlink_to(data)
    source = [" ".join(json.loads(line)["tokens"]) for line in (data / "test.jsonl").read_text("utf-8").splitlines()]
    target = (data / "test.de").read_text("utf-8").splitlines()
    for name, part in (("train", slice(20, None)), ("dev", slice(20))):
        for language, lines in (("en", source), ("de", target)):
            (folder / f"{name}.{language}").write_text("\n".join(lines[part]) + "\n", "utf-8")
    write_bank(folder / "treebank")
    (folder / "news.hi").write_text("राम खाना खाकर सोया।\nराम आया कि सीता गया।\n", "utf-8")
    return folder


def test_the_readme_has_examples():
    assert PYTHON_BLOCKS
    assert len(COMMANDS) >= 8


@pytest.mark.parametrize("code", PYTHON_BLOCKS)
def test_python_example(code, workplace):
    done = subprocess.run([sys.executable, "-c", code], cwd=workplace, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for expected in re.findall(r"# prints? (.*)", code):
        assert expected in done.stdout


def serve(command):
    """Starts a server on any free port, and stops it once it answers."""
    words = [sys.executable, "-m", "lattice_simp", *shlex.split(command)[1:], "--port", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as server:
        said = next((line for line in server.stderr if "serving at" in line), "")
        if said:
            server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)
        return (0 if server.returncode == 130 else server.returncode), said


def run(command, folder, capfdbinary, monkeypatch):
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


def test_commands(workplace, capfdbinary, monkeypatch):
    """One after the other: later commands read what earlier ones wrote."""
    monkeypatch.chdir(workplace)
    assert any("|" in command for command in COMMANDS)
    for command in COMMANDS:
        code, errors = run(command, workplace, capfdbinary, monkeypatch)
        assert code == 0, f"{command}\n{errors}"
