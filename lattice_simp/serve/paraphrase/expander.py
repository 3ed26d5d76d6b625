"""The worker of the section, which expands a set of sentences and describes the result."""

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
"""The number of new sentences to list."""

SHOWN_PHRASES = 100
"""The number of pairs of equivalent phrases to list."""


@dataclass(frozen=True)
class ParaphraseQuery:
    """A set of sentences to expand, as typed, and the names of the conditions that new sentences must meet."""

    sentences: tuple[str, ...]
    filters: tuple[str, ...]


def make_expander(tokens: int) -> Expander:
    """Loads and warms up the parser and WordNet in a worker; returns the function that answers requests."""
    thesaurus = Thesaurus.read_wordnet() if WORDNET.is_dir() else Thesaurus()
    expander = Expander(thesaurus, tokens)
    expander.facts(ParaphraseQuery(("A man saw a dog.", "A man saw a big dog."), ParaphraseSettings().filters))
    return expander


@dataclass(frozen=True, eq=False)
class Expander:
    """A paraphraser of sentences of at most `tokens` tokens that returns JSON values."""

    thesaurus: Thesaurus
    tokens: int

    def __call__(self, query: ParaphraseQuery) -> dict[str, Any]:
        """Answers a request; errors become the entry `problem`."""
        try:
            return self.facts(query)
        except LatticeSimpError as error:
            return problem_answer(error)

    def facts(self, query: ParaphraseQuery) -> dict[str, Any]:
        """Returns everything that the page shows; raises LatticeSimpError if a sentence or the set is too long."""
        sentences = [tokenise(sentence) for sentence in query.sentences]
        longest = max(len(tokens) for tokens in sentences)
        if longest > self.tokens:
            raise LatticeSimpError(f"a sentence has {longest} tokens; give sentences of at most {self.tokens}")
        expansion = Paraphraser(ParaphraseSettings(filters=query.filters), self.thesaurus).expand(sentences)
        pairs = sorted(sorted(pair) for pair in expansion.grammar.pairs)
        return {
            "given": len(set(expansion.sentences)),
            "sentences": expansion.count,
            "new": expansion.new,
            "removed": dict(expansion.removed),
            "bounded": expansion.bounded,
            "wordnet": bool(self.thesaurus.groups),
            "phrases": len(pairs),
            "equivalent": [
                {"category": first.category, "phrases": [" ".join(first.words), " ".join(second.words)]}
                for first, second in pairs[:SHOWN_PHRASES]
            ],
            "listed": [_described(path, expansion) for path in _new(expansion)],
        }


def _new(expansion: Expansion) -> Iterable[Hypothesis]:
    """Returns the new sentences with the fewest substitutions."""
    originals = set(expansion.sentences)
    paths = nbest(expansion.by_substitutions(), SHOWN_SENTENCES + len(originals), ignore=())
    return [path for path in paths if path.tokens not in originals][:SHOWN_SENTENCES]


def _described(path: Hypothesis, expansion: Expansion) -> dict[str, Any]:
    """Returns a sentence with its outermost replaced phrases as parts, its original's number, and its replacements."""
    explained = expansion.explain(path.tokens)
    originals = [tuple(map(str.lower, sentence)) for sentence in expansion.sentences]
    number = 1 + originals.index(tuple(map(str.lower, explained.sentence)))
    outermost: list[Replacement | None] = [None] * len(path.tokens)
    for replacement in reversed(explained.replacements):
        outermost[replacement.start : replacement.end] = [replacement] * (replacement.end - replacement.start)
    parts = groupby(zip(outermost, path.tokens, strict=True), key=itemgetter(0))
    return {
        "text": path.text,
        "sentence": number,
        "parts": [
            {"text": " ".join(map(itemgetter(1), part)), "changed": within is not None} for within, part in parts
        ],
        "replacements": [
            {"text": " ".join(path.tokens[step.start : step.end]), "replaced": " ".join(step.words)}
            for step in explained.replacements
        ],
    }
