"""The table of methods: the command offers what is in it, and knows what each needs."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from lattice_simp.commands.skeleton import app
from lattice_simp.skeleton.automatic import METHODS, Parse, Request


def test_the_command_offers_what_the_table_has():
    done = CliRunner().invoke(app, ["make", "a", "b", "--method", "no such"])
    assert done.exit_code == 2
    assert all(f"'{name}'" in done.output for name in METHODS)


@pytest.mark.parametrize("name", METHODS)
def test_what_methods_ask_for_are_fields_of_a_request(name):
    assert METHODS[name].needs | METHODS[name].takes <= set(Request.__dataclass_fields__)


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if not method.needs])
def test_methods_without_needs_make_skeletons(name):
    parse = Parse(
        ("it", "rained", "hard", "."),
        (1, -1, 1, 1),
        ("nsubj", "ROOT", "advmod", "punct"),
        ("PRON", "VERB", "ADV", "PUNCT"),
        ("PRP", "VBD", "RB", "."),
        ("it", "rain", "hard", "."),
    )
    assert [str(entry) for entry in METHODS[name].make(parse, Request(0.75))] == ["it rained [[hard]] ."]
