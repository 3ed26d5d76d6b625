"""The options of all commands: a name has one meaning, one type and one help text, and --help fits on a screen."""

from __future__ import annotations

import inspect
from collections import defaultdict
from types import NoneType, UnionType
from typing import Union, get_args, get_origin

import pytest
import typer

from lattice_simp import cli
from lattice_simp.commands.shared.options import HELP_ALL, SCREEN_LINES, StrategyName
from lattice_simp.translate.strategies import STRATEGIES

OTHER_HELP = {
    "--from": "`train` begins at a stage; elsewhere it is the input format",
    "--to": "`train` ends at a stage; elsewhere it is the output format",
    "--output": "a file, or a folder of files with fixed names",
}
"""Options with several help texts, and the reasons."""

OTHER_TYPE = {
    "--from": "names of lattice formats are checked by a parser; the other formats are few enough to list",
    "--to": "as --from",
    "--model": "a list where several models score together",
    "--output": "standard output is possible for text, not for folders and for files that are continued",
    "--mask-index": "`translate` takes `all`, too",
    "--scale": "`combine` takes one for each system",
    "--cost": "as --scale",
    "--method": "each command has methods of its own",
    "--metric": "each command has metrics of its own",
}
"""Options with several types, and the reasons."""


def apps(app, name):
    for group in app.registered_groups:
        yield from apps(group.typer_instance, f"{name} {group.name}" if isinstance(group.name, str) else name)
    for command in app.registered_commands:
        result = command.name or command.callback.__name__.replace("_", "-")
        yield (name if result == name or result == "combine" else f"{name} {result}"), command.callback


def options():
    """Yields command, name, help text and type of each option."""
    for program in cli.COMMANDS:
        for command, callback in apps(cli.command(program), program):
            for parameter in inspect.signature(callback).parameters.values():
                extras = getattr(parameter.annotation, "__metadata__", ())
                if extras and isinstance(extras[0], typer.models.OptionInfo):
                    kind = parameter.annotation.__origin__
                    if get_origin(kind) in (Union, UnionType):
                        (kind,) = (part for part in get_args(kind) if part is not NoneType)
                    declared = [*extras[0].param_decls] if extras[0].param_decls else []
                    if isinstance(extras[0].default, str):
                        declared.insert(0, extras[0].default)
                    names = [name.split("/")[0] for name in declared] or ["--" + parameter.name.replace("_", "-")]
                    yield command, max(names, key=len), tuple(sorted(names)), extras[0].help, kind


OPTIONS = list(options())


def differing(place):
    """Returns the names with several values in a column, by command."""
    values = defaultdict(lambda: defaultdict(list))
    for command, name, spellings, text, kind in OPTIONS:
        value = {"help": text.split(";")[0], "type": str(kind), "spelling": spellings}[place]
        values[name][value].append(command)
    return {name: dict(value) for name, value in values.items() if len(value) > 1}


def test_all_options_are_seen():
    assert len(OPTIONS) > 400
    assert {"-n", "--nbest"} in [set(spellings) for _, _, spellings, _, _ in OPTIONS]
    assert all(text for *_, text, _ in OPTIONS)


def test_all_strategies_can_be_chosen():
    assert get_args(StrategyName) == tuple(STRATEGIES)


@pytest.mark.parametrize(("place", "exceptions"), [("help", OTHER_HELP), ("type", OTHER_TYPE), ("spelling", {})])
def test_a_name_means_the_same_everywhere(place, exceptions):
    """Help texts are compared up to the semicolon, after which a command adds details."""
    result = differing(place)
    assert not {name: values for name, values in result.items() if name not in exceptions}
    assert not exceptions.keys() - result.keys(), "these are the same everywhere now"


COMMANDS = sorted({command for command, *_ in OPTIONS})


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_on_a_screen(capsys, monkeypatch, command):
    """The screen has 100 columns; --help-all describes the options that --help only names."""
    monkeypatch.setenv("COLUMNS", "100")

    def shown(flag):
        with pytest.raises(SystemExit) as ended:
            cli.main([*command.split(), flag])
        assert ended.value.code == 0
        return capsys.readouterr().out

    brief, full = shown("--help"), shown(HELP_ALL)
    assert brief.count("\n") <= SCREEN_LINES
    assert max(map(len, brief.splitlines())) <= 100
    for other, name, _, text, _ in OPTIONS:
        if other == command:
            assert name in brief
            assert "".join(text.split()) in "".join(full.split())  # lines may break after hyphens
