"""The finite clauses, the accuracy of the parser on the held-out files, and the time that plain text takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from experiments.timing import cpu_time
from lattice_simp.systems.hindi.clause import Clause, ClauseType
from lattice_simp.systems.hindi.clauses.examples import Example
from lattice_simp.systems.hindi.clauses.labels import Brackets, brackets_of, clauses_of
from lattice_simp.systems.hindi.clauses.model import ClauseModel
from lattice_simp.systems.hindi.parsing import Parser
from lattice_simp.systems.hindi.parsing.scoring import Attachment, attachment
from lattice_simp.systems.hindi.simplify import simplify
from lattice_simp.systems.hindi.text import Analyser


def finite(clauses: Iterable[Clause]) -> list[Clause]:
    """Returns the clauses that are not non-finite."""
    return [clause for clause in clauses if clause.kind is not ClauseType.NON_FINITE]


def finite_brackets(brackets: Sequence[Brackets]) -> list[Brackets]:
    """Returns the brackets of the finite clauses, without unmatched ones.

    >>> brackets = [Brackets.parse(text) for text in ("main/0", "nonfin/0", "-/2")]
    >>> [str(bracket) for bracket in finite_brackets(brackets)]
    ['main/0', '-/0', '-/1']
    """
    return brackets_of(finite(clauses_of(brackets)), len(brackets))


PLAIN, TAGGED = "plain text", "tags and chunks of the treebank"


def attachments(examples: Sequence[Example], analyser: Analyser, parser: Parser) -> dict[str, Attachment]:
    """Returns the attachment scores with tags and chunks by the analyser, and with those of the treebank."""
    wanted = [example.sentence for example in examples]
    analysed = [analyser.analyse([token.form for token in sentence.tokens]) for sentence in wanted]
    return {
        PLAIN: attachment(zip(wanted, parser.parsed(analysed), strict=True)),
        TAGGED: attachment(zip(wanted, parser.parsed(wanted), strict=True)),
    }


def seconds(examples: Sequence[Example], analyser: Analyser, parser: Parser, model: ClauseModel) -> dict[str, float]:
    """Returns the CPU seconds of each step from tokens to simple sentences."""
    with cpu_time() as tagging:
        sentences = [analyser.analyse([token.form for token in example.sentence.tokens]) for example in examples]
    with cpu_time() as parsing:
        parsed = list(parser.parsed(sentences))
    with cpu_time() as marking:
        marked = [model.clauses(sentence) for sentence in sentences]
    with cpu_time() as simplifying:
        for pair in zip(parsed, marked, strict=True):
            simplify(*pair)
    steps = {
        "tags and chunks": tagging,
        "dependencies": parsing,
        "brackets and types": marking,
        "simple sentences": simplifying,
    }
    return {f"{step} of {len(examples)} sentences": timer.seconds for step, timer in steps.items()}
