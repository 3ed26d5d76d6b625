"""The table of commands."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from test_docs import check_command

from lattice_simp import __version__
from lattice_simp.cli import COMMANDS, GROUPS, command, main, whole_app


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code, *capsys.readouterr()


def test_help_and_version(capsys):
    for flag in ("--help", "-h"):
        code, out, _ = run(capsys, flag)
        assert code == 0
        assert all(name in out for name in COMMANDS)
    assert run(capsys) == (2, out, "")
    assert run(capsys, "--version") == (0, f"lattice-simp {__version__}\n", "")


@pytest.mark.parametrize("group", ["lattice", "skeleton annotation"])
def test_a_group_without_a_command_shows_its_help(capsys, group):
    code, out, err = run(capsys, *group.split())
    assert (code, out) == (2, "")
    assert err.startswith(f"Usage: lattice-simp {group} ")
    assert "Commands:" in err


def test_every_command_shows_its_help(capsys):
    for name in COMMANDS:
        for flag in ("--help", "-h"):
            code, out, _ = run(capsys, name, flag)
            assert code == 0
            assert f"lattice-simp {name}" in out


@pytest.mark.parametrize("command", ["lattice mbr", "tune nbest", "evaluate", "rescore nbest", "serve"])
def test_the_help_names_kinds_of_values_without_python(capsys, command):
    _, out, _ = run(capsys, *command.split(), "--help-all")
    kinds = set(re.findall(r"--[a-z-]+ (<[^>|]*>)", out))
    assert kinds <= {"<int>", "<float>", "<str>", "<path>"}
    assert len(kinds) >= 2


def test_the_help_groups_the_commands_by_task_on_one_screen(capsys):
    _, out, _ = run(capsys, "--help")
    titles = [line for line in out.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert len(titles) == len(GROUPS)
    assert len(out.splitlines()) <= 40
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("example", [example for _, example in GROUPS])
def test_examples_of_the_help_are_commands_that_exist(example):
    check_command(f"lattice-simp {example}")


def test_misspelt_commands_are_distinguished_from_others(capsys):
    assert run(capsys, "translte") == (2, "", "lattice-simp: 'translte' is not a command (did you mean 'translate'?)\n")
    message = "lattice-simp: 'mbr' is not a command (did you mean 'lattice mbr' or 'tune mbr'?)\n"
    assert run(capsys, "mbr") == (2, "", message)
    assert run(capsys, "xyz") == (2, "", "lattice-simp: 'xyz' is not a command (lattice-simp --help lists them)\n")


def test_text_in_place_of_a_configuration(capsys):
    assert "(the YAML file names all other files; run it" in run(capsys, "train", "a.en", "a.de")[2]


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        ("lattice lm --lm x", "--model"),
        ("combine --model x", "--lm"),
        ("lattice lm -lm x", "--model"),
        ("lattice nbest --threads 2", "--jobs"),
        ("lattice nbest --acoustic-scale 1", "--scales"),
        ("evaluate --refs x", "--reference"),
        ("lattice prune --bean 1", "--beam"),
    ],
)
def test_unknown_options_suggest_those_with_the_same_meaning(capsys, arguments, suggestion):
    code, _, err = run(capsys, *arguments.split())
    assert (code, re.findall(r"options: ([^)]*)\)", err)) == (2, [suggestion])


@pytest.mark.parametrize(
    ("arguments", "message", "name"),
    [
        ("combine -lm x", "No such option: -lm", "lm"),
        ("lattice nbest a -nbest 5", "Invalid value for '--nbest'", "nbest"),
        ("lattice nbest a -jobs=2", "No such option: -jobs", "jobs"),
        ("lattice prune a -output b", "Got unexpected extra argument", "output"),
    ],
)
def test_long_options_with_one_dash(capsys, arguments, message, name):
    code, _, err = run(capsys, *arguments.split())
    assert code == 2
    assert err.startswith(f"lattice-simp: {message}")
    assert f"(write --{name}, with two dashes; run it with --help for usage)" in err


def test_the_shell_completes_all_commands():
    names = {command.name or command.callback.__name__ for command in whole_app().registered_commands}
    names |= {group.name for group in whole_app().registered_groups}
    assert names == set(COMMANDS)
    assert command("lattice").registered_commands


@pytest.mark.parametrize(
    ("command", "panels"),
    [
        (
            "translate",
            [
                "Arguments",
                "Options",
                *"Input Output Running Search Skeletons".split(),
                "Exact search",
                "Minimum Bayes risk",
            ],
        ),
        ("evaluate", ["Arguments", "Options", "Input", "Metrics", "Significance", "Break-downs"]),
    ],
)
def test_many_options_are_listed_by_what_they_are_for(capsys, command, panels):
    _, out, _ = run(capsys, command, "--help-all")
    shown = re.findall(r"^(\S.*):$", out, re.MULTILINE)
    assert (shown[:2], sorted(shown)) == (panels[:2], sorted(panels))
    assert out.count("\n  -h, --help ") == 1


def test_help_imports_neither_numpy_nor_typer():
    code = (
        "import sys; from lattice_simp.cli import usage; usage(); print({'numpy', 'typer', 'rich'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_programs_end_without_a_search_for_cycles():
    code = (
        "import atexit, gc, sys; from lattice_simp.__main__ import main; sys.argv[1:] = ['--version'];"
        "atexit.register(lambda: print(gc.get_freeze_count() > 1000, gc.get_threshold()[0])); main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1:] == ["True 100000"]
