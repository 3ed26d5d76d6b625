"""The cache of parsed models is used if it is valid, and ignored otherwise."""

from __future__ import annotations

import gzip
import lzma
import os
import shutil
import time
from pathlib import Path

import numpy as np
import pytest
import zstandard
from helpers import random_arpa

from lattice_simp.errors import FormatError
from lattice_simp.lm import LanguageModel, model
from lattice_simp.support import array_cache

SENTENCES = (["a", "b", "zz"], [], ["c", "c", "c", "a"])


def make_text(seed=0):
    return random_arpa(np.random.default_rng(seed), ("a", "b", "c", "été"), 3)


@pytest.fixture
def arpa(tmp_path, monkeypatch):
    """A model file in a folder of its own, and an empty user cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    monkeypatch.delenv(array_cache.CACHE_VARIABLE, raising=False)
    path = tmp_path / "models" / "model.arpa"
    path.parent.mkdir()
    path.write_text(make_text(), encoding="utf-8")
    return path


@pytest.fixture
def parses(monkeypatch):
    """Counts the parses of files."""
    counted = []
    original = model.parse_arpa
    monkeypatch.setattr(model, "parse_arpa", lambda *arguments: counted.append(1) or original(*arguments))
    return counted


def caches(folder):
    return sorted(Path(folder).glob("**/*.ngrams*"))


def user_folder(arpa):
    return arpa.parents[1] / "user" / "lattice_simp"


def scores(read):
    return [read.score(sentence) for sentence in SENTENCES]


def protect(monkeypatch, *folders):
    """Makes writes to `folders` fail (file modes would not stop every user)."""
    original = array_cache._write

    def write(path, arrays):
        if path.parent in folders:
            raise PermissionError(13, "Permission denied")
        original(path, arrays)

    monkeypatch.setattr(array_cache, "_write", write)


def test_the_second_read_is_from_the_cache(arpa, parses):
    first, second = LanguageModel.read(arpa), LanguageModel.read(arpa)
    assert len(parses) == 1
    assert scores(first) == scores(second)
    assert first.words == second.words
    for name in ("levels", "word", "cost", "backoff", "children", "suffix"):
        np.testing.assert_array_equal(getattr(first.ngrams, name), getattr(second.ngrams, name))
        assert getattr(first.ngrams, name).dtype == getattr(second.ngrams, name).dtype


def test_the_cache_is_in_the_users_cache_folder(arpa):
    LanguageModel.read(arpa)
    (cached,) = caches(user_folder(arpa))
    assert cached.name.startswith("model.arpa.")
    assert cached.name.endswith(".ngrams1.arrays")
    assert list(arpa.parent.iterdir()) == [arpa]


def test_the_cache_lies_beside_the_model_if_that_is_wanted(arpa, parses, monkeypatch):
    monkeypatch.setenv(array_cache.CACHE_VARIABLE, "beside")
    for _ in range(2):
        LanguageModel.read(arpa)
    assert len(parses) == len(caches(arpa.parent / ".lattice_simp")) == 1
    assert not user_folder(arpa).exists()


def test_the_home_folder_is_there_for_those_without_a_cache_variable(arpa, monkeypatch, tmp_path):
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    LanguageModel.read(arpa)
    assert len(caches(tmp_path / "home" / ".cache" / "lattice_simp")) == 1


def test_the_same_content_has_one_cache(arpa, parses, tmp_path):
    """Training copies models; they are parsed once."""
    (tmp_path / "copy").mkdir()
    copy = shutil.copy(arpa, tmp_path / "copy" / arpa.name)
    assert scores(LanguageModel.read(arpa)) == scores(LanguageModel.read(copy))
    assert len(parses) == 1


def test_what_nobody_reads_is_removed(arpa, parses):
    LanguageModel.read(arpa)
    (cached,) = caches(user_folder(arpa))
    old = time.time() - (array_cache.UNUSED_DAYS + 1) * 86400
    other = cached.with_name("other.0.ngrams1.arrays")
    other.write_bytes(b"")
    for path in (cached, other):
        os.utime(path, (old, old))
    LanguageModel.read(arpa)  # a cache that is read is in use
    arpa.write_text(make_text(1), encoding="utf-8")
    LanguageModel.read(arpa)
    assert cached.exists()
    assert not other.exists()
    assert len(parses) == 2


def test_a_changed_file_is_read_anew(arpa, parses):
    LanguageModel.read(arpa)
    arpa.write_text(make_text(1), encoding="utf-8")
    changed = LanguageModel.read(arpa)
    assert len(parses) == 2
    assert scores(changed) == scores(LanguageModel.from_bytes(make_text(1).encode()))


def test_without_cache_nothing_is_written(arpa, parses):
    for _ in range(2):
        LanguageModel.read(arpa, cache=False)
    assert len(parses) == 2
    assert not caches(arpa.parents[1])


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:10],
        lambda data: data[: data.index(b"\n")],
        lambda data: data[: data.index(b"\n") + 1],
        lambda data: data[:50],
        lambda data: data[:-9] + b"\xff" + data[-8:],
        lambda data: data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1 :],
        lambda data: data.replace(b'"checksum"', b'"chocksum"', 1),
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data + b"\0",
        lambda data: b"junk" * 100,
        lambda data: data.replace(b"arrays 1", b"arrays 0", 1),
        lambda data: data.replace(b'{"arrays"', b'{"errays"', 1),
        lambda data: data.replace(b'"cost"', b'"cast"', 1),
        lambda data: data.replace(b'{"arrays"', b'["arrays"', 1),
        lambda data: data[: data.index(b"\n") + 1] + b"[]\n" + data[data.index(b"\n") + 4 :],
    ],
)
def test_a_broken_cache_is_ignored_and_replaced(arpa, parses, damage):
    expected = scores(LanguageModel.read(arpa))
    (cached,) = caches(user_folder(arpa))
    whole = cached.read_bytes()
    cached.write_bytes(damage(whole))
    assert scores(LanguageModel.read(arpa)) == expected
    assert len(parses) == 2
    assert cached.read_bytes() == whole


@pytest.mark.parametrize("where", ["", "beside"])
def test_where_nothing_can_be_written_the_model_is_read_all_the_same(arpa, parses, monkeypatch, where):
    monkeypatch.setenv(array_cache.CACHE_VARIABLE, where)
    protect(monkeypatch, arpa.parent / array_cache.FOLDER, user_folder(arpa))
    assert scores(LanguageModel.read(arpa)) == scores(LanguageModel.read(arpa))
    assert len(parses) == 2


def test_a_cache_that_may_not_be_read_is_no_error(arpa, parses, monkeypatch):
    LanguageModel.read(arpa)

    def refuse(path, **options):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(array_cache, "_map", refuse)
    assert LanguageModel.read(arpa).order == 3
    assert len(parses) == 2


def test_a_folder_for_all_caches_may_be_chosen(arpa, parses, monkeypatch, tmp_path):
    monkeypatch.setenv(array_cache.CACHE_VARIABLE, str(tmp_path / "chosen"))
    for _ in range(2):
        LanguageModel.read(arpa)
    assert not caches(arpa.parent)
    assert not caches(tmp_path / "user")
    assert len(parses) == len(caches(tmp_path / "chosen")) == 1


def test_a_user_cache_that_is_no_folder_is_no_error(arpa, monkeypatch, tmp_path):
    (tmp_path / "user").write_text("a file")
    assert LanguageModel.read(arpa).order == 3


def test_nothing_half_written_is_left_behind(arpa, monkeypatch):
    def fail(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(array_cache.os, "replace", fail)
    LanguageModel.read(arpa)
    assert not caches(arpa.parents[1])


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, lambda data: zstandard.ZstdCompressor().compress(data)])
def test_packed_models_are_detected_by_their_content(arpa, parses, pack):
    plain = scores(LanguageModel.read(arpa))
    packed = arpa.with_name("packed")
    packed.write_bytes(pack(arpa.read_bytes()))
    for _ in range(2):
        assert scores(LanguageModel.read(packed)) == plain
    assert len(parses) == 2


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, lambda data: zstandard.ZstdCompressor().compress(data)])
def test_packed_models_that_are_cut_are_refused(arpa, pack):
    packed = arpa.with_name("packed")
    whole = pack(arpa.read_bytes())
    for length in (8, len(whole) // 2, len(whole) - 1):
        packed.write_bytes(whole[:length])
        with pytest.raises(FormatError, match="packed"):
            LanguageModel.read(packed)
    assert not caches(arpa.parents[1])


@pytest.mark.parametrize("name", ["missing.arpa", "."])
def test_a_file_that_cannot_be_read_is_named(arpa, name):
    with pytest.raises(FormatError, match="cannot be read"):
        LanguageModel.read(arpa.parent / name)


def test_errors_of_a_file_name_it(arpa):
    arpa.write_text(make_text().replace("\ta", "\ta\tx", 1), encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        LanguageModel.read(arpa)
    assert caught.value.path == str(arpa)
    assert not caches(arpa.parents[1])
