"""Chooses a parse of each sentence by comparison with the other sentences of the set (Imamura 2001)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.paraphrase.alignment import DEFAULT, AlignmentSettings, align_phrases
from lattice_simp.systems.paraphrase.links import link_words
from lattice_simp.systems.paraphrase.synonyms import Thesaurus
from lattice_simp.systems.paraphrase.tree import Tree, as_trees


def choose_parses(
    parses: Sequence[Sequence[Tree]], thesaurus: Thesaurus | None = None, settings: AlignmentSettings = DEFAULT
) -> list[Tree]:
    """Returns a parse of each sentence: those with the most equivalent phrases.

    >>> clause, place = "(NP (PRP I)) (VP (VP (VBD saw) (NP (DT the) (NN man)))", "(PP (IN in) (NP (NN town)))"
    >>> nested = f"(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT the) (NN man)) {place})))"
    >>> parses = [[nested, f"(S {clause} {place}))"], [f"(S {place} {clause}))"]]
    >>> trees = [[Tree.from_brackets(text) for text in texts] for texts in parses]
    >>> choose_parses(trees)[0] == trees[0][1]
    True

    Starts with the first parses and changes one at a time while this adds equivalent phrases, so the best choice of all
    may be missed. Of parses with as many phrases, the first remains.

    Args:
        parses: the parses of each sentence, best first, as from an n-best parser.
        thesaurus: the synonyms; by default those of numerals and abbreviations.
        settings: the conditions for equivalent phrases.

    Raises:
        LatticeSimpError: a sentence has no parse.
    """
    if not np.iterable(parses):
        raise TypeError(f"expected the parses of each sentence, not {parses!r:.80}")
    parses = list(map(as_trees, parses))
    if not all(parses):
        raise LatticeSimpError("a sentence has no parse; give at least one of each")
    comparison = _Comparison(parses, Thesaurus.or_english(thesaurus), settings)
    chosen: list[int] = [0] * len(parses)
    before: list[int] | None = None
    while chosen != before:
        before = list(chosen)
        for sentence, trees in enumerate(parses):
            if len(trees) > 1:
                numbers = [chosen[sentence], *range(len(trees))]
                chosen[sentence] = max(numbers, key=partial(comparison.phrases, sentence, chosen))
    return [trees[number] for trees, number in zip(parses, chosen, strict=True)]


@dataclass(frozen=True)
class _Comparison:
    """Counts equivalent phrases of parses, each two parses once."""

    parses: Sequence[Sequence[Tree]]
    thesaurus: Thesaurus
    settings: AlignmentSettings
    counts: dict[tuple[int, int, int, int], int] = field(default_factory=dict)

    def phrases(self, sentence: int, chosen: Sequence[int], number: int) -> int:
        """Returns the number of phrases that a parse of a sentence shares with the chosen ones of the others."""
        current = sentence, number
        pairs = (pair for pair in enumerate(chosen) if pair[0] != sentence)
        return sum(self._between(min(pair, current), max(pair, current)) for pair in pairs)

    def _between(self, first: tuple[int, int], second: tuple[int, int]) -> int:
        key = (*first, *second)
        if key not in self.counts:
            here, there = self.parses[first[0]][first[1]], self.parses[second[0]][second[1]]
            self.counts[key] = len(align_phrases(here, there, link_words(here, there, self.thesaurus), self.settings))
        return self.counts[key]
