"""A transition parser of chunks, trained on a treebank.

It is spaCy's: the non-monotonic arc-eager transition system of Honnibal and Johnson (2015), with a neural network that
scores the transitions. Non-projective trees are made projective in training and restored afterwards (Nivre and Nilsson
2005).

The parser attaches chunks, not words: case markers and auxiliaries are part of a chunk, so a sentence has half as many
steps. A document of spaCy holds a sentence, and each of its tokens a chunk (see `phrases.py`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from lattice_simp.errors import FormatError, LatticeSimpError, one_line
from lattice_simp.support.crfsuite import read_meta
from lattice_simp.support.extras import Late
from lattice_simp.support.textio import write_text
from lattice_simp.systems.hindi.parsing.phrases import FEATURE_VERSION, phrases
from lattice_simp.systems.hindi.sentence import Sentence

spacy = Late("spacy", "hindi-parser")
tokens = Late("spacy.tokens", "hindi-parser")
training = Late("spacy.training", "hindi-parser")

META, WEIGHTS = "parser.json", "weights"

REMEDY = "train the parser again"

BATCH = 64
"""The number of sentences parsed together, after which memory of their words is freed."""

RAREST = "mod"
"""The treebank's relation for unspecified modifiers, which stands for relations too rare to be learnt."""

_ROOT, _RARE = "ROOT", "dep"
_ATTRIBUTES = ("ORTH", "LEMMA", "NORM", "TAG", "ENT_TYPE")
"""The attributes of spaCy's tokens that hold the fields of a `Phrase`."""

_FIRST_BATCH, _GROWTH = 8, 1.002
"""The sentences of the first update, and the growth from one update to the next."""

_FEWEST_UPDATES = 100
"""The fewest updates; a small treebank is seen more often."""

_ROWS = (5000, 5000, 1500, 500, 500)
"""The rows of the hashed embedding of each attribute."""


@dataclass(frozen=True)
class ParserSettings:
    """Training settings of a parser.

    Attributes:
        epochs: the least number of passes over the sentences.
        width: the width of the vectors.
        depth: the layers of the encoder; each adds one chunk of context on both sides.
        dropout: the share of values set to zero in training.
        batch: the sentences per update; the first updates have fewer.
        min_count: the least occurrences of a learnt relation.
        seed: the seed of weights, dropout and order.
    """

    epochs: int = 5
    width: int = 96
    depth: int = 2
    dropout: float = 0.2
    batch: int = 64
    min_count: int = 10
    seed: int = 1


@dataclass(frozen=True)
class Parser:
    """A trained parser; `train` and `load` make one.

        parser = Parser.load("models/hindi/parser")
        for sentence in parser.parsed(analyser("राम ने रोटी खाकर पानी पिया।")):
            print([(chunk.head, chunk.relation) for chunk in sentence.chunks])

    Attributes:
        pipeline: the `spacy.Language` with the parser alone.
        meta: the model's description: feature version, settings, number of sentences.
    """

    pipeline: Any
    meta: dict[str, Any]

    @classmethod
    def train(cls, folder: Path, sentences: Iterable[Sentence], settings: ParserSettings | None = None) -> Parser:
        """Trains on the trees of sentences, without elided words, and writes the parser to a folder.

        Raises:
            LatticeSimpError: no sentence has a tree.
            MissingExtraError: spaCy is not installed.
        """
        settings = settings or ParserSettings()
        shown = [sentence for sentence in sentences if sentence.has_tree]
        if not shown:
            raise LatticeSimpError("no trees to learn from: train on sentences with dependencies")
        pipeline = _pipeline(settings)
        _fit(pipeline, shown, settings)
        meta = {"features": FEATURE_VERSION, **asdict(settings), "sentences": len(shown)}
        folder.mkdir(parents=True, exist_ok=True)
        pipeline.get_pipe("parser").to_disk(folder / WEIGHTS, exclude=["vocab"])
        write_text(folder / META, json.dumps(meta, indent=1) + "\n")
        return cls(pipeline, meta)

    @classmethod
    def load(cls, folder: Path) -> Parser:
        """Loads a parser from the folder that `train` wrote.

        Raises:
            FormatError: a file is missing or broken, or the parser was trained with other features.
            MissingExtraError: spaCy is not installed.
        """
        path = folder / META
        meta = read_meta(path, FEATURE_VERSION, REMEDY)
        try:
            settings = ParserSettings(**{name: meta[name] for name in asdict(ParserSettings())})
        except KeyError as error:
            raise FormatError(f"no setting {error}", path=path, remedy=REMEDY) from None
        pipeline = _pipeline(settings)
        try:
            pipeline.get_pipe("parser").from_disk(folder / WEIGHTS, exclude=["vocab"])
        except Exception as error:  # the library may raise anything on a damaged file
            message = f"spaCy cannot load it: {one_line(error)}"
            raise FormatError(message, path=folder / WEIGHTS, remedy=REMEDY) from None
        return cls(pipeline, meta)

    def parsed(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Yields sentences with parsed heads and relations of their chunks, replacing existing ones.

        It parses `BATCH` sentences at a time, so its memory does not grow with their number.
        """
        waiting = iter(sentences)
        while batch := list(islice(waiting, BATCH)):
            # Frees the memory of words that occur only in these sentences.
            with self.pipeline.memory_zone():
                documents = [_document(self.pipeline, sentence) for sentence in batch]
                trees = [_with_tree(*pair) for pair in zip(batch, self.pipeline.pipe(documents), strict=True)]
            yield from trees


def _pipeline(settings: ParserSettings) -> Any:
    """Returns an untrained pipeline."""
    width = settings.width
    embed = {"@architectures": "spacy.MultiHashEmbed.v2", "width": width, "include_static_vectors": False}
    embed |= {"attrs": list(_ATTRIBUTES), "rows": list(_ROWS)}
    encode = {"@architectures": "spacy.MaxoutWindowEncoder.v2", "width": width, "depth": settings.depth}
    encode |= {"window_size": 1, "maxout_pieces": 3}
    model = {"@architectures": "spacy.TransitionBasedParser.v2", "state_type": "parser", "extra_state_tokens": True}
    model |= {"hidden_width": 64, "maxout_pieces": 2, "use_upper": True, "nO": None}
    model["tok2vec"] = {"@architectures": "spacy.Tok2Vec.v2", "embed": embed, "encode": encode}
    pipeline = spacy.blank("xx")
    pipeline.add_pipe("parser", config={"model": model, "min_action_freq": settings.min_count})
    return pipeline


def _fit(pipeline: Any, sentences: Sequence[Sentence], settings: ParserSettings) -> None:
    """Trains the weights, and averages them over all updates."""
    spacy.util.fix_random_seed(settings.seed)
    examples = [_example(pipeline, sentence) for sentence in sentences]
    optimiser = pipeline.initialize(lambda: list(examples))
    order, sizes = random.Random(settings.seed), _batch_sizes(settings.batch)
    for _ in range(max(settings.epochs, _FEWEST_UPDATES * _FIRST_BATCH // len(examples))):
        order.shuffle(examples)
        for batch in spacy.util.minibatch(examples, sizes):
            pipeline.update(batch, sgd=optimiser, drop=settings.dropout)
    with pipeline.use_params(optimiser.averages):
        averaged = pipeline.get_pipe("parser").model.to_bytes()
    pipeline.get_pipe("parser").model.from_bytes(averaged)


def _batch_sizes(last: int) -> Iterator[int]:
    """Yields sizes that grow to the last one, as small batches learn faster at the start."""
    size = float(min(_FIRST_BATCH, last))
    while True:
        yield int(size)
        size = min(size * _GROWTH, last)


def _document(pipeline: Any, sentence: Sentence) -> Any:
    """Makes a document with a token for each chunk; it is one sentence, which the parser may not split."""
    described = phrases(sentence)
    document = tokens.Doc(
        pipeline.vocab,
        words=[phrase.form for phrase in described],
        lemmas=[phrase.root for phrase in described],
        tags=[phrase.tag for phrase in described],
        sent_starts=[position == 0 for position in range(len(described))],
    )
    for token, phrase in zip(document, described, strict=True):
        token.norm_, token.ent_type_ = phrase.markers, phrase.agreement
    return document


def _example(pipeline: Any, sentence: Sentence) -> Any:
    chunks = sentence.chunks
    heads = [position if chunk.head < 0 else chunk.head for position, chunk in enumerate(chunks)]
    relations = [_ROOT if chunk.head < 0 else chunk.relation or RAREST for chunk in chunks]
    return training.Example.from_dict(_document(pipeline, sentence), {"heads": heads, "deps": relations})


def _with_tree(sentence: Sentence, document: Any) -> Sentence:
    chunks = []
    for position, (chunk, token) in enumerate(zip(sentence.chunks, document, strict=True)):
        is_root = token.head.i == position
        relation = "" if is_root else RAREST if token.dep_ == _RARE else token.dep_
        chunks.append(replace(chunk, head=-1 if is_root else token.head.i, relation=relation))
    return replace(sentence, chunks=tuple(chunks), is_parsed=True)
