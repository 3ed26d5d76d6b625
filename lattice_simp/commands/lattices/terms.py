"""Lattices and n-best lists with terms: the hypotheses that hold a form of each term of their sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from lattice_simp.commands.inputs.lattices import read_acyclic, require_lattices
from lattice_simp.commands.lattices.compose import require_arrays
from lattice_simp.commands.lattices.composition import Composition, Counts, composed_list, write_composed
from lattice_simp.commands.running.lattices import lattice_run
from lattice_simp.commands.running.losses import write_result
from lattice_simp.commands.shared.messages import say
from lattice_simp.commands.shared.options import refuse_idle
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import FormatError
from lattice_simp.formats.collections import is_collection
from lattice_simp.formats.common import natural
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.formats.nbest import is_nbest, stream_sentences
from lattice_simp.formats.terms import TERM_LINES, Terms, read_terms
from lattice_simp.support.parallel import require_parallel
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import readable


def keep_terms_of_files(
    composition: Composition, full: str, terms: str, sentence: str | None, output: str, to: str | None
) -> None:
    """Keeps the hypotheses that hold their sentence's terms, in n-best lists or in the lattice of one sentence.

    The arguments are those of `compose_files`; `terms` is a file of terms, see `formats/terms.py`.
    """
    refuse_idle(["weight", "loops"], "with --terms; it applies to skeletons")
    require_arrays(composition.engine, "--terms")
    labels = composition.labels
    with readable(full) as full_file:
        require_lattices(full_file)
        if is_nbest(full_file) and sentence is None:
            lists = _ListsWithTerms(composition, full, terms)
            write_composed(lists.sentences(full_file), lists.counts, full, output, composition, to)
            if lists.attached:
                say(f"{lists.attached}: tokenise the lists first (lattice-simp lattice tokens {full})")
            return
        refuse_idle(["n", "first_id"], "when the output is a lattice; it applies to n-best lists without --id")
        if sentence is None and is_collection(full_file):
            _write_archive(composition, full_file, terms, output, to)
            return
        lattice = read_acyclic(full_file, sentence, labels)
    joint = composition.keep_terms(lattice, terms_of(terms, sentence))
    if joint.empty:
        say("no hypothesis holds the terms; the full lattice is written")
    write_result(lattice if joint.empty else joint, output, to, labels=labels, origin=lattice)


class _ListsWithTerms:
    """The hypotheses of n-best lists that hold the terms, or the best of a list if there are none.

    Attributes:
        counts: of the sentences so far.
        attached: a term that occurs only with punctuation attached, with the sentence and the token; empty for none.
    """

    def __init__(self, composition: Composition, full: str, terms: str) -> None:
        self.composition, self.full, self.terms = composition, full, terms
        self.counts = Counts("terms")
        self.attached = ""

    def sentences(self, full_file: str) -> Iterator[Sentence]:
        """Yields the sentences.

        Raises:
            FormatError: a file is broken, or the terms do not have a line for each sentence.
        """
        composition, counts, lines = self.composition, self.counts, read_terms(self.terms)
        options = composition.labels.of_lists(self.full)
        number = -1
        for number, sentence in enumerate(
            stream_sentences(full_file, composition.first_id, **options, ignore=composition.labels.ignored)
        ):
            if number < len(lines):
                empty = counts.empty
                yield composed_list(sentence, lines[number], composition.keep_terms, composition, counts)
                if counts.empty > empty and not self.attached:
                    self.attached = _attached(sentence, lines[number])
        require_parallel(self.terms, len(lines), full_file, number + 1, "sentence", TERM_LINES)


def _write_archive(composition: Composition, full: str, terms: str, output: str, to: str | None) -> None:
    """Writes the paths with the terms for each lattice of an archive or folder, or all paths if none has them.

    Raises:
        FormatError: a file is broken, or the terms do not have a line for each lattice.
    """
    lines, counts = read_terms(terms), Counts("terms")

    def kept(number: int, lattice: Lattice) -> Lattice:
        counts.sentences += 1
        if number >= len(lines):
            return lattice  # an error at the end
        counts.missing += not lines[number]
        joint = composition.keep_terms(lattice, lines[number]) if lines[number] else lattice
        counts.empty += joint.empty
        return lattice if joint.empty else joint

    with lattice_run(full, labels=composition.labels) as run:
        run.write_numbered(kept, output, to)
        require_parallel(terms, len(lines), full, run.count, "lattice", TERM_LINES)
        say(counts)


def _attached(sentence: Sentence, terms: Terms) -> str:
    """Returns a message about a form of a term that occurs only with punctuation attached; empty if there is none."""
    tokens = {token for entry in sentence.hypotheses for token in entry.tokens}
    for form in chain.from_iterable(terms):
        word = form.split()[-1]
        token = next((token for token in sorted(tokens - {word}) if _bare(token) == word), None)
        if word not in tokens and token is not None:
            return f"sentence {sentence.number} has {token!r}, which is not the term {form!r}"
    return ""


def _bare(token: str) -> str:
    """Returns a token without the punctuation at its ends."""
    return re.sub(r"^\W+|\W+$", "", token)


def terms_of(path: str, sentence: str | None) -> Terms:
    """Returns the terms of one sentence: those of the line with its number, from 0, or of the only line.

    Raises:
        FormatError: the number is beyond the last line, or the sentence has none and the file several lines.
    """
    lines = read_terms(path)
    number = None if sentence is None else natural(sentence)
    if number is not None and number < len(lines):
        return lines[number]
    if number is None and len(lines) == 1:
        return lines[0]
    if number is None:
        message = f"{counted(len(lines), 'line')} for one sentence without a number"
        raise FormatError(
            message, path=path, remedy="give a file of one line, or choose a sentence by its number (--id)"
        )
    raise FormatError(f"{counted(len(lines), 'line')}, none for sentence {number}", path=path, remedy=TERM_LINES)
