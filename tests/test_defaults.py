"""The defaults and bounds of all settings and options, on which users' results depend. `defaults.tsv` lists them; after
an intended change, rewrite the table: `python tests/test_defaults.py`.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

import lattice_simp
from lattice_simp.cli import whole_app
from lattice_simp.errors import MissingExtraError

TABLE = Path(__file__).with_name("defaults.tsv")

SETTINGS = ("Settings", "Options", "Limits", "Search", "Pruning", "Bound", "Costs", "Test", "Request")
"""The endings of names of settings classes, apart from the sections of configuration files."""

Row = tuple[str, str, str, str]


def rows() -> Iterator[Row]:
    """Yields the owner, the name, the default and the bounds of each setting and option."""
    for module in pkgutil.walk_packages(lattice_simp.__path__, "lattice_simp."):
        if ".grammars" not in module.name and not module.name.endswith("__main__"):
            try:
                members = vars(importlib.import_module(module.name))
            except (ImportError, MissingExtraError):  # an extra is not installed
                continue
            for kind in members.values():
                if isinstance(kind, type) and kind.__module__ == module.name:
                    yield from settings_of(kind)
    yield from options_of("lattice-simp", typer.main.get_command(whole_app()))


def settings_of(kind: Any) -> Iterator[Row]:
    owner = f"{kind.__module__}.{kind.__qualname__}"
    if hasattr(kind, "model_fields"):
        for name, field in kind.model_fields.items():
            if not field.is_required():
                default = field.get_default(call_default_factory=True)
                yield owner, name, shown(default), " ".join(sorted(map(repr, field.metadata)))
    elif dataclasses.is_dataclass(kind) and kind.__name__.endswith(SETTINGS) and not kind.__name__.startswith("_"):
        for field in dataclasses.fields(kind):
            if field.default is not dataclasses.MISSING:
                yield owner, field.name, shown(field.default), ""


def options_of(owner: str, command: Any) -> Iterator[Row]:
    for name, entry in getattr(command, "commands", {}).items():
        yield from options_of(f"{owner} {name}", entry)
    for param in command.params:
        if param.name != "help":
            limits = {name: getattr(getattr(param, "type", param), name, None) for name in ("min", "max")}
            bounds = " ".join(f"{name}={value}" for name, value in limits.items() if value is not None)
            yield owner, param.opts[0], str(param.default), bounds


def shown(value: Any) -> str:
    """Returns a value in one line that does not depend on the run."""
    if inspect.isroutine(value):
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, frozenset | set):
        return repr(sorted(value))
    return repr(value)


def table() -> list[Row]:
    return sorted(set(rows()))


def test_defaults_and_bounds_are_those_of_the_table():
    """New settings may be missing in the table until it is rewritten."""
    known = {tuple(line.split("\t")) for line in TABLE.read_text("utf-8").splitlines()}
    result = set(table())
    owners = {owner for owner, *_ in result}  # those of extras that are not installed are missing
    changed = sorted(row for row in known - result if row[0] in owners)
    assert not changed, "if these are meant to change or to go, run `python tests/test_defaults.py`"
    assert len(known & result) > 400


if __name__ == "__main__":
    TABLE.write_text("".join("\t".join(row) + "\n" for row in table()), encoding="utf-8")
