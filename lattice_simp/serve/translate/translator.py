"""The worker of the section: loads a model, translates sentences, and suggests skeletons."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.compose_gappy import EDITS, MATCHED, SKELETON
from lattice_simp.ops.word_confidences import word_confidences
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
"""The number of translations of the skeleton to show."""

CONFIDENCE_ARCS = 2000
"""The most arcs of lattices for word confidences, which are recomputed after each mark."""

WARM_UP = Query("a b a", "101", Options(confidence=True))


@dataclass(frozen=True)
class TranslatorOptions:
    """The options of workers.

    Attributes:
        model: a model directory; None for the demo grammar.
        tagger: a folder made by `skeleton train`; None to use only the other methods.
        tokens: the most tokens of a sentence.
    """

    model: Path | None = None
    tagger: Path | None = None
    tokens: int = 100


@dataclass(frozen=True)
class SuggestionRequest:
    """A request for skeletons of a sentence."""

    text: str


def make_translator(options: TranslatorOptions) -> Translator:
    """Loads and warms up the model in a worker, so that requests do not wait for compilation or a parser."""
    translator = Translator.load(options)
    for request in (WARM_UP, SuggestionRequest(WARM_UP.text)):
        translator(request)
    return translator


@dataclass(frozen=True, eq=False)
class Translator:
    """A loaded model that returns JSON values; it has no tokenisers if the text is tokenised."""

    options: TranslatorOptions
    decoder: Decoder
    text: tuple[Tokeniser, Tokeniser] | None = None
    tagger: DeletionTagger | None = None

    @classmethod
    def load(cls, options: TranslatorOptions) -> Translator:
        """Loads a model; raises FormatError or GrammarError if a file is missing or broken."""
        folder = options.model or grammar_path("demo/data/rules.gz").parent
        decoder = RememberingDecoder.load(folder)
        tagger = DeletionTagger.load(options.tagger) if options.tagger is not None else None
        return cls(options, decoder, _tokenisers(folder), tagger)

    def __call__(self, request: Query | SuggestionRequest) -> Facts:
        """Answers a request; errors become the entry `problem`."""
        try:
            return self.translation(request) if isinstance(request, Query) else self.suggestions(request.text)
        except LatticeSimpError as error:
            return problem_answer(error)

    def tokens(self, text: str) -> tuple[str, ...]:
        """Returns the tokens of a text; raises LatticeSimpError if there are none, or too many."""
        tokens = tuple(split_tokens(text if self.text is None else self.text[0].tokens(text)))
        if not tokens:
            raise LatticeSimpError("the text has no words; enter a sentence")
        if len(tokens) > self.options.tokens:
            raise LatticeSimpError(f"the sentence has {len(tokens)} tokens; use at most {self.options.tokens}")
        return tokens

    def suggestions(self, text: str) -> Facts:
        """Returns automatic skeletons of a sentence."""
        language = "en" if self.text is None else self.text[0].language
        skeletons, note = suggestions(self.tokens(text), language, self.tagger)
        return {"suggestions": skeletons, "suggestions_note": note}

    def translation(self, query: Query) -> Facts:
        """Returns everything that the page shows for a sentence, with its skeleton if words are marked.

        Raises LatticeSimpError if the mask does not fit, or the sentence has no translation.
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
        vocabulary = decoder.grammar.source_words
        picture, paths = drawing(shown.lattice, best)
        return {
            "tokens": list(tokens),
            "unknown": [position for position, token in enumerate(tokens) if token not in vocabulary],
            "skeleton": skeleton_facts(skeleton) if skeleton else None,
            "reachable": None if joint is None else joint.reachable,
            "full": self._hypothesis(plain[0], full, best[0].tokens if joint else plain[0].tokens, query.options),
            "skeleton_translations": _translations(joint),
            "composed": None if joint is None else self._hypothesis(best[0], joint, plain[0].tokens, query.options),
            "features": _features(decoder, full.features(plain[0]), joint.features(best[0]) if joint else None),
            "nbest": [
                {"text": path.text, "cost": path.cost, "arcs": arcs} for path, arcs in zip(best, paths, strict=True)
            ],
            "lattice": picture,
            "seconds": round(time.monotonic() - began, 4),
        }

    def _hypothesis(
        self, path: Hypothesis, translation: Translation, compared: Sequence[str], options: Options
    ) -> Facts:
        """Returns a hypothesis with the facts about each word."""
        columns = {
            "text": path.tokens,
            "changed": _differing(path.tokens, compared),
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


def _differing(words: Sequence[str], compared: Sequence[str]) -> list[bool]:
    """Returns for each word whether the other text differs there.

    >>> _differing("a man saw it".split(), "a woman saw it".split())
    [False, True, False, False]
    """
    differ = [True] * len(words)
    for block in SequenceMatcher(a=words, b=compared, autojunk=False).get_matching_blocks():
        differ[block.a : block.a + block.size] = [False] * block.size
    return differ


def _matched(translation: Translation, path: Hypothesis) -> list[bool]:
    """Returns for each word of a path whether it is part of the skeleton."""
    lattice = translation.lattice if translation.mbr is None else translation.mbr
    if not translation.reachable or MATCHED not in lattice.features:
        return [False] * len(path.tokens)
    arcs = path.arcs[lattice.olabels[path.arcs] > 0]
    matched: list[bool] = (lattice.features[MATCHED][arcs] > 0).tolist()
    return matched


def _confidences(translation: Translation, path: Hypothesis, options: Options) -> list[float] | list[None]:
    """Returns the confidence in each word of a path, if requested and available."""
    if not options.confidence:
        return [None] * len(path.tokens)
    confidences: list[float] = word_confidences(
        translation.lattice, path.tokens, options.scale, max_arcs=CONFIDENCE_ARCS, ignore=()
    ).tolist()
    return confidences if len(confidences) == len(path.tokens) else [None] * len(path.tokens)


def _sources(translation: Translation, path: Hypothesis) -> list[list[int]]:
    """Returns the aligned source tokens of each word of a path; none if the sentence has the name of epsilon."""
    try:
        aligned = align_words(translation.derivation(path), translation.source, translation.grammar)
    except LatticeSimpError:
        aligned = []
    return [sorted(tokens) for tokens in aligned] if len(aligned) == len(path.tokens) else [[] for _ in path.tokens]


def _translations(joint: Translation | None) -> list[Facts]:
    if joint is None:
        return []
    return [{"text": path.text, "cost": path.cost} for path in joint.skeleton_hypotheses[:SKELETON_TRANSLATIONS]]


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
