"""Faults: each is reported in one clear line with exit code 2, and the next run can resume."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from train.toy import contents, write_lines

from lattice_simp.pipeline.runner import locked
from lattice_simp.train.pipeline import STAGES


@pytest.fixture
def data(toy_data, tmp_path):
    """A copy of the text files, to be broken."""
    return shutil.copytree(toy_data, tmp_path / "data")


# ---------------------------------------------------------------- text files


@pytest.mark.parametrize(("cut", "longer"), [("train.fr", "train.en"), ("train.en", "train.fr")])
def test_corpora_of_unequal_lengths(data, configured, fails, cut, longer):
    lines = (data / cut).read_text(encoding="utf-8").splitlines()
    write_lines(data / cut, lines[:150])
    line = fails(configured(data))
    assert f"{data / cut}: ends after 150 lines, but {data / longer} has more" in line


def test_empty_corpora(data, configured, fails):
    for name in ("train.fr", "train.en"):
        (data / name).write_bytes(b"")
    assert f"{data / 'train.fr'}: is empty" in fails(configured(data))


@pytest.mark.parametrize(("name", "work"), [("train.en", True), ("dev.en", False), ("test.fr", False)])
def test_bytes_that_are_not_utf8(data, configured, fails, tmp_path, name, work):
    lines = (data / name).read_bytes().split(b"\n")
    lines[4] = b"caf\xe9."
    (data / name).write_bytes(b"\n".join(lines))
    assert f"{data / name}:5: bytes that are not UTF-8" in fails(configured(data))
    assert any((tmp_path / "work").glob("prepare.*")) == work  # small files are looked at before any work


@pytest.mark.parametrize("name", ["train.fr", "dev.en", "test.en", "lm.arpa"])
def test_missing_files_are_reported_before_any_work(data, configured, fails, tmp_path, name):
    (data / name).unlink()
    assert f"{data / name}: no such file; check the config's paths" in fails(configured(data))
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize("name", ["dev.en", "test.en"])
def test_references_of_another_length_are_reported_before_any_work(data, configured, fails, tmp_path, name):
    write_lines(data / name, (data / name).read_text().splitlines()[1:])
    line = fails(configured(data))
    assert f"{data / name}: has " in line
    assert f"but {data / name[:-3]}.fr has " in line
    assert not any((tmp_path / "work").glob("prepare.*"))


def test_a_development_set_without_sentences(data, trained_copy, configured, fails):
    for name in ("dev.fr", "dev.en"):
        write_lines(data / name, ["", ""])
    assert "the development set holds no sentences" in fails(configured(data))


def test_a_corpus_of_which_nothing_is_left(configured, fails, command):
    config = configured(clean={"min_words": 50})
    for _ in range(2):  # a second run finds the same
        assert "none of 230 sentence pairs is usable for training; relax the limits of `clean`" in fails(config)


def test_a_broken_language_model(data, trained_copy, configured, fails):
    text = (data / "lm.arpa").read_text(encoding="utf-8").splitlines()
    text[10] = "broken"
    write_lines(data / "lm.arpa", text)
    assert "lm.arpa:11: " in fails(configured(data))


def test_damaged_compressed_text(data, configured, fails):
    import gzip

    packed = gzip.compress((data / "train.fr").read_bytes())
    (data / "train.fr.gz").write_bytes(packed[:-200])
    config = configured(data, corpora=[{"name": "toy", "source": "train.fr.gz", "target": "train.en"}])
    assert f"{data / 'train.fr.gz'}: the compressed data are damaged or cut off" in fails(config)


# ---------------------------------------------------------------- programs, folders, disks


def test_a_missing_lmplz_is_reported_before_any_work(configured, fails, tmp_path, monkeypatch):
    monkeypatch.setenv("LMPLZ", str(tmp_path / "no-lmplz"))
    assert "no-lmplz is not an executable program" in fails(configured(language_model={"arpa": None}))
    assert not any((tmp_path / "work").glob("prepare.*"))


def test_lmplz_is_not_asked_for_where_it_is_not_needed(configured, command, tmp_path, monkeypatch):
    monkeypatch.setenv("LMPLZ", str(tmp_path / "no-lmplz"))
    assert command(configured(language_model={"arpa": None}), "--to", "number", "--quiet").returncode == 0


def test_two_runs_in_one_folder(configured, fails, tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "config.yaml").write_text("of the other run")
    with locked(tmp_path / "work"):
        assert f"{tmp_path / 'work'}: another run uses this folder; wait, or" in fails(configured())
    assert (tmp_path / "work" / "config.yaml").read_text() == "of the other run"


def test_a_work_folder_that_is_a_file(configured, fails, tmp_path):
    (tmp_path / "work").write_text("")
    assert f"{tmp_path / 'work'}: File exists" in fails(configured())


def test_a_work_folder_that_cannot_be_written_to(as_a_user, configured, fails, tmp_path):
    (tmp_path / "work").mkdir(mode=0o555)
    assert "Permission denied" in fails(configured())


def test_a_model_folder_that_is_a_file(trained_copy, configured, fails, tmp_path):
    (tmp_path / "model").write_text("")
    line = fails(configured(model=str(tmp_path / "model")))
    assert str(tmp_path / "model") in line
    assert (tmp_path / "model").read_text() == ""


def test_files_in_the_model_folder_are_not_removed(trained_copy, configured, command, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter").write_text("dear")
    assert command(configured(model=str(tmp_path / "home")), "--quiet").returncode == 0
    assert (tmp_path / "home" / "letter").read_text() == "dear"
    assert (tmp_path / "home" / "rules.arrays").is_file()


@contextmanager
def full_disk(size: int):
    """Limits the size of files of this process: larger writes fail as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("stage", STAGES)
def test_a_full_disk(trained, trained_copy, configured, fails, command, stage):
    config = configured()
    for name in STAGES[STAGES.index(stage) :]:
        shutil.rmtree(next(trained_copy.glob(f"{name}.*")))
    written = [path for path in next(trained.glob(f"{stage}.*")).iterdir() if path.is_file()]
    limit = max(path.stat().st_size for path in written) - 1
    with full_disk(limit):
        line = fails(config)
    assert any(words in line for words in ("File too large", "is the disk full", "free some space"))
    assert str(trained_copy) in line
    assert not list(trained_copy.glob(f"{stage}.????????????????"))
    if stage in ("prepare", "number", "lexical", "rules", "model"):  # a second run costs little
        assert command(config, "--to", stage, "--quiet").returncode == 0
        assert {name: data for name, data in contents(trained).items() if name.startswith(f"{stage}.")} == {
            name: data for name, data in contents(trained_copy).items() if name.startswith(f"{stage}.")
        }


@pytest.mark.parametrize(
    ("made_by", "read_by"), [("prepare", "number"), ("number", "align"), ("align", "lexical"), ("count", "targets")]
)
def test_a_damaged_shard(trained_copy, configured, fails, made_by, read_by):
    for name in STAGES[STAGES.index(read_by) :]:
        shutil.rmtree(next(trained_copy.glob(f"{name}.*")))
    shard = sorted(next(trained_copy.glob(f"{made_by}.*")).glob("*.parquet"))[-1]
    shard.write_bytes(shard.read_bytes()[:-20])
    line = fails(configured())
    assert f"{shard}: not a readable Parquet file" in line
    assert "remove its folder and run again" in line
    shutil.rmtree(shard.parent)


def test_a_damaged_record(trained_copy, configured, fails):
    record = next(trained_copy.glob("lexical.*")) / "stage.json"
    record.write_text('{"stage": "lex')
    line = fails(configured())
    assert f"{record}: invalid JSON" in line


# ---------------------------------------------------------------- kills

KILLED_RUNS = Path(__file__).with_name("killed_runs.py")


@pytest.mark.parametrize(("places", "least"), [((), 16), (("exhaustive",), 60)], ids=["some", "all"])
@pytest.mark.slow
def test_a_run_that_is_killed_in_every_stage_makes_the_same(trained, configured, tmp_path, places, least):
    """The program checks that no run touches what earlier ones had finished."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, KILLED_RUNS.parents[1:3]))}
    done = subprocess.run(
        [sys.executable, KILLED_RUNS, configured(), *places],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= least  # kills
    assert contents(tmp_path / "work") == contents(trained)
