"""Expands sets of synonymous sentences to lattices of all paraphrases that their phrases allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from lattice_simp.core.arguments import choice, whole
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import as_sentences, as_tokens
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.count_paths import count_paths
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
from lattice_simp.systems.paraphrase.tree import Tree, as_trees
from lattice_simp.text.english.spacy_parser import parse_sentences

DEPTH_OF_RECURSION = 2
"""The default depth of nested substitutions for recursive phrases."""

MAX_STATES = 200_000
"""The default limit of states of any acceptor in an expansion."""


@dataclass(frozen=True)
class ParaphraseSettings:
    """Options of an expansion.

    Attributes:
        alignment: the conditions for equivalent phrases.
        depth: the deepest nesting of substitutions; None for any, or for `DEPTH_OF_RECURSION` if the phrases recurse.
        max_substitutions: the most substitutions in a sentence; None for any number.
        filters: the names of the conditions that sentences must meet (`FILTERS`).
        max_states: the most states of any intermediate acceptor; more are an error.

    Raises:
        LatticeSimpError: a number is negative, or a filter is unknown.
    """

    alignment: AlignmentSettings = field(default_factory=AlignmentSettings)
    depth: int | None = option(None, "depth", "maximum nesting depth of substitutions (default: unlimited)")
    max_substitutions: int | None = option(
        None, "max-substitutions", "maximum substitutions per sentence (default: unlimited)"
    )
    filters: tuple[str, ...] = tuple(FILTERS)
    max_states: int = option(MAX_STATES, "max-states", "maximum number of states per lattice; more are an error")

    def __post_init__(self) -> None:
        for name in ("depth", "max_substitutions"):
            value = getattr(self, name)
            if value is not None and whole(value, name) < 0:
                raise LatticeSimpError(f"--{name.replace('_', '-')} {value}: give 0 or more")
        for name in as_sentences(self.filters):
            choice(name, FILTERS, "filter")


@dataclass(frozen=True)
class Expansion:
    """The expansion of a set of sentences.

    Attributes:
        sentences: the tokens of the set's sentences; if one begins with a capital, all do, also after stops.
        lattice: a deterministic acceptor of all sentences, including those of the set, at cost 0; the feature
            `Substitutions` is minus the least number of substitutions of a sentence.
        grammar: the phrases and their equivalences.
        removed: the number of sentences that each filter removed, in the order of application.
        bounded: the limit of depth that was set because phrases recurse; None if the expansion is complete.
        depth: the deepest nesting of substitutions; None for any.
    """

    sentences: tuple[tuple[str, ...], ...]
    lattice: Lattice
    grammar: SubstitutionGrammar = field(repr=False)
    removed: Mapping[str, int]
    bounded: int | None = None
    depth: int | None = None

    @cached_property
    def count(self) -> int:
        """The number of distinct sentences."""
        return count_paths(self.lattice)

    @property
    def new(self) -> int:
        """The number of sentences that are not in the set."""
        return self.count - len(set(self.sentences))

    def by_substitutions(self) -> Lattice:
        """Returns the lattice with a cost of 1 for each substitution.

        >>> import lattice_simp as ls
        >>> trees = ["(S (NP (DT a) (NN man)) (VP (VBD saw) (NP (DT a) (JJ big) (NN car))))",
        ...          "(S (NP (DT a) (NN man)) (VP (VBD saw) (NP (DT a) (JJ large) (NN car)) (ADVP (RB today))))"]
        >>> words = ls.Thesaurus.from_groups([["big", "large"]])
        >>> expansion = ls.Paraphraser(thesaurus=words).expand([ls.Tree.from_brackets(text) for text in trees])
        >>> [path.cost for path in ls.nbest(expansion.by_substitutions(), 9)]
        [0.0, 0.0, 1.0, 1.0]
        """
        ends = self.lattice.finals - self.lattice.features.final(SUBSTITUTIONS)
        return replace(self.lattice, weights=0.0 - self.lattice.features[SUBSTITUTIONS], finals=ends)

    def explain(self, sentence: str | Sequence[str]) -> Explanation:
        """Returns a derivation of a sentence with the fewest substitutions.

        >>> import lattice_simp as ls
        >>> trees = ["(S (NP (DT a) (NN man)) (VP (VBD saw) (NP (DT a) (JJ big) (NN car))))",
        ...          "(S (NP (DT a) (NN man)) (VP (VBD saw) (NP (DT a) (JJ large) (NN car)) (ADVP (RB today))))"]
        >>> words = ls.Thesaurus.from_groups([["big", "large"]])
        >>> expansion = ls.Paraphraser(thesaurus=words).expand([ls.Tree.from_brackets(text) for text in trees])
        >>> expansion.explain("a man saw a big car today").replacements
        (Replacement(start=3, end=6, words=('a', 'large', 'car')),)

        Raises:
            LatticeSimpError: the expansion without filters does not contain the sentence.
        """
        return explain(self.grammar, as_tokens(sentence), self.depth)


@dataclass(frozen=True)
class Paraphraser:
    """Expands sets of synonymous sentences (Imamura, Akiba and Sumita 2002).

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
        settings: depth, filters, and conditions for equivalent phrases.
        thesaurus: groups of words to link besides equal words and lemmas; by default those of numerals and
            abbreviations.
    """

    settings: ParaphraseSettings = field(default_factory=ParaphraseSettings)
    thesaurus: Thesaurus = field(default_factory=Thesaurus.english)

    def expand(self, sentences: str | Iterable[str | Sequence[str] | Tree]) -> Expansion:
        """Returns the expansion of a set of sentences.

        Args:
            sentences: trees, or tokens to parse with spaCy (a list, or a string with spaces between them). A single
                string is one sentence.

        Raises:
            LatticeSimpError: there are no sentences, one has no words, or a lattice exceeds the allowed states.
            MissingExtraError: spaCy or its English model is needed but not installed.
        """
        return self.expand_trees(parsed(sentences))

    def expand_trees(self, trees: Sequence[Tree]) -> Expansion:
        """Returns the expansion of a set of trees; see `expand`."""
        trees = as_trees(trees)
        grammar, originals = self._acquired(trees)
        return self._expanded(grammar, originals, originals.sentences, begins_with_capital(trees))

    def expand_each(self, trees: Sequence[Tree]) -> list[Expansion]:
        """Returns the expansion of each distinct sentence of a set, with the phrases of all sentences."""
        trees = as_trees(trees)
        grammar, originals = self._acquired(trees)
        capital = begins_with_capital(trees)
        return [
            self._expanded(replace(grammar, sentences=(phrase,)), originals, (phrase.words,), capital)
            for phrase in grammar.sentences
        ]

    def _acquired(self, trees: Sequence[Tree]) -> tuple[SubstitutionGrammar, SentenceSet]:
        if not trees:
            raise LatticeSimpError("the set has no sentences; give at least one")
        lowered = in_mid_sentence(trees)
        originals = SentenceSet.of(lowered)
        return acquire(lowered, self.thesaurus, self.settings.alignment), originals

    def _expanded(
        self,
        grammar: SubstitutionGrammar,
        originals: SentenceSet,
        sentences: tuple[tuple[str, ...], ...],
        capital: bool,
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
            lattice = FILTERS[name](lattice, originals)
            removed[name] = before - count_paths(lattice)
        if capital:
            lattice, sentences = capitalised(lattice), tuple(map(with_capitals, sentences))
        return Expansion(sentences, with_substitutions(lattice), grammar, removed, bounded, depth)


def parsed(sentences: str | Iterable[str | Sequence[str] | Tree]) -> list[Tree]:
    """Returns the trees of sentences, parsing those that are not trees."""
    inputs = [sentence if isinstance(sentence, Tree) else as_tokens(sentence) for sentence in as_sentences(sentences)]
    parses = parse_sentences([tokens for tokens in inputs if not isinstance(tokens, Tree)])
    return [item if isinstance(item, Tree) else constituents(next(parses)) for item in inputs]
