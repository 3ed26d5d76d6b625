"""`lattice-simp lattice confidence`: how sure lattices are of the words of hypotheses."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from lattice_simp.commands.batch import JOBS, find_batch
from lattice_simp.commands.options import (
    OUTPUT,
    Id,
    Input,
    WordOptions,
    ignored_words,
    read_full,
    readable,
    sentence_number,
)
from lattice_simp.commands.settings_options import takes_settings
from lattice_simp.commands.whole_sentences import warn_of_whole_sentences
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.marks import without_marks
from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import FormatError
from lattice_simp.formats.nbest import stream_nbest
from lattice_simp.ops.word_confidences import probable_tokens, word_confidences
from lattice_simp.support.textio import open_text, read_lines

app = typer.Typer()


@app.command()
@takes_settings(WordOptions)
def confidence(
    source: Input,
    sentence: Id = None,
    hypotheses: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="whose words: tokens, a line for each lattice; the most probable strings if not given"),
    ] = None,
    skeleton: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="n-best lists of the skeletons: adds how far each word is one of a skeleton's translation"),
    ] = None,
    scale: Annotated[
        float, typer.Option(help="what costs are multiplied with before they are log probabilities")
    ] = 1.0,
    jobs: JOBS = 1,
    output: OUTPUT = "-",
    settings: Any = None,
) -> None:
    """Print each word of the most probable strings, or of other hypotheses, and its probability at its place.

    Lines are the lattice's name, the word's number, the word, and the probability, between tabs. That is
    how probable hypotheses are that have the word where they are aligned with it; choose the scale on data of your own.

    Example: lattice-simp lattice confidence full.nbest --scale 0.3
    """
    ignored = ignored_words(settings)
    lines = None if hypotheses is None else [without_marks(as_tokens(line), ignored) for line in read_lines(hypotheses)]
    skeletons = None if skeleton is None else dict(stream_nbest(skeleton, cost=settings.get("cost"), ignore=ignored))

    with readable(source) as file, open_text(output, "w") as out:
        batch = find_batch(file, sentence, jobs, settings)
        if batch is None:
            found = iter([(sentence or "0", read_full(file, sentence, labels=settings))])
        else:
            found = batch.results(Lattice.connected)
        count, shown = 0, []
        for count, (name, marked) in enumerate(found, 1):
            lattice = marked.without_words(ignored)
            number = sentence_number(name, count - 1)
            if lattice.connected().empty:
                continue
            tokens = probable_tokens(lattice, scale) if lines is None else _line(lines, count - 1, hypotheses)
            own = None if skeletons is None else skeletons.get(number, [])
            out.writelines(_rows(name, lattice, tokens, scale, own))
            shown.append(tokens)
    warn_of_whole_sentences(shown, source if hypotheses is None else hypotheses)
    if lines is not None and count != len(lines):
        print(f"lattice-simp: {hypotheses}: {len(lines)} lines for {count} lattices", file=sys.stderr)
    if batch is not None:
        batch.finish()


def _line(lines: list[tuple[str, ...]], number: int, path: Path | None) -> tuple[str, ...]:
    if number >= len(lines):
        message = f"ends with line {len(lines)}, and there are more lattices"
        raise FormatError(message, path=path, remedy="give a line for each lattice")
    return lines[number]


def _rows(
    name: str, lattice: Lattice, tokens: tuple[str, ...], scale: float, skeletons: list[Hypothesis] | None
) -> Iterator[str]:
    from lattice_simp.skeleton.agreement import skeleton_agreement  # the room takes long to import

    columns = [word_confidences(lattice, tokens, scale, ignore=()).tolist()]
    if skeletons is not None:
        columns.append(skeleton_agreement(tokens, skeletons, scale).tolist())
    for place, (word, *values) in enumerate(zip(tokens, *columns, strict=True)):
        yield "\t".join((name, str(place), word, *(f"{value:.6f}" for value in values))) + "\n"
