"""Every example and command of the README runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from document import Document, run_command, run_python
from small_treebank import write_bank

ROOT = Path(__file__).parents[1]
README = Document((ROOT / "README.md").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """A folder with the files that the README's examples name."""
    folder = tmp_path_factory.mktemp("readme")
    README.write_files(folder)
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
    assert README.python
    assert len(README.commands) >= 8


@pytest.mark.parametrize("code", README.python)
def test_python_example(code, workplace):
    run_python(code, workplace)


def test_commands(workplace, capfdbinary, monkeypatch):
    """One after the other: later commands read what earlier ones wrote."""
    monkeypatch.chdir(workplace)
    assert any("|" in command for command in README.commands)
    for command in README.commands:
        code, errors = run_command(command, workplace, capfdbinary, monkeypatch)
        assert code == 0, f"{command}\n{errors}"
