"""The translate command as users meet it: streams, jobs, failures, kills."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from functools import partial

import pytest

from lattice_simp.commands.batch import in_order, run_batch
from lattice_simp.commands.journal import Journal
from lattice_simp.errors import LatticeSimpError

SENTENCES = ["the house was built", "the bridge was built yesterday", "", "the zeppelin was built", "the house"]
EXPECTED = ["das haus wurde gebaut", "die brücke wurde gebaut gestern", "", "zeppelin wurde gebaut", "das haus"]


def text(lines):
    return "".join(line + "\n" for line in lines)


def test_stdin_to_stdout_keeps_every_line(program, model):
    done = program("translate", model, stdin=text(SENTENCES))
    lines = done.stdout.split("\n")[:-1]
    assert len(lines) == len(SENTENCES)
    assert lines[0] == EXPECTED[0]
    assert lines[2] == ""
    assert "zeppelin" in lines[3]
    assert "5 sentences" in done.stderr
    assert "0 failed" in done.stderr


def test_the_output_does_not_depend_on_the_number_of_jobs(program, model, tmp_path):
    written = []
    for jobs in (1, 2):
        output, nbest = tmp_path / f"{jobs}.de", tmp_path / f"{jobs}.nbest"
        options = ("--nbest", 3, "--nbest-output", nbest, "--jobs", jobs, "--output", output)
        program("translate", model, *options, stdin=text(SENTENCES))
        written.append((output.read_bytes(), nbest.read_bytes()))
    assert written[0] == written[1]
    assert written[0][0]


@pytest.mark.parametrize("strategy", ["gappy", "skeleton-first"])
def test_skeletons_bring_their_own_sentences(program, model, tmp_path, strategy):
    skeletons = tmp_path / "skeletons.txt"
    skeletons.write_text("the bridge was built [[yesterday]]\nthe house was [[yesterday]] built\n", encoding="utf-8")
    done = program("translate", model, "--skeletons", skeletons, "--strategy", strategy)
    assert [set(line.split()) for line in done.stdout.splitlines()] == [
        {"die", "brücke", "wurde", "gebaut", "gestern"},
        {"das", "haus", "wurde", "gestern", "gebaut"},
    ]
    assert "skeleton found in 2" in done.stderr


def test_a_killed_run_resumes_to_the_same_bytes(program, model, tmp_path):
    sentences = text(["the house was built yesterday", "the bridge was built"] * 200)
    whole, cut = tmp_path / "whole.de", tmp_path / "cut.de"
    (tmp_path / "input").write_text(sentences, encoding="utf-8")
    program("translate", model, "--input", tmp_path / "input", "--output", whole)
    arguments = ["translate", model, "--input", tmp_path / "input", "--output", cut, "--resume", "--quiet"]
    run = subprocess.Popen([program.path, *map(str, arguments)])
    journal = tmp_path / "cut.de.partial"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (not journal.exists() or journal.read_bytes().count(b"\n") < 20):
        time.sleep(0.005)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    assert not cut.exists()
    done_before = journal.read_bytes().count(b"\n") - 1
    assert 0 < done_before
    with open(journal, "ab") as file:
        file.write(b'{"number": 399, "li')  # a record that the kill cut short
    program(*arguments)
    assert cut.read_bytes() == whole.read_bytes()
    assert not journal.exists()


def test_a_journal_of_another_run_is_refused(program, model, tmp_path):
    output = tmp_path / "a.de"
    (tmp_path / "a.de.partial").write_text(json.dumps({"run": "another"}) + "\n", encoding="utf-8")
    done = program("translate", model, "--output", output, "--resume", stdin="the house\n", check=False)
    assert done.returncode == 2
    assert "belongs to a run with other input" in done.stderr


def test_a_journal_keeps_whole_records_only(tmp_path):
    with Journal(tmp_path / "x", "run", resume=False) as journal:
        journal.add({"number": 0, "line": "a"})
    path = tmp_path / "x.partial"
    path.write_bytes(path.read_bytes() + b'{"number": 1')
    with Journal(tmp_path / "x", "run", resume=True) as journal:
        assert journal.records == {0: {"number": 0, "line": "a"}}
        journal.add({"number": 1, "line": "b"})
    assert [json.loads(line) for line in path.read_text().splitlines()][1:] == [
        {"number": 0, "line": "a"},
        {"number": 1, "line": "b"},
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["/no/such/model"], "is no directory"),
        (["MODEL", "--resume"], "--resume needs --output"),
        (["MODEL", "--nbest", "3"], "--nbest needs --nbest-output"),
        (["MODEL", "--mask-index", "x"], "--mask-index"),
        (["MODEL", "--input", "/no/such/file"], "/no/such/file"),
        (["MODEL", "--skeletons", "/no/such/file"], "/no/such/file"),
    ],
)
def test_bad_calls_are_one_line(program, model, arguments, message):
    arguments = [model if argument == "MODEL" else argument for argument in arguments]
    done = program("translate", *arguments, stdin="the house\n", check=False)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_failed_sentence_passes_through_and_is_counted(program, model):
    """The strategy needs a skeleton, and there is none."""
    arguments = ("translate", model, "--strategy", "gappy", "--strict")
    done = program(*arguments, stdin="the house\n", check=False)
    assert done.returncode == 1
    assert done.stdout == "the house\n"
    assert "line 1: the strategy 'gappy' needs a skeleton" in done.stderr
    assert "1 failed" in done.stderr


def test_a_reader_that_goes_away_ends_the_run_quietly(program, model):
    shell = f"yes 'the house was built' | head -2000 | {program.path} translate {model} --quiet | head -1"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout == "das haus wurde gebaut\n"
    assert "Traceback" not in done.stderr


# ---------------------------------------------------------------- the batch runner


def make_worker(scratch):
    return partial(work, scratch)


def work(scratch, task):
    if task == "slow":
        time.sleep(60)
    if task == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if task == "dies once" and not (scratch / "died").exists():
        (scratch / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if task == "error":
        raise LatticeSimpError("no translation")
    return task.upper()


@pytest.mark.parametrize("jobs", [1, 3])
def test_tasks_that_fail_leave_the_others_alone(tmp_path, jobs):
    tasks = list(enumerate(["a", "slow", "b", "dies", "c", "dies once", "error", "d"]))
    outcomes = list(
        in_order(run_batch(tasks, partial(make_worker, tmp_path), jobs=jobs, time_limit=3.0), range(len(tasks)))
    )
    assert [outcome.result for outcome in outcomes] == ["A", None, "B", None, "C", "DIES ONCE", None, "D"]
    assert "time limit" in outcomes[1].failure
    assert "died" in outcomes[3].failure
    assert outcomes[6].failure == "no translation"
