"""`translate --dask`: the same bytes as without it, on a cluster of processes started by the command."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time

import pytest
from helpers import needs

needs("dask", "distributed")

SENTENCES = ["the house was built", "the bridge was built yesterday", "", "the zeppelin was built", "the house"] * 40


@pytest.mark.slow
def test_a_cluster_gives_the_same_bytes(program, model, tmp_path):
    shutil.copytree(model, tmp_path / "model")
    (tmp_path / "a.en").write_text("".join(line + "\n" for line in SENTENCES), encoding="utf-8")
    written = []
    for name, options in {"plain": [], "cluster": ["--dask", "local:2"]}.items():
        common = ["--nbest", 3, "--nbest-output", f"{name}.nbest", "--lattices", name, "--output", f"{name}.de"]
        done = program("translate", "model", "-i", "a.en", *common, *options, cwd=tmp_path)
        lost, summary = done.stderr.splitlines()
        assert lost == f"{name}: the format cannot store the feature LM"
        assert re.fullmatch(r"200 sentences in [\d.]+ s, 0 failed; 40 of 600 words unknown .*", summary)
        files = [tmp_path / f"{name}.de", tmp_path / f"{name}.nbest", *sorted((tmp_path / name).iterdir())]
        written.append([(file.suffix, file.read_bytes()) for file in files])
    assert written[0] == written[1]
    assert len(written[0]) == 2 + sum(map(bool, SENTENCES))


@pytest.mark.slow
def test_workers_that_cannot_load_the_model_give_one_line(program, tmp_path):
    done = program("translate", tmp_path / "no-model", "--dask", "local:1", stdin="a\n", check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "no-model" in done.stderr


@pytest.mark.slow
def test_an_interrupted_run_ends_its_workers(program, model, tmp_path):
    (tmp_path / "a.en").write_text("the bridge was built yesterday\n" * 5000)
    output = tmp_path / "a.de"
    arguments = [program.path, "translate", model, "-i", tmp_path / "a.en", "-o", output, "--dask", "local:2"]
    run = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True, start_new_session=True)
    deadline = time.monotonic() + 60
    journal = tmp_path / "a.de.partial"
    while time.monotonic() < deadline and (not journal.exists() or journal.read_bytes().count(b"\n") < 5):
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGINT)  # like Ctrl-C
    _, stderr = run.communicate(timeout=60)  # ends when the last worker has closed its end
    assert run.returncode == 130
    assert stderr == "lattice-simp: interrupted; run the same command with --resume to continue\n"


@pytest.mark.parametrize("option", [["--jobs", 2], ["--time-limit", 9]])
def test_options_that_a_cluster_does_not_have(call, model, option):
    done = call("translate", model, "--dask", "local", *option)
    assert done.returncode == 2
    assert f"--dask and {option[0]} exclude each other" in done.stderr
