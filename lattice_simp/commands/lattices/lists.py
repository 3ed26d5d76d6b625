"""`lattice-simp lattice collect|tokens|texts`: plain texts of systems to n-best lists, their tokens, and back."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from lattice_simp.commands.inputs.reference_lines import for_lines
from lattice_simp.commands.inputs.whole_sentences import checked_lists, chosen_tokeniser, warn_of_whole_sentences
from lattice_simp.commands.running.losses import CONFIDENCES, IN_TEXT, TIMES, Losses, write_lists
from lattice_simp.commands.shared.label_options import ignored_labels
from lattice_simp.commands.shared.messages import say
from lattice_simp.commands.shared.options import (
    Cost,
    Detail,
    FirstId,
    Ignore,
    Language,
    MaybeNbest,
    Nbest,
    Output,
    Pieces,
    Source,
    TokeniserName,
    check_stdin,
    command_app,
)
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError, LatticeSimpError, ScoreWarning
from lattice_simp.formats import is_text
from lattice_simp.formats.json.nbest import write_json
from lattice_simp.formats.json.times import ListedWord, confidences_of, times_of
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.formats.nbest import is_json_name, is_nbest, stream_sentences, write_nbest
from lattice_simp.formats.plain_text import sentence_lines, stream_outputs, write_texts
from lattice_simp.support.extras import extra
from lattice_simp.support.textio import open_text, read_lines, readable
from lattice_simp.text.sacrebleu_tokenisers import is_unspaced_language

app = command_app()

ListOutput: TypeAlias = Annotated[Output, Detail("JSON lines if the name ends in .jsonl, else Moses format")]


@app.command()
def collect(
    sources: Annotated[list[str], typer.Argument(help="a plain text of each system, one sentence per line")],
    per_sentence: Annotated[Nbest, Detail("lines per sentence in each file")] = 1,
    pieces: Pieces = "none",
    output: ListOutput = "-",
) -> None:
    """Make n-best lists of plain outputs. An output that several systems share gets more weight.

    Example: lattice-simp lattice collect one.txt two.txt three.txt --output systems.nbest
    """
    check_stdin(sources)
    with ExitStack() as stack:
        files = [stack.enter_context(readable(source)) for source in sources]
        for file, source in zip(files, sources, strict=True):
            _require_text(file, source)
        groups = stream_outputs(files, per_sentence, pieces=pieces)
        first = next(groups, None)
        if first is None:
            raise FormatError("the file is empty", path=sources[0], remedy="give one sentence per line")
        write_nbest(chain([first], groups), output)


@app.command()
def tokens(
    source: Annotated[str, typer.Argument(help="n-best lists of any format, text, or - for stdin")],
    language: Annotated[Language, Detail("applies its Moses rules, or sacrebleu's for zh, ja, th, ...")] = None,
    tokeniser: Annotated[TokeniserName, Detail("default: that of --language, else spaces")] = None,
    case: Annotated[Literal["keep", "lower"], typer.Option(help="keep or lower the case of words")] = "keep",
    pieces: Pieces = "none",
    cost: Cost = None,
    first_id: FirstId = None,
    ignore: Ignore = None,
    output: ListOutput = "-",
) -> None:
    """Tokenise n-best lists or text, so that the tokens match those of other systems.

    The output of a text is a text, with a line of tokens for each line.

    Example: lattice-simp lattice tokens samples.jsonl --language en --case lower --output tokens.nbest
    """
    with extra("text"):
        from lattice_simp.text.tokeniser import Tokeniser

    if tokeniser is None and is_unspaced_language(language):
        tokeniser = chosen_tokeniser(None, language)
    is_made = language is not None or tokeniser is not None
    chosen = Tokeniser(language or "", tokenise=is_made, normalise=is_made, case=case, name=tokeniser)
    remedy = "give --language (zh, ja, th, ...) or --tokeniser"
    with readable(source) as file:
        if _is_text(file):
            _write_tokens([chosen.tokens(line) for line in sentence_lines(file)], source, output, remedy)
            return
        _require_lists(file, source)
        lists = stream_sentences(file, first_id or 0, pieces=pieces, cost=cost, ignore=ignored_labels(ignore))
        losses = Losses()

        def tokenised(sentence: Sentence) -> Sentence:
            entries = [_with_text(entry, chosen.tokens(entry.text), losses) for entry in sentence.hypotheses]
            return sentence._replace(hypotheses=entries)

        write_lists(checked_lists(map(tokenised, lists), source, remedy), output, losses)


@app.command()
def texts(
    source: Annotated[str, typer.Argument(help="n-best lists of any format, or - for stdin")],
    n: Annotated[MaybeNbest, Detail("default: 1; all if the output is .jsonl")] = None,
    pieces: Pieces = "none",
    cost: Cost = None,
    source_text: Annotated[Source | None, Detail("to include in JSON lines")] = None,
    first_id: FirstId = None,
    ignore: Ignore = None,
    output: Annotated[Output, Detail("JSON lines if the name ends in .jsonl, else text")] = "-",
) -> None:
    """Write n-best lists as plain text, exactly N lines per sentence, as mbrs and COMET read them.

    Example: lattice-simp lattice texts decided.nbest -n 8 --output candidates.txt
    """
    as_json = is_json_name(output)
    if source_text is not None and not as_json:
        raise LatticeSimpError("plain text cannot hold --source; write JSON lines (--output NAME.jsonl)")
    lines = None if source_text is None else list(sentence_lines(source_text))
    with readable(source) as file, warnings.catch_warnings():
        warnings.simplefilter("ignore", ScoreWarning)  # only the order of the hypotheses matters here
        _require_lists(file, source)
        lists = stream_sentences(file, first_id or 0, pieces=pieces, cost=cost, ignore=ignored_labels(ignore))
        if as_json:
            if lines is not None:
                lists = for_lines(lists, len(lines), source_text, source, first_id or 0)
            write_json(_best(lists, n), output, first_id=first_id or 0, sources=lines)
            return
        losses = Losses()
        shorter, empty = write_texts(losses.watched(_best(lists, n or 1), IN_TEXT), output, n or 1)
        losses.print(output)
    if shorter:
        say(f"lists with fewer than {n or 1} hypotheses, repeated from the first: {shorter}")
    if empty:
        say(f"sentences without hypotheses, with empty lines: {empty} (sentences count from id {first_id or 0} on)")


def _with_text(entry: Hypothesis, text: str, losses: Losses) -> Hypothesis:
    """Returns a hypothesis with other tokens, which share the times and confidences of words with the same letters."""
    tokens = tuple(split_tokens(text))
    spans = [(None, None)] * len(entry.tokens) if entry.times is None else entry.times
    shares = [None] * len(entry.tokens) if entry.confidences is None else entry.confidences
    words = [ListedWord(word, *span, share) for word, span, share in zip(entry.tokens, spans, shares, strict=True)]
    times = None if entry.times is None else times_of(tokens, words)
    confidences = None if entry.confidences is None else confidences_of(tokens, words)
    before = {TIMES: entry.times, CONFIDENCES: entry.confidences}
    after = {TIMES: times, CONFIDENCES: confidences}
    lost = [what for what, value in before.items() if value and after[what] is None]
    losses.add_phrases({"where the tokens have other letters than the words, they do not have": lost})
    return replace(entry, tokens=tokens, times=times, confidences=confidences)


def _is_text(file: str) -> bool:
    """Returns whether a file holds lines of text: neither n-best lists nor a lattice."""
    return not is_nbest(file) and not _is_empty(file) and is_text(file)


def _write_tokens(lines: list[str], source: str, output: str, remedy: str) -> None:
    warn_of_whole_sentences(map(split_tokens, lines), source, remedy)
    with open_text(output, "w") as file:
        file.writelines(f"{line}\n" for line in lines)


def _require_text(file: str, source: str) -> None:
    if is_nbest(file):
        remedy = "it needs no `lattice collect`; `lattice texts` writes its texts"
        raise FormatError("is an n-best list already", path=source, remedy=remedy)
    if not _is_empty(file) and not is_text(file):
        raise FormatError("looks like a lattice, not like text", path=source, remedy="give one sentence per line")


def _require_lists(file: str, source: str) -> None:
    if not is_nbest(file):
        remedy = "write lattices as n-best lists first: lattice nbest -n 100 --moses"
        if is_text(file):
            remedy = "make n-best lists of plain text with `lattice collect`"
        message = "the file is empty" if _is_empty(file) else "is not an n-best list"
        raise FormatError(message, path=source, remedy=remedy)


def _best(lists: Iterable[Sentence], n: int | None) -> Iterator[Sentence]:
    """Yields each list, sorted by cost and cut to `n` hypotheses."""
    for sentence in lists:
        yield sentence._replace(hypotheses=sorted(sentence.hypotheses, key=lambda entry: entry.cost)[:n])


def _is_empty(file: str) -> bool:
    return not Path(file).is_dir() and next(read_lines(file), None) is None
