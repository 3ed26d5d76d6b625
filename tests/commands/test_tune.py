"""`lattice-simp tune` and `lattice-simp text`."""

from __future__ import annotations

import json
import shutil

import pytest

from lattice_simp import Decoder
from lattice_simp.translate.model_files import WEIGHTS, read_weights, write_weights

REFERENCE = "das haus wurde gestern gebaut .\n"
SOURCE = "the house was built yesterday .\n"


@pytest.fixture
def own_model(model, tmp_path):
    folder = shutil.copytree(model, tmp_path / "model")
    write_weights(folder / WEIGHTS, {**read_weights(folder / WEIGHTS), "LM": 0.01})
    return folder


@pytest.fixture
def files(tmp_path):
    (tmp_path / "dev.en").write_text(SOURCE * 2, encoding="utf-8")
    (tmp_path / "dev.de").write_text(REFERENCE * 2, encoding="utf-8")
    return ("--source", tmp_path / "dev.en", "--reference", tmp_path / "dev.de")


def test_tuned_weights_are_no_worse(call, own_model, files, tmp_path):
    done = call("tune", "weights", own_model, *files, "--rounds", 1, "--restarts", 0, "--output", tmp_path / "w.tsv")
    assert done.returncode == 0, done.stderr
    assert set(read_weights(tmp_path / "w.tsv")) == set(read_weights(own_model / WEIGHTS))
    assert "before" in done.stderr


def test_the_grid_is_printed_and_the_best_point_written(call, own_model, files):
    done = call("tune", "mbr", own_model, *files, "--max-arcs", 50, "--write")
    assert done.returncode == 0, done.stderr
    header, *rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert header == ["scale", "precision", "ratio", "BLEU"]
    scores = [float(row[3]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    best = json.loads((own_model / "settings.json").read_text("utf-8"))["mbr"]
    assert [str(best[name]) for name in header[:3]] == rows[0][:3]
    assert Decoder.load(own_model).settings.mbr is not None


def test_lattices_of_other_decoders_are_tuned(call, tmp_path):
    (tmp_path / "1.txt").write_text("0 1 a x:1\n0 1 b y:1\n1\n", encoding="utf-8")
    (tmp_path / "refs").write_text("b\n", encoding="utf-8")
    write_weights(tmp_path / "start.tsv", {"x": 0.5, "y": 1.0})
    arguments = (tmp_path / "1.txt", "--reference", tmp_path / "refs", "--weights", tmp_path / "start.tsv")
    done = call("tune", "lattices", *arguments, "--output", tmp_path / "w.tsv")
    assert done.returncode == 0, done.stderr
    assert set(read_weights(tmp_path / "w.tsv")) == {"x", "y"}


def test_nbest_lists_are_tuned(call, tmp_path):
    (tmp_path / "nbest").write_text("0 ||| a ||| x= 1 0 ||| 0\n0 ||| b ||| x= 0 1 ||| 0\n", encoding="utf-8")
    (tmp_path / "refs").write_text("b\n", encoding="utf-8")
    write_weights(tmp_path / "start.tsv", {"x_0": 1.0, "x_1": 0.5})
    arguments = (tmp_path / "nbest", "--reference", tmp_path / "refs", "--weights", tmp_path / "start.tsv")
    done = call("tune", "nbest", *arguments, "--output", tmp_path / "w.tsv")
    assert done.returncode == 0, done.stderr
    assert set(read_weights(tmp_path / "w.tsv")) == {"x_0", "x_1"}
    (tmp_path / "nbest").write_text((tmp_path / "nbest").read_text().replace("0 |||", "1 |||"))
    assert "1 lines for the 2 of" in call("tune", "nbest", *arguments, "--output", tmp_path / "w.tsv").stderr
    assert call("tune", "nbest", *arguments, "--output", tmp_path / "w.tsv", "--first-id", 1).returncode == 0
    write_weights(tmp_path / "start.tsv", {"x_0": 1.0})
    refused = call("tune", "nbest", *arguments, "--output", tmp_path / "w.tsv").stderr
    assert f"{tmp_path / 'nbest'}: the feature 'x_1' is not in {tmp_path / 'start.tsv'} (add a line with" in refused


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("--strategy", "gappy"), "needs --skeletons"),
        (("--strategy", "best"), "unknown strategy"),
        (("--reference", "short"), "1 lines for the 2 of"),
    ],
)
def test_what_makes_no_sense_is_one_line(call, own_model, files, tmp_path, change, message):
    (tmp_path / "short").write_text(REFERENCE, encoding="utf-8")
    change = tuple(tmp_path / part if part == "short" else part for part in change)
    done = call("tune", "weights", own_model, *files, *change, "--output", tmp_path / "w.tsv")
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_text_to_tokens_and_back(call, model, tmp_path):
    folder = shutil.copytree(model, tmp_path / "model")
    text = {"source_language": "en", "target_language": "de", "case": "true"}
    (folder / "text.json").write_text(json.dumps(text), encoding="utf-8")
    for side in ("source", "target"):
        (folder / f"casing.{side}.txt").write_text("the\n", encoding="utf-8")
    tokens = call("text", "tokenise", folder, stdin="The house, he said.\n")
    assert tokens.stdout == "the house , he said .\n"
    back = call("text", "detokenise", folder, "--side", "source", stdin=tokens.stdout)
    assert back.stdout == "The house, he said.\n"


def test_a_model_without_text_settings_is_told(call, model):
    done = call("text", "tokenise", model, stdin="a\n")
    assert done.returncode == 2
    assert "text.json" in done.stderr
