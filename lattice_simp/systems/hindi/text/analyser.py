"""Analyses plain text into sentences with tags, chunks and morphology; trained on a treebank."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.grammars.hindi.romanisation import Lexicon, devanagari
from lattice_simp.support.crfsuite import Example, open_tagger, read_meta, train_tagger
from lattice_simp.support.textio import write_text
from lattice_simp.systems.hindi.sentence import Sentence
from lattice_simp.systems.hindi.text.features import (
    BEGIN,
    INSIDE,
    chunk_labels,
    chunker_features,
    chunks_of_labels,
    tagger_features,
)
from lattice_simp.systems.hindi.text.morphology import REMEDY, Morphology, read_morphology, write_morphology
from lattice_simp.text.hindi.sentences import FULL_STOP, tokenised_sentences

_EXTRA = "hindi"

TAGGER, CHUNKER, META = "tagger.crfsuite", "chunker.crfsuite", "analyser.json"

FEATURE_VERSION = 1
"""The version of the features; a model only works with the version that it was trained on."""

RAREST_TAG = 5
"""The fewest occurrences of a tag; sentences with rarer tags, which are errors and cost time, are not trained on."""


@dataclass(frozen=True)
class AnalyserSettings:
    """The number of training epochs, and the least occurrences of a learnt feature."""

    epochs: int = 12
    min_count: int = 2


@dataclass(frozen=True)
class Analyser:
    """A trained tagger, chunker and lexicon; `train` and `load` make one.

        analyser = Analyser.load("models/hindi")
        for sentence in analyser("राम ने रोटी खाकर पानी पिया।"):
            print([(chunk.tag, str(sentence.head_of(chunk).root)) for chunk in sentence.chunks])

    It does not parse dependencies: the chunks have no heads. Use a separate analyser for each thread.

    Attributes:
        tagger: the `pycrfsuite.Tagger` of parts of speech.
        chunker: the `pycrfsuite.Tagger` of chunks.
        morphology: the lexicon.
        abbreviations: words whose full stop does not end a sentence.
        meta: the model's description: feature version, settings, number of sentences.
        to_devanagari: a function that writes romanised words in Devanagari; None to leave them.
    """

    tagger: Any
    chunker: Any
    morphology: Morphology
    abbreviations: frozenset[str]
    meta: Mapping[str, Any]
    to_devanagari: Callable[[str], str] | None = None

    @classmethod
    def train(
        cls, folder: str | Path, sentences: Iterable[Sentence], settings: AnalyserSettings | None = None
    ) -> Analyser:
        """Trains on the sentences of a treebank without elided words, and writes all models to a folder.

        Raises LatticeSimpError if there are no sentences with tags and chunks, or only one tag or chunk.
        """
        settings = settings or AnalyserSettings()
        words = (sentence.without_empty for sentence in sentences)
        shown = [sentence for sentence in words if sentence.chunks and all(token.tag for token in sentence.tokens)]
        if not shown:
            raise LatticeSimpError("no sentences with tags and chunks to train on")
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        tagged = ((tagger_features(_forms(sentence)), _tags(sentence)) for sentence in _without_slips(shown))
        _train(target / TAGGER, tagged, settings)
        chunked = (
            (chunker_features(_forms(sentence), _tags(sentence)), chunk_labels(sentence.chunks)) for sentence in shown
        )
        _train(target / CHUNKER, chunked, settings)
        write_morphology(target, Morphology.learn(shown))
        meta = {
            "features": FEATURE_VERSION,
            **asdict(settings),
            "sentences": len(shown),
            "abbreviations": sorted(_abbreviations(shown)),
        }
        write_text(target / META, json.dumps(meta, indent=1, ensure_ascii=False) + "\n")
        return cls.load(target)

    @classmethod
    def load(cls, folder: str | Path, to_devanagari: Callable[[str], str] | None = None) -> Analyser:
        """Loads an analyser from the folder that `train` wrote.

        Raises FormatError if a file is missing or broken, or the models were trained with other features.
        """
        source = Path(folder)
        meta = read_meta(source / META, FEATURE_VERSION, REMEDY)
        abbreviations = meta.get("abbreviations")
        if not isinstance(abbreviations, list) or not all(isinstance(word, str) for word in abbreviations):
            raise FormatError("no list of abbreviations", path=source / META, remedy=REMEDY)
        chunker = open_tagger(source / CHUNKER, extra_name=_EXTRA, remedy=REMEDY)
        strange = [label for label in chunker.labels() if not label.startswith((BEGIN, INSIDE))]
        if strange:
            raise FormatError(f"no chunker: it has the label {strange[0]!r}", path=source / CHUNKER, remedy=REMEDY)
        tagger = open_tagger(source / TAGGER, extra_name=_EXTRA, remedy=REMEDY)
        return cls(tagger, chunker, read_morphology(source), frozenset(abbreviations), meta, to_devanagari)

    def for_romanised(self) -> Analyser:
        """Returns an analyser that reads words in Latin letters as romanised Hindi.

        It prefers frequent words of the training texts, and transliterates unknown words letter by letter.
        """
        forms = dict.fromkeys(form for form, _, _ in self.morphology.words)  # frequent ones first
        lexicon = Lexicon({form: 1 / rank for rank, form in enumerate(forms, start=1)})  # Zipf's law

        @lru_cache(maxsize=1 << 16)
        def written(word: str) -> str:
            return devanagari(word, lexicon)

        return replace(self, to_devanagari=written)

    def __call__(self, text: str) -> list[Sentence]:
        """Splits a text into sentences, numbered from 1, and analyses them."""
        split = tokenised_sentences(text, self.abbreviations, self.to_devanagari)
        return [self._analysed(tokens, str(number)) for number, tokens in enumerate(split, start=1)]

    def analyse(self, tokens: Sequence[str]) -> Sentence:
        """Analyses a sentence tokenised as in the treebank, converting romanised words if `to_devanagari` is set."""
        if not all(tokens):
            raise LatticeSimpError(f"token {tokens.index('') + 1} of the sentence is empty")
        return self._analysed([self.to_devanagari(token) for token in tokens] if self.to_devanagari else tokens, "")

    def _analysed(self, forms: Sequence[str], name: str) -> Sentence:
        tags = self.tagger.tag(tagger_features(forms)) if forms else []
        chunks = chunks_of_labels(self.chunker.tag(chunker_features(forms, tags)) if forms else [])
        chunk_tags = [chunk.tag for chunk in chunks for _ in chunk.positions]
        return Sentence(self.morphology.apply(forms, tags, chunk_tags), chunks, name)


def _train(path: Path, examples: Iterable[Example], settings: AnalyserSettings) -> None:
    """Trains an averaged perceptron, which is as accurate here as maximum likelihood in a tenth of the time."""
    parameters = {"max_iterations": settings.epochs, "epsilon": 0.0, "feature.minfreq": settings.min_count}
    train_tagger(path, examples, parameters, extra_name=_EXTRA, algorithm="ap")


def _forms(sentence: Sentence) -> list[str]:
    return [token.form for token in sentence.tokens]


def _tags(sentence: Sentence) -> list[str]:
    return [token.tag for token in sentence.tokens]


def _without_slips(sentences: Sequence[Sentence]) -> Iterable[Sentence]:
    counts = Counter(token.tag for sentence in sentences for token in sentence.tokens)
    frequent = {tag for tag, count in counts.items() if count >= RAREST_TAG} or set(counts)
    return (sentence for sentence in sentences if all(token.tag in frequent for token in sentence.tokens))


def _abbreviations(sentences: Iterable[Sentence]) -> set[str]:
    """Returns the words that end in a full stop."""
    forms = {token.form for sentence in sentences for token in sentence.tokens}
    return {form for form in forms if form.endswith(FULL_STOP) and form[0].isalpha()}
