"""The grammar as a relation of English sentences, some of whose gaps are left out, and their German translations.

    >>> relation = Relation.build()
    >>> relation.translations("the old bill was passed quickly .".split())
    ['der alte gesetzentwurf wurde schnell verabschiedet .']

The inverse of the spelling transducer turns English words into symbols, with marks between them; the grammar maps
these to German symbols, which are spelled: `words ∘ spelling⁻¹ ∘ sentences ∘ spelling`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pynini
import pywrapfst

from lattice_simp.grammars.demo.clauses import Clauses
from lattice_simp.grammars.demo.lexicon import Lexicon
from lattice_simp.grammars.demo.vocabulary import CLOSE, MARKS, OPEN, Vocabulary

OUTSIDE, KEPT, DELETED = range(3)
"""The places of a word: outside of all gaps, in a kept gap, in a deleted gap."""


@dataclass(frozen=True)
class Relation:
    """The transducers of the grammar.

    Attributes:
        vocabulary: the symbols of all transducers.
        sentences: marked English symbols to German symbols, weighted by the probabilities of random paths.
        spelling: strings of symbols to strings of words.
    """

    vocabulary: Vocabulary
    sentences: pynini.Fst
    spelling: pynini.Fst

    @classmethod
    def build(cls, *, gaps: bool = True) -> Relation:
        """Compiles the grammar from its tables; takes some seconds. Sentences without gaps are like skeletons."""
        vocabulary = Vocabulary(excluded=frozenset() if gaps else MARKS)
        sentences = Clauses(Lexicon(), vocabulary).sentences()
        sentences.arcsort("ilabel")
        return cls(vocabulary, sentences, vocabulary.spelling(vocabulary.symbols))

    def marked(self, english: Sequence[str], mask: str | None = None) -> pynini.Fst:
        """Returns the acceptor of a sentence with all placements of marks that agree with a mask, or with any mask.

        A mask has `1` for each kept word and `0` for each deleted one; exactly some whole gaps are deleted.
        """
        find = self.vocabulary.table.find
        fst = pynini.Fst()
        fst.add_states(3 * (len(english) + 1))
        fst.set_start(OUTSIDE)
        for position in range(len(english) + 1):
            here = 3 * position
            for gap in (KEPT, DELETED):
                for mark in OPEN.values():
                    fst.add_arc(here + OUTSIDE, pywrapfst.Arc(find(mark), find(mark), 0, here + gap))
                for mark in CLOSE.values():
                    fst.add_arc(here + gap, pywrapfst.Arc(find(mark), find(mark), 0, here + OUTSIDE))
            if position < len(english):
                label = find(english[position])
                if label < 0:
                    return pynini.Fst()
                states = {None: (OUTSIDE, KEPT, DELETED), "1": (OUTSIDE, KEPT), "0": (DELETED,)}
                for state in states[None if mask is None else mask[position]]:
                    fst.add_arc(here + state, pywrapfst.Arc(label, label, 0, here + 3 + state))
        fst.set_final(3 * len(english) + OUTSIDE)
        return fst

    def translations(self, english: Sequence[str], mask: str | None = None) -> list[str]:
        """Returns all German translations of a sentence in alphabetical order; none if it is not accepted."""
        read = pynini.compose(self.marked(english, mask), pynini.invert(self.spelling))
        symbols = pynini.compose(pynini.project(read, "output").rmepsilon(), self.sentences)
        german = pynini.compose(pynini.project(symbols, "output").rmepsilon(), self.spelling)
        german = pynini.project(german, "output").optimize()
        paths = german.paths(output_token_type=self.vocabulary.table)
        return sorted(set(paths.ostrings()))
