"""A conditional random field that tags each token of a parsed sentence: keep it, or delete it.

Lafferty, McCallum and Pereira 2001; for sentence compression, Nomoto 2008 ("A generic sentence trimmer with CRFs").
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.skeleton.automatic.candidates import check_wanted, choose
from lattice_simp.skeleton.automatic.chain import DELETE, KEEP, Chain
from lattice_simp.skeleton.automatic.dependency import conjunct_commas
from lattice_simp.skeleton.automatic.features import FEATURE_VERSION, token_features
from lattice_simp.skeleton.skeleton import Skeleton
from lattice_simp.support.crfsuite import Example, open_tagger, read_meta, train_tagger
from lattice_simp.support.textio import open_text
from lattice_simp.text.english.parse import Parse
from lattice_simp.text.english.punctuation import place_punctuation
from lattice_simp.text.english.spacy_parser import as_parse

MODEL, META = "model.crfsuite", "model.json"

NBEST_PER_CANDIDATE = 60
"""How many masks are considered for each candidate, since most masks are variants of each other."""

_LABELS = {DELETE: "0", KEEP: "1"}
_SMALLEST = 1e-300
_EXTRA = "skeletons"
_REMEDY = "train it again with `lattice-simp skeleton train`"


@dataclass(frozen=True)
class TaggerSettings:
    """How the tagger is trained.

    Attributes:
        l1: the weight of the sum of absolute weights, which leaves few features.
        l2: the weight of half the sum of their squares.
        max_iterations: the most iterations of L-BFGS.
    """

    l1: float = 3.0
    l2: float = 1.0
    max_iterations: int = 100


@dataclass(frozen=True)
class DeletionTagger:
    """A trained tagger; `train` makes one, `load` reads one from its folder.

    Attributes:
        crf: a `pycrfsuite.Tagger`.
        transitions: (2, 2) scores from label to label, up to a constant.
        meta: the folder's description of the model: feature version, settings, number of sentences, and the parser.
    """

    crf: Any
    transitions: Floats
    meta: Mapping[str, Any]

    @classmethod
    def train(
        cls,
        folder: str | Path,
        examples: Iterable[tuple[Parse, Skeleton]],
        settings: TaggerSettings | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> DeletionTagger:
        """Trains a tagger on parsed sentences and their skeletons, and writes it into a folder.

        A sentence with several skeletons is in `examples` once for each of them.

        Raises:
            MissingExtraError: python-crfsuite is not installed.
            LatticeSimpError: no examples, examples with a single label, or skeletons of other sentences.
        """
        settings = settings or TaggerSettings()
        Path(folder).mkdir(parents=True, exist_ok=True)
        parameters = {"c1": settings.l1, "c2": settings.l2, "max_iterations": settings.max_iterations}
        count = train_tagger(Path(folder, MODEL), _labelled(examples), parameters, extra_name=_EXTRA)
        written = {"features": FEATURE_VERSION, **asdict(settings), "examples": count, **(meta or {})}
        with open_text(Path(folder, META), "w") as file:
            file.write(json.dumps(written, indent=1) + "\n")
        return cls.load(folder)

    @classmethod
    def load(cls, folder: str | Path) -> DeletionTagger:
        """Reads a tagger from the folder that `train` wrote.

        Raises:
            FormatError: a file is missing or broken, or the model was made with other features.
            MissingExtraError: python-crfsuite is not installed.
        """
        meta = read_meta(Path(folder, META), FEATURE_VERSION, _REMEDY)
        model = Path(folder, MODEL)
        crf = open_tagger(model, extra_name=_EXTRA, remedy=_REMEDY)
        labels = set(crf.labels())
        if labels != set(_LABELS.values()):
            message = f"a model with the labels {', '.join(sorted(labels)) or '(none)'}, not 0 and 1"
            raise FormatError(message, path=model, remedy=_REMEDY)
        return cls(crf, _transitions(crf), meta)

    def chain(self, parse: Parse) -> Chain:
        """Returns the scores of a sentence as a chain, from which everything else is computed."""
        keep = []
        for features in token_features(parse):
            # The odds of a single token are its score, so there is no need to parse the model's file.
            self.crf.set([features])
            kept, deleted = (max(self.crf.marginal(_LABELS[label], 0), _SMALLEST) for label in (KEEP, DELETE))
            keep.append(math.log(kept) - math.log(deleted))
        return Chain(np.array(keep), self.transitions)

    def skeletons(
        self, sentence: Parse | Sequence[str], rate: float | None = None, candidates: int = 1, *, repair: bool = True
    ) -> list[Skeleton]:
        """Returns skeletons of a parsed sentence, the most probable one first.

        Args:
            sentence: a parse by the parser that the tagger was trained with, or tokens, which spaCy parses.
            rate: the compression rate to aim at, by a constant for every kept token (`Chain.at_rate`); None leaves the
                model unchanged.
            candidates: the most skeletons to return.
            repair: whether punctuation follows the words (see `place_punctuation`), or the tagger decides on it, too.

        Raises:
            LatticeSimpError: a rate out of range, or fewer than one candidate.
        """
        check_wanted(1.0 if rate is None else rate, candidates)
        parse = as_parse(sentence)
        chain = self.chain(parse)
        if rate is not None:
            chain = chain.at_rate(rate)
        masks = chain.best_masks(NBEST_PER_CANDIDATE * candidates)
        masks = [mask for mask in masks if any(mask)] or [_most_probable(chain, 0.5 if rate is None else rate)]
        if repair:
            commas = conjunct_commas(parse)
            repaired = choose(
                parse.tokens, (place_punctuation(parse.tokens, mask, commas) for mask in masks), candidates
            )
            if repaired:
                return repaired
        return choose(parse.tokens, masks, candidates)


def _most_probable(chain: Chain, rate: float) -> tuple[bool, ...]:
    """Keeps the tokens with the highest marginals, for sentences whose best labellings delete everything."""
    marginals = chain.marginals()
    kept = np.argsort(-marginals, kind="stable")[: max(1, round(rate * len(marginals)))]
    return tuple(position in kept for position in range(len(marginals)))


def _labelled(examples: Iterable[tuple[Parse, Skeleton]]) -> Iterator[Example]:
    last: tuple[Parse, list[list[str]]] | None = None
    for number, (parse, skeleton) in enumerate(examples, start=1):
        if skeleton.tokens != parse.tokens:
            raise LatticeSimpError(f"example {number}: the skeleton is of another sentence than the parse")
        if last is None or last[0] is not parse:
            last = (parse, token_features(parse))
        yield last[1], [_LABELS[KEEP if kept else DELETE] for kept in skeleton.mask]


def _transitions(crf: Any) -> Floats:
    """Finds the scores of label pairs up to a constant, by two tokens without features, which have no other scores."""
    crf.set([["(none)"], ["(none)"]])
    pairs = [
        [crf.probability([_LABELS[before], _LABELS[label]]) for label in (DELETE, KEEP)] for before in (DELETE, KEEP)
    ]
    return np.log(np.maximum(np.array(pairs), _SMALLEST))
