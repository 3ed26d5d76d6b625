"""The settings of a neural training run: valid YAML files."""

from __future__ import annotations

import pytest

from lattice_simp.errors import FormatError
from lattice_simp.rescore.neural.settings import read_settings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("source: a\ntarget: b\n", "output is missing"),
        ("source: a\ntarget: b\noutput: c\nwidht: 3\n", "unknown field widht .did you mean width"),
        ("source: a\ntarget: b\noutput: c\nwidth: big\n", "width: Input should be a valid integer"),
        ("source: a\ntarget: b\noutput: c\nwidth: 30\nheads: 4\n", "width 30 for 4 heads"),
        ("source: a\ntarget: b\noutput: c\nupdates: 0\n", "updates: Input should be greater than 0"),
        ("source: a\ntarget: b\noutput: c\nschedule: linear\n", "schedule: Input should be 'inverse-sqrt' or 'cosine'"),
        ("source: a\ntarget: b\noutput: c\ndropout: 1.5\n", "dropout: Input should be less than 1"),
        ("source: a\ntarget: b\noutput: c\ndevelopment_source: d\n", "give both development_source"),
        ("- a\n", "holds no fields"),
        ("a: [\n", "invalid YAML"),
    ],
)
def test_broken_configs(tmp_path, text, message):
    (tmp_path / "c.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        read_settings(tmp_path / "c.yaml")


def test_configs(tmp_path):
    (tmp_path / "c.yaml").write_text("source: a\ntarget: b\noutput: c\nlearning_rate: 1e-3\n", encoding="utf-8")
    settings = read_settings(tmp_path / "c.yaml", ["updates=7"])
    assert (settings.updates, settings.learning_rate, settings.source) == (7, 1e-3, str(tmp_path / "a"))
    with pytest.raises(FormatError, match="not name=value"):
        read_settings(tmp_path / "c.yaml", ["updates"])
