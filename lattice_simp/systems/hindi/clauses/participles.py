"""Where non-finite clauses start: a classifier of the phrases before a participle.

A participle ends its clause, but which of the phrases before it are its own, and which are the main verb's, a chain of
tokens sees badly: that depends on both verbs and on all phrases between. So a logistic regression scores each phrase
that the clause could start with, by what it would then hold and leave outside; the start moves to the best one.
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
from lattice_simp.systems.hindi.sentence import FINITE, NON_FINITE, Sentence

SETTINGS = CrfSettings(l1=0.7, l2=2.0, max_iterations=100, min_count=3)
"""There are a few thousand participles to learn from, and many attributes: they are held down."""

MOST_PHRASES = 12
"""Before a participle; with the stop at a finite verb, 7 in 1,000 clauses of the treebank start elsewhere."""

GIVEN_START = 0.5
"""What the start that is given earns, in nats; tuned on a tenth of the treebank's training files, with a field that was
trained on a fifth of the others."""

_START, _NO_START = "1", "0"
_FAR = 6
_EDGE = "edge"


@dataclass(frozen=True)
class StartClassifier:
    """A logistic regression: a field over sequences of one, whose labels are whether a clause starts."""

    chain: LinearChain

    @classmethod
    def train(cls, examples: Iterable[tuple[Sentence, Sequence[Clause]]]) -> StartClassifier:
        """Trains it on sentences with tags, chunks and clauses; without participles it scores all phrases alike.

        Raises:
            MissingExtraError: python-crfsuite is not installed.
        """
        both: list[tuple[Features, list[str]]] = [([["any"]], [label]) for label in (_START, _NO_START)]
        return cls(LinearChain.train(chain(both, _cases(examples)), SETTINGS))

    def odds(self, sentence: Sentence) -> dict[int, dict[int, float]]:
        """Returns for each participle, by the number of its phrase, the log odds of the phrases up to it."""
        verbs = _participles(sentence)
        view = _View(sentence, rule_clauses(sentence) if verbs else ())
        labels = self.chain.labels
        found = {}
        for verb in verbs:
            starts = view.starts(verb)
            scores = self.chain.scores([view.attributes(verb, start) for start in starts])
            odds = scores[:, labels.index(_START)] - scores[:, labels.index(_NO_START)]
            found[verb] = dict(zip(starts, odds.tolist(), strict=True))
        return found

    def moved(self, sentence: Sentence, clauses: Sequence[Clause]) -> list[Clause]:
        """Lets non-finite clauses (without punctuation at the ends) start with the best phrase that fits the others."""
        found = list(clauses)
        for verb, odds in self.odds(sentence).items():
            ends = _ends(sentence, verb)
            position = next((index for index, one in enumerate(found) if _is_non_finite(one) and one.end in ends), None)
            if position is None:
                continue
            own, others = found[position], found[:position] + found[position + 1 :]
            scores = {sentence.chunks[start].start: value for start, value in odds.items()}
            scores[own.start] = scores.get(own.start, 0.0) + GIVEN_START
            for start in sorted(scores, key=lambda start: -scores[start]):
                moved = replace(own, start=start)
                if start == own.start or _fits(moved, others):
                    found[position] = moved
                    break
        return nested_order(found)


def _is_non_finite(clause: Clause) -> bool:
    return clause.kind is ClauseType.NON_FINITE


def _fits(clause: Clause, others: Sequence[Clause]) -> bool:
    spans = {(one.start, one.end) for one in others}
    return (clause.start, clause.end) not in spans and are_nested([clause, *others])


def _participles(sentence: Sentence) -> list[int]:
    return [number for number, chunk in enumerate(sentence.chunks) if chunk.tag == NON_FINITE]


def _ends(sentence: Sentence, number: int) -> range:
    """Returns where a clause may end with a phrase: punctuation in it need not belong to the clause."""
    chunk = sentence.chunks[number]
    return range(chunk.start + 1, chunk.end + 1)


def _cases(examples: Iterable[tuple[Sentence, Sequence[Clause]]]) -> Iterator[tuple[Features, list[str]]]:
    """Returns each phrase that a clause may start with as a sequence of one."""
    for sentence, clauses in examples:
        starts = _starts(sentence, clauses)
        if not starts:
            continue
        view = _View(sentence, rule_clauses(sentence))
        for verb, right in starts.items():
            for start in view.starts(verb):
                yield [view.attributes(verb, start)], [_START if start == right else _NO_START]


def _starts(sentence: Sentence, clauses: Sequence[Clause]) -> Mapping[int, int]:
    """Returns the phrase that the clause of each participle starts with."""
    first = {chunk.start: number for number, chunk in enumerate(sentence.chunks)}
    ends = {end: number for number in _participles(sentence) for end in _ends(sentence, number)}
    return {
        ends[clause.end]: first[clause.start]
        for clause in clauses
        if _is_non_finite(clause) and clause.end in ends and clause.start in first
    }


class _View:
    """A sentence as the regression sees it."""

    def __init__(self, sentence: Sentence, rules: Sequence[Clause]) -> None:
        self.sentence = sentence
        self.phrases = [describe_phrase(sentence, chunk) for chunk in sentence.chunks]
        heads = [sentence.head_of(chunk) for chunk in sentence.chunks]
        self.roots = [head.root or head.form for head in heads]
        self.nouns = [f"{head.tag} {head.case}" for head in heads]
        self.rules = {clause.end: clause.start for clause in rules if _is_non_finite(clause)}

    def starts(self, verb: int) -> list[int]:
        """Returns the phrases that a participle's clause may start with: back to the finite verb before."""
        found = [verb]
        while found[-1] and len(found) <= MOST_PHRASES and self.sentence.chunks[found[-1] - 1].tag != FINITE:
            found.append(found[-1] - 1)
        return found

    def attributes(self, verb: int, start: int) -> list[str]:
        """Describes the clause from one phrase to its participle, and what it leaves outside."""
        what, root = self.phrases[verb], self.roots[verb]
        own, before = self.phrases[start], self._phrase(start - 1)
        following = self._next_verb(verb)
        above, above_root = self._phrase(following), self.roots[following] if following >= 0 else ""
        after = self._phrase(verb + 1 if verb + 1 < len(self.phrases) else -1)
        edge = f"{before}|{own}"
        found = [f"start={own}", f"before={before}", f"edge={edge}", f"edge2={self._phrase(start - 2)}|{edge}"]
        for name, value in (("start", own), ("before", before)):
            found += [f"{name}={value} {one}" for one in (f"verb={what}", f"root={root}", f"above={above}")]
            found.append(f"{name}={value} behind={after}")
        found += [f"edge={edge} verb={what}", f"edge={edge} above root={above_root}", f"before={before} {above_root}"]
        found += [f"start root={self.roots[start]} {one}" for one in ("", root)]
        found.append(f"start noun={self.nouns[start]} {own}")
        if start:
            found += [f"before root={self.roots[start - 1]} {one}" for one in ("", root, self.roots[start])]
            found.append(f"before noun={self.nouns[start - 1]} {before}")
            last = self.sentence.tokens[self.sentence.chunks[start].start - 1]
            found.append(f"last={last.form if last.tag in ('SYM', 'CC') else last.tag}")
        return found + self._held(start, verb) + self._left_out(start, verb, above) + self._ruled(start, verb)

    def _phrase(self, number: int) -> str:
        return self.phrases[number] if number >= 0 else _EDGE

    def _next_verb(self, verb: int) -> int:
        """Returns the next verb group or conjunction; -1 if there is none."""
        chunks = self.sentence.chunks
        positions = range(verb + 1, len(chunks))
        return next(
            (position for position in positions if chunks[position].is_verbal or chunks[position].tag == "CCP"), -1
        )

    def _held(self, start: int, verb: int) -> list[str]:
        """Describes the phrases that the clause would hold."""
        what, root, inside = self.phrases[verb], self.roots[verb], self.phrases[start:verb]
        counts = Counter(inside)
        size = min(verb - start, _FAR)
        found = [f"size={size}", f"size={size} {what}"]
        found += [f"holds={one} {other}" for one in counts for other in (root, what)]
        found += [f"twice={one}" for one, count in counts.items() if count > 1]
        if len(inside) <= MOST_PHRASES // 3:
            path = "|".join(inside)
            found += [f"path={path}", f"path={path} {what}", f"path={path} {root}"]
        chunks = self.sentence.chunks[start:verb]
        verbs, conjunctions = sum(one.is_verbal for one in chunks), sum(one.tag == "CCP" for one in chunks)
        return [*found, f"verbs={verbs} conjunctions={conjunctions}"]

    def _left_out(self, start: int, verb: int, above: str) -> list[str]:
        """Describes the phrases before and after that would be another verb's."""
        outside = self.phrases[self.starts(verb)[-1] : start]
        following = self._next_verb(verb)
        between = self.phrases[verb + 1 : following] if following >= 0 else []
        found = [f"outside={min(len(outside), _FAR)}", f"outside={min(len(outside), _FAR)} {self.phrases[verb]}"]
        found += [f"out={one} {other}" for one in sorted(set(outside)) for other in ("", above)]
        found += [f"between={one} start={self.phrases[start]}" for one in sorted(set(between))]
        found += [f"between={one} before={self._phrase(start - 1)}" for one in sorted(set(between))]
        return found

    def _ruled(self, start: int, verb: int) -> list[str]:
        """Returns where the grammars let the clause start: here, before or after."""
        ruled = next((self.rules[end] for end in _ends(self.sentence, verb) if end in self.rules), None)
        position = self.sentence.chunks[start].start
        here = "none" if ruled is None else str((position > ruled) - (position < ruled))
        return [f"rule={here}", *(f"rule={here} {one}" for one in (self.phrases[verb], self.phrases[start]))]
