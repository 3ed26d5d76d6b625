"""Fixtures of the tests of parallel corpora."""

from __future__ import annotations

from functools import cache

import pytest

from lattice_simp.systems.corpus.sentences import Splitter

loaded_rules = cache(Splitter._pipeline.func)
"""Loads spaCy's rules for a language once; loading them takes longer than the rest of a small run."""


@pytest.fixture(autouse=True)
def shared_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares spaCy's rules among all splitters of a language."""
    monkeypatch.setattr(Splitter, "_pipeline", property(loaded_rules))
