"""The promises of CONTRIBUTING.md: one new entry of a table, or one field, takes effect everywhere."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import typer
from tiny_decoder import tiny_decoder
from typer.testing import CliRunner

import lattice_simp as ls
from lattice_simp.commands.shared.settings_options import setting_options, takes_settings
from lattice_simp.formats import FORMATS
from lattice_simp.metrics.metrics import METRICS
from lattice_simp.rescore.table import SCORERS
from lattice_simp.skeleton.automatic.methods import METHODS
from lattice_simp.support.options import option
from lattice_simp.translate.result import Translation
from lattice_simp.translate.settings import DecoderSettings
from lattice_simp.translate.strategies import STRATEGIES, Strategy

ROOT = Path(__file__).parents[1]


def help_of(*command):
    """Returns the help of a command without line breaks and frames."""
    program = [sys.executable, "-m", "lattice_simp", *command, "--help-all"]
    done = subprocess.run(program, capture_output=True, text=True, check=True, env={"COLUMNS": "400", "TERM": "dumb"})
    return re.sub(r"[\s│]+", " ", re.sub(r"(?<=\w)-\s*\n\s*", "-", done.stdout))  # lines break after hyphens, too


def test_a_strategy_is_one_entry(monkeypatch):
    def without_models(decoder, task):
        return Translation(task.words, "rules", decoder.rules_lattice(task.words), decoder.grammar)

    monkeypatch.setitem(STRATEGIES, "rules", Strategy(without_models, (), "the rules alone"))
    decoder = tiny_decoder()
    result = decoder.translate("das haus", strategy="rules")
    assert result.best.cost == ls.shortest_path(decoder.rules_lattice("das haus")).cost
    with pytest.raises(ls.LatticeSimpError, match="known are plain, gappy, skeleton-first, rules"):
        decoder.translate("das haus", strategy="rule")


@dataclasses.dataclass(frozen=True)
class Nested:
    depth: int = option(2, "nested-depth", "how deep")


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings with a new option, and nested ones that may be missing."""

    new: float = option(0.5, "new-option", "a number")
    nested: Nested | None = option(None, "nested", "whether")


def test_a_decoder_option_is_one_field():
    app = typer.Typer()
    seen = []

    @app.command()
    @takes_settings(Settings)
    def command(name: str, settings: object = None) -> None:
        seen.append((name, settings))

    for arguments, expected in (
        ([], {}),
        (["--new-option", "2.5"], {"new": 2.5}),
        (["--nested"], {"nested": {}}),
        (["--no-nested"], {"nested": None}),
        (["--nested-depth", "7", "--new-option", "1"], {"nested": {"depth": 7}, "new": 1.0}),
    ):
        done = CliRunner().invoke(app, ["x", *arguments])
        assert (done.exit_code, seen.pop()) == (0, ("x", expected)), (arguments, done.output)


def test_translate_offers_every_option_that_a_field_declares():
    text = help_of("translate")
    for declared in setting_options(DecoderSettings):
        assert f"--{declared.flag}" in text, declared.flag
        assert declared.help in text, declared.flag
        if isinstance(declared.default, float):
            assert f"; default: {declared.default:g}" in text, declared.flag


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "names"),
    [
        (("translate",), STRATEGIES),
        (("lattice", "convert"), FORMATS),
        (("evaluate",), METRICS),
        (("skeleton", "make"), METHODS),
        (("rescore", "train"), [name for name, kind in SCORERS.items() if kind.train]),
    ],
    ids=["strategies", "formats", "metrics", "skeletons", "scorers"],
)
def test_the_command_line_has_its_choices_from_the_tables(command, names):
    text = help_of(*command)
    for name in names:
        assert name in text, name


def test_a_feature_of_a_lattice_is_one_column():
    lattice = ls.Lattice.from_strings([("a b", 1.0), ("c", 2.0)])
    lengths = lattice.with_feature("Length", -(lattice.olabels != 0).astype(np.float64))
    assert [path.features["Length"] for path in ls.nbest(lengths, 2)] == [-2.0, -1.0]
    acceptor = ls.gappy_acceptor([("b", 0.5)])
    assert [path.features["Length"] for path in ls.nbest(ls.compose_gappy(lengths, acceptor), 2)] == [-2.0]


def test_the_files_that_contributing_names_are_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for line in ("formats/__init__.py", "engines.py", "rescore/table.py", "metrics/metrics.py"):
        assert line in text
        assert (ROOT / "lattice_simp" / line).is_file()
    assert (ROOT / "lattice_simp" / "translate" / "strategies" / "__init__.py").is_file()
    assert (ROOT / "lattice_simp" / "skeleton" / "automatic" / "methods.py").is_file()
