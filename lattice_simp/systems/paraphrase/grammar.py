"""The phrases of a set of sentences, and which of them stand for which others (Imamura et al. 2002, section 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from typing import NamedTuple, TypeAlias

from lattice_simp.systems.paraphrase.alignment import AlignmentSettings, align_phrases
from lattice_simp.systems.paraphrase.links import link_words
from lattice_simp.systems.paraphrase.synonyms import Thesaurus
from lattice_simp.systems.paraphrase.tree import Tree


class Phrase(NamedTuple):
    """Words under a category; nodes that agree in both are the same phrase."""

    category: str
    words: tuple[str, ...]


Production: TypeAlias = tuple["str | Phrase", ...]
"""What a phrase is made of: words and phrases."""


@dataclass(frozen=True)
class SubstitutionGrammar:
    """The phrases of a set as a grammar: each is made of its parts, or replaced by an equivalent one.

    Attributes:
        sentences: the phrases that the sentences are.
        productions: what each phrase is made of, in the trees of the set.
        substitutes: the phrases that each one may be replaced by; the relation is symmetric.
        pairs: the equivalent phrases that say something new (`PhrasePair.is_new`), each once.
        links: how many word links there are of each kind, over all pairs of sentences.
    """

    sentences: tuple[Phrase, ...]
    productions: Mapping[Phrase, frozenset[Production]]
    substitutes: Mapping[Phrase, frozenset[Phrase]]
    pairs: frozenset[frozenset[Phrase]]
    links: Mapping[str, int]

    def alternatives(self, phrase: Phrase) -> Iterator[tuple[Production, int]]:
        """Yields what stands for a phrase, each with the number of substitutions: 0 for its own, 1 for another's."""
        for own in sorted(self.productions[phrase], key=repr):
            yield own, 0
        for other in sorted(self.substitutes.get(phrase, ())):
            for own in sorted(self.productions[other], key=repr):
                yield own, 1

    @property
    def recurses(self) -> bool:
        """Whether some phrase comes again within what stands for it, so that sentences of any length follow."""
        parts = {
            phrase: {part for own, _ in self.alternatives(phrase) for part in own if isinstance(part, Phrase)}
            for phrase in self.productions
        }
        try:
            TopologicalSorter(parts).prepare()
        except CycleError:
            return True
        return False


def acquire(trees: Sequence[Tree], thesaurus: Thesaurus, settings: AlignmentSettings) -> SubstitutionGrammar:
    """Aligns each pair of sentences of a set, and collects their phrases and the equivalent ones.

    A pair is aligned once: both conditions are symmetric, and what is found holds in both directions.
    """
    productions = _productions(trees)
    substitutes: dict[Phrase, set[Phrase]] = {}
    pairs: set[frozenset[Phrase]] = set()
    kinds: Counter[str] = Counter()
    for first, second in combinations(trees, 2):
        links = link_words(first, second, thesaurus)
        kinds.update(own.kind.name.lower() for own in links)
        for pair in align_phrases(first, second, links, settings):
            if not pair.identical:
                one, other = _phrase(first, pair.nodes[0]), _phrase(second, pair.nodes[1])
                substitutes.setdefault(one, set()).add(other)
                substitutes.setdefault(other, set()).add(one)
                if pair.is_new:
                    pairs.add(frozenset((one, other)))
    return SubstitutionGrammar(
        tuple(dict.fromkeys(_phrase(tree, 0) for tree in trees)),
        _frozen(productions),
        _frozen(substitutes),
        frozenset(pairs),
        dict(kinds),
    )


def _productions(trees: Sequence[Tree]) -> dict[Phrase, set[Production]]:
    """Returns what each phrase is made of, in any tree, lower nodes first.

    A phrase of one part that is, perhaps through others, the phrase itself (as where traces were taken out of a tree:
    NP over NP) says nothing, and would never end.
    """
    productions: dict[Phrase, set[Production]] = {}
    for tree in trees:
        for number in reversed(range(len(tree.nodes))):
            phrase, made = _phrase(tree, number), _production(tree, number)
            own = productions.setdefault(phrase, set())
            if not (len(made) == 1 and isinstance(made[0], Phrase) and _is_within(phrase, made[0], productions)):
                own.add(made)
    return productions


def _is_within(phrase: Phrase, other: Phrase, productions: Mapping[Phrase, Iterable[Production]]) -> bool:
    """Returns whether `other` is the phrase, or is made of it alone, perhaps through others."""
    seen, waiting = {other}, [other]
    while waiting:
        for made in productions.get(waiting.pop(), ()):
            if len(made) == 1 and isinstance(made[0], Phrase) and made[0] not in seen:
                seen.add(made[0])
                waiting.append(made[0])
    return phrase in seen


def _phrase(tree: Tree, number: int) -> Phrase:
    return Phrase(tree.nodes[number].category, tree.phrase(number))


def _production(tree: Tree, number: int) -> Production:
    return tuple(part if isinstance(part, str) else _phrase(tree, part) for part in tree.parts(number))


def _frozen(table: Mapping[Phrase, Iterable]) -> dict[Phrase, frozenset]:  # type: ignore[type-arg]
    return {key: frozenset(own) for key, own in table.items()}
