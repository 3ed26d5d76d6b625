"""The file of annotations: acknowledged judgements persist, and faults of a file are reported in one line."""

from __future__ import annotations

import os
import pwd
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lattice_simp.errors import FormatError
from lattice_simp.systems.annotation import AnnotationStore, StorageError, Task, assign
from lattice_simp.systems.annotation.store import SCHEMA
from tests.systems.annotation.small_store import make_store, sentences
from tests.systems.writers import REPOSITORY, lines_until_killed, start_writer

WRITER = """
import sys
from lattice_simp.systems.annotation import AnnotationStore
store = AnnotationStore(sys.argv[1])
for sentence in store.sentences():
    store.shorten(sys.argv[2], sentence.id, "0111")
    print(sentence.id, flush=True)
"""
"""A program that judges one sentence after the other, and prints the judged ones."""


def test_a_killed_process_loses_nothing_that_was_acknowledged(tmp_path):
    path = tmp_path / "a.db"
    make_store(path, 2000).close()
    acknowledged = []
    for name in ("Ada", "Bob"):
        acknowledged += [(name, line) for line in lines_until_killed(WRITER, path, name)]
    assert 40 < len(acknowledged) < 4000
    with AnnotationStore(path) as store:
        result = {(judgement.annotator, judgement.sentence.id) for judgement in store.judgements()}
        assert set(acknowledged) <= result
        assert len(result) <= len(acknowledged) + 2  # one each may have been written and not acknowledged yet


def test_processes_and_threads_at_once(quick_path):
    path = quick_path / "a.db"
    with make_store(path, 30) as store:
        writers = [start_writer(WRITER, path, name) for name in ("Ada", "Bob")]
        with ThreadPoolExecutor(4) as threads:
            names = [f"thread {number}" for number in range(4)]
            list(threads.map(lambda name: [store.shorten(name, f"talk.{n}", "1110") for n in range(30)], names))
        for writer in writers:
            with writer:
                assert writer.wait() == 0, writer.stderr.read()
                writer.stdout.read()
        assert len({(judgement.annotator, judgement.sentence.id) for judgement in store.judgements()}) == 6 * 30
        assert len(store.events()) == 6 * 30


@pytest.mark.parametrize("shared_store", [True, False])
def test_threads_never_get_one_sentence_too_often(quick_path, shared_store):
    """With files opened several times, as several servers have it, and with one that threads share."""
    path = quick_path / "a.db"
    with make_store(path, 30, shortenings=2) as store:

        def work(name):
            seen = []
            actual = store if shared_store else AnnotationStore(path)
            while (result := assign(actual, name, Task.SHORTEN)) is not None:
                actual.shorten(name, result.sentence.id, "0111")
                seen.append(result.sentence.id)
            return seen

        with ThreadPoolExecutor(6) as threads:
            done = list(threads.map(work, [f"annotator {number}" for number in range(6)]))
        assert sorted(entry for seen in done for entry in seen) == sorted([f"talk.{n}" for n in range(30)] * 2)
        assert all(len(set(seen)) == len(seen) for seen in done)


def test_events_can_be_neither_changed_nor_removed(tmp_path):
    path = tmp_path / "a.db"
    with make_store(path) as store:
        store.shorten("Ada", "talk.0", "0111")
        store.shorten("Bob", "talk.0", "1110")
        store.check("Bob", "talk.0", {"0111": True})
        before = store.events()
        with sqlite3.connect(path) as other:
            for table, column in (("event", "time"), ("mark", "bad")):
                for statement in (f"UPDATE {table} SET {column} = 0", f"DELETE FROM {table}"):
                    with pytest.raises(sqlite3.IntegrityError, match="never"):
                        other.execute(statement)
        other.close()
        assert store.events() == before


def test_adding_is_all_or_nothing(tmp_path):
    with make_store(tmp_path / "a.db", 2) as store:
        assert store.add(sentences(3)) == 1
        other = [*sentences(5)[3:], sentences(1, length=3)[0]]
        with pytest.raises(ValueError, match=r"another sentence already has the id 'talk\.0'"):
            store.add(other)
        assert len(store.sentences()) == 3


def broken(path, content):
    path.write_bytes(content)
    return path


def damaged(path):
    """A file of annotations with a page in the middle overwritten."""
    with make_store(path, 300) as store:
        store.shorten("Ada", "talk.0", "0111")
    content = bytearray(path.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = bytes(random.Random(1).randrange(256) for _ in range(4096))
    return broken(path, content)


def of_another_program(path):
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE bookmark (address TEXT)")
    database.close()
    return path


def of_a_newer_version(path):
    make_store(path).close()
    with sqlite3.connect(path) as database:
        database.execute(f"PRAGMA user_version = {SCHEMA.version + 1}")
    database.close()
    return path


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: broken(path, b"no database at all, just some text " * 50), "file is not a database"),
        (lambda path: broken(path, b""), "the file is empty"),
        (lambda path: path, "unable to open database file"),
        (lambda path: path.mkdir() or path, "unable to open database file"),
        (damaged, "damaged|malformed"),
        (of_another_program, "the database of another program"),
        (
            of_a_newer_version,
            rf"newer version.*schema {SCHEMA.version + 1}; this version reads {SCHEMA.version}.*update",
        ),
    ],
)
def test_a_file_that_is_none_is_one_line(tmp_path, make, message):
    path = make(tmp_path / "a.db")
    with pytest.raises(FormatError, match=message) as caught:
        AnnotationStore(path)
    assert str(path) in str(caught.value)
    assert caught.value.remedy
    assert "\n" not in str(caught.value)


def test_another_program_s_database_is_left_alone(tmp_path):
    path = of_another_program(tmp_path / "a.db")
    before = path.read_bytes()
    with pytest.raises(FormatError, match="another program"):
        AnnotationStore(path, create=True)
    assert path.read_bytes() == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only the administrator can run a program as another user")
def test_a_file_that_cannot_be_written_is_reported_at_once():
    code = (  # which imports all modules first: nobody may not read Python's folders
        "import os, sys, urllib.parse; from lattice_simp.systems.annotation import AnnotationStore\n"
        f"os.setuid({pwd.getpwnam('nobody').pw_uid})\n"
        "try: AnnotationStore(sys.argv[1])\n"
        "except ValueError as error: print(error)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.db")
        make_store(path).close()
        Path(folder).chmod(0o555)
        path.chmod(0o444)
        command = [sys.executable, "-c", code, path]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY)
    assert "folder writable" in done.stdout, done
    assert done.stdout.count("\n") == 1


def test_a_full_disk_is_one_line_and_loses_nothing(tmp_path):
    path = tmp_path / "a.db"
    make_store(path, 2000).close()
    most = path.stat().st_size + 60_000

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    with start_writer(WRITER, path, "Ada", preexec_fn=limit) as writer:
        out, err = writer.communicate()
    acknowledged = out.decode().split()
    result = err.decode().strip().splitlines()[-1]
    assert writer.returncode == 1
    assert "StorageError" in result, result
    assert "free some space" in result
    assert acknowledged
    with AnnotationStore(path) as store:
        assert [judgement.sentence.id for judgement in store.judgements()] == acknowledged
        store.shorten("Ada", "talk.1999", "0111")


def test_a_file_that_was_removed_or_replaced_takes_nothing(tmp_path):
    """It would be lost with the end of the program, although it was acknowledged."""
    path, away = tmp_path / "a.db", tmp_path / "b.db"
    with make_store(path) as store:
        path.rename(away)
        message = r"a\.db: the file was removed or replaced while it was open \(put it back"
        with pytest.raises(StorageError, match=message):
            store.shorten("Ada", "talk.0", "0111")
        path.write_bytes(away.read_bytes())
        with pytest.raises(StorageError, match=message):
            store.judgements()
        away.replace(path)
        store.shorten("Ada", "talk.0", "0111")
        assert len(store.judgements()) == 1


def test_a_copy_of_a_closed_file_is_whole(tmp_path):
    with make_store(tmp_path / "a.db") as store:
        store.shorten("Ada", "talk.0", "0111")
    assert [path.name for path in tmp_path.iterdir()] == ["a.db"]
    with AnnotationStore(shutil.copy(tmp_path / "a.db", tmp_path / "b.db")) as copy:
        assert len(copy.judgements()) == 1


def test_hostile_names_and_tokens_are_only_text(tmp_path):
    hostile = [
        "'; DROP TABLE event; --",
        "<script>alert(1)</script>",
        "%s {0} \\",
        "عَرَبِيّ",
        "a" * 100,
        "\u0930\u094d\u200d\u092f",
    ]
    with make_store(tmp_path / "a.db") as store:
        for name in hostile:
            store.shorten(name, "talk.0", "0111")
        assert [judgement.annotator for judgement in store.judgements()] == hostile
        store.add([type(store.sentences()[0])(hostile[0], 7, tuple(token.replace(" ", "_") for token in hostile))])
        store.shorten("Ada", hostile[0], "100000")
        assert store.judgements()[-1].skeleton.words == ("';_DROP_TABLE_event;_--",)
