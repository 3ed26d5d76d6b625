"""Times of words and names of utterances in n-best lists: to lattices, CTM and archives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import lattice_simp as ls
from lattice_simp.errors import InputWarning

WORDS = [{"word": "a", "start": 0.5, "end": 0.8}, {"word": "cat", "start": 1.0, "end": 1.5}]


def test_from_json_to_ctm_slf_and_archives(call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Alternatives without times get estimates; names become those of members."""
    monkeypatch.chdir(tmp_path)
    first = {"transcript": "a cat", "words": WORDS}
    rows = [
        {"custom_id": "u-1", "results": [{"alternatives": [first, {"transcript": "the old cat"}]}]},
        {"custom_id": "u-2", "results": [{"alternatives": [first]}]},
    ]
    Path("x.json").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    with pytest.warns(InputWarning, match="x.json:1: 1 alternative without times gets those of the first"):
        done = call("lattice", "ctm", "x.json")
    assert done.stdout.splitlines() == [
        "u-1 1 0.500 0.300 a 0.5000",
        "u-1 1 1.000 0.500 cat 1.0000",
        "u-2 1 0.500 0.300 a 1.0000",
        "u-2 1 1.000 0.500 cat 1.0000",
    ]
    assert call("lattice", "convert", "x.json", "x.lats").returncode == 0
    assert [line for line in Path("x.lats").read_text().splitlines() if line.startswith("u")] == ["u-1 ", "u-2 "]
    assert call("lattice", "convert", "x.json", "x.slf", "--id", "u-2").returncode == 0
    assert "UTTERANCE=u-2\n" in Path("x.slf").read_text()
    assert call("lattice", "ctm", "x.slf").stdout.splitlines() == done.stdout.splitlines()[2:]
    pruned = call("lattice", "prune", "x.json", "--beam", "9", "--output", "x.jsonl")
    assert pruned.returncode == 0, pruned.stderr
    assert call("lattice", "ctm", "x.jsonl").stdout == done.stdout
    done = call("lattice", "prune", "x.json", "--beam", "9")
    assert "Moses' format cannot store the names of sentences and the times of words" in done.stderr


def test_names_of_sentences(call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """References are matched by name, and names that occur twice differ."""
    monkeypatch.chdir(tmp_path)
    rows = [{"audio_filepath": f"wav/{name}.wav", "pred_text": text} for name, text in zip("bab", "xyz", strict=True)]
    Path("x.json").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    with pytest.warns(InputWarning, match="the name b again; it becomes b-2"):
        assert [name for name, _ in ls.read_all("x.json")] == ["b", "a", "b-2"]
    Path("x.json").write_text("".join(f"{json.dumps(row)}\n" for row in rows[:2]), encoding="utf-8")
    Path("ref").write_text("a y\nb x\n")
    done = call("lattice", "oracle", "x.json", "--reference", "ref")
    assert "oracle WER\t0.00" in done.stdout, done.stderr
    done = call("lattice", "texts", "x.json")
    assert (done.stdout, "text cannot store the names of sentences; to keep them" in done.stderr) == ("x\ny\n", True), (
        done.stderr
    )
    done = call("lattice", "info", "x.json")
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["name", "b", "a"]


def test_a_single_list_goes_to_a_folder(call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its file has the name of the sentence, or of the list."""
    monkeypatch.chdir(tmp_path)
    Path("x.json").write_text(json.dumps({"text": "a cat", "words": WORDS}), encoding="utf-8")
    Path("y.json").write_text(json.dumps({"utt": "u-1", "text": "a cat", "words": WORDS}), encoding="utf-8")
    for name, file in (("x.json", "0.slf"), ("y.json", "u-1.slf")):
        for command in (("confusion", "--to", "slf"), ("posteriors",)):
            folder = f"{name}.{command[0]}/"
            done = call("lattice", command[0], name, *command[1:], "--output", folder)
            assert (done.returncode, [path.name for path in Path(folder).iterdir()]) == (0, [file]), done.stderr
    done = call("lattice", "nbest", "y.json.confusion", "--moses")
    assert "Moses' format cannot store the names of sentences and the times of words; to keep them" in done.stderr
    done = call("lattice", "nbest", "y.json.confusion", "--output", "z.jsonl")
    assert (done.stderr, json.loads(Path("z.jsonl").read_text())["name"]) == ("", "u-1")


def test_a_folder_of_lists(call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentences have the names of their files; a broken list is left out."""
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    row = json.dumps({"text": "a cat", "words": WORDS})
    for name, text in (("a.json", row), ("b.json", f"{row}\n{row}\n"), ("c.json", row.replace("0.5", "x"))):
        Path("in", name).write_text(text, encoding="utf-8")
    ls.write(ls.Lattice.from_strings("a dog"), "in/d.fst")
    done = call("lattice", "nbest", "in")
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["a", "b-0", "b-1", "d"]
    assert (done.returncode, "in: c: in/c.json:1: invalid JSON" in done.stderr) == (1, True), done.stderr
    Path("in/c.json").unlink()
    Path("in/d.fst").unlink()
    assert call("lattice", "ctm", "in").stdout.splitlines()[::2] == [
        f"{name} 1 0.500 0.300 a 1.0000" for name in ("a", "b-0", "b-1")
    ]
