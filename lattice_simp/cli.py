"""The command line: a table of commands, each in a module of `commands/` that is imported when it is called."""

from __future__ import annotations

import errno
import importlib
import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from lattice_simp import __version__
from lattice_simp.errors import EmptyLatticeError, InputWarning, LatticeSimpError
from lattice_simp.support.exit_status import BAD_INPUT, BROKEN_PIPE, FAILED, INTERRUPTED
from lattice_simp.support.extras import missing_extra
from lattice_simp.support.interrupts import kernels_interruptible
from lattice_simp.support.streams import drop_output

if TYPE_CHECKING:
    import typer

PROGRAM = "lattice-simp"

GROUPS = {
    ("Lattices and n-best lists", "lattice nbest a.slf -n 10"): {
        "lattice": "convert, draw and rescore lattices; pick the best hypotheses",
        "rescore": "score n-best lists and lattices with other models",
        "combine": "combine the outputs of several systems",
        "evaluate": "score outputs against references, with significance tests",
    },
    ("Translation", "translate model < a.en > a.de"): {
        "translate": "translate sentences, with or without skeletons",
        "skeleton": "make skeletons, and manage annotators' judgements",
        "train": "train a model folder from parallel text",
        "tune": "tune weights and minimum Bayes-risk decoding",
        "text": "tokenise text as a trained model does, and detokenise its output",
    },
    ("Simplification and paraphrases", "simplify < a.txt > simple.txt"): {
        "simplify": "simplify English sentences",
        "hindi": "mark clauses of Hindi sentences, and simplify the sentences",
        "corpus": "make corpora of complex and simple sentences from paired articles",
        "paraphrase": "expand sets of sentences with the same meaning",
    },
    ("Judging by people", "judge serve study.yaml"): {
        "judge": "have people judge outputs, and analyse their judgements",
    },
    ("Getting started", "demo"): {
        "demo": "translate sentences of the built-in grammar with three strategies",
        "serve": "serve a local web page for translation, skeletons and more",
        "doctor": "show versions, extras, caches and programs",
    },
}
"""The commands by task (its title and an example); `commands/NAME.py` holds a typer app called `app`."""

COMMANDS = {name: text for commands in GROUPS.values() for name, text in commands.items()}
"""What each command does."""

DEBUG = "--debug"

_COMPLETION = ("--install-completion", "--show-completion")
_FORMAT_WARNING = warnings.formatwarning


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and ends the program; prints a user's error as one line on stderr."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = DEBUG in words
    words = [word for word in words if word != DEBUG]
    warnings.formatwarning = partial(_warning_line, shown=set())
    try:
        with kernels_interruptible():
            code = _run(words, debug=debug)
        sys.stdout.flush()
    except KeyboardInterrupt as interrupt:
        code = _interrupted(interrupt)
    except Exception as error:
        cause = _interrupt_behind(error)
        code = _report(error, words, debug=debug) if cause is None else _interrupted(cause)
    drop_output()
    sys.exit(code if isinstance(code, int) else 0)


def _warning_line(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
    *,
    shown: set[str],
) -> str:
    """Returns the line of a warning, once: Python forgets which ones it showed when a library changes its filters."""
    if not issubclass(category, InputWarning):
        return _FORMAT_WARNING(message, category, filename, lineno, line)
    from lattice_simp.support.textio import with_places

    text = f"{PROGRAM}: {with_places(str(message))}\n"
    is_new = text not in shown
    shown.add(text)
    return text if is_new else ""


def _interrupt_behind(error: Exception) -> KeyboardInterrupt | None:
    """Returns the interrupt that an error comes from.

    Up to version 3.11, Python raises an interrupt during the creation of a class as a RuntimeError, and numba one while
    it loads a function as one or more SystemErrors.
    """
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__
    return cause


def _interrupted(interrupt: KeyboardInterrupt) -> int:
    # An interrupt that passes through exec() or eval() of a string, as in namedtuple and dataclass, stays marked as
    # unhandled, and `python -m` would still end by the signal. The next exec() clears the mark.
    exec("")
    print("; ".join((f"{PROGRAM}: interrupted", *map(str, interrupt.args))), file=sys.stderr)
    return INTERRUPTED


def usage() -> str:
    """Returns the help of the whole program."""
    width = max(map(len, COMMANDS))
    lines = [
        f"Usage: {PROGRAM} [--version] [--help] COMMAND ...",
        "",
        "Exact operations on lattices and n-best lists; translation with skeletons.",
    ]
    for (title, example), commands in GROUPS.items():
        lines += ["", f"{title}:", *(f"  {name:{width}}  {text}" for name, text in commands.items())]
        lines += [f"  $ {PROGRAM} {example}"]
    lines += [
        "",
        f"COMMAND --help lists the options. {DEBUG} with any command shows tracebacks.",
        f"{PROGRAM} --install-completion installs shell completion.",
    ]
    return "\n".join(lines)


def _run(words: list[str], *, debug: bool) -> Any:
    if words == ["--version"]:
        print(f"{PROGRAM} {__version__}")
        return 0
    if "_LATTICE_SIMP_COMPLETE" in os.environ or (words and words[0] in _COMPLETION):
        return whole_app()(words, PROGRAM)
    if not words or words[0] in ("--help", "-h"):
        print(usage())
        return 0 if words else BAD_INPUT
    name = words[0]
    if name not in COMMANDS:
        from difflib import get_close_matches

        near = sorted(_groups_of(name)) or get_close_matches(name, COMMANDS, 1)
        remedy = f"did you mean {' or '.join(map(repr, near))}?" if near else f"{PROGRAM} --help lists them"
        raise LatticeSimpError(f"{name!r} is not a command ({remedy})")
    import typer

    program = _program(name)
    if sys.stderr.isatty():
        from lattice_simp.core.kernel import when_compiling

        when_compiling(lambda: print(f"{PROGRAM}: compiling kernels (once) ...", file=sys.stderr))
    try:  # not its own `main`, which would handle interrupts and broken pipes itself
        with program.make_context(f"{PROGRAM} {name}", words[1:], obj=debug) as context:
            return program.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code


def _groups_of(name: str) -> Iterator[str]:
    """Yields the complete names of a command that is inside groups, such as `lattice mbr` of `mbr`."""
    for group in COMMANDS:
        if name in getattr(_program(group), "commands", ()):
            yield f"{group} {name}"


def command(name: str) -> typer.Typer:
    """Imports a command or a group of them."""
    app: typer.Typer = importlib.import_module(f"lattice_simp.commands.{name}").app
    return app


@cache
def _program(name: str) -> Any:
    """Builds a command, or a group of them, once for all calls in this process."""
    import typer

    return typer.main.get_command(command(name))


def whole_app() -> typer.Typer:
    """Returns all commands as one app, for shell completion."""
    import typer

    app = typer.Typer(no_args_is_help=True, name=PROGRAM)
    for name in COMMANDS:
        part = command(name)
        if part.info.help is not None and isinstance(part.info.help, str):
            app.add_typer(part, name=name)
        else:
            app.registered_commands += part.registered_commands
    return app


def _long_names(words: Sequence[str]) -> list[str]:
    """Returns the names of several letters that have a single dash.

    >>> _long_names(["lm", "-lm=x", "-n", "--model"])
    ['-lm']
    """
    matches = (re.match(r"-[a-z][a-z-]+(?==|$)", word) for word in words)
    return [match[0] for match in matches if match is not None]


def _suggest(error: Any, words: Sequence[str]) -> None:
    """Sets the suggestions in the place of an unknown option: those with the same meaning come first."""
    if hasattr(error, "possibilities"):
        from lattice_simp.commands.shared.option_aliases import similar_options

        written = next((name for name in _long_names(words) if error.option_name[-1] in name), None)
        if written is not None and len(error.option_name) == 2:  # the parser reads letters after a dash as options
            error.option_name, error.message = written, f"No such option: {written}"
        error.possibilities = similar_options(error.option_name, _options(error))


def _options(error: Any) -> set[str]:
    """Returns the options of the command whose arguments are wrong."""
    parameters = error.ctx.command.params if getattr(error, "ctx", None) is not None else []
    return {option for parameter in parameters for option in parameter.opts}


def _usage_hint(error: Any, message: str, words: Sequence[str]) -> str:
    """Returns the likely remedy of an error in the arguments, up to a semicolon."""
    options = _options(error)
    if (name := next((name for name in _long_names(words) if f"-{name}" in options), None)) is not None:
        return f"write -{name}, with two dashes; "
    missing = getattr(error, "param", None)
    if (
        missing is not None
        and message.startswith("Missing argument")
        and "stdin" in (getattr(missing, "help", "") or "")
    ):
        return "- reads stdin; "
    if "unexpected extra argument" in message and "--input" in options:
        return "name the input with --input, or pipe it in; "
    if "unexpected extra argument" in message and "--show-config" in options:
        return "the YAML file names all other files; "
    if "unexpected extra argument" in message and "--output" in options:
        return "name the output with --output; "
    return ""


def _report(error: Exception, words: Sequence[str], *, debug: bool) -> int:
    """Prints an error in one line; returns the exit code.

    Raises:
        Exception: an error of the program, unchanged.
    """
    if isinstance(error, OSError) and error.errno == errno.EPIPE:
        return BROKEN_PIPE
    if debug:
        import traceback

        print(getattr(error, "trace", "") or traceback.format_exc(), end="", file=sys.stderr)
    if type(error).__name__ == "NoArgsIsHelpError":  # a group without a command: its message is the help
        print(error.format_message(), file=sys.stderr)  # type: ignore[attr-defined]
        return BAD_INPUT
    if hasattr(error, "format_message"):  # of the parser of options
        _suggest(error, words)
        message = error.format_message().replace("Value error, ", "")  # a prefix of the library
        text = f"{message} ({_usage_hint(error, message, words)}run it with --help for usage)"
    elif isinstance(error, LatticeSimpError):
        text = str(error)
    elif isinstance(error, OSError) and error.errno == errno.EBADF:
        text = "standard output is closed; redirect it to a file or a pipe"
    elif isinstance(error, OSError) and error.filename is None:
        from lattice_simp.support.textio import STDOUT, cannot_write

        text = str(cannot_write(STDOUT, error))
    elif isinstance(error, OSError):
        text = f"{error.filename}: {error.strerror}"
    elif isinstance(error, MemoryError):
        text = "out of memory"
    elif isinstance(error, ModuleNotFoundError) and (missing := missing_extra(error)) is not None:
        text = str(missing)
    else:
        raise error
    print(f"{PROGRAM}:", " ".join(text.split()), file=sys.stderr)
    return FAILED if isinstance(error, EmptyLatticeError) else BAD_INPUT
