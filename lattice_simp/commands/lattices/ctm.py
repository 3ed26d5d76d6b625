"""`lattice-simp lattice ctm`: the recognised words of utterances, with times and confidences."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lattice_simp.commands.running.lattices import lattice_run
from lattice_simp.commands.running.losses import COMPUTED
from lattice_simp.commands.shared.label_options import WordOptions
from lattice_simp.commands.shared.messages import say
from lattice_simp.commands.shared.options import LABELS, Id, Jobs, LatticeFile, Output, Scale, command_app
from lattice_simp.commands.shared.settings_options import takes_settings
from lattice_simp.core.lattice import Lattice
from lattice_simp.formats.collections import stem_of
from lattice_simp.formats.common import field_of
from lattice_simp.formats.ctm import ctm_fields
from lattice_simp.ops.timed_words import Decision, timed_words
from lattice_simp.ops.word_confidences import ignores_confidences
from lattice_simp.support.textio import open_text, place

app = command_app()


@app.command()
@takes_settings(WordOptions, LABELS)
def ctm(
    source: LatticeFile,
    sentence: Id = None,
    decide: Annotated[
        Decision, typer.Option(help="words of the best path, or of the consensus (fewest expected word errors)")
    ] = "best",
    scale: Scale = 1.0,
    channel: Annotated[str, typer.Option(help="channel to write")] = "1",
    jobs: Jobs = 1,
    output: Output = "-",
    settings: Any = None,
) -> None:
    """Write CTM: a line for each word, with its utterance, channel, begin and duration in seconds, and confidence.

    The lattices need times: SLF with t= in all nodes, Kaldi archives with alignments, or n-best lists with times of
    words. Utterances have the names in the archive or list, or those of the files. Choose --scale on development
    data.

    Example: lattice-simp lattice ctm lats.txt --symbols words.txt --scale 0.1 --output words.ctm
    """
    labels = WordOptions(**settings)

    def fields(lattice: Lattice) -> tuple[str | None, list[str], bool]:
        rows = ctm_fields(timed_words(lattice, decide, scale, ignore=labels.ignored))
        return lattice.header.name, rows, ignores_confidences(lattice.project_output().connected())

    is_noted = False
    with lattice_run(source, sentence, labels, jobs) as run, open_text(output, "w") as out:
        for name, (utterance, rows, is_computed) in run.results(fields):
            if is_computed and not is_noted:
                is_noted = True
                say(f"{place(source)}: {COMPUTED}")
            first = field_of(name or utterance or stem_of(Path(source).name), output)
            out.writelines(f"{first} {field_of(channel, output)} {row}\n" for row in rows)
