"""Parses of the sentences in this folder's tables, made once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from simplify_cases import SOURCES

from lattice_simp.errors import MissingExtraError
from lattice_simp.skeleton.automatic import Parse, parse_sentences


@pytest.fixture(scope="session")
def parsed() -> Callable[[str], Parse]:
    """Parses a sentence; those of the tables come from one batch."""
    try:
        known = dict(zip(SOURCES, parse_sentences([sentence.split() for sentence in SOURCES]), strict=True))
    except MissingExtraError as error:
        pytest.skip(str(error))

    def parse(sentence: str) -> Parse:
        if sentence not in known:
            known[sentence] = next(parse_sentences([sentence.split()]))
        return known[sentence]

    return parse
