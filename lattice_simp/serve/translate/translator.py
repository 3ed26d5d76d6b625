"""What a worker of the section does: it loads a model, translates sentences, and suggests skeletons."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.compose_gappy import EDITS, MATCHED, SKELETON
from lattice_simp.ops.word_confidences import word_confidences
from lattice_simp.serve.differences import differing
from lattice_simp.serve.problems import problem_answer
from lattice_simp.serve.translate.drawing import drawing
from lattice_simp.serve.translate.query import Options, Query
from lattice_simp.serve.translate.remembering import RememberingDecoder
from lattice_simp.serve.translate.skeletons import Facts, skeleton_facts, suggestions
from lattice_simp.skeleton import Skeleton
from lattice_simp.skeleton.automatic.tagger import DeletionTagger
from lattice_simp.support.extras import extra
from lattice_simp.support.tables import grammar_path
from lattice_simp.text.settings import TEXT
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.result import Translation
from lattice_simp.translate.word_alignment import align_words

if TYPE_CHECKING:
    from lattice_simp.text.tokeniser import Tokeniser

SKELETON_TRANSLATIONS = 5
"""Translations of the skeleton that are shown."""

CONFIDENCE_ARCS = 2000
"""Lattices are pruned to so many arcs for the confidence in words: a reader waits for it after each mark."""

WARM_UP = Query("a b a", "101", Options(confidence=True))


@dataclass(frozen=True)
class TranslatorOptions:
    """What every worker needs to know.

    Attributes:
        model: a model directory; None for the demo grammar.
        tagger: a folder of `skeleton train`; None for the other methods alone.
        tokens: the most that a sentence may have.
    """

    model: Path | None = None
    tagger: Path | None = None
    tokens: int = 100


@dataclass(frozen=True)
class SuggestionRequest:
    """A sentence of which skeletons are to be made."""

    text: str


def make_translator(options: TranslatorOptions) -> Translator:
    """Loads the model in a worker, and uses it, so that no reader waits for kernels to be compiled, or for a parser."""
    translator = Translator.load(options)
    for given in (WARM_UP, SuggestionRequest(WARM_UP.text)):
        translator(given)
    return translator


@dataclass(frozen=True, eq=False)
class Translator:
    """A model at work; what it returns are JSON values.

    Attributes:
        text: the tokenisers of both sides; None where text is tokens.
    """

    options: TranslatorOptions
    decoder: Decoder
    text: tuple[Tokeniser, Tokeniser] | None = None
    tagger: DeletionTagger | None = None

    @classmethod
    def load(cls, options: TranslatorOptions) -> Translator:
        """Loads a model.

        Raises:
            FormatError, GrammarError: a file is missing or broken.
            MissingExtraError: what makes tokens of its text is not installed.
        """
        folder = options.model or grammar_path("demo/data/rules.gz").parent
        decoder = RememberingDecoder.load(folder)
        tagger = DeletionTagger.load(options.tagger) if options.tagger is not None else None
        return cls(options, decoder, _tokenisers(folder), tagger)

    def __call__(self, given: Query | SuggestionRequest) -> Facts:
        """Answers a request; what is wrong with it is the entry `problem`."""
        try:
            return self.translation(given) if isinstance(given, Query) else self.suggestions(given.text)
        except LatticeSimpError as error:
            return problem_answer(error)

    def tokens(self, text: str) -> tuple[str, ...]:
        """Returns the tokens of a text.

        Raises:
            LatticeSimpError: there are none, or too many.
        """
        tokens = tuple(split_tokens(text if self.text is None else self.text[0].tokens(text)))
        if not tokens:
            raise LatticeSimpError("the text holds no word")
        if len(tokens) > self.options.tokens:
            raise LatticeSimpError(f"the sentence has {len(tokens)} tokens; at most {self.options.tokens} are taken")
        return tokens

    def suggestions(self, text: str) -> Facts:
        """Returns automatic skeletons of a sentence."""
        language = "en" if self.text is None else self.text[0].language
        found, note = suggestions(self.tokens(text), language, self.tagger)
        return {"suggestions": found, "suggestions_note": note}

    def translation(self, query: Query) -> Facts:
        """Returns everything that the page shows of a sentence, with its skeleton if words are marked.

        Raises:
            LatticeSimpError: the mask does not fit, or there is no translation.
        """
        began = time.monotonic()
        tokens = self.tokens(query.text)
        skeleton = Skeleton.from_mask(query.mask, tokens) if query.mask else None
        decoder = self.decoder.with_settings(query.options.settings)
        full = decoder.translate(tokens, strategy="plain")
        joint = decoder.translate(tokens, skeleton, strategy=query.options.strategy) if skeleton else None
        shown = joint or full
        best = shown.nbest(query.options.nbest)
        plain = full.nbest(1)
        if not best or not plain:
            raise LatticeSimpError("no translation within the beam")
        known = decoder.grammar.source_words
        picture, paths = drawing(shown.lattice, best)
        return {
            "tokens": list(tokens),
            "unknown": [position for position, token in enumerate(tokens) if token not in known],
            "skeleton": skeleton_facts(skeleton) if skeleton else None,
            "reachable": None if joint is None else joint.reachable,
            "full": self._hypothesis(plain[0], full, best[0].tokens if joint else plain[0].tokens, query.options),
            "skeleton_translations": _translations(joint),
            "composed": None if joint is None else self._hypothesis(best[0], joint, plain[0].tokens, query.options),
            "features": _features(decoder, full.features(plain[0]), joint.features(best[0]) if joint else None),
            "nbest": [
                {"text": own.text, "cost": own.cost, "arcs": arcs} for own, arcs in zip(best, paths, strict=True)
            ],
            "lattice": picture,
            "seconds": round(time.monotonic() - began, 4),
        }

    def _hypothesis(self, path: Hypothesis, translation: Translation, other: Sequence[str], options: Options) -> Facts:
        """Returns a hypothesis, and what is told of each of its words."""
        columns = {
            "text": path.tokens,
            "changed": differing(path.tokens, other),
            "skeleton": _matched(translation, path),
            "source": _sources(translation, path),
            "confidence": _confidences(translation, path, options),
        }
        words = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        readable = path.text if self.text is None else self.text[1].text(path.text)
        return {"text": path.text, "readable": readable, "cost": path.cost, "words": words}


def _tokenisers(folder: Path) -> tuple[Tokeniser, Tokeniser] | None:
    if not (folder / TEXT).is_file():
        return None
    with extra("text"):
        from lattice_simp.text.tokeniser import model_tokenisers
    return model_tokenisers(folder)


def _matched(translation: Translation, path: Hypothesis) -> list[bool]:
    """Returns of each word of a path whether a hypothesis of the skeleton has it."""
    lattice = translation.lattice if translation.mbr is None else translation.mbr
    if not translation.reachable or MATCHED not in lattice.features:
        return [False] * len(path.tokens)
    arcs = path.arcs[lattice.olabels[path.arcs] > 0]
    found: list[bool] = (lattice.features[MATCHED][arcs] > 0).tolist()
    return found


def _confidences(translation: Translation, path: Hypothesis, options: Options) -> list[float] | list[None]:
    """Returns the confidence in each word of a path, if it is asked for and the words are those of a lattice."""
    if not options.confidence:
        return [None] * len(path.tokens)
    found: list[float] = word_confidences(
        translation.lattice, path.tokens, options.scale, max_arcs=CONFIDENCE_ARCS
    ).tolist()
    return found if len(found) == len(path.tokens) else [None] * len(path.tokens)


def _sources(translation: Translation, path: Hypothesis) -> list[list[int]]:
    """Returns for each word of a path the source tokens that it is aligned to.

    None of a sentence that holds the name of epsilon, which is not a word of the hypothesis.
    """
    try:
        aligned = align_words(translation.derivation(path), translation.source, translation.grammar)
    except LatticeSimpError:
        aligned = []
    return [sorted(tokens) for tokens in aligned] if len(aligned) == len(path.tokens) else [[] for _ in path.tokens]


def _translations(joint: Translation | None) -> list[Facts]:
    if joint is None:
        return []
    return [{"text": own.text, "cost": own.cost} for own in joint.skeleton_hypotheses[:SKELETON_TRANSLATIONS]]


def _features(decoder: Decoder, full: dict[str, float], joint: dict[str, float] | None) -> list[Facts]:
    """Returns the features with their weights and the scores of both best hypotheses (higher is better)."""
    weights = {EDITS: 1.0, **decoder.weights, SKELETON: decoder.settings.skeleton.weight}
    names = dict.fromkeys([*full, *(joint or ())])
    return [
        {
            "name": name,
            "weight": weights.get(name, 0.0),
            "full": _score(full, name),
            "composed": _score(joint or {}, name),
        }
        for name in names
    ]


def _score(features: dict[str, float], name: str) -> float | None:
    return features[name] + 0.0 if name in features else None  # no -0
