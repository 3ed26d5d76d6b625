"""`lattice-simp corpus`."""

from __future__ import annotations

import json

import pytest
from systems.corpus.collection import articles, write_collection


@pytest.fixture
def sides(tmp_path, monkeypatch):
    """The options that name two collections, whose articles are aligned in this process."""
    first, simpler = (
        write_collection(tmp_path / name, article) for name, article in zip("cs", articles(4), strict=True)
    )
    return ["--complex", first, "--simple", simpler]


def test_align(call, sides, tmp_path):
    options = ["--paragraph-threshold", 0.2, "--sentence-threshold", 0.4]
    done = call("corpus", "align", *sides, "--output", tmp_path / "out", *options)
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "out" / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    assert done.stdout.startswith("4 article pairs, ")
    assert done.stdout.endswith(f" {len(lines)} sentence pairs\n")
    assert "align: " in done.stderr
    assert 0.4 <= min(json.loads(line)["similarity"] for line in lines) < 0.5
    again = call("corpus", "align", *sides, "--output", tmp_path / "out", *options, "--quiet")
    assert (again.stdout, again.stderr) == (done.stdout, "")


def test_texts_are_paired_by_their_lines(call, tmp_path):
    texts = {
        "c": "The old king ruled long, and his people loved him.\n\nIt rained.\n",
        "s": "He ruled.\n\nIt rained.\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    sides = ["--complex", tmp_path / "c", "--simple", tmp_path / "s", "--output", tmp_path / "out", "--quiet"]
    assert call("corpus", "align", *sides).stdout == "2 article pairs, 1 paragraph pair, 1 sentence pair\n"
    assert (tmp_path / "out" / "simple.txt").read_text(encoding="utf-8") == "It rained.\n"
    (tmp_path / "s").write_text("He ruled.\n", encoding="utf-8")
    done = call("corpus", "align", *sides)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{tmp_path}/s: has 1 line, but {tmp_path}/c has 3 lines" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sentence-threshold", "1.2"], "lattice-simp: --sentence-threshold 1.2: give a cosine between 0 and 1"),
        (["--language", "qq"], "lattice-simp: no rules for the language 'qq'"),
        (["--jobs", "2", "--dask", "local:1"], "lattice-simp: --dask and --jobs exclude each other"),
        (["--dask", "somewhere"], "lattice-simp: 'somewhere' is not a Dask cluster"),
    ],
)
def test_options_that_cannot_be(call, sides, tmp_path, options, message):
    done = call("corpus", "align", *sides, "--output", tmp_path / "out", "--quiet", *options)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x80\x00\xff\xfe binary \x00\n", "c:1: bytes that are not UTF-8 (convert"),
        (b'{"title": "A", "text": "b"}\n{"title": 1}\n', "c:2: has no title (each line is"),
        (b"{{ 7\n", "c:1: invalid JSON: Expecting property name enclosed in double quotes at column 2 (each"),
        (b"", "c: has no articles (each line is"),
    ],
)
def test_broken_input_is_one_line(call, sides, tmp_path, content, message):
    (tmp_path / "c").write_bytes(content)
    done = call("corpus", "align", *sides, "--output", tmp_path / "out", "--quiet")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(f"lattice-simp: {tmp_path}/{message}")
    assert not (tmp_path / "out" / "pairs.jsonl").exists()


def test_a_place_that_cannot_be_written_is_one_line(call, sides, tmp_path):
    done = call("corpus", "align", *sides, "--output", tmp_path / "no" / "folder", "--quiet")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "no/folder: cannot be created (create its parent folder" in done.stderr
