"""Finds the starts of non-finite clauses with a classifier of the phrases before a participle.

A participle ends its clause. Which of the phrases before it belong to it and which to the main verb depends on both
verbs and all phrases between, which a chain over tokens models badly. A logistic regression scores each possible first
phrase by what the clause would contain and leave out; the start moves to the best one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from lattice_simp.systems.hindi.clause import Clause, ClauseType, are_nested, nested_order
from lattice_simp.systems.hindi.clauses.crf import CrfSettings, LinearChain
from lattice_simp.systems.hindi.clauses.features import Features, describe_phrase
from lattice_simp.systems.hindi.rules import rule_clauses
from lattice_simp.systems.hindi.sentence import CCP, CONJUNCTION, FINITE, NON_FINITE, PUNCTUATION, Sentence

SETTINGS = CrfSettings(l1=0.7, l2=2.0, max_iterations=100, min_count=3)
"""Strong regularisation, as there are only a few thousand participles for many attributes."""

MOST_PHRASES = 12
"""The most phrases before a participle. With the stop at a finite verb, 7 in 1,000 clauses of the treebank start
elsewhere."""

CURRENT_START = 0.5
"""The bonus of the current start, in nats; tuned on a tenth of the treebank's training files, with a field trained on a
fifth of the others."""

_START, _NO_START = "1", "0"
_FAR = 6
_EDGE = "edge"


@dataclass(frozen=True)
class StartClassifier:
    """A logistic regression, as a field over sequences of length one with the labels start and no start."""

    chain: LinearChain

    @classmethod
    def train(cls, examples: Iterable[tuple[Sentence, Sequence[Clause]]]) -> StartClassifier:
        """Trains on sentences with tags, chunks and clauses; without participles, all phrases score the same."""
        label_examples: list[tuple[Features, list[str]]] = [([["any"]], [label]) for label in (_START, _NO_START)]
        return cls(LinearChain.train(chain(label_examples, _cases(examples)), SETTINGS))

    def odds(self, sentence: Sentence) -> dict[int, dict[int, float]]:
        """Returns the log odds of the possible first phrases, by the number of each participle's phrase."""
        verbs = _participles(sentence)
        view = _View(sentence, rule_clauses(sentence) if verbs else ())
        labels = self.chain.labels
        by_verb = {}
        for verb in verbs:
            starts = view.starts(verb)
            scores = self.chain.scores([view.attributes(verb, start) for start in starts])
            odds = scores[:, labels.index(_START)] - scores[:, labels.index(_NO_START)]
            by_verb[verb] = dict(zip(starts, odds.tolist(), strict=True))
        return by_verb

    def moved(self, sentence: Sentence, clauses: Sequence[Clause]) -> list[Clause]:
        """Moves the start of non-finite clauses to the best phrase that keeps clauses nested."""
        result = list(clauses)
        for verb, odds in self.odds(sentence).items():
            ends = _ends(sentence, verb)
            fitting = (i for i, candidate in enumerate(result) if _is_non_finite(candidate) and candidate.end in ends)
            position = next(fitting, None)
            if position is None:
                continue
            clause, rest = result[position], result[:position] + result[position + 1 :]
            scores = {sentence.chunks[start].start: value for start, value in odds.items()}
            scores[clause.start] = scores.get(clause.start, 0.0) + CURRENT_START
            for start in sorted(scores, key=lambda start: -scores[start]):
                moved = replace(clause, start=start)
                if start == clause.start or _fits(moved, rest):
                    result[position] = moved
                    break
        return nested_order(result)


def _is_non_finite(clause: Clause) -> bool:
    return clause.kind is ClauseType.NON_FINITE


def _fits(clause: Clause, rest: Sequence[Clause]) -> bool:
    spans = {(placed.start, placed.end) for placed in rest}
    return (clause.start, clause.end) not in spans and are_nested([clause, *rest])


def _participles(sentence: Sentence) -> list[int]:
    return [number for number, chunk in enumerate(sentence.chunks) if chunk.tag == NON_FINITE]


def _ends(sentence: Sentence, number: int) -> range:
    """Returns the possible ends of a clause in its last phrase, whose punctuation may be outside the clause."""
    chunk = sentence.chunks[number]
    return range(chunk.start + 1, chunk.end + 1)


def _cases(examples: Iterable[tuple[Sentence, Sequence[Clause]]]) -> Iterator[tuple[Features, list[str]]]:
    """Yields each possible first phrase as a labelled sequence of length one."""
    for sentence, clauses in examples:
        starts = _starts(sentence, clauses)
        if not starts:
            continue
        view = _View(sentence, rule_clauses(sentence))
        for verb, right in starts.items():
            for start in view.starts(verb):
                yield [view.attributes(verb, start)], [_START if start == right else _NO_START]


def _starts(sentence: Sentence, clauses: Sequence[Clause]) -> Mapping[int, int]:
    """Returns the first phrase of each participle's clause."""
    first = {chunk.start: number for number, chunk in enumerate(sentence.chunks)}
    ends = {end: number for number in _participles(sentence) for end in _ends(sentence, number)}
    return {
        ends[clause.end]: first[clause.start]
        for clause in clauses
        if _is_non_finite(clause) and clause.end in ends and clause.start in first
    }


class _View:
    """The attributes of a sentence for the regression."""

    def __init__(self, sentence: Sentence, rules: Sequence[Clause]) -> None:
        self.sentence = sentence
        self.phrases = [describe_phrase(sentence, chunk) for chunk in sentence.chunks]
        heads = [sentence.head_of(chunk) for chunk in sentence.chunks]
        self.roots = [head.root or head.form for head in heads]
        self.nouns = [f"{head.tag} {head.case}" for head in heads]
        self.rules = {clause.end: clause.start for clause in rules if _is_non_finite(clause)}

    def starts(self, verb: int) -> list[int]:
        """Returns the possible first phrases of a participle's clause, back to the preceding finite verb."""
        phrases = [verb]
        while phrases[-1] and len(phrases) <= MOST_PHRASES and self.sentence.chunks[phrases[-1] - 1].tag != FINITE:
            phrases.append(phrases[-1] - 1)
        return phrases

    def attributes(self, verb: int, start: int) -> list[str]:
        """Describes the clause from a phrase to its participle, and the phrases left out."""
        what, root = self.phrases[verb], self.roots[verb]
        first, before = self.phrases[start], self._phrase(start - 1)
        following = self._next_verb(verb)
        above, above_root = self._phrase(following), self.roots[following] if following >= 0 else ""
        after = self._phrase(verb + 1 if verb + 1 < len(self.phrases) else -1)
        edge = f"{before}|{first}"
        names = [f"start={first}", f"before={before}", f"edge={edge}", f"edge2={self._phrase(start - 2)}|{edge}"]
        for name, value in (("start", first), ("before", before)):
            names += [f"{name}={value} {context}" for context in (f"verb={what}", f"root={root}", f"above={above}")]
            names.append(f"{name}={value} behind={after}")
        names += [f"edge={edge} verb={what}", f"edge={edge} above root={above_root}", f"before={before} {above_root}"]
        names += [f"start root={self.roots[start]} {context}" for context in ("", root)]
        names.append(f"start noun={self.nouns[start]} {first}")
        if start:
            names += [f"before root={self.roots[start - 1]} {context}" for context in ("", root, self.roots[start])]
            names.append(f"before noun={self.nouns[start - 1]} {before}")
            last = self.sentence.tokens[self.sentence.chunks[start].start - 1]
            names.append(f"last={last.form if last.tag in (PUNCTUATION, CONJUNCTION) else last.tag}")
        return names + self._held(start, verb) + self._left_out(start, verb, above) + self._ruled(start, verb)

    def _phrase(self, number: int) -> str:
        return self.phrases[number] if number >= 0 else _EDGE

    def _next_verb(self, verb: int) -> int:
        """Returns the next verb group or conjunction; -1 if there is none."""
        chunks = self.sentence.chunks
        positions = range(verb + 1, len(chunks))
        return next(
            (position for position in positions if chunks[position].is_verbal or chunks[position].tag == CCP), -1
        )

    def _held(self, start: int, verb: int) -> list[str]:
        """Describes the phrases inside the clause."""
        what, root, inside = self.phrases[verb], self.roots[verb], self.phrases[start:verb]
        counts = Counter(inside)
        size = min(verb - start, _FAR)
        names = [f"size={size}", f"size={size} {what}"]
        names += [f"holds={phrase} {verb_feature}" for phrase in counts for verb_feature in (root, what)]
        names += [f"twice={phrase}" for phrase, count in counts.items() if count > 1]
        if len(inside) <= MOST_PHRASES // 3:
            path = "|".join(inside)
            names += [f"path={path}", f"path={path} {what}", f"path={path} {root}"]
        chunks = self.sentence.chunks[start:verb]
        verbs, conjunctions = sum(chunk.is_verbal for chunk in chunks), sum(chunk.tag == CCP for chunk in chunks)
        return [*names, f"verbs={verbs} conjunctions={conjunctions}"]

    def _left_out(self, start: int, verb: int, above: str) -> list[str]:
        """Describes the phrases before and after that would belong to another verb."""
        outside = self.phrases[self.starts(verb)[-1] : start]
        following = self._next_verb(verb)
        between = self.phrases[verb + 1 : following] if following >= 0 else []
        names = [f"outside={min(len(outside), _FAR)}", f"outside={min(len(outside), _FAR)} {self.phrases[verb]}"]
        names += [f"out={phrase} {context}" for phrase in sorted(set(outside)) for context in ("", above)]
        names += [f"between={phrase} start={self.phrases[start]}" for phrase in sorted(set(between))]
        names += [f"between={phrase} before={self._phrase(start - 1)}" for phrase in sorted(set(between))]
        return names

    def _ruled(self, start: int, verb: int) -> list[str]:
        """Describes whether the grammars start the clause here, before or after."""
        ruled = next((self.rules[end] for end in _ends(self.sentence, verb) if end in self.rules), None)
        position = self.sentence.chunks[start].start
        here = "none" if ruled is None else str((position > ruled) - (position < ruled))
        return [f"rule={here}", *(f"rule={here} {context}" for context in (self.phrases[verb], self.phrases[start]))]
