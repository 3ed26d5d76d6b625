"""Texts that hold certain terms in order, each in one of several forms: their acceptors, and those of a lattice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from lattice_simp.core.lattice import INFINITY, Lattice
from lattice_simp.core.symbols import SymbolTable, as_sentences, as_tokens
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.compose_gappy import EditCosts, FeatureNames, compose_gappy
from lattice_simp.ops.gappy_acceptor import GappyAcceptor

TERMS = FeatureNames.of("Terms")


def term_acceptor(
    terms: str | Iterable[str | Iterable[str | Iterable[str]]], symbols: SymbolTable | None = None
) -> GappyAcceptor:
    """Returns the gappy acceptor of hypotheses that contain a form of each term, in this order.

    >>> acceptor = term_acceptor([["house", "houses"], "New York"])
    >>> acceptor.acceptor.num_states, acceptor.has_loop.tolist()
    (4, [True, True, False, True])

    Between terms, and before and after them, any words may occur; a term of several words stays together. Pass the
    acceptor to `compose_gappy` or `TokenConstraint`, or write it as a grammar. In constraints and grammars, terms of
    languages without blanks may be anywhere in running text (spacing `text`; with `running`, terms of all languages).

    Args:
        terms: each a string, or its forms: strings or lists of words. A single string is one term.
        symbols: the table that numbers the words; a copy of it where it lacks some. A new one if None.

    Raises:
        LatticeSimpError: a term without forms, or a form without words.
    """
    table = SymbolTable.of(symbols).copy()
    arcs: list[tuple[int, int, int]] = []
    begins = [0]
    for number, term in enumerate(as_sentences(terms)):
        forms = sorted({as_tokens(form) for form in as_sentences(term)})
        if not forms or not all(forms):
            raise LatticeSimpError(f"term {number} has no form, or one without words; give each form at least one word")
        begins.append(_add_forms(forms, begins[-1], table, arcs))
    finals = np.full(begins[-1] + 1, INFINITY)
    finals[-1] = 0.0
    sources, labels, targets = zip(*arcs, strict=True) if arcs else ((), (), ())
    acceptor = Lattice.from_arcs(sources, labels, np.zeros(len(arcs)), targets, finals, table)
    has_loop = np.zeros(acceptor.num_states, dtype=np.bool_)
    has_loop[begins] = True
    return GappyAcceptor(acceptor, has_loop, "sigma")


def keep_terms(
    full: Lattice,
    terms: str | Iterable[str | Iterable[str | Iterable[str]]],
    *,
    beam: float | None = None,
    edits: EditCosts | None = None,
) -> Lattice:
    """Returns the hypotheses that hold a form of each term, in the order given; an empty lattice if none does.

    >>> from lattice_simp.ops.nbest import nbest
    >>> full = Lattice.from_strings([("the house in New York", 1.0), ("the houses there", 2.0)])
    >>> [path.text for path in nbest(keep_terms(full, [["house", "houses"], "New York"]), 2)]
    ['the house in New York']

    Args:
        full: acyclic.
        terms: see `term_acceptor`.
        beam: nats above the best path that the result keeps; None for all.
        edits: the costs of missing and different words, which become the feature `TermsEdits`; None forbids them.
    """
    joint = compose_gappy(full, term_acceptor(terms, full.symbols), beam=beam, edits=edits, name=TERMS.skeleton)
    return joint.without_feature(TERMS.skeleton).without_feature(TERMS.matched)


def _add_forms(
    forms: Sequence[tuple[str, ...]], begin: int, table: SymbolTable, arcs: list[tuple[int, int, int]]
) -> int:
    """Adds a prefix tree of forms that all end in one state; returns that state, the highest one."""
    prefixes = sorted({form[:length] for form in forms for length in range(1, len(form))})
    states = {(): begin} | {prefix: begin + place for place, prefix in enumerate(prefixes, 1)}
    end = begin + len(prefixes) + 1
    rows = [(states[prefix[:-1]], prefix[-1], states[prefix]) for prefix in prefixes]
    rows += [(states[form[:-1]], form[-1], end) for form in forms]
    arcs += sorted((source, table.add(word), target) for source, word, target in rows)
    return end
