"""`lattice-simp lattice confidence`: the probabilities that lattices give to the words of hypotheses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from lattice_simp.commands.inputs.lattices import sentence_number
from lattice_simp.commands.inputs.whole_sentences import warn_of_whole_sentences
from lattice_simp.commands.running.lattices import lattice_run
from lattice_simp.commands.running.losses import COMPUTED
from lattice_simp.commands.shared.label_options import WordOptions
from lattice_simp.commands.shared.messages import say
from lattice_simp.commands.shared.options import LABELS, Id, Jobs, LatticeFile, Output, Scale, command_app
from lattice_simp.commands.shared.settings_options import takes_settings
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.marks import without_marks
from lattice_simp.core.symbols import as_tokens
from lattice_simp.formats.nbest import read_nbest
from lattice_simp.formats.plain_text import sentence_lines
from lattice_simp.ops.word_confidences import ignores_confidences, probable_tokens, stored_confidences, word_confidences
from lattice_simp.support.parallel import require_parallel
from lattice_simp.support.textio import open_text, place

app = command_app()


@app.command()
@takes_settings(WordOptions, LABELS)
def confidence(
    source: LatticeFile,
    sentence: Id = None,
    hypotheses: Annotated[
        Path | None,
        typer.Option(help="tokenised hypotheses to score, one per lattice (default: the most probable strings)"),
    ] = None,
    skeleton: Annotated[
        Path | None,
        typer.Option(help="n-best lists of the skeletons; adds a column of each word's agreement with them"),
    ] = None,
    scale: Scale = 1.0,
    jobs: Jobs = 1,
    output: Output = "-",
    settings: Any = None,
) -> None:
    """Print each word of the most probable strings, or of other hypotheses, and its probability.

    Each line holds the lattice's name, the word's number, the word and the probability, separated by tabs. The
    probability is that of all hypotheses that have the word at the aligned position. Choose --scale on development
    data. A single hypothesis keeps the confidences of its words, if the file has them; those that it lacks are empty.

    Example: lattice-simp lattice confidence full.nbest --scale 0.3
    """
    labels = WordOptions(**settings)
    write_confidences(source, sentence, labels, hypotheses, skeleton, scale, jobs, output)


def write_confidences(
    source: str,
    sentence: str | None,
    labels: WordOptions,
    hypotheses: Path | None,
    skeleton: Path | None,
    scale: float,
    jobs: int,
    output: str,
) -> None:
    """Writes a line for each word of the hypotheses of lattices.

    Raises:
        LatticeSimpError: a file is broken, or the numbers of lattices and hypotheses differ.
    """
    ignored = labels.ignored
    lines = (
        None if hypotheses is None else [without_marks(as_tokens(line), ignored) for line in sentence_lines(hypotheses)]
    )
    skeletons = None if skeleton is None else dict(enumerate(read_nbest(skeleton, cost=labels.cost, ignore=ignored)))
    with lattice_run(source, sentence, labels, jobs) as run, open_text(output, "w") as out:
        count, shown, is_noted = 0, [], False
        for count, (name, marked) in enumerate(run.results(Lattice.connected), 1):
            lattice = marked.without_words(ignored)
            if lattice.connected().empty or (lines is not None and count > len(lines)):  # an error at the end
                continue
            if lines is not None:
                hypothesis = Hypothesis(lines[count - 1])
            else:
                connected = lattice.project_output().connected()
                hypothesis = stored_confidences(connected) or Hypothesis(probable_tokens(lattice, scale))
                if ignores_confidences(connected) and not is_noted:
                    is_noted = True
                    say(f"{place(source)}: {COMPUTED}")
            number = sentence_number(name or "0", count - 1)
            skeleton_list = None if skeletons is None else skeletons.get(number, [])
            out.writelines(_rows(name or "0", lattice, hypothesis, scale, skeleton_list))
            shown.append(hypothesis.tokens)
        warn_of_whole_sentences(shown, source if hypotheses is None else hypotheses)
        if lines is not None and hypotheses is not None:
            require_parallel(hypotheses, len(lines), source, count, "lattice")


def _rows(
    name: str, lattice: Lattice, hypothesis: Hypothesis, scale: float, skeletons: list[Hypothesis] | None
) -> Iterator[str]:
    from lattice_simp.skeleton.agreement import skeleton_agreement  # the room takes long to import

    tokens, confidences = hypothesis.tokens, hypothesis.confidences
    columns = [word_confidences(lattice, tokens, scale, ignore=()) if confidences is None else confidences]
    if skeletons is not None:
        columns.append(skeleton_agreement(tokens, skeletons, scale))
    for position, (word, *values) in enumerate(zip(tokens, *columns, strict=True)):
        texts = ("" if math.isnan(value) else f"{value:.6f}" for value in values)
        yield "\t".join((name, str(position), word, *texts)) + "\n"
