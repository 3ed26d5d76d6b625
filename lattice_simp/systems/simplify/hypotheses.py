"""All ways to split and shorten a sentence, as one lattice: every decision is on its arcs, by named features.

A *variant* is what a set of splits makes of the sentence; its tokens are a chain of states, and a deletion is an arc
that leaps over tokens. A path's features are the log probabilities of what was decided on the way, done or not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.systems.simplify.analysis import Analysis
from lattice_simp.systems.simplify.deletion import Deletion, DeletionKind, delete
from lattice_simp.systems.simplify.operations import OperationModel, deletion_feature, split_feature
from lattice_simp.systems.simplify.sentence import Sentence, Token
from lattice_simp.systems.simplify.split import Split, apply_splits, compatible
from lattice_simp.text.english.punctuation import mark_kind

SPLIT_FEATURE, SPLITS_FEATURE, DELETED_FEATURE = "Split", "Splits", "Deleted"
"""The log probability of the splits that were done and not done, the number of splits, that of deleted words."""

DELETION_FEATURES: Mapping[DeletionKind, str] = {
    DeletionKind.RELATION: "Relation",
    DeletionKind.MODIFIER: "Modifier",
    DeletionKind.ORPHAN: "Orphan",
}
"""The log probabilities of the deletions that were done and not done, by their kind."""

FEATURES = (SPLIT_FEATURE, SPLITS_FEATURE, *DELETION_FEATURES.values(), DELETED_FEATURE)

MAX_SPLITS = 3
"""Split candidates of a sentence that are decided about, the likeliest; the variants are all their subsets."""

NAMES = frozenset({"NNP", "NNPS"})
"""Tags of first words that keep their capital."""


@dataclass(frozen=True)
class Leap:
    """A deletion in a variant: the tokens `begin:end` go."""

    begin: int
    end: int
    deletion: Deletion

    def is_within(self, other: Leap) -> bool:
        """Returns whether another deletion takes the same tokens and more."""
        return other != self and other.begin <= self.begin and self.end <= other.end


@dataclass(frozen=True)
class Variant:
    """What a set of splits makes of a sentence.

    Attributes:
        splits: the set.
        tokens: of all its sentences; the very first word is in mid-sentence case, as in text for training.
        leaps: the deletions, outer ones before inner ones, no two of them crossing.
        scores: (features,) those of the splits that were done and not done.
    """

    splits: tuple[Split, ...]
    tokens: tuple[Token, ...]
    leaps: tuple[Leap, ...]
    scores: Floats


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """The ways to split and shorten a sentence.

    Attributes:
        variants: each a chain of states.
        lattice: of their words; every path's features are `FEATURES`, and its cost is 0.
        state_tokens: for each state but the start, the variant and the token that every arc into it writes; the last
            state is that of the last tokens of all variants.
    """

    variants: tuple[Variant, ...]
    lattice: Lattice
    state_tokens: tuple[tuple[int, int], ...] = field(repr=False)


def hypotheses(
    analysis: Analysis,
    model: OperationModel,
    *,
    split: bool = True,
    deletions: Callable[[Deletion], bool] = lambda deletion: True,
    max_splits: int = MAX_SPLITS,
) -> Hypotheses:
    """Builds the lattice of a sentence's hypotheses.

    Args:
        analysis: the sentence and its candidates.
        model: their probabilities.
        split: whether splits are considered.
        deletions: which deletions are.
        max_splits: how many split candidates, the likeliest.
    """
    likely = sorted(analysis.splits, key=lambda own: -model.probability(split_feature(own))) if split else []
    sets = split_sets(likely[:max_splits])
    return from_variants([make_variant(analysis, model, own, likely, deletions) for own in sets], model)


def split_sets(candidates: Sequence[Split]) -> list[tuple[Split, ...]]:
    """Returns the sets of splits that can be done together, smaller ones first; the empty one is the first."""
    sets = (own for size in range(len(candidates) + 1) for own in combinations(candidates, size))
    return [own for own in sets if compatible(own)]


def make_variant(
    analysis: Analysis,
    model: OperationModel,
    chosen: Collection[Split],
    candidates: Iterable[Split],
    deletions: Callable[[Deletion], bool] = lambda deletion: True,
) -> Variant:
    """Applies splits, and finds the deletions in what they make."""
    scores = np.zeros(len(FEATURES))
    for candidate in candidates:
        done, not_done = model.log_odds(split_feature(candidate))
        scores[FEATURES.index(SPLIT_FEATURE)] += done if candidate in chosen else not_done
    scores[FEATURES.index(SPLITS_FEATURE)] = len(chosen)
    sentences = apply_splits(analysis.tokens, chosen)
    leaps, begin = list[Leap](), 0
    for sentence in sentences:
        leaps += _leaps(sentence, begin, (own for own in analysis.deletions if deletions(own)))
        begin += len(sentence)
    tokens = (*_mid_sentence(sentences[0], analysis), *(token for own in sentences[1:] for token in own))
    return Variant(tuple(chosen), tokens, tuple(leaps), scores)


def _mid_sentence(sentence: Sentence, analysis: Analysis) -> Sentence:
    """Writes the first word as it would stand later in a sentence."""
    first = next((index for index, token in enumerate(sentence) if mark_kind(token.text) is None), None)
    if first is None:
        return sentence
    token = sentence[first]
    position = token.position
    original = None if position is None else analysis.tokens[position]
    if original is not None and position and original[1:] == token.text[1:]:
        text = original
    elif token.text[1:].islower() or len(token.text) == 1:
        is_name = position is not None and analysis.parse.tags[position] in NAMES
        text = token.text if is_name or token.text == "I" else token.text.lower()
    else:
        text = token.text
    return (*sentence[:first], Token(text, position, token.copied), *sentence[first + 1 :])


def _leaps(sentence: Sentence, begin: int, deletions: Iterable[Deletion]) -> list[Leap]:
    """Finds the tokens that each deletion takes out of a sentence; those that take no run of tokens are left out."""
    positions = {token.position for token in sentence}
    found: dict[tuple[int, int], Deletion] = {}
    for deletion in deletions:
        if not positions.issuperset(deletion.positions):
            continue
        rest = iter(delete(sentence, [deletion]))
        kept = next(rest, None)
        gone = []
        for index, token in enumerate(sentence):
            if (
                kept is not None
                and (kept.position, kept.copied) == (token.position, token.copied)
                and (token.position is not None or kept.text.lower() == token.text.lower())
            ):
                kept = next(rest, None)
            else:
                gone.append(index)
        words = [token for index, token in enumerate(sentence) if index not in gone and mark_kind(token.text) is None]
        if gone and words and gone[-1] - gone[0] + 1 == len(gone):
            found.setdefault((begin + gone[0], begin + gone[-1] + 1), deletion)
    return _without_crossings([Leap(*span, deletion) for span, deletion in found.items()])


def _without_crossings(leaps: Iterable[Leap]) -> list[Leap]:
    """Returns leaps from left to right, outer ones first; of two that cross, the longer one stays."""
    kept: list[Leap] = []
    for leap in sorted(leaps, key=lambda own: (own.begin - own.end, own.begin)):
        crosses = any(
            own.begin < leap.begin < own.end < leap.end or leap.begin < own.begin < leap.end < own.end for own in kept
        )
        if not crosses:
            kept.append(leap)
    return sorted(kept, key=lambda own: (own.begin, -own.end))


# ---------------------------------------------------------------- the lattice


def from_variants(variants: Sequence[Variant], model: OperationModel) -> Hypotheses:
    """Makes the lattice of variants, which end in one state."""
    table = SymbolTable()
    state_tokens = [(number, index) for number, own in enumerate(variants) for index in range(len(own.tokens) - 1)]
    last = len(state_tokens) + 1
    state_of = {own: state for state, own in enumerate(state_tokens, start=1)}
    sources, labels, targets, scores = list[int](), list[int](), list[int](), list[Floats]()
    for number, variant in enumerate(variants):
        for before, token, own in variant_arcs(variant, model):
            sources.append(0 if before < 0 else state_of[number, before])
            labels.append(table.add(variant.tokens[token].text))
            targets.append(state_of.get((number, token), last))
            scores.append(own + variant.scores if before < 0 else own)
    finals = np.full(last + 1, np.inf)
    finals[last] = 0.0
    columns = dict(zip(FEATURES, np.array(scores).T, strict=True))
    lattice = Lattice.from_arcs(sources, labels, np.zeros(len(labels)), targets, finals, table, features=columns)
    return Hypotheses(tuple(variants), lattice, tuple(state_tokens))


def variant_arcs(variant: Variant, model: OperationModel) -> Iterator[tuple[int, int, Floats]]:
    """Yields (token before, token, features of the decisions between them); -1 is before the first token.

    The last token is a stop, which no deletion takes.
    """
    starting: dict[int, list[Leap]] = {}
    for leap in variant.leaps:
        if leap.end < len(variant.tokens):
            starting.setdefault(leap.begin, []).append(leap)
    decisions = {leap: decision_scores(leap, model) for leaps in starting.values() for leap in leaps}
    reached = np.zeros(len(variant.tokens) + 1, dtype=np.bool_)
    reached[0] = True
    for begin in range(len(variant.tokens)):
        if not reached[begin]:
            continue
        best: dict[int, Floats] = {}
        for token, scores in _next_tokens(begin, starting, decisions):
            if token not in best or scores.sum() > best[token].sum():  # one way to each token: the likeliest
                best[token] = scores
        for token, scores in best.items():
            reached[token + 1] = True
            yield begin - 1, token, scores


def _next_tokens(
    begin: int, starting: Mapping[int, list[Leap]], decisions: Mapping[Leap, tuple[Floats, Floats]]
) -> Iterator[tuple[int, Floats]]:
    """Yields the tokens that may be written next, and the scores of the decisions before that."""
    scores = np.zeros(len(FEATURES))
    for leap in starting.get(begin, ()):
        done, not_done = decisions[leap]
        for token, more in _next_tokens(leap.end, starting, decisions):
            yield token, scores + done + more
        scores = scores + not_done
    yield begin, scores


def decision_scores(leap: Leap, model: OperationModel) -> tuple[Floats, Floats]:
    """Returns the features of deleting and of not deleting."""
    done, not_done = np.zeros(len(FEATURES)), np.zeros(len(FEATURES))
    row = FEATURES.index(DELETION_FEATURES[leap.deletion.kind])
    done[row], not_done[row] = model.log_odds(deletion_feature(leap.deletion))
    done[FEATURES.index(DELETED_FEATURE)] = leap.end - leap.begin
    return done, not_done
