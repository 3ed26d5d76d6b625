"""Stages: keys, folders, records, shards, locks."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.pipeline.runner import locked, logged_run, run_stages
from lattice_simp.pipeline.shards import (
    count_rows,
    list_column,
    lists_of,
    over_shards,
    read_npz,
    read_shard,
    shard_path,
    shard_paths,
    write_shard,
)
from lattice_simp.pipeline.stage import (
    PeakMemory,
    Run,
    Stage,
    forget_stages,
    is_done,
    read_json,
    run_stage,
    stage_key,
    stage_keys,
    write_json,
)
from lattice_simp.support.progress import progress_bar


def writes(text: str):
    def work(run: Run, folder: Path) -> dict[str, int]:
        (folder / "made").write_text(text)
        return {"letters": len(text)}

    return work


def stage(name: str = "one", needs=(), settings=None, inputs=(), work=None, **others) -> Stage:
    return Stage(name, needs, settings, inputs, work or writes("abc"), **others)


# ---------------------------------------------------------------- keys


def test_a_key_depends_on_settings_content_needs_name_and_version(tmp_path):
    for name, text in {"a": "1", "b": "1", "c": "2"}.items():
        (tmp_path / name).write_text(text)
    a, b, c = (tmp_path / name for name in "abc")
    keys = {"x": "k1", "y": "k2"}
    same = [stage(inputs=[a]), stage(inputs=[b]), stage(inputs=[a], work=writes("other"))]
    assert len({stage_key(entry, keys) for entry in same}) == 1
    different = [
        *same[:1],
        stage(inputs=[c]),
        stage(inputs=[a, b]),
        stage(inputs=[a], settings={"n": 1}),
        stage(inputs=[a], settings={"n": 2}),
        stage(inputs=[a], needs=["x"]),
        stage(inputs=[a], needs=["y"]),
        stage(inputs=[a], version=2),
        stage("two", inputs=[a]),
    ]
    assert len({stage_key(entry, keys) for entry in different}) == len(different)


def test_the_order_of_settings_does_not_count():
    assert stage_key(stage(settings={"a": 1, "b": 2}), {}) == stage_key(stage(settings={"b": 2, "a": 1}), {})


def test_a_change_goes_through_all_that_follows():
    def chain(settings):
        return [stage("one", settings=settings), stage("two", ["one"]), stage("three", ["two"]), stage("other")]

    before, after = stage_keys(chain(1)), stage_keys(chain(2))
    assert [name for name in before if before[name] != after[name]] == ["one", "two", "three"]


def test_inputs_that_cannot_be_read(tmp_path):
    with pytest.raises(LatticeSimpError, match="cannot be read: No such file or directory; check the config's paths"):
        stage_key(stage(inputs=[tmp_path / "none"]), {})


# ---------------------------------------------------------------- running


def test_a_stage_is_run_once_and_recorded(tmp_path):
    said = []
    run = Run(say=said.append)
    folder, record = run_stage(stage(), "k", tmp_path, run)
    assert folder == tmp_path / "one.k"
    assert json.loads((folder / "stage.json").read_text()) == record
    assert {"stage": "one", "key": "k", "letters": 3}.items() <= record.items()
    assert record["peak_mb"] > 1
    again = run_stage(stage(work=None), "k", tmp_path, run)
    assert again == (folder, record)
    assert said[0].startswith("one: 0 s, ")
    assert said[0].endswith("; letters 3")
    assert said[1] == "one: done before (0 s)"


def test_a_failed_stage_leaves_its_files_without_the_name(tmp_path):
    def work(run, folder):
        (folder / "part").write_text("x")
        raise LatticeSimpError("no")

    with pytest.raises(LatticeSimpError, match=r"^no$"):
        run_stage(stage(work=work), "k", tmp_path, Run())
    assert [path.name for path in tmp_path.iterdir()] == ["one.k.partial"]
    assert not is_done(stage(), "k", tmp_path)
    seen = []
    run_stage(stage(work=lambda run, folder: seen.extend(folder.iterdir()) or {}), "k", tmp_path, Run())
    assert [path.name for path in seen] == ["part"]
    assert is_done(stage(), "k", tmp_path)


def test_what_stopped_runs_took_is_counted(tmp_path):
    stopped = [KeyboardInterrupt(), LatticeSimpError("no words"), None]

    def work(run, folder):
        busy_until = time.process_time() + 0.1
        while time.process_time() < busy_until:
            pass
        if (error := stopped.pop(0)) is not None:
            raise error
        return {}

    for error in (KeyboardInterrupt, LatticeSimpError):
        with pytest.raises(error):
            run_stage(stage(work=work), "k", tmp_path, Run())
    folder, record = run_stage(stage(work=work), "k", tmp_path, Run())
    assert record["cpu_seconds"] >= 0.28
    assert record["seconds"] >= 0.28
    assert [path.name for path in folder.iterdir()] == ["stage.json"]
    assert record["peak_mb"] > 1


def test_errors_of_the_system_name_stage_and_file(tmp_path):
    with pytest.raises(LatticeSimpError, match=r"^one: .*/none: No such file or directory$"):
        run_stage(stage(work=lambda run, folder: (folder / "none").read_text()), "k", tmp_path, Run())


HALF_WRITTEN = (".0123456789abcdef.tmp", "tokens/.fedcba9876543210.tmp")


def test_what_a_killed_run_was_writing_is_removed(tmp_path):
    folder = tmp_path / "one.k.partial"
    (folder / "tokens").mkdir(parents=True)
    for name in (*HALF_WRITTEN, "000001.parquet", "rules.arrays", "new", "tokens/1.json"):
        (folder / name).write_text("")
    for name in ("spill.77", "lmplz.ab12"):
        (folder / name).mkdir()
        (folder / name / "x.new").write_text("")
    run_stage(stage(), "k", tmp_path, Run())
    left = {str(path.relative_to(tmp_path / "one.k")) for path in (tmp_path / "one.k").rglob("*") if path.is_file()}
    assert left == {"000001.parquet", "rules.arrays", "new", "tokens/1.json", "made", "stage.json"}


def test_stages_are_forgotten_from_the_last_one_on(tmp_path, monkeypatch):
    stages = [stage("one"), stage("two", ["one"]), stage("three", ["two"])]
    keys = stage_keys(stages)
    for outcome in stages:
        run_stage(outcome, keys[outcome.name], tmp_path, Run())
    (tmp_path / f"three.{keys['three']}.partial").mkdir()
    (tmp_path / "two.other").mkdir()
    names = []
    replace = os.replace
    monkeypatch.setattr(os, "replace", lambda a, b: names.append(Path(a).name.split(".")[0]) or replace(a, b))
    forget_stages(stages[1:], keys, tmp_path)
    assert names == ["three", "three", "two"]
    assert {path.name for path in tmp_path.iterdir()} == {f"one.{keys['one']}", "two.other"}


def test_a_kill_while_a_stage_is_forgotten(tmp_path, monkeypatch):
    """Half a folder never counts as complete, and its rest is removed later."""
    only = [stage()]
    keys = stage_keys(only)
    run_stage(only[0], keys["one"], tmp_path, Run())

    def killed(path, *, ignore_errors=False):
        if not ignore_errors:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            forget_stages(only, keys, tmp_path)
    assert not is_done(only[0], keys["one"], tmp_path)
    run_stage(only[0], keys["one"], tmp_path, Run())
    forget_stages([], keys, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [f"one.{keys['one']}"]


def test_json_is_written_completely_or_not_at_all(tmp_path):
    write_json(tmp_path / "a" / "b.json", {"é": 1})
    with pytest.raises(TypeError):
        write_json(tmp_path / "a" / "b.json", {"x": object()})
    assert (tmp_path / "a" / "b.json").read_text(encoding="utf-8") == '{\n "é": 1\n}\n'


# ---------------------------------------------------------------- shards


def test_lists_are_read_as_they_were_written(tmp_path):
    rng = np.random.default_rng(1)
    lengths = rng.integers(0, 4, 50)
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    flat = rng.integers(-5, 1000, offsets[-1]).astype(np.int32)
    write_shard(shard_path(tmp_path, 0), {"a": list_column(offsets, flat)})
    table = read_shard(shard_path(tmp_path, 0))
    for begin, end in ((0, 50), (7, 31), (20, 20)):  # slices of a column, too
        own_offsets, second = lists_of(table["a"].slice(begin, end - begin))
        assert own_offsets.tolist() == (offsets[begin : end + 1] - offsets[begin]).tolist()
        assert second.tolist() == flat[offsets[begin] : offsets[end]].tolist()
        assert (own_offsets.dtype, second.dtype) == (np.int64, np.int32)
    parts = pa.chunked_array([table["a"].chunk(0).slice(0, 9), table["a"].chunk(0).slice(9)])
    assert lists_of(parts)[1].tolist() == flat.tolist()


def test_shards_of_no_rows(tmp_path):
    write_shard(shard_path(tmp_path, 3), {"a": list_column(np.zeros(1, np.int64), np.zeros(0, np.int32))})
    offsets, flat = lists_of(read_shard(shard_path(tmp_path, 3))["a"])
    assert (offsets.tolist(), flat.tolist()) == ([0], [])


def test_shards_have_an_order_and_the_same_bytes(tmp_path):
    for number in (10, 2, 1000000):
        write_shard(shard_path(tmp_path, number), {"a": [1, 2, 3]})
    (tmp_path / "000003.parquet.1.new").write_text("")
    assert [path.name for path in shard_paths(tmp_path)] == ["000002.parquet", "000010.parquet", "1000000.parquet"]
    assert len({path.read_bytes() for path in shard_paths(tmp_path)}) == 1


def test_damaged_shards(tmp_path):
    path = shard_path(tmp_path, 0)
    write_shard(path, {"a": list(range(1000)), "b": ["x"] * 1000})
    data = path.read_bytes()
    for damaged in (b"", data[:100], data[:-1], b"x" + data[1:-4], data[:-30] + b"\0" * 26 + data[-4:]):
        path.write_bytes(damaged)
        with pytest.raises(LatticeSimpError, match=r"not a readable Parquet file: .*; remove its folder and run again"):
            read_shard(path)
    with pytest.raises(LatticeSimpError, match="not a readable Parquet file"):
        read_shard(shard_path(tmp_path, 1))


def test_damaged_arrays(tmp_path):
    path = tmp_path / "x.npz"
    np.savez(path, a=np.arange(1000), b=np.arange(3))
    a, b = read_npz(path, "a", "b")
    assert (a.sum(), b.tolist()) == (499500, [0, 1, 2])
    data = path.read_bytes()
    middle = len(data) // 2
    changed = [data[:middle] + b"x" + data[middle + 1 :], data.replace(b"(1000,)", b"(1000, ")]
    for damaged in (b"", data[:100], data[:-1], b"x" * 99, b"\x80\x04N.", *changed):
        path.write_bytes(damaged)
        with pytest.raises(LatticeSimpError, match=r"x.npz: not a readable .npz file: .*; remove its folder and run"):
            read_npz(path, "a", "b")
    path.write_bytes(data)
    for missing, names in ((path, ("c",)), (tmp_path / "y.npz", ("a",))):
        with pytest.raises(LatticeSimpError, match=r"not a readable .npz file: .*; remove its folder and run again"):
            read_npz(missing, *names)


def test_bits_of_arrays(tmp_path):
    """Each flipped bit of the zip file's directory leaves the arrays unchanged, or is an error."""
    path = tmp_path / "x.npz"
    np.savez(path, a=np.arange(9))
    data = path.read_bytes()
    for place in range(8 * data.index(b"PK\1\2"), 8 * len(data)):
        damaged = bytearray(data)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        try:
            assert read_npz(path, "a")[0].tolist() == list(range(9)), place
        except LatticeSimpError as error:
            assert "not a readable .npz file" in str(error)  # noqa: PT017


@pytest.mark.parametrize("text", [b'{"seconds": 1', b"", b"\xff"])
def test_damaged_records(tmp_path, text):
    (tmp_path / "x.json").write_bytes(text)
    with pytest.raises(FormatError, match=r"x.json.*\(remove its folder and run again\)"):
        read_json(tmp_path / "x.json")


def test_counts_of_damaged_shards(tmp_path):
    for number in range(2):
        write_shard(shard_path(tmp_path, number), {"a": [1, 2, 3]})
    assert count_rows(shard_paths(tmp_path)) == 6
    shard_path(tmp_path, 1).write_bytes(b"x")
    with pytest.raises(LatticeSimpError, match=r"000001.parquet: not a readable Parquet file: .*; remove its folder"):
        count_rows(shard_paths(tmp_path))


def test_a_column_that_is_missing(tmp_path):
    write_shard(shard_path(tmp_path, 0), {"a": [1]})
    with pytest.raises((LatticeSimpError, KeyError)):
        read_shard(shard_path(tmp_path, 0), ["b"])["b"]


def square_of(folder: Path, number: int) -> int:
    if number == 13:
        raise LatticeSimpError("thirteen")
    (folder / str(number)).write_text(str(number**2))
    return number**2


def squares(folder: Path):
    return partial(square_of, folder)


@pytest.mark.parametrize("jobs", [1, 2])
def test_tasks_that_are_done_are_left_alone(tmp_path, jobs):
    actual = []
    run = Run(jobs=jobs, progress=lambda done, total: actual.append((done, total)))
    results = list(over_shards(run, partial(squares, tmp_path), range(3, 9), lambda number: number % 2 == 0))
    assert sorted(results) == [(3, 9), (5, 25), (7, 49)]
    assert actual == [(3, 6), (4, 6), (5, 6), (6, 6)]
    assert {path.name for path in tmp_path.iterdir()} == {"3", "5", "7"}


def test_the_bar_shows_the_stage_at_work(tmp_path, monkeypatch):
    bar = progress_bar()
    monkeypatch.setattr("lattice_simp.pipeline.runner.progress_bar", lambda **_: bar)
    seen = []

    def look():
        (task,) = bar.tasks
        seen.append((task.description, task.completed, task.total))

    def watches(run, folder):
        look()
        for _ in run.each("ab"):
            look()
        return {}

    with logged_run(quiet=True) as run:
        run_stages([stage("one", work=watches), stage("two", work=watches)], tmp_path, run)
    assert seen == [(name, *each) for name in ("one", "two") for each in [(0, None), (0, 2), (1, 2)]]


def test_no_worker_is_started_for_nothing(tmp_path):
    assert list(over_shards(Run(), None, range(3), lambda number: True)) == []


def test_a_failed_task_ends_the_run_and_keeps_what_the_others_wrote(tmp_path):
    with pytest.raises(LatticeSimpError, match=r"^thirteen$"):
        list(over_shards(Run(), partial(squares, tmp_path), [4, 13, 5], lambda number: False))
    assert (tmp_path / "4").read_text() == "16"


# ---------------------------------------------------------------- lock and memory

HOLDER = "import sys, time; from pathlib import Path; from lattice_simp.pipeline.runner import locked\n"
HOLDER += "with locked(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"


def test_a_lock_goes_away_with_its_process(tmp_path):
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path], stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(LatticeSimpError, match="another run uses this folder"), locked(tmp_path):
        pass
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    with locked(tmp_path):
        pass
    with locked(tmp_path):
        pass


@pytest.mark.slow
def test_the_memory_of_children_counts():
    code = "import sys; data = b'x' * 200_000_000; print(1, flush=True); sys.stdin.read()"
    gc.collect()
    with PeakMemory() as without:
        pass
    with PeakMemory() as memory:
        child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        child.stdout.read(1)
        deadline = time.monotonic() + 10
        while memory.peak_mb < without.peak_mb + 150 and time.monotonic() < deadline:
            time.sleep(0.05)
        child.communicate()
    assert memory.peak_mb > without.peak_mb + 150
