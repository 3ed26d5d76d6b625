"""What a worker of the section does: it expands a set of sentences, and tells what it found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.nbest import nbest
from lattice_simp.serve.problems import problem_answer
from lattice_simp.systems.paraphrase.explanation import Replacement
from lattice_simp.systems.paraphrase.paraphraser import Expansion, Paraphraser, ParaphraseSettings
from lattice_simp.systems.paraphrase.synonyms import WORDNET, Thesaurus
from lattice_simp.text.english.spacy_parser import tokenise

SHOWN_SENTENCES = 20
"""New sentences that are listed."""

SHOWN_PHRASES = 100
"""Pairs of equivalent phrases that are listed."""


@dataclass(frozen=True)
class ParaphraseQuery:
    """A set of sentences to expand.

    Attributes:
        sentences: as they were typed.
        filters: the names of the conditions that new sentences must meet.
    """

    sentences: tuple[str, ...]
    filters: tuple[str, ...]


def make_expander(tokens: int) -> Expander:
    """Loads the parser and WordNet in a worker, and uses them once; returns the function that answers requests."""
    thesaurus = Thesaurus.read_wordnet() if WORDNET.is_dir() else Thesaurus()
    expander = Expander(thesaurus, tokens)
    expander.facts(ParaphraseQuery(("A man saw a dog.", "A man saw a big dog."), ParaphraseSettings().filters))
    return expander


@dataclass(frozen=True, eq=False)
class Expander:
    """A paraphraser at work; what it returns are JSON values.

    Attributes:
        tokens: the most that a sentence may have.
    """

    thesaurus: Thesaurus
    tokens: int

    def __call__(self, given: ParaphraseQuery) -> dict[str, Any]:
        """Answers a request; what is wrong with it is the entry `problem`."""
        try:
            return self.facts(given)
        except LatticeSimpError as error:
            return problem_answer(error)

    def facts(self, given: ParaphraseQuery) -> dict[str, Any]:
        """Returns everything that the page shows.

        Raises:
            LatticeSimpError: a sentence is too long, or the set makes too large a lattice.
            MissingExtraError: spaCy or its English model is not installed.
        """
        sentences = [tokenise(sentence) for sentence in given.sentences]
        longest = max(len(own) for own in sentences)
        if longest > self.tokens:
            raise LatticeSimpError(f"a sentence has {longest} tokens; give some of at most {self.tokens}")
        found = Paraphraser(ParaphraseSettings(filters=given.filters), self.thesaurus).expand(sentences)
        pairs = sorted(sorted(pair) for pair in found.grammar.pairs)
        return {
            "given": len(set(found.sentences)),
            "sentences": found.count,
            "new": found.new,
            "removed": dict(found.removed),
            "bounded": found.bounded,
            "wordnet": bool(self.thesaurus.groups),
            "phrases": len(pairs),
            "equivalent": [
                {"category": one.category, "phrases": [" ".join(one.words), " ".join(other.words)]}
                for one, other in pairs[:SHOWN_PHRASES]
            ],
            "listed": [_told(path, found) for path in _new(found)],
        }


def _new(found: Expansion) -> Iterable[Hypothesis]:
    """Returns the new sentences with the fewest substitutions."""
    own = set(found.sentences)
    paths = nbest(found.by_substitutions(), SHOWN_SENTENCES + len(own))
    return [path for path in paths if path.tokens not in own][:SHOWN_SENTENCES]


def _told(path: Hypothesis, found: Expansion) -> dict[str, Any]:
    """Returns a sentence, the number of the given one that it begins with, and what was replaced there.

    Its `parts` are the outermost phrases that stand for others, and the words between them.
    """
    explained = found.explain(path.tokens)
    given = [tuple(map(str.lower, own)) for own in found.sentences]
    number = 1 + given.index(tuple(map(str.lower, explained.sentence)))
    outermost: list[Replacement | None] = [None] * len(path.tokens)
    for own in reversed(explained.replacements):
        outermost[own.start : own.end] = [own] * (own.end - own.start)
    parts = groupby(zip(outermost, path.tokens, strict=True), key=itemgetter(0))
    return {
        "text": path.text,
        "sentence": number,
        "parts": [{"text": " ".join(map(itemgetter(1), own)), "changed": within is not None} for within, own in parts],
        "replacements": [
            {"text": " ".join(path.tokens[own.start : own.end]), "replaced": " ".join(own.words)}
            for own in explained.replacements
        ],
    }
