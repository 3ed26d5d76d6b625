"""Shared parts of experiments: options, the two files of results, and the metadata of figures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from experiments.experiment import Results, program
from lattice_simp.errors import LatticeSimpError

EXPERIMENTS = Path(__file__).resolve().parents[2] / "experiments"
HEAD = re.compile(r"^# .+\n\n`(?P<command>.+)`, (?P<date>\S+), lattice_simp (?P<version>[^,]+), Python \S+")


@pytest.fixture
def folder(tmp_path):
    """The folder of an experiment."""
    (tmp_path / "config.yaml").write_text("{data: there, work: build, rate: 0.5}\n", encoding="utf-8")
    (tmp_path / "NOTES.md").write_text("## Notes\n\nNone.\n", encoding="utf-8")
    return tmp_path


def run(folder, arguments, do):
    main = program("experiments/some.py", "Does something.", do, own={"default": ""})
    main([str(folder), *arguments])


def test_the_options_are_alike_and_reach_the_experiment(folder):
    seen = []

    def do(experiment):
        seen.append((experiment.settings(), experiment.run.jobs, dict(experiment.options)))
        return Results("A title", {"f1": 0.5}, ["A table.", "", "Another."], ["other 2"])

    run(folder, ["--data", "a b: c", "--work", "w", "--set", "rate=0.25", "--jobs", "3", "--own", "x"], do)
    assert seen == [({"data": "a b: c", "work": "w", "rate": 0.25}, 3, {"own": "x"})]


def test_results_tell_what_they_were_made_with_and_end_with_the_notes(folder, capsys):
    def do(experiment):
        return Results("A title", {"f1": 0.5}, ["A table.", "", "Another."], ["other 2"])

    run(folder, ["--command", "make it"], do)
    page = (folder / "RESULTS.md").read_text(encoding="utf-8")
    figures = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert list(figures) == ["date", "command", "version", "f1"]
    assert HEAD.match(page).groupdict() == {key: figures[key] for key in ("date", "command", "version")}
    assert page.split("\n\n")[1].endswith(", other 2.")
    assert page.endswith("\n\nA table.\n\nAnother.\n\n## Notes\n\nNone.\n")
    assert capsys.readouterr().out == page + "\n"


def test_without_a_command_the_results_name_the_program_s_own(folder):
    run(folder, ["--output", str(folder), "--set", "rate=1"], lambda experiment: Results("A title", {}, []))
    command = json.loads((folder / "results.json").read_text(encoding="utf-8"))["command"]
    assert command == f"python -m experiments.some {folder} --output {folder} --set rate=1"


def test_an_error_is_one_line_and_writes_nothing(folder, tmp_path):
    def fail(experiment):
        raise LatticeSimpError("no data")

    with pytest.raises(SystemExit, match=r"^error: no data$"):
        run(folder, [], fail)
    with pytest.raises(SystemExit, match=r"config.yaml.*goes into a plain value"):
        run(folder, ["--set", "rate.x=1"], lambda experiment: experiment.settings())
    assert {path.name for path in folder.iterdir()} == {"config.yaml", "NOTES.md"}


def test_the_results_of_every_experiment_tell_what_they_were_made_with():
    results = sorted(EXPERIMENTS.glob("*/results.json"))
    assert len(results) >= 6
    for path in results:
        figures = json.loads(path.read_text(encoding="utf-8"))
        page = path.with_name("RESULTS.md").read_text(encoding="utf-8")
        assert HEAD.match(page).groupdict() == {key: figures[key] for key in ("date", "command", "version")}, path
        assert path.with_name("config.yaml").exists(), path
        notes = path.with_name("NOTES.md")
        assert not notes.exists() or page.endswith(notes.read_text(encoding="utf-8")), path
