"""The examples in the docstrings of the experiments."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import experiments

FOLDER = Path(experiments.__file__).parent
MODULES = sorted(
    "experiments." + ".".join(path.relative_to(FOLDER).with_suffix("").parts)
    for path in FOLDER.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.slow
def test_examples_print_what_they_say():
    assert len(MODULES) > 20
    for name in MODULES:
        done = doctest.testmod(import_module(name))
        assert done.attempted, name
        assert not done.failed, name
