"""All ways to split and shorten a sentence, as one lattice whose arcs carry the decisions as features.

A *variant* is the result of a set of splits; its tokens form a chain of states, a deletion is an arc that leaps over
tokens, and a replacement is a chain beside the words that it replaces. The features of a path are the log probabilities
of its decisions to do an operation or not.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.support.groups import grouped
from lattice_simp.systems.simplify.analysis import Analysis
from lattice_simp.systems.simplify.deletion import Deletion, DeletionKind, delete
from lattice_simp.systems.simplify.operations import OperationModel, deletion_feature, split_feature
from lattice_simp.systems.simplify.replacements import Replacement
from lattice_simp.systems.simplify.sentence import Sentence, Token
from lattice_simp.systems.simplify.split import Split, apply_splits, compatible
from lattice_simp.text.english.punctuation import mark_kind

SPLIT_FEATURE, SPLITS_FEATURE, DELETED_FEATURE = "Split", "Splits", "Deleted"
"""The log probability of all decisions on splits, the number of splits, and the number of deleted words."""

DELETION_FEATURES: Mapping[DeletionKind, str] = {
    DeletionKind.RELATION: "Relation",
    DeletionKind.MODIFIER: "Modifier",
    DeletionKind.ORPHAN: "Orphan",
}
"""The log probabilities of the decisions on deletions, by kind."""

FEATURES = (SPLIT_FEATURE, SPLITS_FEATURE, *DELETION_FEATURES.values(), DELETED_FEATURE)

REPLACED_FEATURE = "Replaced"
"""The number of replacements; only lattices with replacements have it."""

MAX_SPLITS = 3
"""The most split candidates of a sentence to consider, likeliest first; their compatible subsets are the variants."""

NAMES = frozenset({"NNP", "NNPS"})
"""Tags of sentence-initial words that keep their capital."""


@dataclass(frozen=True)
class Leap:
    """A deletion in a variant: it removes the tokens `begin:end`."""

    begin: int
    end: int
    deletion: Deletion

    def is_within(self, other: Leap) -> bool:
        """Returns whether another deletion removes the same tokens and possibly more."""
        return other != self and other.begin <= self.begin and self.end <= other.end


@dataclass(frozen=True)
class Bypass:
    """A replacement in a variant: it writes other tokens instead of `begin:end`."""

    begin: int
    end: int
    replacement: Replacement

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The new tokens, which have the position of the first replaced word."""
        return tuple(Token(word, self.replacement.positions[0]) for word in self.replacement.words)


@dataclass(frozen=True)
class Variant:
    """A sentence after a set of splits.

    Attributes:
        splits: the set of splits.
        tokens: the tokens of all resulting sentences; the very first word is in mid-sentence case, as in training data.
        leaps: the deletions, outer ones before inner ones; no two of them cross.
        scores: (features,) scores of the decisions on splits.
        bypasses: the replacements from left to right; no two of them overlap.
        starts: the index of each sentence's first token.
        deleted: the deletions already applied, outermost ones only.
    """

    splits: tuple[Split, ...]
    tokens: tuple[Token, ...]
    leaps: tuple[Leap, ...]
    scores: Floats
    bypasses: tuple[Bypass, ...] = ()
    starts: tuple[int, ...] = (0,)
    deleted: tuple[Deletion, ...] = ()

    @cached_property
    def written(self) -> tuple[Token, ...]:
        """The tokens, then those of all replacements."""
        return (*self.tokens, *(token for bypass in self.bypasses for token in bypass.tokens))

    @cached_property
    def new(self) -> dict[int, tuple[Bypass, int]]:
        """The replacement that each new token of `written` belongs to, and its index among the replacement's words."""
        places = [(bypass, offset) for bypass in self.bypasses for offset in range(len(bypass.tokens))]
        return dict(enumerate(places, start=len(self.tokens)))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The indices of `written` but the last token's, such that every token follows its possible predecessors."""
        ends = {index: bypass.end for index, (bypass, _) in self.new.items()}
        indices = (index for index in range(len(self.written)) if index != len(self.tokens) - 1)
        return tuple(sorted(indices, key=lambda index: (ends.get(index, index), index not in ends, index)))

    def sentence_of(self, index: int) -> int:
        """Returns the number of the sentence, from 0, that a token of `written` belongs to."""
        return bisect_right(self.starts, self.new[index][0].begin if index in self.new else index) - 1

    def shortened(self) -> Variant:
        """Returns the variant after all its deletions."""
        removed = {index for leap in self.leaps for index in range(leap.begin, leap.end)}
        outermost = (leap for leap in self.leaps if not any(leap.is_within(outer) for outer in self.leaps))
        remaining = [index for index in range(len(self.tokens)) if index not in removed]
        starts = tuple(bisect_left(remaining, start) for start in self.starts)
        tokens = tuple(self.tokens[index] for index in remaining)
        replacements = (bypass.replacement for bypass in self.bypasses)
        shorter = replace(self, tokens=tokens, leaps=(), starts=starts, bypasses=_bypasses(tokens, replacements))
        return replace(shorter, deleted=tuple(leap.deletion for leap in outermost))


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """The ways to split and shorten a sentence.

    Attributes:
        variants: the variants, each a chain of states.
        lattice: the acceptor of their words, with the features `FEATURES`; every path costs 0.
        state_tokens: for each state except the start, the (variant, token) that every arc into it writes, where the
            token is an index of `written`; the last state belongs to the last tokens of all variants.
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
    """Returns the lattice of all ways to split and shorten a sentence.

    Args:
        analysis: the sentence and its candidates.
        model: the probabilities of the candidates.
        split: whether to consider splits.
        deletions: a predicate for the deletions to consider.
        max_splits: the number of split candidates to consider, the likeliest first.
    """
    likely = (
        sorted(analysis.splits, key=lambda candidate: -model.probability(split_feature(candidate))) if split else []
    )
    sets = split_sets(likely[:max_splits])
    return from_variants([make_variant(analysis, model, chosen, likely, deletions) for chosen in sets], model)


def split_sets(candidates: Sequence[Split]) -> list[tuple[Split, ...]]:
    """Returns the sets of compatible splits by size, beginning with the empty set."""
    sets = (splits for size in range(len(candidates) + 1) for splits in combinations(candidates, size))
    return [splits for splits in sets if compatible(splits)]


def make_variant(
    analysis: Analysis,
    model: OperationModel,
    chosen: Collection[Split],
    candidates: Iterable[Split],
    deletions: Callable[[Deletion], bool] = lambda deletion: True,
) -> Variant:
    """Applies the chosen splits and finds the deletions in the resulting sentences."""
    scores = np.zeros(len(FEATURES))
    for candidate in candidates:
        done, not_done = model.log_odds(split_feature(candidate))
        scores[FEATURES.index(SPLIT_FEATURE)] += done if candidate in chosen else not_done
    scores[FEATURES.index(SPLITS_FEATURE)] = len(chosen)
    sentences = apply_splits(analysis.tokens, chosen)
    leaps, begin, starts = list[Leap](), 0, list[int]()
    for sentence in sentences:
        starts.append(begin)
        leaps += _leaps(sentence, begin, (deletion for deletion in analysis.deletions if deletions(deletion)))
        begin += len(sentence)
    tokens = (*_mid_sentence(sentences[0], analysis), *(token for sentence in sentences[1:] for token in sentence))
    bypasses = _bypasses(tokens, analysis.replacements)
    return Variant(tuple(chosen), tokens, tuple(leaps), scores, bypasses, tuple(starts))


def _bypasses(tokens: Sequence[Token], replacements: Iterable[Replacement]) -> tuple[Bypass, ...]:
    """Returns the replacements whose words occur in the variant once, contiguously and before its last token."""
    places = grouped((token.position, index) for index, token in enumerate(tokens))
    bypasses = list[Bypass]()
    for replacement in replacements:
        indices = [index for position in replacement.positions for index in places.get(position, ())]
        begin = indices[0] if indices else len(tokens)
        end = begin + len(replacement.positions)
        if indices == list(range(begin, end)) and end < len(tokens):
            bypasses.append(Bypass(begin, end, replacement))
    return tuple(sorted(bypasses, key=lambda bypass: bypass.begin))


def _mid_sentence(sentence: Sentence, analysis: Analysis) -> Sentence:
    """Writes the first word in mid-sentence case."""
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
    """Returns the tokens that each deletion removes, for deletions that remove a contiguous run."""
    positions = {token.position for token in sentence}
    first_deletions: dict[tuple[int, int], Deletion] = {}
    for deletion in deletions:
        if not positions.issuperset(deletion.positions):
            continue
        rest = iter(delete(sentence, [deletion]))
        kept = next(rest, None)
        removed = []
        for index, token in enumerate(sentence):
            if (
                kept is not None
                and (kept.position, kept.copied) == (token.position, token.copied)
                and (token.position is not None or kept.text.lower() == token.text.lower())
            ):
                kept = next(rest, None)
            else:
                removed.append(index)
        words = [
            token for index, token in enumerate(sentence) if index not in removed and mark_kind(token.text) is None
        ]
        if removed and words and removed[-1] - removed[0] + 1 == len(removed):
            first_deletions.setdefault((begin + removed[0], begin + removed[-1] + 1), deletion)
    return _without_crossings([Leap(*span, deletion) for span, deletion in first_deletions.items()])


def _without_crossings(leaps: Iterable[Leap]) -> list[Leap]:
    """Returns leaps from left to right, outer ones first; of two that cross, the longer one is kept."""
    kept: list[Leap] = []
    for leap in sorted(leaps, key=lambda leap: (leap.begin - leap.end, leap.begin)):
        crosses = any(
            outer.begin < leap.begin < outer.end < leap.end or leap.begin < outer.begin < leap.end < outer.end
            for outer in kept
        )
        if not crosses:
            kept.append(leap)
    return sorted(kept, key=lambda leap: (leap.begin, -leap.end))


# ---------------------------------------------------------------- the lattice


def from_variants(variants: Sequence[Variant], model: OperationModel) -> Hypotheses:
    """Returns the lattice of variants, with one final state."""
    table = SymbolTable()
    state_tokens = [(number, index) for number, variant in enumerate(variants) for index in variant.order]
    last = len(state_tokens) + 1
    state_of = {pair: state for state, pair in enumerate(state_tokens, start=1)}
    sources, labels, targets, scores = list[int](), list[int](), list[int](), list[Floats]()
    replaced = list[float]()
    for number, variant in enumerate(variants):
        for before, token, decisions in with_bypasses(variant, variant_arcs(variant, model)):
            sources.append(0 if before < 0 else state_of[number, before])
            labels.append(table.add(variant.written[token].text))
            targets.append(state_of.get((number, token), last))
            scores.append(decisions + variant.scores if before < 0 else decisions)
            replaced.append(float(token in variant.new and variant.new[token][1] == 0))
    finals = np.full(last + 1, np.inf)
    finals[last] = 0.0
    columns = dict(zip(FEATURES, np.array(scores).T, strict=True))
    if any(variant.bypasses for variant in variants):
        columns[REPLACED_FEATURE] = np.array(replaced)
    lattice = Lattice.from_arcs(sources, labels, np.zeros(len(labels)), targets, finals, table, features=columns)
    return Hypotheses(tuple(variants), lattice, tuple(state_tokens))


def with_bypasses(variant: Variant, arcs: Iterable[tuple[int, int, Floats]]) -> list[tuple[int, int, Floats]]:
    """Adds the arcs of replacements, parallel to the words that they replace."""
    with_new, first = list(arcs), len(variant.tokens)
    for bypass in variant.bypasses:
        new = range(first, first + len(bypass.tokens))
        first = new.stop
        entering = [(before, new[0], scores) for before, token, scores in with_new if token == bypass.begin]
        leaving = [(new[-1], token, scores) for before, token, scores in with_new if before == bypass.end - 1]
        with_new += [*entering, *((index, index + 1, np.zeros(len(FEATURES))) for index in new[:-1]), *leaving]
    return with_new


def variant_arcs(variant: Variant, model: OperationModel) -> Iterator[tuple[int, int, Floats]]:
    """Yields (previous token, token, features of the decisions between them); -1 precedes the first token.

    The last token is a stop, which no deletion removes.
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
            if token not in best or scores.sum() > best[token].sum():  # only the likeliest decisions before each token
                best[token] = scores
        for token, scores in best.items():
            reached[token + 1] = True
            yield begin - 1, token, scores


def _next_tokens(
    begin: int, starting: Mapping[int, list[Leap]], decisions: Mapping[Leap, tuple[Floats, Floats]]
) -> Iterator[tuple[int, Floats]]:
    """Yields the tokens that can be written next, with the scores of the decisions before them."""
    scores = np.zeros(len(FEATURES))
    for leap in starting.get(begin, ()):
        done, not_done = decisions[leap]
        for token, more in _next_tokens(leap.end, starting, decisions):
            yield token, scores + done + more
        scores = scores + not_done
    yield begin, scores


def decision_scores(leap: Leap, model: OperationModel) -> tuple[Floats, Floats]:
    """Returns the features of making a deletion and of not making it."""
    done, not_done = np.zeros(len(FEATURES)), np.zeros(len(FEATURES))
    row = FEATURES.index(DELETION_FEATURES[leap.deletion.kind])
    done[row], not_done[row] = model.log_odds(deletion_feature(leap.deletion))
    done[FEATURES.index(DELETED_FEATURE)] = leap.end - leap.begin
    return done, not_done
