"""Shared options, declared once with their names and help texts, and the layout of --help.

The part of a help text before the semicolon is the same in all commands; `Detail` adds the part that is specific to a
command.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats import FORMATS, READ_ONLY
from lattice_simp.formats.pieces import PieceKind

SCREEN_LINES, SCREEN_WIDTH = 45, 100
"""The size of a screen. Longer help only names the options of its panels; --help-all describes them."""

HELP_ALL = "--help-all"

_KINDS = re.compile(r"<(?:list\[)?(int|str|float|path)(?:\]| range)?>", re.IGNORECASE)
"""How typer names the kinds of values: an option that may be repeated is a list, a limited number a range."""


class HelpCommand(TyperCommand):
    """A command whose --help fits on a screen: plain text, the usual options first, then those of each panel."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Notes whether --help-all asks for all descriptions."""
        ctx.meta[HELP_ALL] = HELP_ALL in args
        return super().parse_args(ctx, args)

    def get_help_option_names(self, ctx: Any) -> list[str]:
        """Returns the names of the help option, including --help-all."""
        return [*super().get_help_option_names(ctx), HELP_ALL]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Writes all descriptions if --help-all asks for them or they fit on a screen."""
        ctx.meta["brief"] = False
        super().format_help(ctx, formatter)
        if not ctx.meta.get(HELP_ALL) and formatter.getvalue().count("\n") > SCREEN_LINES:
            ctx.meta["brief"] = True
            formatter.buffer.clear()
            super().format_help(ctx, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes the arguments, the usual options, and the options of each panel."""
        panels: dict[str, list[Any]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
            panels.setdefault(getattr(parameter, "rich_help_panel", None) or usual, []).append(parameter)
        brief = {} if not ctx.meta["brief"] else {name: panels.pop(name) for name in list(panels)[2:]}
        for title, parameters in panels.items():
            records = [
                record for record in (self._record(parameter, ctx) for parameter in parameters) if record is not None
            ]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records, col_max=34)
        if brief:
            with formatter.section(f"More options, described by {HELP_ALL}"):
                formatter.write("".join(_named_options(brief, formatter.width)))

    def _record(self, parameter: Any, ctx: Any) -> tuple[str, str] | None:
        if parameter.name != "help":
            record: tuple[str, str] | None = parameter.get_help_record(ctx)
            return record and (_KINDS.sub(lambda kind: f"<{kind[1].lower()}>", record[0]), record[1])
        return "-h, --help", f"show this message{f' ({HELP_ALL}: with every option)' if ctx.meta['brief'] else ''}"


class HelpGroup(TyperGroup):
    """A group whose --help has the whole first sentence of each command's help."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the names of the commands and their descriptions."""
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [(name, command.get_short_help_str(sys.maxsize)) for name, command in commands if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _named_options(panels: Mapping[str, list[Any]], width: int) -> Iterator[str]:
    """Yields lines that name the options of each panel."""
    indent = " " * (max(map(len, panels)) + 4)
    for title, parameters in panels.items():
        names = ", ".join(_flag(parameter.opts) for parameter in parameters)
        first = f"  {title}".ljust(len(indent))
        lines = textwrap.wrap(names, width, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False)
        yield from (f"{line}\n" for line in lines)


def _flag(names: list[str]) -> str:
    """Returns the first long name of an option, or the name of an argument."""
    return next((name for name in names if name.startswith("--")), names[0])


@dataclass(frozen=True)
class Detail:
    """A command's additions to a shared option: `Annotated[Nbest, Detail("of each list")]`.

    Attributes:
        text: follows the help text after a semicolon.
        panel: the part of --help that shows the option.
        default: stands for the default value there.
    """

    text: str = ""
    panel: str | None = None
    default: str | bool = True

    def of(self, option: Any) -> Any:
        """Returns the option with the detail."""
        changed = copy(option)
        changed.help = f"{option.help}; {self.text}" if self.text else option.help
        changed.rich_help_panel = self.panel or option.rich_help_panel
        changed.show_default = option.show_default if self.default is True else self.default
        return changed


class CommandApp(typer.Typer):
    """An app whose commands are `HelpCommand`s, and whose options may have a `Detail`."""

    def command(self, name: str | None = None, **options: Any) -> Callable[..., Any]:
        """Makes a command of a function; see `typer.Typer.command`."""
        decorate = super().command(name, cls=HelpCommand, **options)

        def declare(function: Any) -> Any:
            hints = get_type_hints(function, include_extras=True)
            signature = inspect.signature(function)
            parameters = [
                parameter.replace(annotation=_with_detail(hints[parameter.name]))
                for parameter in signature.parameters.values()
            ]
            function.__signature__ = signature.replace(parameters=parameters)
            return decorate(function)

        return declare


def _with_detail(hint: Any) -> Any:
    """Returns the type of a parameter, its details merged into its option; `Option | None` is an option, too."""
    kind, extras = getattr(hint, "__origin__", hint), getattr(hint, "__metadata__", ())
    for part in get_args(kind) if not extras or isinstance(extras[0], Detail) else ():
        if hasattr(part, "__metadata__"):
            kind, extras = part.__origin__ | None, (*part.__metadata__, *extras)
    if not extras:
        return hint
    option = extras[0]
    for detail in extras[1:]:
        option = detail.of(option)
    return Annotated[kind, option]


def command_app(help: str | None = None) -> CommandApp:
    """Returns the app for a module's commands: a group if there is a help text, else a single command."""
    return CommandApp(
        cls=HelpGroup,
        help=help,
        no_args_is_help=help is not None,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # plain text: no column is too narrow for a name
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": SCREEN_WIDTH},
    )


def format_name(name: str) -> str:
    """Checks the name of a lattice format, as an option's parser.

    Raises:
        typer.BadParameter: the name is unknown.
    """
    if name not in FORMATS:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(FORMATS)}")
    return name


def result_format_name(name: str) -> str:
    """Checks the name of a format of lattices or n-best lists, as an option's parser."""
    return name if name == JSON_LINES else format_name(name)


def input_format_name(name: str) -> str:
    """Checks the name of a format of input, as an option's parser."""
    return name if name in READ_ONLY else format_name(name)


def writable(path: Path) -> Path:
    """Returns the path if the file can be written; as an option's callback, it keeps long runs from failing at the end.

    Raises:
        LatticeSimpError: it cannot be written.
    """
    from lattice_simp.support.textio import check_writable

    check_writable(path)
    return path


def language_code(name: str | None) -> str | None:
    """Returns the ISO code of a language, as an option's callback; `other` stands for any language.

    Raises:
        typer.BadParameter: it is not a code.
    """
    if name is not None and name != "other" and not re.fullmatch(r"[a-z]{2,3}([-_]\w+)?", name):
        raise typer.BadParameter(f"{name!r} is not an ISO code of a language, such as de")
    return name


# ---------------------------------------------------------------- options

INPUT, OUTPUT, RUNNING, LABELS, SEARCH = "Input", "Output", "Running", "Labels", "Search"
"""Panels of --help."""

FORMAT_NAMES = "|".join(FORMATS)
JSON_LINES = "jsonl"
"""The name of JSON lines in `--to`; Moses' format is the other one of n-best lists."""

COST_HELP = (
    "feature to use as the score of n-best lists instead of the total, such as F0; -NAME or -total if they are costs"
)
SCALE_HELP = "multiply costs by this before converting them to probabilities"
IGNORE_HELP = "label that is not a word, or several separated by spaces (repeatable)"
SCALES_HELP = "weights of features in the costs, such as acoustic=0.1,graph=1 (default: those of the file)"
PLF_SCORES_HELP = "kind of numbers in PLF files"
TERMS_HELP = "required terms, in this order: one sentence per line, tabs between terms, | between the forms of a term"
PIECES_HELP = "join subword pieces into words: bpe (@@) or sentencepiece (▁)"

LatticeFile: TypeAlias = Annotated[
    str, typer.Argument(help="lattice file of any format, n-best list, folder, archive, or - for stdin")
]
Id: TypeAlias = Annotated[
    str | None, typer.Option("--id", "--utterance", help="process one lattice only: its number from 0, or its name")
]
From: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--from",
        parser=input_format_name,
        metavar="FORMAT",
        help=f"input format: one of --to, {', '.join(READ_ONLY)}; inferred by default",
    ),
]
To: TypeAlias = Annotated[
    str | None,
    typer.Option("--to", parser=format_name, metavar=FORMAT_NAMES, help="output format; from the name by default"),
]
ToLists: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--to",
        parser=result_format_name,
        metavar=FORMAT_NAMES,
        help=f"output format, or {JSON_LINES} for n-best lists; from the name by default",
    ),
]
BEAM = typer.Option("--beam", help="drop paths that cost over this many nats (natural logs) more than the best")
Beam: TypeAlias = Annotated[float | None, BEAM]
MAX_ARCS = typer.Option("--max-arcs", min=1, help="maximum number of arcs per lattice")
MaxArcs: TypeAlias = Annotated[int | None, MAX_ARCS]
FirstId: TypeAlias = Annotated[
    int | None,
    typer.Option("--first-id", min=0, help="id of the first sentence in n-best lists (default: 0)"),
]
Cost: TypeAlias = Annotated[str | None, typer.Option("--cost", help=COST_HELP)]
Pieces: TypeAlias = Annotated[PieceKind, typer.Option("--pieces", help=PIECES_HELP)]
Ignore: TypeAlias = Annotated[list[str] | None, typer.Option("--ignore", help=IGNORE_HELP)]
Scale: TypeAlias = Annotated[float, typer.Option("--scale", help=SCALE_HELP)]
Shares: TypeAlias = Annotated[
    list[float] | None,
    typer.Option("--share", help="weight of each system, once per file in order (default: equal)"),
]
NBEST = typer.Option("--nbest", "-n", min=1, help="hypotheses per sentence")
Nbest: TypeAlias = Annotated[int, NBEST]
MaybeNbest: TypeAlias = Annotated[int | None, NBEST]
NbestOutput: TypeAlias = Annotated[str | None, typer.Option("--nbest-output", help="file for n-best lists")]
Model: TypeAlias = Annotated[Path, typer.Option("--model", "-m", help="model file or folder")]
Models: TypeAlias = Annotated[
    list[str], typer.Option("--model", "-m", help="model file or folder; PATH or NAME=PATH (repeatable)")
]
Lm: TypeAlias = Annotated[Path | None, typer.Option("--lm", help="language model (ARPA or KenLM binary)")]
Weights: TypeAlias = Annotated[Path, typer.Option("--weights", help="feature weights (weights.tsv)")]
Source: TypeAlias = Annotated[Path, typer.Option("--source", help="source sentences, one per line")]
References: TypeAlias = Annotated[
    list[Path], typer.Option("--reference", help="reference sentences, one per line (repeatable)")
]
StrategyName = Literal["plain", "gappy", "skeleton-first"]
Strategy: TypeAlias = Annotated[
    StrategyName | None,
    typer.Option("--strategy", help="decoding strategy (default: gappy with skeletons, else plain)"),
]
Skeletons: TypeAlias = Annotated[
    Path | None, typer.Option("--skeletons", help="skeletons (JSON lines or bracket text)")
]
Language: TypeAlias = Annotated[
    str | None,
    typer.Option("--language", help="language of the text (ISO code, such as de)", callback=language_code),
]
TokeniserName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--tokeniser",
        help="sacrebleu tokeniser (13a, intl, zh, ja-mecab, ko-mecab, char, flores101, flores200, spBLEU-1K, none)",
    ),
]
SentenceFile: TypeAlias = Annotated[
    str | None, typer.Option("--input", "-i", help="sentences, one per line (default: stdin)")
]
Output: TypeAlias = Annotated[str, typer.Option("--output", "-o", help="output file", show_default="stdout")]
OutputFile: TypeAlias = Annotated[Path, typer.Option("--output", "-o", help="output file", callback=writable)]
OutputFolder: TypeAlias = Annotated[Path, typer.Option("--output", "-o", help="output folder")]
LatticeFolder: TypeAlias = Annotated[Path | None, typer.Option("--lattices", help="folder for lattices")]
Tokenised: TypeAlias = Annotated[bool, typer.Option("--tokenised", help="the input is tokens separated by spaces")]
Jobs: TypeAlias = Annotated[int, typer.Option("--jobs", min=1, help="number of parallel workers")]
Dask: TypeAlias = Annotated[
    str | None, typer.Option("--dask", help="Dask cluster to run on: tcp://HOST:PORT, local, or local:N")
]
Resume: TypeAlias = Annotated[bool, typer.Option("--resume", help="continue an interrupted run (requires --output)")]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="print no progress and no summary")]
Seed: TypeAlias = Annotated[int, typer.Option("--seed", min=0, help="random seed")]
Overrides: TypeAlias = Annotated[
    list[str] | None, typer.Option("--set", help="override a setting: NAME=VALUE (repeatable)")
]


# ---------------------------------------------------------------- checks and endings


def named_path(text: str) -> tuple[str, str]:
    """Splits PATH or NAME=PATH into the name, which may be empty, and the path; both may contain `=`.

    >>> named_path("lm=models/rate=0.1.arpa"), named_path("models/rate=0.1.arpa")
    (('lm', 'models/rate=0.1.arpa'), ('', 'models/rate=0.1.arpa'))
    """
    name, equals, path = text.partition("=")
    if not equals or "/" in name or Path(text).exists():
        return "", text
    return name, path


def check_stdin(sources: Iterable[str]) -> None:
    """Refuses more than one `-` for standard input.

    Raises:
        LatticeSimpError: several sources are `-`.
    """
    if list(sources).count("-") > 1:
        raise LatticeSimpError("only one file can be standard input; name the others")


def refuse_idle(options: Iterable[str], where: str) -> None:
    """Refuses options of the running command that have no effect.

    Args:
        options: names of the command's parameters.
        where: the reason, after "has no effect".

    Raises:
        LatticeSimpError: names the first such option on the command line.
    """
    context = _globals.get_current_context(silent=True)
    for parameter in () if context is None else context.command.params:  # none: called as a function
        source = context.get_parameter_source(parameter.name)
        if parameter.name in options and source is not None and source.name in ("COMMANDLINE", "ENVIRONMENT"):
            is_off = context.params.get(parameter.name) is False and parameter.secondary_opts
            flag = _flag(parameter.secondary_opts if is_off else parameter.opts)
            raise LatticeSimpError(f"{flag} has no effect {where}. Leave it out.")


@contextmanager
def interrupt_hint(hint: str) -> Iterator[None]:
    """Lets Ctrl-C end the command with a hint how to continue.

    Raises:
        KeyboardInterrupt: with the hint.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(hint) from None


_globals: Any = importlib.import_module(TyperCommand.__mro__[1].__module__.replace(".core", ".globals"))
"""The globals of click, or of the copy in newer versions of typer."""
