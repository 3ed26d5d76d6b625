"""The demo's grammar, built once."""

from __future__ import annotations

import pytest

from lattice_simp.grammars.demo.relation import Relation


@pytest.fixture(scope="session")
def relation():
    return Relation.build()
