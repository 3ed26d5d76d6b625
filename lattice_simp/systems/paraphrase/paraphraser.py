"""The façade: a set of sentences in, all sentences that their phrases make out, as one lattice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import as_sentences, as_tokens
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.count_paths import count_paths
from lattice_simp.ops.intersect import intersect
from lattice_simp.support.options import option
from lattice_simp.systems.paraphrase.alignment import AlignmentSettings
from lattice_simp.systems.paraphrase.constituents import constituents
from lattice_simp.systems.paraphrase.explanation import Explanation, explain
from lattice_simp.systems.paraphrase.filters import FILTERS, SentenceSet
from lattice_simp.systems.paraphrase.grammar import SubstitutionGrammar, acquire
from lattice_simp.systems.paraphrase.network import SUBSTITUTIONS, at_most, expand_network, with_substitutions
from lattice_simp.systems.paraphrase.sentence_case import (
    begins_with_capital,
    capitalised,
    in_mid_sentence,
    with_capitals,
)
from lattice_simp.systems.paraphrase.synonyms import Thesaurus
from lattice_simp.systems.paraphrase.tree import Tree
from lattice_simp.text.english.spacy_parser import parse_sentences

DEPTH_OF_RECURSION = 2
"""How many substitutions may be inside one another where phrases recurse, unless told otherwise."""

MAX_STATES = 200_000
"""Of any acceptor that an expansion makes."""


@dataclass(frozen=True)
class ParaphraseSettings:
    """How a set of sentences is expanded.

    Attributes:
        alignment: what makes phrases equivalent.
        depth: how many substitutions may be inside one another; None for any number, or for `DEPTH_OF_RECURSION`
            where a phrase comes again within what stands for it.
        max_substitutions: how many a sentence may take in all; None for any number.
        filters: the names of the conditions that sentences must meet (`FILTERS`).
        max_states: of any acceptor on the way; a set that needs more is an error.

    Raises:
        LatticeSimpError: a negative number, or an unknown filter.
    """

    alignment: AlignmentSettings = field(default_factory=AlignmentSettings)
    depth: int | None = option(None, "depth", "maximum nesting depth of substitutions (default: unlimited)")
    max_substitutions: int | None = option(
        None, "max-substitutions", "maximum substitutions per sentence (default: unlimited)"
    )
    filters: tuple[str, ...] = tuple(FILTERS)
    max_states: int = option(MAX_STATES, "max-states", "maximum number of states per lattice; fail above")

    def __post_init__(self) -> None:
        for name in ("depth", "max_substitutions"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise LatticeSimpError(f"--{name.replace('_', '-')} {value}: give 0 or more")
        for name in self.filters:
            if name not in FILTERS:
                raise LatticeSimpError(f"{name!r} is not a filter; known are {', '.join(FILTERS)}")


@dataclass(frozen=True)
class Expansion:
    """What a set of sentences becomes.

    Attributes:
        sentences: the tokens of the set's sentences; all begin with a capital, after a stop, too, if one was given with
            it.
        lattice: a deterministic acceptor of all sentences, those of the set included, at no cost; the feature
            `Substitutions` is minus the number of substitutions that a sentence takes at least.
        grammar: the phrases, and which are equivalent.
        removed: how many sentences each filter took out, in the order in which they came.
        bounded: the depth that was set because phrases recurse; None where all sentences are there.
        depth: how many substitutions may be inside one another; None for any number.
    """

    sentences: tuple[tuple[str, ...], ...]
    lattice: Lattice
    grammar: SubstitutionGrammar
    removed: Mapping[str, int]
    bounded: int | None = None
    depth: int | None = None

    @cached_property
    def count(self) -> int:
        """How many different sentences there are."""
        return count_paths(self.lattice)

    @property
    def new(self) -> int:
        """How many sentences are not in the set."""
        return self.count - len(set(self.sentences))

    def by_substitutions(self) -> Lattice:
        """Returns the lattice at the cost of one for each substitution."""
        ends = self.lattice.finals - self.lattice.features.final(SUBSTITUTIONS)
        return replace(self.lattice, weights=0.0 - self.lattice.features[SUBSTITUTIONS], finals=ends)

    def explain(self, sentence: str | Sequence[str]) -> Explanation:
        """Returns how a sentence came about: a derivation with as few substitutions as can be.

        >>> import lattice_simp as ls
        >>> trees = ["(S (NP (DT a) (NN man)) (VP (VBD saw) (NP (DT a) (JJ big) (NN car))))",
        ...          "(S (NP (DT a) (NN man)) (VP (VBD saw) (NP (DT a) (JJ large) (NN car)) (ADVP (RB today))))"]
        >>> words = ls.Thesaurus.from_groups([["big", "large"]])
        >>> expansion = ls.Paraphraser(thesaurus=words).expand([ls.Tree.from_brackets(text) for text in trees])
        >>> expansion.explain("a man saw a big car today").replacements
        (Replacement(start=3, end=6, words=('a', 'large', 'car')),)

        Raises:
            LatticeSimpError: it is not a sentence of the expansion; those that filters took out have a derivation, too.
        """
        return explain(self.grammar, as_tokens(sentence), self.depth)


@dataclass(frozen=True)
class Paraphraser:
    """Expands sets of sentences that mean the same (Imamura, Akiba and Sumita 2002).

    >>> import lattice_simp as ls
    >>> trees = ["(S (NP (DT the) (NN man)) (VP (VBD bought) (NP (DT a) (JJ big) (NN car))))",
    ...          "(S (NP (DT the) (NN man)) (VP (VBD got) (NP (DT a) (JJ large) (NN car)) (ADVP (RB yesterday))))"]
    >>> words = ls.Thesaurus.from_groups([["big", "large"], ["bought", "got"]])
    >>> expansion = ls.Paraphraser(thesaurus=words).expand([ls.Tree.from_brackets(text) for text in trees])
    >>> expansion.count
    4
    >>> for path in ls.nbest(expansion.lattice, 4):
    ...     print(path.text)
    the man bought a big car
    the man bought a large car
    the man got a big car yesterday
    the man got a large car yesterday

    Attributes:
        settings: depth, filters, what makes phrases equivalent.
        thesaurus: groups of words that are linked besides equal words and lemmas; those of numerals and
            abbreviations if not given.
    """

    settings: ParaphraseSettings = field(default_factory=ParaphraseSettings)
    thesaurus: Thesaurus = field(default_factory=Thesaurus.english)

    def expand(self, sentences: str | Iterable[str | Sequence[str] | Tree]) -> Expansion:
        """Expands one set.

        Args:
            sentences: trees; or tokens (a list, or a string with blanks between them), which spaCy parses. A single
                string is one sentence.

        Raises:
            LatticeSimpError: no sentence, one without words, or a lattice with more states than the settings allow.
            MissingExtraError: spaCy or its English model is needed and not installed.
        """
        return self.expand_trees(parsed(sentences))

    def expand_trees(self, trees: Sequence[Tree]) -> Expansion:
        """Expands one set of trees; see `expand`."""
        grammar, given = self._acquired(trees)
        return self._expanded(grammar, given, given.sentences, begins_with_capital(trees))

    def expand_each(self, trees: Sequence[Tree]) -> list[Expansion]:
        """Expands each sentence of a set by itself, with the phrases of them all; equal sentences once."""
        grammar, given = self._acquired(trees)
        capital = begins_with_capital(trees)
        return [
            self._expanded(replace(grammar, sentences=(own,)), given, (own.words,), capital)
            for own in grammar.sentences
        ]

    def _acquired(self, trees: Sequence[Tree]) -> tuple[SubstitutionGrammar, SentenceSet]:
        if not trees:
            raise LatticeSimpError("a set without sentences; give one at least")
        lowered = in_mid_sentence(trees)
        given = SentenceSet(tuple(tree.tokens for tree in lowered), tuple(tree.tags for tree in lowered))
        return acquire(lowered, self.thesaurus, self.settings.alignment), given

    def _expanded(
        self, grammar: SubstitutionGrammar, given: SentenceSet, sentences: tuple[tuple[str, ...], ...], capital: bool
    ) -> Expansion:
        settings = self.settings
        bounded = DEPTH_OF_RECURSION if settings.depth is None and grammar.recurses else None
        depth = bounded or settings.depth
        lattice = expand_network(grammar, depth, settings.max_states)
        if settings.max_substitutions is not None:
            lattice = at_most(lattice, settings.max_substitutions)
        removed = {}
        for name in settings.filters:
            before = count_paths(lattice)
            lattice = intersect(lattice, FILTERS[name](given))
            removed[name] = before - count_paths(lattice)
        if capital:
            lattice, sentences = capitalised(lattice), tuple(map(with_capitals, sentences))
        return Expansion(sentences, with_substitutions(lattice), grammar, removed, bounded, depth)


def parsed(sentences: str | Iterable[str | Sequence[str] | Tree]) -> list[Tree]:
    """Returns the trees of sentences; parses those that are not trees."""
    given = [own if isinstance(own, Tree) else as_tokens(own) for own in as_sentences(sentences)]
    parses = parse_sentences([own for own in given if not isinstance(own, Tree)])
    return [own if isinstance(own, Tree) else constituents(next(parses)) for own in given]
