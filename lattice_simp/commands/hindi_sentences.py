"""The input of the Hindi commands: sentences of text, SSF or CoNLL-U, and their clauses by the chosen system."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from lattice_simp.commands.options import refuse_idle
from lattice_simp.errors import FormatError, LatticeSimpError

if TYPE_CHECKING:
    from lattice_simp.systems.hindi.clause import Clause
    from lattice_simp.systems.hindi.model import HindiModel
    from lattice_simp.systems.hindi.sentence import Sentence
    from lattice_simp.systems.hindi.text import Analyser


Format = Literal["text", "ssf", "conllu"]
"""What a file holds."""

System = Literal["model", "rules", "tree"]
"""How clauses are found."""


class MarkedSentence(NamedTuple):
    """The line of a sentence in a text or its number in a treebank, from 0; it without elided words; its clauses."""

    line: int
    sentence: Sentence
    clauses: list[Clause]


def marked_sentences(
    source: Path, model: Path | None, chosen: Format | None, romanised: bool, system: System
) -> Iterator[MarkedSentence]:
    """Reads sentences and finds their clauses; reports unreadable sentences on stderr.

    Raises:
        LatticeSimpError: the options do not fit each other, or a file is broken.
    """
    form = chosen or _format(source)
    if system == "tree" and form == "text":
        raise LatticeSimpError("text has no trees; choose --system model or rules, or give SSF or CoNLL-U")
    if romanised and form != "text":
        raise LatticeSimpError("--romanised applies to text only, not to SSF or CoNLL-U files")
    if system == "tree" or (system == "rules" and form != "text"):
        refuse_idle(["model"], f"with --system {system} for {form}")
    loaded = load_model(model, system, form)
    find = finder(loaded, system)
    problems: list[FormatError] = []
    if form == "text":
        assert loaded is not None
        read = _lines(source, loaded.analyser.for_romanised() if romanised else loaded.analyser)
    else:
        from lattice_simp.systems.hindi.formats.conllu import read_conllu
        from lattice_simp.systems.hindi.formats.conllu_tree import treebank_tree
        from lattice_simp.systems.hindi.formats.ssf import read_ssf

        is_ssf = form == "ssf"
        read = enumerate(read_ssf(source, problems) if is_ssf else map(treebank_tree, read_conllu(source, problems)))
    for line, sentence in read:
        yield MarkedSentence(line, sentence.without_empty, find(sentence))
    print_problems(problems)


def load_model(model: Path | None, system: System, form: Format) -> HindiModel | None:
    """Reads a trained model; None if there is none and none is needed.

    Raises:
        LatticeSimpError: one is needed, or a file of it is broken.
    """
    from lattice_simp.systems.hindi.model import HindiModel

    if model is not None:
        return HindiModel.load(model)
    if system == "model":
        raise LatticeSimpError("--model is missing: give a folder that `lattice-simp hindi train` wrote")
    if form == "text":
        raise LatticeSimpError(
            f"--model is missing: --system {system} needs tagged words, and plain text is tagged by a model that "
            "`lattice-simp hindi train` wrote; SSF and CoNLL-U files have tags of their own"
        )
    return None


def finder(model: HindiModel | None, system: System) -> Callable[[Sentence], list[Clause]]:
    """Makes the function that returns the clauses of a sentence's words, elided ones left out."""
    from lattice_simp.systems.hindi.from_tree import clauses_of_words
    from lattice_simp.systems.hindi.rules import rule_clauses

    if system == "tree":
        return clauses_of_words
    if system == "rules":
        return lambda sentence: rule_clauses(sentence.without_empty)
    assert model is not None
    clauses = model.clauses.clauses
    return lambda sentence: clauses(sentence.without_empty)


def print_problems(problems: Iterable[FormatError]) -> None:
    """Prints which sentences were skipped."""
    for problem in problems:
        print(f"skipped: {problem}", file=sys.stderr)


def _format(source: Path) -> Format:
    endings: dict[str, Format] = {".ssf": "ssf", ".dat": "ssf", ".conllu": "conllu"}
    return next((endings[suffix] for suffix in reversed(source.suffixes) if suffix in endings), "text")


def _lines(source: Path, analyser: Analyser) -> Iterator[tuple[int, Sentence]]:
    """Returns the sentences of a text with their lines; they are numbered through, from 1."""
    from lattice_simp.support.textio import read_lines

    count = 0
    for line, text in enumerate(read_lines(source)):
        for sentence in analyser(text):
            count += 1
            yield line, replace(sentence, id=str(count))
