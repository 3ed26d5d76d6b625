"""What the commands share: options, reading and writing."""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from typer.core import TyperCommand

from lattice_simp.core.header import NO_HEADER
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.marks import MARKS
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats import FORMATS, format_of, losses, read, write
from lattice_simp.formats.common import natural
from lattice_simp.formats.nbest import is_nbest, stream_nbest
from lattice_simp.formats.pieces import PieceKind
from lattice_simp.ops.join_pieces import join_pieces
from lattice_simp.support.options import option

FAILED, BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141
"""What the commands exit with when all does not go well."""

STDIN, STDOUT = "<stdin>", "<stdout>"


def command_app(help: str | None = None) -> typer.Typer:
    """Returns what a module collects its commands in: of a group if there is a help text, else a single one."""
    return typer.Typer(
        help=help,
        no_args_is_help=help is not None,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # plain text: no column is too narrow for a name
        context_settings={"help_option_names": ["-h", "--help"]},
    )


class PanelCommand(TyperCommand):
    """A command of many options: --help lists them by their `rich_help_panel`, in plain text, in the order given."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes the arguments, then the options of each panel, then those of none."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for own in self.get_params(ctx):
            usual = "Arguments" if own.param_type_name == "argument" else "Options"
            if (record := own.get_help_record(ctx)) is not None:
                panels.setdefault(getattr(own, "rich_help_panel", None) or usual, []).append(record)
        for title in sorted(panels, key=lambda own: own == "Options"):
            with formatter.section(title):
                formatter.write_dl(panels[title])


FORMAT_NAMES = "|".join(FORMATS)


def format_name(name: str) -> str:
    """Checks the name of a lattice format, as an option's parser."""
    if name not in FORMATS:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(FORMATS)}")
    return name


Input = Annotated[str, typer.Argument(help="a lattice file of any format, an n-best list, or - for stdin")]
Id = Annotated[Optional[int], typer.Option("--id", help="the sentence of an n-best list of several, from 0")]  # noqa: UP045
From = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--from", parser=format_name, metavar=FORMAT_NAMES, help="told by the content"),
]
To = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        parser=format_name,
        metavar=FORMAT_NAMES,
        help="told by the ending; att for stdout, and the input's format for files in a folder",
    ),
]
BEAM = Annotated[Optional[float], typer.Option(help="nats above the best path to keep")]  # noqa: UP045
FIRST_ID = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option(min=0, help="the id of the first sentence in n-best lists: 0, or 1", rich_help_panel="Input"),
]
TOKENISER_HELP = (
    "of text: sacrebleu's 13a, intl, zh, ja-mecab, ko-mecab, char, flores101, flores200, spBLEU-1K or none (blanks); "
    "that of the language if not given, 13a in most"
)
COST_HELP = "the feature that is the score of n-best lists in place of the total, such as F0"
PIECES = Annotated[PieceKind, typer.Option(help="what the words are made of: bpe (@@), sentencepiece (▁)")]
COST = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--cost", metavar="FEATURE", help=COST_HELP, rich_help_panel="Input"),
]
OUTPUT = Annotated[str, typer.Option("--output", "-o", help="the file to write, or - for stdout (AT&T text)")]


@contextmanager
def readable(path: str) -> Iterator[str]:
    """Returns the name of a file that can be read twice: standard input or a pipe is copied to a temporary one."""
    from lattice_simp.support.textio import is_pipe, read_bytes

    if not is_pipe(path):
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "stdin")
        copy.write_bytes(read_bytes(path))
        try:
            yield str(copy)
        except FormatError as error:
            name = STDIN if path == "-" else path
            raise FormatError(error.message, path=name, line=error.line, remedy=error.remedy) from error


def writable(path: Path) -> Path:
    """Returns the path of a file that can be written; a callback of options, so that long work is not in vain.

    Raises:
        LatticeSimpError: it cannot be written.
    """
    from lattice_simp.support.textio import check_writable

    check_writable(path)
    return path


IGNORE_HELP = "a label that is no word, or several between blanks; may be given several times"
IGNORE = Annotated[Optional[list[str]], typer.Option(help=IGNORE_HELP)]  # noqa: UP045


LIST_OPTIONS = frozenset({"pieces", "cost"})
"""Those of the `LabelOptions` that may be said of n-best lists."""


@dataclass(frozen=True)
class LabelOptions:
    """What the labels of a lattice file are."""

    symbols: Path | None = option(None, "symbols", "a symbol table (OpenFst's): the words of numeric labels")
    isymbols: Path | None = option(None, "isymbols", "that of the input side, if another")
    words: bool = option(False, "words", "numeric labels of AT&T text are words")
    pieces: PieceKind = option("none", "pieces", "labels are pieces, which make words: bpe (@@), sentencepiece (▁)")
    cost: str | None = option(None, "cost", COST_HELP)


@dataclass(frozen=True)
class WordOptions(LabelOptions):
    """What the labels of a lattice file are, and which of them are no words."""

    ignore: list[str] | None = option(None, "ignore", IGNORE_HELP)
    keep_marks: bool = option(False, "keep-marks", "count sentence ends, silence and noise (<s>, !SIL, ...) as words")


def ignored_words(settings: dict[str, Any]) -> frozenset[str]:
    """Takes the options on words out of the `WordOptions` that were given, and returns the labels that are no words."""
    return ignored_labels(settings.pop("ignore", None), keep_marks=settings.pop("keep_marks", False))


def ignored_labels(ignore: Sequence[str] | None, *, keep_marks: bool = False) -> frozenset[str]:
    """Returns the labels that are no words: those of --ignore, and the marks."""
    return frozenset(split_tokens(" ".join(ignore or ()).replace("\n", " "))) | (frozenset() if keep_marks else MARKS)


def read_full(
    path: str, sentence: int | None = None, format: str | None = None, labels: Mapping[str, Any] | None = None
) -> Lattice:
    """Reads a lattice file, or one sentence of an n-best list as a lattice.

    Args:
        path: the file, or - for standard input.
        sentence: its id in an n-best list.
        format: a name in `FORMATS`; None to look at the content.
        labels: the `LabelOptions` that were given.

    Raises:
        FormatError: the file is broken, the list does not hold the sentence, or holds several and none is named; its
            labels are not numbers, and options say what they are.
    """
    return _read_one(path, sentence, format, labels)


def pieces_of(labels: Mapping[str, Any] | None) -> PieceKind:
    """Returns what --pieces says among the `LabelOptions` that were given."""
    found: PieceKind = (labels or {}).get("pieces", "none")
    return found


def labels_of_lists(labels: Mapping[str, Any] | None) -> dict[str, Any]:
    """Returns those of the `LabelOptions` that were given that `stream_nbest` takes: --pieces, --cost."""
    return {name: own for name, own in (labels or {}).items() if name in LIST_OPTIONS}


def labels_of_lattices(path: str, labels: Mapping[str, Any] | None) -> dict[str, Any]:
    """Returns those of the `LabelOptions` that were given that say what the labels of a lattice are.

    Raises:
        FormatError: one is for n-best lists alone.
    """
    if (labels or {}).get("cost") is not None:
        raise FormatError("is not an n-best list", path=path, remedy="leave --cost out")
    return {name: own for name, own in (labels or {}).items() if name not in LIST_OPTIONS}


def _read_one(path: str, sentence: int | None, format: str | None, labels: Mapping[str, Any] | None) -> Lattice:
    with readable(path) as file:
        if format is None and is_nbest(file):
            require_numbers(path, "nbest", labels)
            return Lattice.from_nbest(_read_list(file, sentence, labels))
        pieces, labels = pieces_of(labels), labels_of_lattices(path, labels)
        if sentence is not None:
            raise FormatError("is not an n-best list", path=path, remedy="leave --id out")
        if not labels:
            return join_pieces(read(file, format), pieces)
        require_numbers(path, format or format_of(file), labels)
        options: dict[str, Any] = {f"{name}_path": own for name, own in labels.items() if name != "words"}
        if labels.get("words"):
            options["numeric"] = False
        return join_pieces(read(file, format, **options), pieces)


def sentence_number(name: str, place: int) -> int:
    """Returns the number that the name of a lattice is, else its place."""
    number = natural(name)
    return place if number is None else number


def require_numbers(path: str, format: str, labels: Mapping[str, Any] | None) -> None:
    """Refuses options that say what labels are where the format has words."""
    for name in (labels or {}).keys() - LIST_OPTIONS:
        if format not in (("att",) if name == "words" else ("att", "openfst")):
            raise FormatError("its labels are words", path=path, remedy=f"leave --{name} out")


def read_skeleton(
    path: str, sentence: int | None = None, labels: Mapping[str, Any] | None = None
) -> Lattice | list[Hypothesis]:
    """Reads the hypotheses of a skeleton: as they are from an n-best list (their costs stay exact), or a lattice.

    Raises:
        FormatError: as `read_full`.
    """
    with readable(path) as file:
        if not is_nbest(file):
            return read_full(file, sentence, labels=labels)
        require_numbers(path, "nbest", labels)
        return _read_list(file, sentence, labels)


def _read_list(path: str, sentence: int | None, labels: Mapping[str, Any] | None) -> list[Hypothesis]:
    lists = {number: entries for number, entries in stream_nbest(path, **labels_of_lists(labels)) if entries}
    if sentence is None and len(lists) == 1:
        sentence = next(iter(lists))
    if sentence is None:
        message = f"an n-best list of {len(lists)} sentences, where one is needed"
        raise FormatError(message, path=path, remedy="choose one with --id")
    if sentence not in lists:
        raise FormatError(f"holds no hypotheses of sentence {sentence}", path=path, remedy="ids count from 0")
    return lists[sentence]


class Losses:
    """What files do not hold of lattices, said once for all of them."""

    def __init__(self) -> None:
        self._names: dict[str, dict[str, None]] = {}

    def add(self, lattice: Lattice, output: str | Path, format: str | None = None) -> None:
        """Adds what a file does not hold of its lattice."""
        self._add(losses(lattice, output, format))

    def add_dropped(self, before: Lattice, after: Lattice, replaced: str | None = None) -> None:
        """Adds the features that an operation does not keep, but for the one that it replaces."""
        dropped = [name for name in before.features if name not in after.features and name != replaced]
        self._add({"the operation does not keep the features": dropped})

    def _add(self, lost: Mapping[str, Iterable[str]]) -> None:
        for phrase, names in lost.items():
            self._names.setdefault(phrase, {}).update(dict.fromkeys(names))

    def say(self, output: str) -> None:
        """Tells on stderr what is lost; `output` is the file or the folder."""
        for phrase, names in self._names.items():
            if names:
                print(f"{STDOUT if output == '-' else output}: {phrase} {' '.join(names)}", file=sys.stderr)


def write_result(
    lattice: Lattice,
    output: str,
    format: str | None = None,
    *,
    origin: Lattice | None = None,
    replaced: str | None = None,
) -> None:
    """Writes a lattice: in the format, or to stdout as AT&T text, else as the name's ending says.

    Tells on stderr what the file does not hold, and which features of `origin`, which it was made of, are not in the
    lattice (but for the one that is `replaced`).
    """
    lost = Losses()
    if origin is not None:
        lost.add_dropped(origin, lattice, replaced)
        lattice = with_header_of(origin, lattice)
    write(lattice, output, format)
    lost.add(lattice, output, format)
    lost.say(output)


def with_header_of(origin: Lattice, lattice: Lattice) -> Lattice:
    """Returns a lattice with the header of the one that it was made of, unless it has a header."""
    if lattice.header != NO_HEADER:
        return lattice
    kept = set(lattice.features) >= {name for name in origin.header.scales if name in origin.features}
    return replace(lattice, header=origin.header if kept else origin.header.without_scales())


def refuse_idle(options: Iterable[str], where: str) -> None:
    """Refuses options of the running command that were given though they have no effect `where` they were.

    Args:
        options: names of the command's parameters.
        where: the reason, after "has no effect".

    Raises:
        LatticeSimpError: names the first such option.
    """
    context = _globals.get_current_context(silent=True)
    for parameter in () if context is None else context.command.params:  # none: a function of a command is called
        source = context.get_parameter_source(parameter.name)
        if parameter.name in options and source is not None and source.name in ("COMMANDLINE", "ENVIRONMENT"):
            is_off = context.params.get(parameter.name) is False and parameter.secondary_opts
            flag = max(parameter.secondary_opts if is_off else parameter.opts, key=len)
            raise LatticeSimpError(f"{flag} has no effect {where}. Leave it out.")


_globals: Any = importlib.import_module(TyperCommand.__mro__[1].__module__.replace(".core", ".globals"))
"""Those of click, or of the copy that newer versions of typer bring."""
