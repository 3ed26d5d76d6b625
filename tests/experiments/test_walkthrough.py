"""The walk-through's page and drawings are what its program writes."""

from __future__ import annotations

from pathlib import Path

import pytest

import experiments.walkthrough
from experiments.walkthrough.__main__ import main

KEPT = Path(experiments.walkthrough.__file__).parent


@pytest.mark.slow
def test_the_page_is_up_to_date(tmp_path, capsys):
    main([str(tmp_path)])
    assert "4 drawings" in capsys.readouterr().out
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == sorted(path.name for path in KEPT.iterdir() if path.suffix in (".md", ".svg"))
    for name in written:
        assert (tmp_path / name).read_text(encoding="utf-8") == (KEPT / name).read_text(encoding="utf-8"), name


def test_an_unknown_sentence_is_one_line(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--sentence", "demo.x"])
    assert "there is no sentence 'demo.x'; there are demo.0" in capsys.readouterr().err
