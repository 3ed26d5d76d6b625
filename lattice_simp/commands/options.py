"""What the commands share: options, reading and writing."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from lattice_simp.errors import EmptyLatticeError, FormatError, LatticeSimpError
from lattice_simp.formats import FORMATS, check_labels, format_of, losses, read, write
from lattice_simp.formats.collections import Entry, entries, is_collection
from lattice_simp.formats.common import natural
from lattice_simp.formats.nbest import is_nbest, stream_nbest
from lattice_simp.formats.pieces import PieceKind
from lattice_simp.ops.join_pieces import join_pieces
from lattice_simp.support.options import option
from lattice_simp.support.textio import STDIN as STDIN
from lattice_simp.support.textio import readable as readable

FAILED, BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141
"""What the commands exit with when all does not go well."""

STDOUT = "<stdout>"

_LISTED = 5
"""Names that an error lists at most."""


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
Id = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--id", help="one of several: a number from 0, or the name of an utterance or a file"),
]
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


def writable(path: Path) -> Path:
    """Returns the path of a file that can be written; a callback of options, so that long work is not in vain.

    Raises:
        LatticeSimpError: it cannot be written.
    """
    from lattice_simp.support.textio import check_writable

    check_writable(path)
    return path


def named_path(text: str) -> tuple[str, str]:
    """Returns the name, empty if there is none, and the path of PATH or NAME=PATH; either may hold further `=`.

    >>> named_path("lm=models/rate=0.1.arpa"), named_path("models/rate=0.1.arpa")
    (('lm', 'models/rate=0.1.arpa'), ('', 'models/rate=0.1.arpa'))
    """
    name, equals, path = text.partition("=")
    if not equals or "/" in name or Path(text).exists():
        return "", text
    return name, path


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
    path: str, sentence: str | None = None, format: str | None = None, labels: Mapping[str, Any] | None = None
) -> Lattice:
    """Reads a lattice file, or one lattice of a collection: of an n-best list, a folder, an archive, a PLF file.

    Args:
        path: the file, or - for standard input.
        sentence: its number or its name, where there are several.
        format: a name in `FORMATS`; None to look at the content.
        labels: the `LabelOptions` that were given.

    Raises:
        FormatError: the file is broken, does not hold the sentence, or holds several and none is named; its labels are
            not numbers, and options say what they are.
        EmptyLatticeError: the lattice holds no hypothesis.
    """
    lattice = read_any(path, sentence, format, labels)
    require_hypotheses(lattice, path)
    return lattice


def read_any(
    path: str, sentence: str | None = None, format: str | None = None, labels: Mapping[str, Any] | None = None
) -> Lattice:
    """Reads what `read_full` reads, and lattices without hypotheses, too."""
    with readable(path) as file:
        if format is None and is_nbest(file):
            require_numbers(path, "nbest", labels)
            return Lattice.from_nbest(_read_list(file, sentence, labels))
        options = reader_options(labels_of_lattices(path, labels))
        if is_collection(file):
            lattice = _chosen(entries(file, format, **options), sentence, path)
        elif sentence is not None:
            raise FormatError("is not an n-best list, and holds one lattice", path=path, remedy="leave --id out")
        else:
            check_labels(options, format or format_of(file), path)
            lattice = read(file, format, **options)
        return join_pieces(lattice, pieces_of(labels))


def require_hypotheses(lattice: Lattice, path: str | None = None) -> None:
    """Refuses a lattice that holds no hypothesis: no path leads from the start to a final state.

    Raises:
        EmptyLatticeError: names the file, if it is given.
    """
    if lattice.empty:
        where = "" if path is None else f"{STDIN if path == '-' else path}: "
        has_final = bool((lattice.finals < float("inf")).any())
        why = "no path leads from the start to a final state" if has_final else "no state is final"
        raise EmptyLatticeError(f"{where}the lattice holds no hypothesis: {why}")


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


def _chosen(members: Iterator[Entry], sentence: str | None, path: str) -> Lattice:
    """Returns the lattice of a collection that a name or a number (from 0) chooses, or its only one."""
    names: list[str] = []
    load = None
    for number, member in enumerate(members):
        if member.name == sentence:
            return member.load()
        if number == 0 if sentence is None else str(number) == sentence:
            load = member.load
        names.append(member.name)
    if load is not None and (sentence is not None or len(names) == 1):
        return load()
    listed = f"{', '.join(names[:_LISTED])}{', ...' if len(names) > _LISTED else ''}"
    remedy = f"choose one with --id: {listed}, or by its number, from 0 to {len(names) - 1}"
    message = f"holds {len(names)} lattices, where one is needed" if sentence is None else f"holds no {sentence!r}"
    raise FormatError(message, path=path, remedy=remedy)


def reader_options(labels: Mapping[str, Any] | None) -> dict[str, Any]:
    """Returns what the readers of formats take of the `LabelOptions` that were given."""
    options: dict[str, Any] = {
        f"{name}_path": value for name, value in (labels or {}).items() if name in ("symbols", "isymbols")
    }
    return options | ({"numeric": False} if (labels or {}).get("words") else {})


def sentence_number(name: str, place: int) -> int:
    """Returns the number that the name of a lattice is, else its place."""
    number = natural(name)
    return place if number is None else number


def require_numbers(path: str, format: str, labels: Mapping[str, Any] | None) -> None:
    """Refuses options that say what labels are where the format has words."""
    check_labels(reader_options(labels), format, path)


def read_skeleton(
    path: str, sentence: str | None = None, labels: Mapping[str, Any] | None = None
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


def _read_list(path: str, sentence: str | None, labels: Mapping[str, Any] | None) -> list[Hypothesis]:
    streamed = stream_nbest(path, **labels_of_lists(labels))
    lists = {str(number): hypotheses for number, hypotheses in streamed if hypotheses}
    if sentence is None and len(lists) == 1:
        return next(iter(lists.values()))
    if sentence in lists:
        return lists[sentence]
    ids = list(lists)
    listed = ", ".join(ids) if len(ids) <= _LISTED else f"{ids[0]} to {ids[-1]}"
    if sentence is None:
        message = f"an n-best list of {len(lists)} sentences, where one is needed"
        raise FormatError(message, path=path, remedy=f"choose one with --id: {listed}")
    remedy = f"ids are numbers that count from 0; this list has {listed}"
    raise FormatError(f"holds no hypotheses of sentence {sentence}", path=path, remedy=remedy)


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
