"""The phrases of a set of sentences as a substitution grammar (Imamura et al. 2002, section 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from typing import NamedTuple, TypeAlias

from lattice_simp.systems.paraphrase.alignment import AlignmentSettings, PhrasePair, align_phrases
from lattice_simp.systems.paraphrase.evidence import EVIDENCE, Evidence, Occurrence
from lattice_simp.systems.paraphrase.links import WordLink, link_words
from lattice_simp.systems.paraphrase.sources import sources
from lattice_simp.systems.paraphrase.synonyms import Thesaurus
from lattice_simp.systems.paraphrase.tree import Tree


class Phrase(NamedTuple):
    """Words with a category; nodes that agree in both are the same phrase."""

    category: str
    words: tuple[str, ...]


Production: TypeAlias = tuple["str | Phrase", ...]
"""The parts of a phrase: words and phrases."""


@dataclass(frozen=True)
class SubstitutionGrammar:
    """The phrases of a set as a grammar: each expands to its parts or is replaced by an equivalent one.

    Attributes:
        sentences: the phrases of whole sentences.
        productions: the expansions of each phrase in the trees of the set.
        substitutes: the possible replacements of each phrase.
        pairs: the new equivalent phrases (`PhrasePair.is_new`), each once.
        links: the number of word links of each kind, over all pairs of sentences.
    """

    sentences: tuple[Phrase, ...]
    productions: Mapping[Phrase, frozenset[Production]]
    substitutes: Mapping[Phrase, frozenset[Phrase]]
    pairs: frozenset[frozenset[Phrase]]
    links: Mapping[str, int]

    def alternatives(self, phrase: Phrase) -> Iterator[tuple[Production, int]]:
        """Yields the expansions of a phrase with the number of substitutions: 0, or 1 for those of substitutes."""
        for production in sorted(self.productions[phrase], key=repr):
            yield production, 0
        for substitute in sorted(self.substitutes.get(phrase, ())):
            for production in sorted(self.productions[substitute], key=repr):
                yield production, 1

    @property
    def recurses(self) -> bool:
        """Whether some phrase occurs within its expansion, which allows sentences of any length."""
        parts = {
            phrase: {
                part for production, _ in self.alternatives(phrase) for part in production if isinstance(part, Phrase)
            }
            for phrase in self.productions
        }
        try:
            TopologicalSorter(parts).prepare()
        except CycleError:
            return True
        return False


def acquire(trees: Sequence[Tree], thesaurus: Thesaurus, settings: AlignmentSettings) -> SubstitutionGrammar:
    """Aligns all pairs of sentences of a set and collects their phrases and equivalences.

    Each pair is aligned once, as the conditions on two phrases are symmetric. Conditions that depend on the set must
    support a replacement for every sentence with the original phrase, as phrases are substituted wherever they occur.
    """
    links_of = {
        (left, right): link_words(trees[left], trees[right], thesaurus)
        for left, right in combinations(range(len(trees)), 2)
    }
    evidence = Evidence(trees)
    trees = sources(trees, links_of, settings.conditions)
    productions = _productions(trees)
    supported: dict[tuple[Phrase, Phrase], dict[int, bool]] = {}  # by the sentence of the original
    new: set[tuple[Phrase, Phrase]] = set()
    kinds: Counter[str] = Counter()
    for (left, right), links in links_of.items():
        first, second = trees[left], trees[right]
        kinds.update(link.kind.name.lower() for link in links)
        for pair in align_phrases(first, second, links, settings):
            if not pair.identical:
                phrases = _phrase(first, pair.nodes[0]), _phrase(second, pair.nodes[1])
                both_ways = phrases, phrases[::-1]
                new.update(both_ways if pair.is_new else ())
                directions = _supported(evidence, (first, second), pair, links, settings)
                for number, key, is_supported in zip((left, right), both_ways, directions, strict=True):
                    votes = supported.setdefault(key, {})
                    votes[number] = votes.get(number, False) or is_supported
    accepted = {key for key, votes in supported.items() if all(votes.values())}
    substitutes: dict[Phrase, set[Phrase]] = {}
    for original, replacement in accepted:
        substitutes.setdefault(original, set()).add(replacement)
    return SubstitutionGrammar(
        tuple(dict.fromkeys(_phrase(tree, 0) for tree in trees)),
        _frozen(productions),
        _frozen(substitutes),
        frozenset(map(frozenset, accepted & new)),
        dict(kinds),
    )


def _supported(
    evidence: Evidence, trees: tuple[Tree, Tree], pair: PhrasePair, links: list[WordLink], settings: AlignmentSettings
) -> tuple[bool, bool]:
    """Returns whether the set supports the second phrase in place of the first, and the reverse."""
    first, second = (Occurrence(tree, *span) for tree, span in zip(trees, (pair.first, pair.second), strict=True))
    reverse = [WordLink(link.second, link.first, link.kind) for link in links]
    names = EVIDENCE.keys() & set(settings.conditions)
    return (
        all(EVIDENCE[name](evidence, first, second, links) for name in names),
        all(EVIDENCE[name](evidence, second, first, reverse) for name in names),
    )


def _productions(trees: Sequence[Tree]) -> dict[Phrase, set[Production]]:
    """Returns the expansions of each phrase in any tree, lower nodes first, but none to itself alone (NP over NP)."""
    productions: dict[Phrase, set[Production]] = {}
    for tree in trees:
        for number in reversed(range(len(tree.nodes))):
            phrase = _phrase(tree, number)
            production = tuple(part if isinstance(part, str) else _phrase(tree, part) for part in tree.parts(number))
            alternatives = productions.setdefault(phrase, set())
            only = production[0] if len(production) == 1 else None
            if not (isinstance(only, Phrase) and _is_within(phrase, only, productions)):
                alternatives.add(production)
    return productions


def _is_within(phrase: Phrase, part: Phrase, productions: Mapping[Phrase, Iterable[Production]]) -> bool:
    """Returns whether `part` is the phrase or expands to it alone, possibly through other phrases."""
    visited, waiting = {part}, [part]
    while waiting:
        for production in productions.get(waiting.pop(), ()):
            if len(production) == 1 and isinstance(production[0], Phrase) and production[0] not in visited:
                visited.add(production[0])
                waiting.append(production[0])
    return phrase in visited


def _phrase(tree: Tree, number: int) -> Phrase:
    return Phrase(tree.nodes[number].category, tree.phrase(number))


def _frozen(table: Mapping[Phrase, Iterable]) -> dict[Phrase, frozenset]:  # type: ignore[type-arg]
    return {key: frozenset(values) for key, values in table.items()}
