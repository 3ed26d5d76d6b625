"""Explains sentences of an expansion by the phrases that were replaced.

The acceptor of all sentences (`network.py`) stores no derivations, which would split its states; the few sentences that
are shown are parsed instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.paraphrase.grammar import Phrase, SubstitutionGrammar


class Replacement(NamedTuple):
    """A replaced phrase: the span `start:end` of the new words, and the original words."""

    start: int
    end: int
    words: tuple[str, ...]


@dataclass(frozen=True)
class Explanation:
    """A derivation of a sentence.

    Attributes:
        sentence: the words of the original sentence, without initial capitals.
        replacements: the replaced phrases, inner ones after outer ones.
    """

    sentence: tuple[str, ...]
    replacements: tuple[Replacement, ...]


def explain(grammar: SubstitutionGrammar, sentence: Sequence[str], depth: int | None = None) -> Explanation:
    """Returns a derivation of a sentence with the fewest substitutions, then the fewest words in them.

    Case is ignored. The grammar must not recurse unless the depth of nested substitutions is bounded. Raises
    LatticeSimpError if the sentence has no derivation.
    """
    chart = _Chart(tuple(word.lower() for word in sentence), grammar)
    explanations = [
        chart.ends(root, -1 if depth is None else depth, 0).get(len(sentence)) for root in grammar.sentences
    ]
    derivations = [(_cost(steps), number, steps) for number, steps in enumerate(explanations) if steps is not None]
    if not derivations:
        raise LatticeSimpError(f"the grammar does not derive {' '.join(sentence)!r}")
    _, number, replacements = min(derivations)
    return Explanation(grammar.sentences[number].words, replacements)


_Ends: TypeAlias = dict[int, tuple[Replacement, ...]]
"""The possible ends of a phrase, with the replacements of the best derivation."""


@dataclass(frozen=True, eq=False)
class _Chart:
    """The derivations of parts of a sentence, computed once."""

    words: tuple[str, ...]
    grammar: SubstitutionGrammar
    cache: dict[tuple[Phrase, int, int], _Ends] = field(default_factory=dict)

    def ends(self, phrase: Phrase, depth: int, start: int) -> _Ends:
        """Returns the possible ends of a phrase that begins at `start`, with substitutions nested up to `depth`."""
        key = phrase, depth, start
        if key not in self.cache:
            self.cache[key] = self._derived(phrase, depth, start)
        return self.cache[key]

    def _derived(self, phrase: Phrase, depth: int, start: int) -> _Ends:
        best: _Ends = {}
        for production, substitutions in self.grammar.alternatives(phrase):
            reached: _Ends = {start: ()} if depth or not substitutions else {}
            for part in production:
                reached = self._followed(reached, part, max(depth - substitutions, -1))
            for end, inner in reached.items():
                _keep(best, end, (Replacement(start, end, phrase.words), *inner) if substitutions else inner)
        return best

    def _followed(self, reached: _Ends, part: str | Phrase, depth: int) -> _Ends:
        """Returns the possible ends of a part that begins at one of the reached places."""
        best: _Ends = {}
        for start, before in reached.items():
            if isinstance(part, Phrase):
                for end, inner in self.ends(part, depth, start).items():
                    _keep(best, end, before + inner)
            elif self.words[start : start + 1] == (part.lower(),):
                _keep(best, start + 1, before)
        return best


def _keep(best: _Ends, end: int, replacements: tuple[Replacement, ...]) -> None:
    """Keeps the better derivation, or the first of equals."""
    if end not in best or _cost(replacements) < _cost(best[end]):
        best[end] = replacements


def _cost(replacements: tuple[Replacement, ...]) -> tuple[int, int]:
    """Returns the numbers of substitutions and of words in them; narrow substitutions explain most."""
    return len(replacements), sum(replacement.end - replacement.start for replacement in replacements)
