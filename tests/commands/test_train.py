"""The train command as users start it: workers, kills, interruptions, missing packages."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time

import pytest
from train.toy import contents, write_config, write_toy_data

from lattice_simp.pipeline.stage import Run
from lattice_simp.train.config import read_config
from lattice_simp.train.pipeline import STAGES, train

MANY_SHARDS = "shard_lines=9"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_toy_data(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="module")
def alone(data, tmp_path_factory):
    """The work folder of a complete run without workers."""
    folder = tmp_path_factory.mktemp("alone")
    config = write_config(folder / "config.yaml", data, folder / "work")
    train(read_config(config, [MANY_SHARDS]), Run())
    return folder / "work"


def wait_for(condition, process):
    deadline = time.monotonic() + 120
    while not condition():
        assert process.poll() is None, "the run ended too early"
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.slow
def test_two_workers_that_are_killed_in_a_stage_of_many_tasks(alone, data, program, tmp_path):
    """Finished tasks do not run again, and the result is that of an undisturbed run without workers."""
    work = tmp_path / "work"
    config = write_config(tmp_path / "config.yaml", data, work)
    arguments = ["train", config, "--set", MANY_SHARDS, "--jobs", 2, "--to", "tune", "--quiet"]
    run = subprocess.Popen([program.path, *map(str, arguments)], start_new_session=True)
    wait_for(lambda: len(list(work.glob("extract.*.partial/*.parquet"))) >= 5, run)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    folder = next(work.glob("extract.*.partial"))
    before = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.parquet")}
    assert 5 <= len(before) < len(list(next(work.glob("number.*")).glob("*.parquet")))
    done = program(*arguments[:-1])
    actual = [re.fullmatch(r"\[ +\d+ s\] ([a-z-]+): .*", line) for line in done.stderr.splitlines()]
    assert done.stdout == ""
    assert list(dict.fromkeys(line[1] for line in actual)) == list(STAGES[:-1])
    assert [line[1] for line in actual if "done before" in line[0]] == list(STAGES[:4])
    after = {path.name: path.stat().st_mtime_ns for path in next(work.glob("extract.*")).glob("*.parquet")}
    assert before.items() <= after.items()
    expected = {name: data for name, data in contents(alone).items() if not name.startswith("test.")}
    assert contents(work) == expected


@pytest.mark.slow
def test_an_interrupted_run_says_how_to_resume(data, program, tmp_path):
    work = tmp_path / "work"
    arguments = ["train", write_config(tmp_path / "config.yaml", data, work)]
    run = subprocess.Popen([program.path, *arguments], stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_for(lambda: any(work.glob("prepare.*.partial/raw/split.json")), run)
    os.killpg(run.pid, signal.SIGINT)  # like Ctrl-C
    _, stderr = run.communicate(timeout=60)
    assert run.returncode == 130
    assert stderr == "lattice-simp: interrupted; run the same command to continue\n"


@pytest.mark.slow
@pytest.mark.parametrize("last", ["extract", "test"])
def test_a_cluster_makes_the_same(alone, data, program, tmp_path, last):
    pytest.importorskip("distributed", reason="Dask is not installed (the extra 'dask')")
    config = write_config(tmp_path / "config.yaml", data, tmp_path / "work")
    assert program("train", config, "--set", MANY_SHARDS, "--dask", "local:2", "--to", last, "--quiet").stderr == ""
    wanted = {*STAGES[: STAGES.index(last) + 1]} - ({"model", "lexical"} if last != "test" else set())
    expected = {name: data for name, data in contents(alone).items() if name.split("/")[0].split(".")[0] in wanted}
    assert contents(tmp_path / "work") == expected


def test_a_cluster_that_is_not_there_is_one_line(call, data, tmp_path):
    pytest.importorskip("distributed", reason="Dask is not installed (the extra 'dask')")
    config = write_config(tmp_path / "config.yaml", data, tmp_path / "work")
    done = call("train", config, "--dask", "nowhere")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "message"),
    [
        ("yaml", "yaml is missing; pip install 'lattice-simp[train]'"),
        ("pyarrow", "pyarrow is missing; pip install 'lattice-simp[train]'"),
        ("sacremoses", "sacremoses is missing; pip install 'lattice-simp[text]'"),
    ],
)
def test_missing_packages_are_one_line(data, tmp_path, package, message):
    config = write_config(tmp_path / "config.yaml", data, tmp_path / "work")
    code = f"import sys; sys.modules[{package!r}] = None; from lattice_simp.cli import main; main(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", code, "train", config, "-q"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"lattice-simp: {message}\n"


def test_the_effective_config_is_shown_and_nothing_else_done(call, data, tmp_path):
    config = write_config(tmp_path / "config.yaml", data, tmp_path / "work")
    done = call("train", config, "--set", "tune.max_rounds=3", "--set", "text.case=true", "--show-config")
    assert (done.returncode, done.stderr) == (0, "")
    (tmp_path / "shown.yaml").write_text(done.stdout, encoding="utf-8")
    shown = read_config(tmp_path / "shown.yaml")
    assert shown == read_config(config, ["tune.max_rounds=3", "text.case=true"])
    assert "min_gain: 0.0005" in done.stdout  # a default
    assert not (tmp_path / "work").exists()
