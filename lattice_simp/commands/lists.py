"""`lattice-simp lattice collect|tokens|texts`: plain texts of systems to n-best lists, their tokens, and back."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, Optional

import typer

from lattice_simp.commands.options import COST, FIRST_ID, IGNORE, PIECES, TOKENISER_HELP, ignored_labels, readable
from lattice_simp.commands.whole_sentences import checked_lists, chosen_tokeniser, warn_of_whole_sentences
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats import is_text
from lattice_simp.formats.json_nbest import write_json
from lattice_simp.formats.nbest import is_json_name, is_nbest, stream_nbest, write_nbest
from lattice_simp.formats.outputs import stream_outputs, write_texts
from lattice_simp.support.extras import extra
from lattice_simp.support.textio import open_text, read_lines
from lattice_simp.text.sacrebleu_tokenisers import is_unspaced_language

app = typer.Typer()

LIST_OUTPUT = Annotated[
    str, typer.Option("--output", "-o", help="JSON lines if it ends in .jsonl, else Moses' format; - for stdout")
]


@app.command()
def collect(
    sources: Annotated[list[str], typer.Argument(help="plain texts, one sentence a line: a file for each system")],
    per_sentence: Annotated[int, typer.Option("-n", min=1, help="lines for each sentence in each file")] = 1,
    pieces: PIECES = "none",
    output: LIST_OUTPUT = "-",
) -> None:
    """Make n-best lists of plain outputs. What several of them say weighs more.

    Example: lattice-simp lattice collect one.txt two.txt three.txt --output systems.nbest
    """
    if sources.count("-") > 1:
        raise LatticeSimpError("standard input can be one file only; give the others by their names")
    groups = stream_outputs(sources, per_sentence, pieces=pieces)
    first = next(groups, None)
    if first is None:
        raise FormatError("the file is empty", path=sources[0], remedy="give one sentence a line")
    write_nbest((own for part in ([first], groups) for own in part), output)


@app.command()
def tokens(
    source: Annotated[str, typer.Argument(help="n-best lists of any format, a text, or - for stdin")],
    language: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            help="an ISO code: the Moses rules of this language make tokens, or sacrebleu's tokeniser where there are "
            "no blanks between words (zh, ja, th, ...); blanks do if not given"
        ),
    ] = None,
    tokeniser: Annotated[Optional[str], typer.Option(help=TOKENISER_HELP)] = None,  # noqa: UP045
    case: Annotated[Literal["keep", "lower"], typer.Option(help="of the words")] = "keep",
    pieces: PIECES = "none",
    cost: COST = None,
    first_id: FIRST_ID = None,
    ignore: IGNORE = None,
    output: LIST_OUTPUT = "-",
) -> None:
    """Make tokens of n-best lists or of a text, so that detokenised or cased text can be matched with others' tokens.

    A text stays a text, a line of tokens for each of its lines.

    Example: lattice-simp lattice tokens samples.jsonl --language en --case lower --output tokens.nbest
    """
    with extra("text"):
        from lattice_simp.text.tokeniser import Tokeniser

    if tokeniser is None and is_unspaced_language(language):
        tokeniser = chosen_tokeniser(None, language)
    is_made = language is not None or tokeniser is not None
    made = Tokeniser(language or "", tokenise=is_made, normalise=is_made, case=case, name=tokeniser)
    remedy = "give --language (zh, ja, th, ...) or --tokeniser"
    with readable(source) as file:
        if _is_text(file):
            _write_tokens([made.tokens(line) for line in read_lines(file)], source, output, remedy)
            return
        _require_lists(file, source)
        lists = stream_nbest(file, first_id or 0, pieces=pieces, cost=cost, ignore=ignored_labels(ignore))
        groups = (
            (number, [replace(own, tokens=tuple(split_tokens(made.tokens(own.text)))) for own in entries])
            for number, entries in lists
        )
        write_nbest(checked_lists(groups, source, remedy), output)


@app.command()
def texts(
    source: Annotated[str, typer.Argument(help="n-best lists of any format, or - for stdin")],
    n: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("-n", min=1, help="the best of each list; 1 if not given, .jsonl: all"),
    ] = None,
    pieces: PIECES = "none",
    cost: COST = None,
    source_text: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--source", help="the source sentences, which JSON lines may hold, too"),
    ] = None,
    first_id: FIRST_ID = None,
    ignore: IGNORE = None,
    output: Annotated[str, typer.Option("--output", "-o", help="a text, or JSON lines if it ends in .jsonl")] = "-",
) -> None:
    """Write n-best lists as plain texts, exactly N lines for each sentence, as mbrs and COMET take them.

    Example: lattice-simp lattice texts decided.nbest -n 8 --output candidates.txt
    """
    as_json = is_json_name(output)
    if source_text is not None and not as_json:
        raise LatticeSimpError("--source has no place in plain text; write JSON lines (--output NAME.jsonl)")
    lines = None if source_text is None else list(read_lines(source_text))
    with readable(source) as file:
        _require_lists(file, source)
        lists = stream_nbest(file, first_id or 0, pieces=pieces, cost=cost, ignore=ignored_labels(ignore))
        if as_json:
            write_json(_best(lists, n, lines, source), output, first_id=first_id or 0, sources=lines)
            return
        shorter = write_texts(_best(lists, n or 1, None, source), output, n or 1)
    if shorter:
        print(
            f"{shorter} lists have less than {n or 1} hypotheses; they are repeated from the first on", file=sys.stderr
        )


def _is_text(file: str) -> bool:
    """Returns whether a file holds lines of text: neither n-best lists nor a lattice."""
    return not is_nbest(file) and not _is_empty(file) and is_text(file)


def _write_tokens(lines: list[str], source: str, output: str, remedy: str) -> None:
    warn_of_whole_sentences(map(split_tokens, lines), source, remedy)
    with open_text(output, "w") as file:
        file.writelines(f"{line}\n" for line in lines)


def _require_lists(file: str, source: str) -> None:
    if not is_nbest(file):
        remedy = "write lattices as n-best lists first: lattice nbest -n 100 --moses"
        raise FormatError(
            "the file is empty" if _is_empty(file) else "is not an n-best list", path=source, remedy=remedy
        )


def _best(
    lists: Iterable[tuple[int, list[Hypothesis]]], n: int | None, lines: list[str] | None, path: str
) -> Iterable[tuple[int, list[Hypothesis]]]:
    """Yields the best of each list, the best first."""
    for number, entries in lists:
        if lines is not None and number >= len(lines):
            remedy = "give --source a line for each sentence"
            raise FormatError(f"holds sentence {number}, and there are {len(lines)} lines", path=path, remedy=remedy)
        yield number, sorted(entries, key=lambda own: own.cost)[:n]


def _is_empty(file: str) -> bool:
    return next(read_lines(file), None) is None
