"""Training with CRFsuite, and model files that are broken."""

from __future__ import annotations

import resource
import sys

import pytest

from lattice_simp.errors import FormatError, LatticeSimpError, MissingExtraError
from lattice_simp.support.crfsuite import open_tagger, train_tagger

DATA = [([[b"one"], [b"two"]], ["A", "B"])] * 3


def load(path):
    return open_tagger(path, extra_name="hindi", remedy="train it again")


@pytest.mark.parametrize("algorithm", ["lbfgs", "ap"])
def test_a_model_learns_and_is_the_same_each_time(tmp_path, algorithm):
    pytest.importorskip("pycrfsuite")
    paths = [tmp_path / name for name in ("one", "two")]
    assert [train_tagger(path, DATA, {}, extra_name="hindi", algorithm=algorithm) for path in paths] == [3, 3]
    assert load(paths[0]).tag([[b"one"], [b"two"]]) == ["A", "B"]
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_broken_models(tmp_path):
    pytest.importorskip("pycrfsuite")
    path = tmp_path / "m.crfsuite"
    train_tagger(path, DATA, {}, extra_name="hindi")
    whole = path.read_bytes()
    for content in (b"", b"nothing", whole[:-1], whole + b"x"):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=r"m\.crfsuite: not a CRFsuite model, or a damaged one \(train"):
            load(path)


@pytest.mark.parametrize(
    ("examples", "message"),
    [([], "no examples"), ([([[b"x"], [b"y"]], ["A", "A"])], "1 examples with 1 labels; training needs at least 2")],
)
def test_nothing_to_learn(tmp_path, examples, message):
    pytest.importorskip("pycrfsuite")
    with pytest.raises(LatticeSimpError, match=message):
        train_tagger(tmp_path / "m", examples, {}, extra_name="hindi")


def test_a_full_disk_leaves_the_model_that_was_there(tmp_path):
    path, before = tmp_path / "model", resource.getrlimit(resource.RLIMIT_FSIZE)
    path.write_bytes(b"old")
    examples = [([[f"a{number}"] for number in range(200)], ["x", "y"] * 100)]
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, before[1]))
    try:
        with pytest.raises(LatticeSimpError, match="model: cannot be written completely"):
            train_tagger(path, examples, {}, extra_name="skeletons")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_without_the_library(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pycrfsuite", None)
    with pytest.raises(MissingExtraError, match=r"pycrfsuite is missing; pip install 'lattice-simp\[hindi\]'"):
        train_tagger(tmp_path / "m", DATA, {}, extra_name="hindi")
    with pytest.raises(MissingExtraError, match=r"lattice-simp\[skeletons\]"):
        open_tagger(tmp_path / "m", extra_name="skeletons", remedy="")
