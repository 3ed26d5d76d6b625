"""Composed n-best lists: the hypotheses of each sentence that hold its skeleton or terms, and the counts of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from lattice_simp.commands.inputs.lattices import say_repeated
from lattice_simp.commands.running.losses import wants_json, write_lists
from lattice_simp.commands.shared.label_options import WordOptions
from lattice_simp.commands.shared.messages import say
from lattice_simp.core.hypothesis import Hypothesis, Strings
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.marks import unmarked
from lattice_simp.core.word_times import with_marks_of
from lattice_simp.engines import ENGINES, Engine
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.formats.terms import Terms
from lattice_simp.ops.compose_gappy import EDITS, SKELETON, EditCosts
from lattice_simp.ops.gappy_acceptor import Loops
from lattice_simp.ops.nbest import nbest
from lattice_simp.ops.term_acceptor import TERMS, keep_terms
from lattice_simp.support.plurals import counted

Needed = TypeVar("Needed", list[Hypothesis], Terms)

_ADDED = (SKELETON, EDITS, TERMS.edits)
"""The features of a composition that n-best lists keep."""


@dataclass(frozen=True)
class Composition:
    """The options of a composition; see `ops/compose_gappy.py`.

    Attributes:
        edits: the costs of deviations; None forbids them.
        n: maximum number of hypotheses in an n-best list.
        engine: see `engines.py`; lists need arrays.
        first_id: the id of the first sentence in n-best lists.
        labels: how to interpret labels, and which are not words.
    """

    weight: float
    loops: Loops
    beam: float | None
    edits: EditCosts | None
    n: int
    engine: Engine
    first_id: int
    labels: WordOptions

    def compose(self, full: Lattice, hypotheses: Lattice | Iterable[Hypothesis]) -> Lattice:
        """Returns the full hypotheses that contain a skeleton hypothesis; empty if there are none."""
        engine = ENGINES[self.engine]
        if isinstance(hypotheses, Lattice):
            words: Lattice | Strings = hypotheses.without_words(self.labels.ignored)
        else:
            words = unmarked(hypotheses, self.labels.ignored)
        acceptor = engine.gappy_acceptor(words, loops=self.loops, symbols=full.symbols)
        joint: Lattice = engine.compose_gappy(full, acceptor, weight=self.weight, beam=self.beam, edits=self.edits)
        return joint

    def keep_terms(self, full: Lattice, terms: Terms) -> Lattice:
        """Returns the full hypotheses that hold a form of each term; empty if there are none."""
        return keep_terms(full, terms, beam=self.beam, edits=self.edits)


@dataclass
class Counts:
    """What a run met.

    Attributes:
        needed: a phrase for the required content of hypotheses.
        sentences: how many there were.
        empty: those without a hypothesis of the required content.
        missing: those that require nothing.
        repeated: hypotheses with the words of better ones, which are left out of composed lists.
    """

    needed: str
    sentences: int = 0
    empty: int = 0
    missing: int = 0
    repeated: int = 0

    def __str__(self) -> str:
        text = f"{counted(self.sentences, 'sentence')}, {self.empty} without a common hypothesis (unchanged)"
        return text + (f", {self.missing} without {self.needed}" if self.missing else "")


def composed_list(
    sentence: Sentence,
    needed: Needed,
    compose: Callable[[Lattice, Needed], Lattice],
    composition: Composition,
    counts: Counts,
) -> Sentence:
    """Returns the `n` best composed hypotheses of a sentence, or the `n` best of its list if there are none.

    The features are those of the full hypothesis, and minus the costs `Skeleton` (unweighted) and `Edits`.
    """
    entries, n = sentence.hypotheses, composition.n
    counts.sentences += 1
    if not entries or not needed:
        counts.missing += not needed
        return _shortened(sentence, n)
    joint = compose(Lattice.from_strings(entries), needed)
    if joint.empty:
        counts.empty += 1
        return _shortened(sentence, n)
    best: dict[tuple[str, ...], Hypothesis] = {}
    for entry in sorted(entries, key=lambda entry: entry.cost, reverse=True):
        best[entry.tokens] = entry
    composed = []
    counts.repeated += len(entries) - len(best)
    for path in nbest(joint, n, ignore=composition.labels.ignored):
        added = {name: path.features[name] for name in _ADDED if name in path.features}
        composed.append(Hypothesis(path.tokens, path.cost, {**best[path.tokens].features, **added}))
    return sentence._replace(hypotheses=with_marks_of(composed, entries))


def _shortened(sentence: Sentence, n: int) -> Sentence:
    """Returns a list, or its `n` best hypotheses if it has more."""
    if len(sentence.hypotheses) <= n:
        return sentence
    return sentence._replace(hypotheses=sorted(sentence.hypotheses, key=lambda entry: entry.cost)[:n])


def write_composed(
    lists: Iterable[Sentence], counts: Counts, full: str, output: str, composition: Composition, to: str | None
) -> None:
    """Writes composed n-best lists of the file `full`, and prints the counts."""
    write_lists(lists, output, first_id=composition.first_id, as_json=wants_json(to))
    say_repeated(full, counts.repeated)
    say(counts)
