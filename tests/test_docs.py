"""Every command and example of the recipes runs, in a folder with the files that are beside them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from document import Document, run_command, run_python

ROOT = Path(__file__).parents[1]
RECIPES = sorted((ROOT / "docs" / "recipes").glob("*.md"))


@pytest.fixture
def workplace(tmp_path):
    shutil.copytree(ROOT / "docs" / "recipes" / "files", tmp_path, dirs_exist_ok=True)
    (tmp_path / "model").symlink_to(ROOT / "grammars" / "demo" / "data")
    return tmp_path


def test_there_are_recipes():
    assert {"fairseq", "marian", "ctranslate2", "moses", "kaldi", "llm-samples", "constrained-decoding"} <= {
        own.stem for own in RECIPES
    }


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_recipe(path, workplace, capfdbinary, monkeypatch):
    monkeypatch.chdir(workplace)
    recipe = Document(path.read_text(encoding="utf-8"))
    assert recipe.commands
    assert recipe.python
    recipe.write_files(workplace)
    for command in recipe.commands:
        code, errors = run_command(command, workplace, capfdbinary, monkeypatch)
        assert code == 0, f"{command}\n{errors}"
    for code in recipe.python:
        run_python(code, workplace)
