"""Files that appear complete or not at all, and leftovers of killed programs."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys

import pytest

from lattice_simp.support.atomic import GROWING, is_growing, replacing

WRITER = """
import sys, signal
from pathlib import Path
from lattice_simp.support.atomic import replacing
with replacing(Path(sys.argv[1])) as growing:
    growing.write_text("half")
    print(growing, flush=True)
    signal.pause()
"""


def test_a_file_is_the_old_one_until_the_block_ends(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("old")
    with replacing(path) as growing:
        growing.write_text("new")
        assert is_growing(growing)
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    with pytest.raises(KeyError), replacing(path) as growing:
        raise KeyError(growing.write_text("half"))
    assert path.read_text() == "new"
    with replacing(tmp_path / "folder") as growing:
        growing.mkdir()
        (growing / "a").write_text("a")
    assert {path.name for path in tmp_path.rglob("*")} == {"words.txt", "folder", "a"}


def test_an_error_names_the_folder_that_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError) as raised, replacing(tmp_path / "no" / "words.txt"):
        pass
    assert (raised.value.filename, raised.value.errno) == (str(tmp_path / "no"), errno.ENOENT)


def test_writers_that_begin_at_once_do_not_remove_each_others_files(tmp_path):
    code = (
        "import sys; from pathlib import Path; from lattice_simp.support import atomic\n"
        "for number in range(300):\n"
        "    atomic._remove_abandoned.cache_clear()\n"
        "    with atomic.replacing(Path(sys.argv[1])) as growing: growing.write_text(str(number))"
    )
    paths = [tmp_path / f"{number}.txt" for number in range(4)]
    running = [subprocess.Popen([sys.executable, "-c", code, path]) for path in paths]
    assert [entry.wait() for entry in running] == [0] * 4
    assert sorted(tmp_path.iterdir()) == paths
    assert [path.read_text() for path in paths] == ["299"] * 4


def writer(path):
    """Starts a program that keeps writing; returns it and the path of its temporary file."""
    running = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True)
    return running, running.stdout.readline().strip()


def next_run(path):
    code = "import sys; from lattice_simp.support.textio import write_text; write_text(sys.argv[1], 'whole')"
    subprocess.run([sys.executable, "-c", code, path], check=True)


def test_what_a_killed_program_left_goes_and_what_others_write_stays(tmp_path):
    living, its_file = writer(tmp_path / "a.txt")
    killed, _ = writer(tmp_path / "b.txt")
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    foreign = [tmp_path / ".other.tmp", tmp_path / ".0123456789abcdef.tmp.kept", tmp_path / "b.txt.tmp"]
    for path in foreign:
        path.write_text("")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / ".fedcba9876543210.tmp").symlink_to(elsewhere)
    assert len(list(tmp_path.glob("*/?.txt")) + list(tmp_path.glob(".*/?.txt"))) >= 2
    next_run(tmp_path / "b.txt")
    assert (tmp_path / "b.txt").read_text() == "whole"
    left = {path for path in tmp_path.glob(GROWING) if path.is_dir() and not path.is_symlink()}
    assert left == {tmp_path / os.path.basename(os.path.dirname(its_file))}  # that of the living one
    assert all(path.exists() for path in (*foreign, elsewhere))
    living.kill()
    living.wait()
    living.stdout.close()
    killed.stdout.close()
    next_run(tmp_path / "b.txt")
    assert not [path for path in tmp_path.glob(GROWING) if path.is_dir() and not path.is_symlink()]
