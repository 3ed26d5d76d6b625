"""How a sentence of an expansion came about: which phrases stand for which others in it.

The acceptor of all sentences (`network.py`) keeps no derivations, which would split its states; those of the few
sentences that are shown are found by parsing them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.paraphrase.grammar import Phrase, SubstitutionGrammar


class Replacement(NamedTuple):
    """A phrase of a sentence that stands for another one: the words `start:end`, and the words of that one."""

    start: int
    end: int
    words: tuple[str, ...]


@dataclass(frozen=True)
class Explanation:
    """A derivation of a sentence.

    Attributes:
        sentence: the words of the set's sentence that it begins with, without capitals at the beginning.
        replacements: what was replaced there, those within others after them.
    """

    sentence: tuple[str, ...]
    replacements: tuple[Replacement, ...]


def explain(grammar: SubstitutionGrammar, sentence: Sequence[str], depth: int | None = None) -> Explanation:
    """Returns a derivation of a sentence with as few substitutions as can be, of as few words.

    Args:
        grammar: one that does not recurse, unless the depth is bounded.
        sentence: its tokens; capitals do not count.
        depth: how many substitutions may be inside one another; None for any number.

    Raises:
        LatticeSimpError: no derivation makes it.
    """
    chart = _Chart(tuple(word.lower() for word in sentence), grammar)
    whole = [chart.ends(root, -1 if depth is None else depth, 0).get(len(sentence)) for root in grammar.sentences]
    made = [(_cost(own), number, own) for number, own in enumerate(whole) if own is not None]
    if not made:
        raise LatticeSimpError(f"no derivation makes {' '.join(sentence)!r}")
    _, number, replacements = min(made)
    return Explanation(grammar.sentences[number].words, replacements)


_Ends: TypeAlias = dict[int, tuple[Replacement, ...]]
"""Where something may end, with what is replaced in the best derivation."""


@dataclass(frozen=True, eq=False)
class _Chart:
    """Derivations of parts of a sentence, each found once."""

    words: tuple[str, ...]
    grammar: SubstitutionGrammar
    known: dict[tuple[Phrase, int, int], _Ends] = field(default_factory=dict)

    def ends(self, phrase: Phrase, depth: int, start: int) -> _Ends:
        """Returns where a phrase may end that begins at `start`, with so many substitutions inside one another."""
        key = phrase, depth, start
        if key not in self.known:
            self.known[key] = self._derived(phrase, depth, start)
        return self.known[key]

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
        """Returns where a part may end that begins at one of some places."""
        found: _Ends = {}
        for start, before in reached.items():
            if isinstance(part, Phrase):
                for end, inner in self.ends(part, depth, start).items():
                    _keep(found, end, before + inner)
            elif self.words[start : start + 1] == (part.lower(),):
                _keep(found, start + 1, before)
        return found


def _keep(best: _Ends, end: int, own: tuple[Replacement, ...]) -> None:
    """Keeps the better derivation, the first of equals."""
    if end not in best or _cost(own) < _cost(best[end]):
        best[end] = own


def _cost(replacements: tuple[Replacement, ...]) -> tuple[int, int]:
    """Returns the number of substitutions, then that of the words in them: of equals, the narrowest say most."""
    return len(replacements), sum(own.end - own.start for own in replacements)
