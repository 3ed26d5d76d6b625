"""Lets the tests import the grammar, which is source beside the package and no part of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from grammars.demo.relation import Relation


@pytest.fixture(scope="session")
def relation():
    return Relation.build()
