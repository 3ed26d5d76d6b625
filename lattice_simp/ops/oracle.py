"""Oracles: the path of a lattice that is nearest to references, an upper limit for any choice from the lattice."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from lattice_simp.core.arguments import choice
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.marks import MARKS, without_marks
from lattice_simp.core.symbols import as_sentences, as_tokens
from lattice_simp.errors import EmptyLatticeError, LatticeSimpError
from lattice_simp.ops.oracle_bleu import bleu_oracle
from lattice_simp.ops.oracle_wer import wer_oracle

OracleMetric: TypeAlias = Literal["wer", "bleu"]

Search: TypeAlias = Callable[[Lattice, Sequence[tuple[str, ...]]], tuple[Hypothesis, float]]

ORACLES: Mapping[str, Search] = {"wer": wer_oracle, "bleu": bleu_oracle}
"""By metric: from a connected lattice with a path, and at least one reference, to the nearest path and its score."""


@dataclass(frozen=True)
class Oracle:
    """The nearest path.

    Attributes:
        hypothesis: the path, with its cost and features; its arcs are numbers of the lattice, if that is connected and
            sorted topologically, else of `lattice.connected()`.
        score: by `wer` the number of word errors, by `bleu` the sentence BLEU, 0 to 100.
    """

    hypothesis: Hypothesis
    score: float


def oracle(
    lattice: Lattice,
    references: str | Iterable[str] | Iterable[Sequence[str]],
    metric: OracleMetric = "wer",
    *,
    ignore: Collection[str] = MARKS,
) -> Oracle:
    """Returns the path that is nearest to a reference, and of equally near ones the cheapest.

    >>> lattice = Lattice.from_strings([("a cat slept", 1.0), ("the cat sat", 2.0), ("a cat sits", 1.5)])
    >>> result = oracle(lattice, "the cat sat down")
    >>> result.hypothesis.text, result.score
    ('the cat sat', 1.0)

    Args:
        lattice: acyclic.
        references: a string, or a list of references, each a string or its tokens.
        metric: `wer`, the fewest insertions, deletions and substitutions against one of the references, exactly; or
            `bleu`, the sentence BLEU (see `ops/oracle_bleu.py`), whose search is not exact, but never returns a path
            that is worse than the cheapest one.
        ignore: labels that are not words, in the lattice and in the references, as in `nbest`.

    Raises:
        LatticeSimpError: an unknown metric, or no reference.
        EmptyLatticeError: the lattice accepts nothing.
        CyclicLatticeError: the lattice has a cycle.
    """
    require_lattice("oracle", lattice)
    choice(metric, ORACLES, "metric")
    tokens = [without_marks(as_tokens(reference), ignore) for reference in as_sentences(references)]
    if not tokens:
        raise LatticeSimpError("an oracle needs a reference; give at least one")
    lattice = lattice.connected().without_words(ignore)
    if lattice.empty:
        raise EmptyLatticeError("the lattice accepts nothing, so it has no oracle")
    return Oracle(*ORACLES[metric](lattice, tokens))
