"""Gappy composition of lattices, and of n-best lists sentence by sentence: with skeletons, or with terms."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from typing import Any, TypeVar

from lattice_simp.commands.inputs.lattices import read_acyclic, read_skeleton, require_lattices, say_repeated
from lattice_simp.commands.inputs.pairing import SharedNames
from lattice_simp.commands.running.lattices import lattice_run
from lattice_simp.commands.running.losses import wants_json, write_lists, write_result
from lattice_simp.commands.shared.label_options import NO_OPTIONS, LabelOptions
from lattice_simp.commands.shared.messages import say
from lattice_simp.commands.shared.options import refuse_idle
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice, Strings
from lattice_simp.core.marks import MARKS, unmarked
from lattice_simp.core.word_times import with_marks_of
from lattice_simp.engines import ENGINES, Engine
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats.collections import is_collection
from lattice_simp.formats.common import natural
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.formats.nbest import has_pieces, is_nbest, stream_sentences
from lattice_simp.formats.terms import TERM_LINES, Terms, read_terms
from lattice_simp.ops.compose_gappy import EDITS, SKELETON, EditCosts
from lattice_simp.ops.gappy_acceptor import Loops
from lattice_simp.ops.nbest import nbest
from lattice_simp.ops.term_acceptor import TERMS, keep_terms
from lattice_simp.support.parallel import require_parallel
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import readable

Needed = TypeVar("Needed", list[Hypothesis], Terms)

_ADDED = (SKELETON, EDITS, TERMS.edits)
"""The features of a composition that n-best lists keep."""


@dataclass
class Composition:
    """The options of a composition and the counts of composed n-best lists; see `ops/compose_gappy.py`.

    Attributes:
        edits: the costs of deviations; None forbids them.
        n: maximum number of hypotheses in an n-best list.
        engine: see `engines.py`; lists need arrays.
        first_id: the id of the first sentence in n-best lists.
        ignore: labels that are not words.
        labels: how to interpret labels.
        lists, skeleton_lists: arguments of `stream_sentences`: `pieces`, `cost`.
        needed: a phrase for the required content of hypotheses.
        attached: a term that occurs only with punctuation attached, with the sentence and the token; empty for none.
        sentences, empty, missing: the numbers of n-best lists so far, of those without a common hypothesis, and of
            those without skeleton hypotheses or terms.
        repeated: the number of hypotheses with the words of better ones, which are left out of composed lists.
    """

    weight: float
    loops: Loops
    beam: float | None
    edits: EditCosts | None
    n: int
    engine: Engine = "arrays"
    first_id: int = 0
    ignore: Collection[str] = MARKS
    labels: LabelOptions = NO_OPTIONS
    lists: Mapping[str, Any] = field(default_factory=dict)
    skeleton_lists: Mapping[str, Any] = field(default_factory=dict)
    needed: str = "skeleton hypotheses"
    attached: str = ""
    sentences: int = 0
    empty: int = 0
    missing: int = 0
    repeated: int = 0

    def compose(self, full: Lattice, hypotheses: Lattice | Iterable[Hypothesis]) -> Lattice:
        """Returns the full hypotheses that contain a skeleton hypothesis; empty if there are none."""
        engine = ENGINES[self.engine]
        if isinstance(hypotheses, Lattice):
            words: Lattice | Strings = hypotheses.without_words(self.ignore)
        else:
            words = unmarked(hypotheses, self.ignore)
        acceptor = engine.gappy_acceptor(words, loops=self.loops, symbols=full.symbols)
        joint: Lattice = engine.compose_gappy(full, acceptor, weight=self.weight, beam=self.beam, edits=self.edits)
        return joint

    def keep_terms(self, full: Lattice, terms: Terms) -> Lattice:
        """Returns the full hypotheses that hold a form of each term; empty if there are none."""
        return keep_terms(full, terms, beam=self.beam, edits=self.edits)

    def compose_lists(self, full: str, skeleton: str) -> Iterator[Sentence]:
        """Yields the composed n-best list of each sentence, or the best of its own list if the result is empty.

        The features are those of the full hypothesis, and minus the costs `Skeleton` (unweighted) and `Edits`.

        Raises:
            FormatError: a list is broken, or there is a skeleton of a sentence beyond the last one.
        """
        shared = SharedNames([full, skeleton])
        for sentence, skeletons in zip_longest(
            stream_sentences(full, self.first_id, **self.lists, ignore=self.ignore),
            stream_sentences(skeleton, self.first_id, **self.skeleton_lists, ignore=self.ignore),
            fillvalue=Sentence(-1, []),
        ):
            if sentence.number >= 0:
                self.sentences += 1
                name = shared.of(sentence.number, [sentence.name, skeletons.name])
                yield self._compose_list(sentence._replace(name=name), skeletons.hypotheses, self.compose)
            elif skeletons.hypotheses:
                last, skeleton_id = self.sentences - 1 + self.first_id, skeletons.number + self.first_id
                message = f"hypotheses of sentence {skeleton_id}, but {full} ends with {last}"
                raise FormatError(message, path=skeleton, remedy="align the lists: ids are those of the sentences")

    def lists_with_terms(self, full: str, terms: str) -> Iterator[Sentence]:
        """Yields each sentence's hypotheses that hold its terms, or the best of its own list if there are none.

        Raises:
            FormatError: a file is broken, or the terms do not have a line for each sentence.
        """
        lines = read_terms(terms)
        for sentence in stream_sentences(full, self.first_id, **self.lists, ignore=self.ignore):
            self.sentences += 1
            if sentence.number < len(lines):
                terms_of_sentence, empty = lines[sentence.number], self.empty
                yield self._compose_list(sentence, terms_of_sentence, self.keep_terms)
                if self.empty > empty and not self.attached:
                    self.attached = _attached(sentence, terms_of_sentence)
        require_parallel(terms, len(lines), full, self.sentences, "sentence", TERM_LINES)

    def archive_with_terms(self, full: str, terms: str, output: str, to: str | None) -> None:
        """Writes the paths with the terms for each lattice of an archive or folder, or all paths if none has them.

        Raises:
            FormatError: a file is broken, or the terms do not have a line for each lattice.
        """
        lines = read_terms(terms)

        def kept(number: int, lattice: Lattice) -> Lattice:
            self.sentences += 1
            if number >= len(lines):
                return lattice  # an error at the end
            self.missing += not lines[number]
            joint = self.keep_terms(lattice, lines[number]) if lines[number] else lattice
            self.empty += joint.empty
            return lattice if joint.empty else joint

        with lattice_run(full, labels=self.labels) as run:
            run.write_numbered(kept, output, to)
            require_parallel(terms, len(lines), full, run.count, "lattice", TERM_LINES)
            say(self.summary)

    def write_lists(self, lists: Iterable[Sentence], full: str, output: str, to: str | None) -> None:
        """Writes composed n-best lists of the file `full`, and prints the counts."""
        write_lists(lists, output, first_id=self.first_id, as_json=wants_json(to))
        say_repeated(full, self.repeated)
        say(self.summary)
        if self.attached:
            say(f"{self.attached}: tokenise the lists first (lattice-simp lattice tokens {full})")

    def _compose_list(
        self, sentence: Sentence, needed: Needed, compose: Callable[[Lattice, Needed], Lattice]
    ) -> Sentence:
        entries = sentence.hypotheses
        if not entries or not needed:
            self.missing += not needed
            return self._shortened(sentence)
        joint = compose(Lattice.from_strings(entries), needed)
        if joint.empty:
            self.empty += 1
            return self._shortened(sentence)
        best: dict[tuple[str, ...], Hypothesis] = {}
        for entry in sorted(entries, key=lambda entry: entry.cost, reverse=True):
            best[entry.tokens] = entry
        composed = []
        self.repeated += len(entries) - len(best)
        for path in nbest(joint, self.n, ignore=self.ignore):
            added = {name: path.features[name] for name in _ADDED if name in path.features}
            composed.append(Hypothesis(path.tokens, path.cost, {**best[path.tokens].features, **added}))
        return sentence._replace(hypotheses=with_marks_of(composed, entries))

    def _shortened(self, sentence: Sentence) -> Sentence:
        """Returns a list, or its `n` best hypotheses if it has more."""
        if len(sentence.hypotheses) <= self.n:
            return sentence
        return sentence._replace(hypotheses=sorted(sentence.hypotheses, key=lambda entry: entry.cost)[: self.n])

    @property
    def summary(self) -> str:
        """The counts in words."""
        text = f"{counted(self.sentences, 'sentence')}, {self.empty} without a common hypothesis (unchanged)"
        return text + (f", {self.missing} without {self.needed}" if self.missing else "")


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


def compose_files(
    composition: Composition, full: str, skeleton: str, sentence: str | None, output: str, to: str | None
) -> None:
    """Composes two lattices, or two n-best lists sentence by sentence, and writes the result.

    Args:
        composition: how to compose.
        full, skeleton: files of any format.
        sentence: the number or the name of a sentence; None for all.
        output, to: a file, and the format of a lattice.

    Raises:
        LatticeSimpError: an option does not fit the files.
    """
    labels = composition.labels
    with readable(full) as full_file, readable(skeleton) as skeleton_file:
        require_lattices(full_file)
        require_lattices(skeleton_file)
        lists = is_nbest(full_file), is_nbest(skeleton_file)
        several = lists[0] or is_collection(full_file), lists[1] or is_collection(skeleton_file)
        if sentence is not None and not any(several):
            raise FormatError("is not an n-best list, and holds one lattice", path=full, remedy="leave --id out")
        of_skeletons = labels
        if lists[1] and not has_pieces(skeleton_file, labels.pieces):
            of_skeletons = replace(labels, pieces="none")  # words, as hypotheses of skeletons often are
        if all(lists) and sentence is None:
            require_arrays(composition.engine, "two n-best lists without --id")
            composition = replace(composition, lists=labels.of_lists(full), skeleton_lists=of_skeletons.of_lists(full))
            composition.write_lists(composition.compose_lists(full_file, skeleton_file), full, output, to)
            return
        refuse_idle(["n", "first_id"], "when the output is a lattice; it applies to two n-best lists without --id")
        first, second = (sentence if is_chosen else None for is_chosen in several)
        if lists == (True, False):
            labels = labels.for_lists
        elif lists == (False, True):
            of_skeletons = of_skeletons.for_lists
        lattice = read_acyclic(full_file, first, labels)
        _, hypotheses = read_skeleton(skeleton_file, second, of_skeletons)
    joint = composition.compose(lattice, hypotheses)
    if joint.empty:
        say("no full hypothesis contains a skeleton hypothesis; the full lattice is written")
    write_result(lattice if joint.empty else joint, output, to, labels=composition.labels, origin=lattice)


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
            composition = replace(composition, lists=labels.of_lists(full), needed="terms")
            composition.write_lists(composition.lists_with_terms(full_file, terms), full, output, to)
            return
        refuse_idle(["n", "first_id"], "when the output is a lattice; it applies to n-best lists without --id")
        if sentence is None and is_collection(full_file):
            replace(composition, needed="terms").archive_with_terms(full_file, terms, output, to)
            return
        lattice = read_acyclic(full_file, sentence, labels)
    joint = composition.keep_terms(lattice, terms_of(terms, sentence))
    if joint.empty:
        say("no hypothesis holds the terms; the full lattice is written")
    write_result(lattice if joint.empty else joint, output, to, labels=labels, origin=lattice)


def terms_of(path: str, sentence: str | None) -> Terms:
    """Returns the terms of one sentence: those of the line with its number, from 0, or of the only line.

    Raises:
        FormatError: there is no such line, or there are several and the sentence has no number.
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


def require_arrays(engine: Engine, what: str) -> None:
    """Raises LatticeSimpError for an engine without this operation."""
    if engine != "arrays":
        raise LatticeSimpError(f"the engine {engine} does not support {what}; use --engine arrays")
