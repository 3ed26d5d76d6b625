"""The pages of all experiments follow from their results, configs and notes."""

from __future__ import annotations

import json
import shutil

import pytest

from experiments.experiment import FIGURES, PAGE
from experiments.pages import EXPERIMENTS, STUDY, main, rendered

FOLDERS = [path.parent for path in sorted(EXPERIMENTS.glob(f"*/{FIGURES}")) if not path.with_name(STUDY).exists()]
"""All experiments but the studies, whose tables come from their systems' outputs."""


@pytest.fixture
def folder(tmp_path):
    """A copy of an experiment with one table of each of a few sets."""
    return shutil.copytree(EXPERIMENTS / "agreement", tmp_path / "agreement")


def test_most_experiments_are_compared():
    assert len(FOLDERS) >= 15


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_page_is_its_results_laid_out(folder):
    assert rendered(folder) == (folder / PAGE).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["compression", "hindi", "multi30k", "paraphrase", "search", "transformer"])
def test_every_figure_of_a_page_is_of_the_results(name, tmp_path):
    """Changed figures appear in tables of scores and counts, and in the text."""
    folder = shutil.copytree(EXPERIMENTS / name, tmp_path / name)
    figures = json.loads((folder / FIGURES).read_text(encoding="utf-8"))
    (folder / FIGURES).write_text(json.dumps(moved(figures)), encoding="utf-8")
    after = rendered(folder)
    rows = [
        line
        for line in (folder / PAGE).read_text(encoding="utf-8").splitlines()
        if line.startswith("| ") and any(map(str.isdigit, line))
    ]
    kept = [line for line in rows if line in after.splitlines()]
    assert len(kept) < len(rows) / 2, kept[:5]


def moved(value):
    """Returns JSON values with changed numbers."""
    if isinstance(value, dict):
        return {key: moved(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [moved(entry) for entry in value]
    return value + 1 if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def test_a_page_that_differs_is_reported_and_written(folder, capsys):
    page = (folder / PAGE).read_text(encoding="utf-8")
    (folder / PAGE).write_text(page.replace("| 0.", "| 1."), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main([str(folder)])
    assert ended.value.code == 1
    assert capsys.readouterr().out == f"{folder}: differs\n"
    for _ in range(2):
        with pytest.raises(SystemExit) as ended:
            main([str(folder), "--write"])
        assert ended.value.code == 0
    assert capsys.readouterr().out == f"{folder}: written\n"
    assert (folder / PAGE).read_text(encoding="utf-8") == page


def test_new_notes_end_the_page(folder):
    (folder / "NOTES.md").write_text("## Notes\n\nNew ones.\n", encoding="utf-8")
    assert rendered(folder).endswith("\n\n## Notes\n\nNew ones.\n")


def test_studies_are_left_out(capsys):
    with pytest.raises(SystemExit):
        main([str(EXPERIMENTS / "en-fr")])
    assert "en-fr: left out" in capsys.readouterr().out
