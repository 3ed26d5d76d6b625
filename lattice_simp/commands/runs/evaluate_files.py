"""The input of `lattice-simp evaluate`: sentences as tokens and as text, skeletons, labels."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from lattice_simp.commands.inputs.sentences import read_records
from lattice_simp.commands.inputs.token_forms import warn_of_accents
from lattice_simp.commands.inputs.whole_sentences import SAMPLES, warn_of_whole_sentences
from lattice_simp.commands.shared.messages import say
from lattice_simp.commands.shared.options import named_path
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats.collections import read_all
from lattice_simp.formats.plain_text import warn_of_lines
from lattice_simp.metrics import Groups, Lines, closest_references
from lattice_simp.metrics.groups import align_skeletons, gap_count_groups, gap_type_groups, length_groups
from lattice_simp.skeleton import Skeleton
from lattice_simp.support.extras import extra
from lattice_simp.support.parallel import read_parallel
from lattice_simp.support.plurals import counted
from lattice_simp.text.sacrebleu_tokenisers import tokeniser

if TYPE_CHECKING:
    from lattice_simp.text.tokeniser import Tokeniser

Named = dict[str, Path]


def named_files(pairs: Sequence[str]) -> Named:
    """Returns the file of each system; a file without a name is named after itself, without its ending.

    >>> named_files(["plain=a.txt"])
    {'plain': PosixPath('a.txt')}

    Raises:
        LatticeSimpError: no pair, neither a pair nor a file, or a name that comes twice.
    """
    named: Named = {}
    for pair in pairs:
        name, path = named_path(pair)
        if not name and Path(path).is_file():
            name = Path(path).stem
        if not name and Path(path).is_dir():
            raise FormatError("is a folder", path=path, remedy="give a file with one sentence per line")
        if not (name and path):
            raise LatticeSimpError(f"{pair!r} is not NAME=FILE, and no file; name each system, as in plain=plain.txt")
        if name in named:
            raise LatticeSimpError(f"two systems are named {name!r}; give each its own name")
        named[name] = Path(path)
    if not named:
        raise LatticeSimpError("nothing to score; give systems' outputs as NAME=FILE")
    return named


def choose(text: str, available: Collection[str], option: str) -> list[str]:
    """Returns the distinct names in a comma-separated list.

    Raises:
        LatticeSimpError: a name is unknown, or there is none.
    """
    names = [name for name in (part.strip() for part in text.split(",")) if name]
    for name in names:
        if name not in available:
            raise LatticeSimpError(f"{option}: unknown {name!r}; known are {', '.join(available)}")
    if not names:
        raise LatticeSimpError(f"{option}: no names; known are {', '.join(available)}")
    return list(dict.fromkeys(names))


BOTH_BLEU = "bleu"
"""The name of both columns of BLEU: of tokens and of text, as far as the sentences are available so."""


def metric_columns(names: Sequence[str], system: Lines) -> list[str]:
    """Replaces `bleu` by its columns: those of tokens, of text, or of both, as the system has them.

    >>> metric_columns(["ter", "bleu"], Lines(tokens=["a"]))
    ['ter', 'bleu-tok']
    """
    bleu_columns = [
        name for name, lines in (("bleu-tok", system.tokens), ("bleu-text", system.text)) if lines is not None
    ]
    return list(dict.fromkeys(column for name in names for column in (bleu_columns if name == BOTH_BLEU else [name])))


@dataclass(frozen=True)
class Files:
    """The files of sentences.

    Attributes:
        outputs: the outputs of each system.
        references: one or more.
        reference_texts: the text of each reference, or none.
        source: the source of the outputs, if any.
    """

    outputs: Named
    references: Sequence[Path]
    reference_texts: Sequence[Path] = ()
    source: Path | None = None


@dataclass(frozen=True)
class Sentences:
    """The sentences of `Files`."""

    systems: Mapping[str, Lines]
    references: Sequence[Lines]
    source: Lines | None


def read_sentences(inputs: Files, tokens: bool, language: str | None) -> Sentences:
    """Reads all sentences: tokens or text; detokenises tokens if their language is known.

    Raises:
        FormatError: a file is empty or not UTF-8, or files differ in length.
        LatticeSimpError: the options contradict each other.
    """
    references, texts = inputs.references, inputs.reference_texts
    if texts and not tokens:
        raise LatticeSimpError("--text-reference needs --tokens; with --text, the references are text already")
    if texts and language is None:
        raise LatticeSimpError("--text-reference needs --language, to detokenise the systems' outputs as well")
    if texts and len(texts) != len(references):
        raise LatticeSimpError(f"{len(texts)} --text-reference for {len(references)} --reference; give one for each")
    named, sources = inputs.outputs, [] if inputs.source is None else [inputs.source]
    files: list[Path] = [*references, *named.values(), *sources, *texts]
    columns = read_parallel(files, warn_of_lines)
    change = _detokeniser(language) if tokens else None
    forms = [_lines(lines, tokens, change) for lines in columns[: len(files) - len(texts)]]
    reference_lines, systems = forms[: len(references)], forms[len(references) : len(references) + len(named)]
    if texts:
        reference_lines = [
            Lines(lines.tokens, text) for lines, text in zip(reference_lines, columns[len(forms) :], strict=True)
        ]
    return Sentences(dict(zip(named, systems, strict=True)), reference_lines, forms[-1] if sources else None)


def warn_of_forms(files: Files, sentences: Sentences, name: str) -> None:
    """Warns on stderr of text that looks like tokens, of tokens that are sentences, and of two forms of accents."""
    split = tokeniser(name)
    first = sentences.references[0]
    ends = [line.endswith((" .", " 。", " ।")) for line in first.text or () if first.tokens is None]
    if 2 * sum(ends) > len(ends):
        message = "most lines end in a full stop after a space; if spaces separate tokens, give --tokens"
        say(f"{files.references[0]}: {message}")
    paths = [*files.references, *files.outputs.values()]
    words: dict[str, Sequence[Sequence[str]]] = {}
    for path, lines in zip(paths, [*sentences.references, *sentences.systems.values()], strict=True):
        tokens = map(split_tokens, lines.tokens) if lines.tokens is not None else map(split, lines.text or ())
        words[str(path)] = list(islice(tokens, SAMPLES))
        if warn_of_whole_sentences(
            words[str(path)], path, "give --language (zh, ja, th, ...) or --tokeniser, and text"
        ):
            return
    warn_of_accents(words)


def warn_of_empty_lines(files: Files, sentences: Sentences) -> None:
    """Warns on stderr of empty lines, which count as sentences."""
    paths = [*files.references, *files.outputs.values()]
    for path, lines in zip(paths, [*sentences.references, *sentences.systems.values()], strict=True):
        read = (lines.text if lines.tokens is None else lines.tokens) or []
        empty = [number for number, line in enumerate(read, start=1) if not line.strip()]
        if empty:
            kind = "is empty; it counts as a sentence" if len(empty) == 1 else "are empty; they count as sentences"
            say(f"{path}:{empty[0]}: {len(empty)} of {counted(len(read), 'line')} {kind}")


def read_closest(path: Path, sentences: Sentences, language: str | None) -> dict[str, Lines]:
    """Returns the path of each sentence's lattice that is closest to a system's output, for each system.

    Raises:
        FormatError: the file is broken, or does not have a lattice for each sentence.
        LatticeSimpError: there are no tokens to compare with.
    """
    systems, reference = sentences.systems.items(), sentences.references[0]
    columns, first = {name: system.tokens for name, system in systems}, reference.tokens
    tokenised_by = None if language is None or first is not None else _tokeniser(language)
    if tokenised_by is not None:
        columns = {
            name: [tokenised_by.tokens(line) for line in system.text or ()]
            for name, system in sentences.systems.items()
        }
        first = [tokenised_by.tokens(line) for line in sentences.references[0].text or ()]
    compared = {name: lines for name, lines in columns.items() if lines is not None}
    if first is None:
        raise LatticeSimpError("--reference-lattices compares tokens; give --tokens, or --language to tokenise text")
    try:
        closest = closest_references((lattice for _, lattice in read_all(path)), compared, first)
    except FormatError:
        raise
    except LatticeSimpError as error:
        raise FormatError(str(error), path=path) from error
    change = None if sentences.references[0].text is None else _detokeniser(language)
    return {name: _lines(lines, True, change) for name, lines in closest.items()}


def _lines(lines: list[str], tokens: bool, change: Callable[[str], str] | None) -> Lines:
    text = None if change is None else [change(line) for line in lines]
    return Lines(lines, text) if tokens else Lines(text=lines)


def _detokeniser(language: str | None) -> Callable[[str], str] | None:
    """Returns the function that detokenises; None without a language."""
    chosen = None if language is None else _tokeniser(language)
    return None if chosen is None else chosen.text


def _tokeniser(language: str) -> Tokeniser | None:
    if language == "other":
        return None
    with extra("text"):
        from lattice_simp.text.tokeniser import Tokeniser

    return Tokeniser(language, case="true")


@dataclass(frozen=True)
class BreakdownOptions:
    """The input of break-downs: a reference, the source if there is one, and options of the command."""

    reference: Lines
    skeletons: Path | None
    mask_index: int
    source: Lines | None
    length_edges: str
    tokeniser: str

    def aligned(self, name: str) -> list[Skeleton | None]:
        """Returns the skeletons, in the order of the sentences.

        Raises:
            LatticeSimpError: the break-down `name` needs a file of skeletons.
            FormatError: the file is broken, or of other sentences.
        """
        if self.skeletons is None:
            raise LatticeSimpError(f"--by {name} needs --skeletons")
        records = list(read_records(self.skeletons))
        return align_skeletons(records, self.reference.count, self.mask_index, self.skeletons)


def _by_length(options: BreakdownOptions) -> Groups:
    measured = options.source or options.reference
    split = split_tokens if measured.tokens is not None else tokeniser(options.tokeniser)
    lines = measured.tokens if measured.tokens is not None else measured.text or ()
    try:
        edges = [int(part) for part in options.length_edges.split(",")]
    except ValueError:
        raise LatticeSimpError(f"--length-edges {options.length_edges}: give whole numbers as in 10,20,30") from None
    return length_groups([len(split(line)) for line in lines], edges)


BREAKDOWNS: Mapping[str, Callable[[BreakdownOptions], Groups]] = {
    "gap-type": lambda options: gap_type_groups(options.aligned("gap-type")),
    "gaps": lambda options: gap_count_groups(options.aligned("gaps")),
    "length": _by_length,
}
"""The break-downs by their names in `--by`."""
