"""Closed or full standard streams: the status shows whether the output was written, and no work is lost."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.commands.test_faults import COMMANDS, arguments

FULL_OUTPUT = "<stdout>: cannot be written: No space left on device (free some space or choose another place)"
CLOSED_OUTPUT = "lattice-simp: standard output is closed; redirect it to a file or a pipe\n"


@pytest.fixture
def shell(program, tmp_path):
    """Runs a command line with redirections that only a shell offers."""

    def run(words, redirections, **options):
        words = [str(program.path), *map(str, words)]
        line = ["bash", "-c", f'"$@" {redirections}', "bash", *words]
        return subprocess.run(line, capture_output=True, text=True, check=False, cwd=tmp_path, **options)

    return run


def words_of(name, folder, model):
    return [*name.split(), *arguments(COMMANDS[name], folder, model)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lattice nbest", "lattice info", "evaluate"])
def test_an_output_that_cannot_be_written_is_an_error(shell, tmp_path, model, name):
    words = words_of(name, tmp_path, model)
    words = words[: words.index("--output")] if "--output" in words else words
    for redirections, message in ((">&-", "is closed"), ("> /dev/full", FULL_OUTPUT), ("< /dev/null 1<&0", "")):
        done = shell(words, redirections)
        assert done.returncode == 2, (redirections, done)
        assert message in done.stderr
        assert done.stderr.count("\n") == 1, done.stderr  # Python adds nothing at exit
    assert shell(words, ">&- 2>&-").returncode == 2


@pytest.mark.parametrize("words", [["--help"], ["lattice", "--help"], ["--version"]])
def test_help_that_nobody_gets_is_an_error(shell, words):
    for redirection, message in ((">&-", CLOSED_OUTPUT), ("> /dev/full", f"lattice-simp: {FULL_OUTPUT}\n")):
        done = shell(words, redirection)
        assert (done.returncode, done.stderr) == (2, message)


@pytest.mark.parametrize(
    "redirections",
    [
        ">&- 2>&- <&-",
        "> /dev/full 2>&-",
        *(pytest.param(each, marks=pytest.mark.slow) for each in (">&-", "2>&-", "<&-", "2> /dev/full")),
    ],
)
def test_a_file_is_the_same_whatever_streams_are_closed(shell, tmp_path, model, redirections):
    """No file gets the number of a stream, so no messages end up in it."""
    words = ["lattice", "convert", *arguments("IN OUT.att", tmp_path, model)]  # tells that features are lost
    assert shell(words, "").stderr
    written = (tmp_path / "out.att").read_bytes()
    (tmp_path / "out.att").unlink()
    done = shell(words, redirections)
    assert done.returncode == 0, done
    assert (tmp_path / "out.att").read_bytes() == written
    assert not done.stdout


@pytest.mark.slow
def test_messages_that_nobody_gets_leave_the_output_as_it_is(shell, tmp_path, model):
    words = words_of("lattice confidence", tmp_path, model)
    words = words[: words.index("--output")]
    usual = shell(words, "")
    for redirections in ("2>&-", "2> /dev/full"):
        done = shell(words, redirections)
        assert (done.returncode, done.stdout) == (usual.returncode, usual.stdout)
    for redirections in ("2>&-", "2> /dev/full", ">&- 2>&-"):
        assert shell(["lattice", "info", "missing"], redirections).returncode == 2


def test_a_closed_input_is_reported_by_its_reader(shell, tmp_path, model):
    done = shell(["lattice", "info", "-"], "<&-")
    assert (done.returncode, done.stderr) == (2, "lattice-simp: -: standard input is closed (name a file)\n")
    done = shell(["translate", model], "<&-")
    assert done.returncode == 2
    assert "standard input is closed" in done.stderr
    done = shell(["text", "tokenise", *arguments("TOKENS", tmp_path, model)], "<&-")
    assert done.returncode == 2
    assert "standard input is closed" in done.stderr


@pytest.mark.slow
def test_a_translation_with_closed_streams_is_there(shell, tmp_path, model):
    """Its workers inherit the streams."""
    words = words_of("translate", tmp_path, model)
    done = shell(words, ">&- 2>&- <&-")
    assert done.returncode == 0
    assert (tmp_path / "out.txt").read_text() == "das haus\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_with_closed_streams(shell, tmp_path, model, name):
    words = words_of(name, tmp_path, model)
    usual = shell(words, "")
    files = {path.name: path.read_bytes() for path in tmp_path.glob("out*")}
    for redirections in ("2>&-", "<&-", ">&-"):
        for path in tmp_path.glob("out*"):
            path.unlink()
        done = shell(words, redirections)
        if redirections == ">&-" and usual.stdout:
            assert done.returncode == 2, done
            assert CLOSED_OUTPUT in done.stderr
        else:
            assert done.returncode == usual.returncode, (redirections, done)
            assert done.stdout == usual.stdout
        assert "Traceback" not in done.stderr, (redirections, done.stderr)
        assert {path.name: path.read_bytes() for path in tmp_path.glob("out*")} == files, redirections


def test_a_message_is_out_at_the_end_of_its_line():
    """Even if the process ends without flushing its buffers."""
    code = "import os, sys; from lattice_simp.support.streams import mend_streams; mend_streams(); "
    code += "print('a line', file=sys.stderr); os._exit(3)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (3, "a line\n")
