"""The input of the Hindi commands: sentences of text, SSF or CoNLL-U, and their clauses by the chosen system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import tee
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from lattice_simp.commands.shared.messages import say
from lattice_simp.commands.shared.options import refuse_idle
from lattice_simp.errors import FormatError, LatticeSimpError

if TYPE_CHECKING:
    from lattice_simp.systems.hindi.clause import Clause
    from lattice_simp.systems.hindi.model import HindiModel
    from lattice_simp.systems.hindi.sentence import Sentence
    from lattice_simp.systems.hindi.text import Analyser


T = TypeVar("T")

Format = Literal["text", "ssf", "conllu"]
"""The format of a file."""

System = Literal["model", "rules", "tree"]
"""The system that finds clauses."""


class MarkedSentence(NamedTuple):
    """A sentence without elided words, its line in a text or its number in a treebank (from 0), and its clauses."""

    line: int
    sentence: Sentence
    clauses: list[Clause]


def marked_sentences(
    source: Path,
    model: Path | None,
    chosen: Format | None,
    romanised: bool,
    system: System,
    *,
    with_trees: bool = False,
) -> Iterator[MarkedSentence]:
    """Reads sentences and finds their clauses; reports unreadable sentences on stderr.

    If the caller uses trees (`with_trees`), text is parsed if the model can. `chosen` is the format, None to infer it.
    """
    form = chosen or _format(source)
    if system != "model" and form != "text":
        refuse_idle(["model"], f"with --system {system} for {form}")
    _check_romanised(romanised, form)
    wants_parser = form == "text" and (with_trees or system == "tree")
    loaded = load_model(model, system, form, with_parser=wants_parser)
    find = finder(loaded, system)
    problems: list[FormatError] = []
    read = read_sentences(source, form, loaded, problems, romanised=romanised)
    marked = (MarkedSentence(line, sentence.without_empty, find(sentence)) for line, sentence in read)
    yield from _reported(marked, problems)


def parsed_sentences(source: Path, model: Path, chosen: Format | None, romanised: bool) -> Iterator[Sentence]:
    """Reads sentences and parses them, replacing their trees. Reports unreadable sentences on stderr.

    Raises:
        LatticeSimpError: the options contradict each other, the model has no parser, or a file is broken.
    """
    from lattice_simp.systems.hindi.model import HindiModel

    form = chosen or _format(source)
    _check_romanised(romanised, form)
    loaded = HindiModel.load(model, with_parser=can_parse(model, is_needed=True))
    problems: list[FormatError] = []
    read = read_sentences(source, form, loaded, problems, romanised=romanised)
    sentences = (sentence.without_empty for _, sentence in read)
    yield from _reported(sentences if form == "text" else loaded.parsed(sentences), problems)


def read_sentences(
    source: Path, form: Format, model: HindiModel | None, problems: list[FormatError], *, romanised: bool
) -> Iterator[tuple[int, Sentence]]:
    """Yields sentences with their lines in a text, or their numbers in a treebank; parses text if the model can.

    Treebanks need no model. `problems` receives the errors of skipped sentences.
    """
    if form != "text":
        from lattice_simp.systems.hindi.formats.conllu import read_conllu
        from lattice_simp.systems.hindi.formats.conllu_tree import treebank_tree
        from lattice_simp.systems.hindi.formats.ssf import read_ssf

        is_ssf = form == "ssf"
        yield from enumerate(
            read_ssf(source, problems) if is_ssf else map(treebank_tree, read_conllu(source, problems))
        )
        return
    assert model is not None
    lines, sentences = tee(_lines(source, model.analyser.for_romanised() if romanised else model.analyser))
    trees = model.parsed(sentence for _, sentence in sentences)
    yield from ((line, tree) for (line, _), tree in zip(lines, trees, strict=True))


def can_parse(model: Path, *, is_needed: bool) -> bool:
    """Returns whether a model can parse text; if not, prints the reason, or raises it if `is_needed`."""
    from lattice_simp.systems.hindi.model import parser_problem

    problem = parser_problem(model)
    if problem is not None and is_needed:
        raise problem
    if problem is not None:
        say(f"{problem}; until then, text is analysed without dependencies")
    return problem is None


def _check_romanised(romanised: bool, form: Format) -> None:
    if romanised and form != "text":
        raise LatticeSimpError("--romanised applies to text only, not to SSF or CoNLL-U files")


def load_model(model: Path | None, system: System, form: Format, *, with_parser: bool = False) -> HindiModel | None:
    """Reads a trained model, with its parser if it can parse; returns None without a folder if no model is needed.

    Raises:
        LatticeSimpError: a model is needed, or one of its files is broken.
    """
    from lattice_simp.systems.hindi.model import HindiModel

    if model is not None:
        return HindiModel.load(model, with_parser=with_parser and can_parse(model, is_needed=system == "tree"))
    if system == "model":
        hint = "" if form == "text" else "; or --system rules, because the words of this file are tagged already"
        raise LatticeSimpError("--model is missing: give a folder that `lattice-simp hindi train` wrote" + hint)
    if form == "text":
        raise LatticeSimpError(
            f"--model is missing: --system {system} needs analysed words, and plain text is analysed by a model that "
            "`lattice-simp hindi train` wrote; SSF and CoNLL-U (.ssf, .dat, .conllu, or --from) are tagged already"
        )
    return None


def finder(model: HindiModel | None, system: System) -> Callable[[Sentence], list[Clause]]:
    """Returns the function that finds the clauses of a sentence without its elided words."""
    from lattice_simp.systems.hindi.from_tree import clauses_of_words
    from lattice_simp.systems.hindi.rules import rule_clauses

    if system == "tree":
        return clauses_of_words
    if system == "rules":
        return lambda sentence: rule_clauses(sentence.without_empty)
    assert model is not None
    clauses = model.clauses.clauses
    return lambda sentence: clauses(sentence.without_empty)


def _reported(sentences: Iterable[T], problems: list[FormatError]) -> Iterator[T]:
    """Yields sentences, and reports those that were skipped; refuses a file whose every sentence was."""
    is_empty = True
    for sentence in sentences:
        is_empty = False
        yield sentence
    print_problems(problems)
    if problems and is_empty:
        raise LatticeSimpError("every sentence was skipped; see the reasons above")


def print_problems(problems: Iterable[FormatError]) -> None:
    """Prints the skipped sentences on stderr."""
    for problem in problems:
        say(f"skipped: {problem}")


def _format(source: Path) -> Format:
    endings: dict[str, Format] = {".ssf": "ssf", ".dat": "ssf", ".conllu": "conllu"}
    return next((endings[suffix] for suffix in reversed(source.suffixes) if suffix in endings), "text")


def _lines(source: Path, analyser: Analyser) -> Iterator[tuple[int, Sentence]]:
    """Yields the sentences of a text with their lines; their ids count from 1 through the whole text."""
    from lattice_simp.formats.plain_text import sentence_lines

    count = 0
    for line, text in enumerate(sentence_lines(source)):
        for sentence in analyser(text):
            count += 1
            yield line, replace(sentence, id=str(count))
